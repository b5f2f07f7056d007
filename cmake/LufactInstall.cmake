# SPDX-License-Identifier: BSD-3-Clause
# What is installed beside the program, the plug-ins of foreign solvers and the schemas: these are
# installed by the folders that make them.
install(FILES LICENSE README.md THIRD_PARTY.md CITATION.cff CHANGELOG.md
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs" FILES_MATCHING PATTERN "*.md")

# Scripts find each other, configurations and published numbers by their places in a checkout, which
# share/lufact repeats. Those that build, test or check a checkout stay behind.
set(lufact_data "${CMAKE_INSTALL_DATADIR}/lufact")
install(DIRECTORY configs DESTINATION "${lufact_data}")
install(FILES datasets.txt DESTINATION "${lufact_data}")
install(DIRECTORY results/reference DESTINATION "${lufact_data}/results")
install(PROGRAMS scripts/analysis_table scripts/fetch_datasets scripts/fetch_matrix
                 scripts/report scripts/reproduce scripts/symbolic_scaling
        DESTINATION "${lufact_data}/scripts")
install(DIRECTORY scripts/figures scripts/examples DESTINATION "${lufact_data}/scripts"
        USE_SOURCE_PERMISSIONS)
install(DIRECTORY scripts/lib DESTINATION "${lufact_data}/scripts"
        FILES_MATCHING PATTERN "*.py" PATTERN "*.html" PATTERN test EXCLUDE
        PATTERN __pycache__ EXCLUDE PATTERN skipped_tests.py EXCLUDE
        PATTERN tracked_files.py EXCLUDE PATTERN build_folder.py EXCLUDE
        PATTERN fat_binary.py EXCLUDE PATTERN link_map.py EXCLUDE)

# What `cmake --install` needs. Kernels for small dense matrices take minutes more and are no part
# of it: they are installed where they were built.
add_custom_target(lufact_installed)
add_dependencies(lufact_installed lufact lufact_peer_plugins lufact_manual)
if(LUFACT_HAVE_MPI)
  add_dependencies(lufact_installed lufact-rank)
endif()
