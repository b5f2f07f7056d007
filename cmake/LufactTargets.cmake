# SPDX-License-Identifier: BSD-3-Clause
# lufact_add_library(NAME SOURCES ... DEPS ...): one static library per module.
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
  set(lufact_sanitize -fsanitize=${LUFACT_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize-recover=all)
  target_compile_options(lufact_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${lufact_sanitize}>")
  target_link_options(lufact_flags INTERFACE ${lufact_sanitize})
endif()

function(lufact_add_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC lufact_flags ${arg_DEPS})
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
