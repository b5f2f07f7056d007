# SPDX-License-Identifier: BSD-3-Clause
# lufact_add_library(NAME SOURCES ... DEPS ...): one static library per module.
# lufact_add_gpu_stages(NAME FACTS ... SOURCES ... DEPS ...): stages of the GPU module. FACTS need
#   no CUDA and are part of every build; SOURCES are compiled with CUDA alone, as a library.
# lufact_add_test(NAME SOURCES ... DEPS ...): one GoogleTest program, run by ctest as NAME.
add_library(lufact_flags INTERFACE)
target_compile_features(lufact_flags INTERFACE cxx_std_20)
target_include_directories(lufact_flags INTERFACE "${CMAKE_SOURCE_DIR}")
set(lufact_warnings -Wall -Wextra -Wconversion -Wshadow)
if(LUFACT_WARNINGS_AS_ERRORS)
  list(APPEND lufact_warnings -Werror)
endif()
target_compile_options(lufact_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${lufact_warnings}>")
if(LUFACT_SANITIZE)
  # Between the checks that it adds gcc loses sight of what is initialized, in <regex> for one.
  set(lufact_sanitize -fsanitize=${LUFACT_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize-recover=all -Wno-maybe-uninitialized)
  target_compile_options(lufact_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${lufact_sanitize}>")
  target_link_options(lufact_flags INTERFACE ${lufact_sanitize})
endif()

function(lufact_add_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC lufact_flags ${arg_DEPS})
endfunction()

function(lufact_add_gpu_stages name)
  cmake_parse_arguments(arg "" "" "FACTS;SOURCES;DEPS" ${ARGN})
  target_sources(lufact_gpu_facts PRIVATE ${arg_FACTS})
  if(LUFACT_HAVE_CUDA)
    lufact_add_library(${name} SOURCES ${arg_SOURCES} DEPS lufact_gpu_facts ${arg_DEPS})
    target_link_libraries(lufact_gpu PUBLIC ${name})
  endif()
endfunction()

function(lufact_add_test name)
  if(NOT LUFACT_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE lufact_flags ${arg_DEPS} GTest::gmock GTest::gtest
                        GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "NO TESTS RAN"
                       LABELS "${arg_LABELS}" TIMEOUT 1200)
endfunction()
