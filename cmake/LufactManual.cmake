# SPDX-License-Identifier: BSD-3-Clause
# The manual page, the completions of shells and the schema of configurations: the program makes
# them from the declarations of its options.
set(manual "${PROJECT_BINARY_DIR}/manual")
file(MAKE_DIRECTORY "${manual}")
set(manual_files "")
function(lufact_manual_file name)
  add_custom_command(OUTPUT "${manual}/${name}"
    COMMAND lufact ${ARGN} > "${manual}/${name}.new"
    COMMAND "${CMAKE_COMMAND}" -E rename "${manual}/${name}.new" "${manual}/${name}"
    DEPENDS lufact VERBATIM)
  list(APPEND manual_files "${manual}/${name}")
  set(manual_files "${manual_files}" PARENT_SCOPE)
endfunction()
lufact_manual_file(lufact.1 man)
lufact_manual_file(lufact.bash completion bash)
lufact_manual_file(_lufact completion zsh)
lufact_manual_file(lufact.fish completion fish)
lufact_manual_file(lufact-sweep.schema.json sweep --print-schema)
add_custom_target(lufact_manual ALL DEPENDS ${manual_files})

install(FILES "${manual}/lufact.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES "${manual}/lufact.bash" RENAME lufact
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${manual}/_lufact" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
install(FILES "${manual}/lufact.fish"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
install(FILES "${manual}/lufact-sweep.schema.json" DESTINATION "${CMAKE_INSTALL_DATADIR}/lufact")
