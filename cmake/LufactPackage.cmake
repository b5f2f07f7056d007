# SPDX-License-Identifier: BSD-3-Clause
# What `cpack` makes in a build folder: a .tar.gz, which runs from any folder, and a Debian package
# where dpkg-shlibdeps (package dpkg-dev) is there to find out what it depends on.
set(CPACK_PACKAGE_NAME "${PROJECT_NAME}")
set(CPACK_PACKAGE_VENDOR "the lufact authors")
set(CPACK_PACKAGE_CONTACT "the lufact authors <lufact@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" lufact_system)
set(CPACK_PACKAGE_FILE_NAME "lufact-${PROJECT_VERSION}-${lufact_system}")
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR TGZ)

find_program(LUFACT_DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(LUFACT_FILE file)  # which CPack asks about each file
if(LUFACT_DPKG_SHLIBDEPS AND LUFACT_FILE)
  list(APPEND CPACK_GENERATOR DEB)
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# A quick BLAS for UMFPACK, SuperLU and LAPACK; Python for the scripts in share/lufact.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
    "libopenblas0, python3 (>= 3.9), python3-matplotlib, python3-markdown")
include(CPack)
