# SPDX-License-Identifier: BSD-3-Clause
# Kernels on small dense matrices with their order as a compile-time constant. They are not part of
# the program, whose other commands would load them for nothing, but files of their own, one for
# each family, precision and order:
#   <build or install folder>/lib/lufact/batch/<family>_<f32|f64>_<N>.fatbin
# lufact_add_batch_kernels(FAMILY SOURCE file.cu LARGEST_ORDER n) compiles them, with
# LUFACT_BATCH_ORDER and LUFACT_BATCH_REAL defined; FOR_TESTS: they are not installed. Targets:
# lufact_batch_FAMILY_kernels, and lufact_batch_kernels for all families. They hold machine code for
# CMAKE_CUDA_ARCHITECTURES alone: the PTX of these kernels would double their size.
set(LUFACT_BATCH_KERNEL_DIR lib/lufact/batch)  # where the program looks: see kernel_files.hpp
set(LUFACT_BATCH_SIZES "1..64" CACHE STRING
    "Orders of small dense matrices to build kernels for: numbers and ranges (1..8;12;16..20)")

# Order 1 is always among them, so that no stage is left without any.
function(lufact_expand_batch_sizes result)
  set(orders 1)
  foreach(item IN LISTS LUFACT_BATCH_SIZES)
    if(item MATCHES "^([0-9]+)\\.\\.([0-9]+)$")
      set(first ${CMAKE_MATCH_1})
      set(last ${CMAKE_MATCH_2})
    elseif(item MATCHES "^[0-9]+$")
      set(first ${item})
      set(last ${item})
    else()
      message(FATAL_ERROR "LUFACT_BATCH_SIZES: '${item}' is neither a number nor a range a..b")
    endif()
    if(first LESS 1 OR last GREATER 64 OR first GREATER last)
      message(FATAL_ERROR "LUFACT_BATCH_SIZES: '${item}' is not within 1..64")
    endif()
    foreach(order RANGE ${first} ${last})
      list(APPEND orders ${order})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES orders)
  list(SORT orders COMPARE NATURAL)
  set(${result} ${orders} PARENT_SCOPE)
endfunction()
lufact_expand_batch_sizes(LUFACT_BATCH_ORDERS)

# CMAKE_CUDA_ARCHITECTURES as options of nvcc, for machine code alone where there is a choice.
function(lufact_machine_code_options result)
  set(options "")
  foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
    if(architecture MATCHES "^(native|all|all-major)$")
      list(APPEND options -arch=${architecture})
    elseif(architecture MATCHES "^([0-9]+[af]?)-virtual$")
      list(APPEND options
           "-gencode=arch=compute_${CMAKE_MATCH_1},code=compute_${CMAKE_MATCH_1}")
    elseif(architecture MATCHES "^([0-9]+[af]?)(-real)?$")
      list(APPEND options "-gencode=arch=compute_${CMAKE_MATCH_1},code=sm_${CMAKE_MATCH_1}")
    else()
      message(FATAL_ERROR "CMAKE_CUDA_ARCHITECTURES: '${architecture}' is not understood")
    endif()
  endforeach()
  set(${result} ${options} PARENT_SCOPE)
endfunction()

function(lufact_batch_compile_options result)
  lufact_machine_code_options(options)
  list(APPEND options -std=c++20 -O3 --expt-relaxed-constexpr "-I${CMAKE_SOURCE_DIR}"
       "-Xcompiler=-Wall,-Wextra")
  if(LUFACT_WARNINGS_AS_ERRORS)
    list(APPEND options --Werror all-warnings)
  endif()
  if(CMAKE_CUDA_HOST_COMPILER)
    list(APPEND options "-ccbin=${CMAKE_CUDA_HOST_COMPILER}")
  endif()
  set(${result} ${options} PARENT_SCOPE)
endfunction()

function(lufact_add_batch_kernel_file family source order precision)
  set(file "${CMAKE_BINARY_DIR}/${LUFACT_BATCH_KERNEL_DIR}/${family}_${precision}_${order}.fatbin")
  set(real_f32 float)
  set(real_f64 double)
  lufact_batch_compile_options(options)
  set(pool "")
  if(CMAKE_JOB_POOL_COMPILE)
    set(pool JOB_POOL ${CMAKE_JOB_POOL_COMPILE})
  endif()
  # -c says nothing new to nvcc, but without it ccache takes the command for one that links.
  add_custom_command(
    OUTPUT "${file}"
    COMMAND ${CMAKE_CUDA_COMPILER_LAUNCHER} "${CMAKE_CUDA_COMPILER}" -fatbin -c ${options}
            -DLUFACT_BATCH_ORDER=${order} -DLUFACT_BATCH_REAL=${real_${precision}}
            -MD -MF "${file}.d" -MT "${file}" -o "${file}" "${source}"
    DEPENDS "${source}"
    DEPFILE "${file}.d"
    COMMENT "Batch kernels ${family} ${precision} of order ${order}"
    VERBATIM ${pool})
  set(lufact_batch_file "${file}" PARENT_SCOPE)
endfunction()

function(lufact_add_batch_kernels family)
  cmake_parse_arguments(arg "FOR_TESTS" "SOURCE;LARGEST_ORDER" "" ${ARGN})
  if(NOT LUFACT_HAVE_CUDA)
    return()
  endif()
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/${LUFACT_BATCH_KERNEL_DIR}")
  set(files "")
  foreach(order IN LISTS LUFACT_BATCH_ORDERS)
    if(order GREATER arg_LARGEST_ORDER)
      continue()
    endif()
    foreach(precision f32 f64)
      lufact_add_batch_kernel_file(${family} "${CMAKE_CURRENT_SOURCE_DIR}/${arg_SOURCE}" ${order}
                                   ${precision})
      list(APPEND files "${lufact_batch_file}")
    endforeach()
  endforeach()
  add_custom_target(lufact_batch_${family}_kernels ALL DEPENDS ${files})
  add_dependencies(lufact_batch_kernels lufact_batch_${family}_kernels)
  if(NOT arg_FOR_TESTS)
    install(FILES ${files} DESTINATION "${LUFACT_BATCH_KERNEL_DIR}" OPTIONAL)
  endif()
endfunction()
