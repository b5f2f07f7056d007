# SPDX-License-Identifier: BSD-3-Clause
# The variables of build_info.cpp.in, and the stamp of the commit.
set(report_cuda_compiler "")
set(report_cuda_architectures "")
set(report_cuda_flags "")
string(TOUPPER "${CMAKE_BUILD_TYPE}" report_type)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${report_type}}" report_cxx_flags)
if(LUFACT_SANITIZE)
  string(APPEND report_cxx_flags " -fsanitize=${LUFACT_SANITIZE}")
endif()
if(LUFACT_HAVE_CUDA)
  set(report_cuda_compiler "${CMAKE_CUDA_COMPILER_ID} ${CMAKE_CUDA_COMPILER_VERSION}")
  set(report_cuda_architectures "${CMAKE_CUDA_ARCHITECTURES}")
  string(JOIN " " report_cuda_flags
         "${CMAKE_CUDA_FLAGS}" "${CMAKE_CUDA_FLAGS_${report_type}}" ${lufact_cuda_flags})
  string(STRIP "${report_cuda_flags}" report_cuda_flags)
endif()

# Version of a library whose header has #define lines for its parts.
function(report_header_version result header)
  set(parts "")
  if(EXISTS "${header}")
    foreach(macro ${ARGN})
      file(STRINGS "${header}" line REGEX "^#define[ \t]+${macro}[ \t]+[0-9]+")
      if(line MATCHES "${macro}[ \t]+([0-9]+)")
        list(APPEND parts "${CMAKE_MATCH_1}")
      endif()
    endforeach()
  endif()
  list(JOIN parts "." version)
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

set(report_library_rows "")
function(report_library name version)
  if(NOT version STREQUAL "")
    set(report_library_rows
        "${report_library_rows}      {\"${name}\", \"${version}\"},\n" PARENT_SCOPE)
  endif()
endfunction()
report_library(fmt "${fmt_VERSION}")
report_library(CLI11 "${CLI11_VERSION}")
report_library(nlohmann-json "${nlohmann_json_VERSION}")
report_library(zlib "${ZLIB_VERSION_STRING}")
report_library(liblzma "${LIBLZMA_VERSION_STRING}")
report_library(OpenSSL "${OPENSSL_VERSION}")
foreach(name AMD COLAMD BTF)
  string(TOLOWER "${name}" header)
  report_header_version(version "${${name}_INCLUDE_DIR}/${header}.h"
                        ${name}_MAIN_VERSION ${name}_SUB_VERSION ${name}_SUBSUB_VERSION)
  report_library("SuiteSparse ${name}" "${version}")
endforeach()
if(LUFACT_HAVE_METIS)
  report_header_version(version "${METIS_INCLUDE_DIR}/metis.h"
                        METIS_VER_MAJOR METIS_VER_MINOR METIS_VER_SUBMINOR)
  report_library(METIS "${version}")
endif()
configure_file(build_info.cpp.in build_info.cpp @ONLY)

set(LUFACT_GIT_SHA "" CACHE STRING "Commit of sources that are not in a git checkout")
set(LUFACT_GIT_DIRTY "" CACHE STRING "Whether those sources differ from that commit (ON or OFF)")
add_custom_target(lufact_git_stamp
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}"
          "-DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/git_stamp.cpp"
          "-DGIT_SHA=${LUFACT_GIT_SHA}" "-DGIT_DIRTY=${LUFACT_GIT_DIRTY}"
          -P "${CMAKE_CURRENT_SOURCE_DIR}/git_stamp.cmake"
  BYPRODUCTS "${CMAKE_CURRENT_BINARY_DIR}/git_stamp.cpp"
  COMMENT "Stamping the git commit" VERBATIM)
