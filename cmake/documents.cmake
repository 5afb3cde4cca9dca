# Manual pages and shell completions: the program that was built prints them from its tables. Left
# out where it cannot run: when compiling for another machine, and with sanitizers, whose programs may
# need help to start.
# SPDX-License-Identifier: Apache-2.0
if(CMAKE_CROSSCOMPILING OR LODE_SANITIZE)
  return()
endif()

set(share ${PROJECT_BINARY_DIR}/share)
add_custom_command(OUTPUT ${share}/lode.bash ${share}/_lode ${share}/lode.fish ${share}/man1/lode.1
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${share} # and with it pages of commands that are gone
  COMMAND ${CMAKE_COMMAND} -E make_directory ${share}/man1
  COMMAND lode-cli completion bash > ${share}/lode.bash
  COMMAND lode-cli completion zsh > ${share}/_lode
  COMMAND lode-cli completion fish > ${share}/lode.fish
  COMMAND lode-cli man --all ${share}/man1
  DEPENDS lode-cli COMMENT "Writing manual pages and completions" VERBATIM)
add_custom_target(documents ALL DEPENDS ${share}/lode.bash)
add_dependencies(installable documents)

install(DIRECTORY ${share}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} FILES_MATCHING PATTERN "*.1")
install(FILES ${share}/lode.bash RENAME lode
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${share}/_lode DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${share}/lode.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
