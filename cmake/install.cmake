# What `cmake --install` installs: the command, the library, the header, and how to find them, as
# lode.pc for pkg-config and as a package for CMake's find_package(lode). The files name no absolute
# place, so that an installed tree can be moved. A lode.pc for the build tree itself lies in it.
# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(lode-cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
install(TARGETS lode-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS lode EXPORT lode-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# ---- pkg-config --------------------------------------------------------------------------------

# "-L" and "-l" of a library file, the first only where the linker does not look by itself.
function(lode_link_flags out file)
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(folder ${folder} REALPATH)
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "^lib" "-l" flags ${name})
  set(known ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES})
  list(TRANSFORM known REPLACE "/$" "")
  if(NOT folder IN_LIST known)
    set(flags "-L${folder} ${flags}")
  endif()
  set(${out} "${${out}} ${flags}" PARENT_SCOPE)
endfunction()

set(needed "")
list(GET ZLIB_LIBRARIES 0 zlib_file)
lode_link_flags(needed ${zlib_file})
lode_link_flags(needed ${ZSTD_LIBRARY})
if(LODE_HAS_CUDA)
  get_target_property(cudart_file CUDA::cudart_static IMPORTED_LOCATION)
  lode_link_flags(needed ${cudart_file})
  string(APPEND needed " -lstdc++ -ldl -lrt")
endif()
string(APPEND needed " -lpthread -lm")
if(LODE_SANITIZE)
  string(APPEND needed " -fsanitize=${LODE_SANITIZE}")
endif()
# With the archive alone, all of it is needed by whoever links, with or without --static.
if(BUILD_SHARED_LIBS)
  set(PC_LIBS_PRIVATE "${needed}")
else()
  set(PC_LIBS "${needed}")
endif()

set(PC_PREFIX ${PROJECT_BINARY_DIR})
set(PC_INCLUDEDIR ${PROJECT_SOURCE_DIR}/include)
set(PC_LIBDIR ${PROJECT_BINARY_DIR})
configure_file(cmake/lode.pc.in ${PROJECT_BINARY_DIR}/lode.pc @ONLY)

file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" up "${up}")
set(PC_PREFIX "\${pcfiledir}/${up}")
set(PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
set(PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
configure_file(cmake/lode.pc.in ${PROJECT_BINARY_DIR}/install/lode.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/install/lode.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- find_package ------------------------------------------------------------------------------

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/lode)
configure_package_config_file(cmake/lodeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/install/lodeConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/lodeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(EXPORT lode-targets NAMESPACE lode:: FILE lodeTargets.cmake DESTINATION ${package})
install(FILES ${PROJECT_BINARY_DIR}/install/lodeConfig.cmake
  ${PROJECT_BINARY_DIR}/install/lodeConfigVersion.cmake DESTINATION ${package})
