# SPDX-License-Identifier: BSD-3-Clause
# Third-party libraries; THIRD_PARTY.md says what each is used for and under which licence.
if(LUFACT_STATIC_LIBRARIES)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(ZLIB REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_path(RAPIDJSON_INCLUDE_DIR rapidjson/schema.h REQUIRED)

# SuiteSparse ships no CMake package in the versions that distributions carry.
function(lufact_find_suitesparse name header)
  string(TOUPPER ${name} upper)
  find_path(${upper}_INCLUDE_DIR ${header} PATH_SUFFIXES suitesparse REQUIRED)
  find_library(${upper}_LIBRARY ${name} REQUIRED)
  add_library(lufact::${name} UNKNOWN IMPORTED)
  set_target_properties(lufact::${name} PROPERTIES
    IMPORTED_LOCATION "${${upper}_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${${upper}_INCLUDE_DIR}")
endfunction()
lufact_find_suitesparse(amd amd.h)
lufact_find_suitesparse(colamd colamd.h)
lufact_find_suitesparse(btf btf.h)
lufact_find_suitesparse(suitesparseconfig SuiteSparse_config.h)
target_link_libraries(lufact::amd INTERFACE lufact::suitesparseconfig)
target_link_libraries(lufact::colamd INTERFACE lufact::suitesparseconfig)
target_link_libraries(lufact::btf INTERFACE lufact::suitesparseconfig)

# METIS is optional: without it the ordering `metis` is listed as unavailable with the reason.
find_path(METIS_INCLUDE_DIR metis.h)
find_library(METIS_LIBRARY metis)
if(METIS_INCLUDE_DIR AND METIS_LIBRARY)
  add_library(lufact::metis UNKNOWN IMPORTED)
  set_target_properties(lufact::metis PROPERTIES
    IMPORTED_LOCATION "${METIS_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${METIS_INCLUDE_DIR}")
  set(LUFACT_HAVE_METIS ON)
else()
  set(LUFACT_HAVE_METIS OFF)
endif()

# MPI is optional, and lufact-rank alone is linked with it.
set(LUFACT_HAVE_MPI OFF)
if(NOT LUFACT_MPI STREQUAL "off")
  set(MPI_CXX_SKIP_MPICXX ON)  # its C interface is all that is used
  find_package(MPI COMPONENTS CXX QUIET)
  if(MPI_CXX_FOUND)
    set(LUFACT_HAVE_MPI ON)
  elseif(LUFACT_MPI STREQUAL "on")
    message(FATAL_ERROR "LUFACT_MPI=on, but CMake finds no MPI")
  endif()
endif()
if(LUFACT_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
