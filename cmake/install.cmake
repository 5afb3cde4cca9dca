# What `cmake --install` installs: the command with its manual pages and completions, lode-mpi
# where it was built, the libraries,
# the header, and how to find them, as lode.pc for pkg-config and as a package for CMake's
# find_package(lode). The files name no absolute place, so that an installed tree can be moved. A
# lode.pc for the build tree itself lies in it.
# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(NOT LODE_STATIC AND NOT LODE_SHARED)
  message(FATAL_ERROR "LODE_STATIC and LODE_SHARED are both OFF: one library must be installed")
endif()
install(TARGETS lode-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Each library is a package of its own: who uses the shared one need not have what is inside of it.
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/lode)
function(lode_install_library target name file)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT ${name}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT ${name} NAMESPACE lode:: FILE ${file} DESTINATION ${package})
endfunction()
if(LODE_STATIC)
  lode_install_library(lode lode_static lodeStatic.cmake)
endif()
if(LODE_SHARED)
  lode_install_library(lode-shared lode_shared lodeShared.cmake)
endif()

# A build of this target alone can be installed.
add_custom_target(installable DEPENDS lode-cli lode)
if(TARGET lode-server) # where `lode serve` looks for it; nobody starts it by hand
  install(TARGETS lode-server RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/lode)
  add_dependencies(installable lode-server)
endif()
if(TARGET lode-mpi) # alone: cmake --install BUILD --component mpi
  install(TARGETS lode-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi)
  add_dependencies(installable lode-mpi)
endif()
if(TARGET lode-molecules) # where `lode graphs` looks for it: --component molecules
  install(TARGETS lode-molecules RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/lode
          COMPONENT molecules)
  add_dependencies(installable lode-molecules)
endif()
if(LODE_SHARED)
  add_dependencies(installable lode-shared)
endif()

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
  string(APPEND needed " ${LODE_CXX_LIBRARY} -ldl -lrt")
endif()
string(APPEND needed " -lpthread -ldl -lm")
if(LODE_SANITIZE)
  string(APPEND needed " -fsanitize=${LODE_SANITIZE}")
endif()
# lode_write_pc(OUT LIBS [PRIVATE-LIBS]): PC_PREFIX, PC_INCLUDEDIR and PC_LIBDIR say for which place.
function(lode_write_pc out libs)
  set(PC_LIBS "${libs}")
  set(PC_LIBS_PRIVATE "${ARGN}")
  configure_file(cmake/lode.pc.in ${out} @ONLY)
endfunction()

# In the build tree the archive, so that programs run without being told where liblode.so lies.
set(PC_PREFIX ${PROJECT_BINARY_DIR})
set(PC_INCLUDEDIR ${PROJECT_SOURCE_DIR}/include)
set(PC_LIBDIR ${PROJECT_BINARY_DIR})
lode_write_pc(${PROJECT_BINARY_DIR}/lode.pc "\${libdir}/liblode.a${needed}")

# Installed, `lode` is the shared library where there is one (--static: what a program that is linked
# with -static needs), and `lode-static` the archive in any case.
file(RELATIVE_PATH up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" up "${up}")
set(PC_PREFIX "\${pcfiledir}/${up}")
set(PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
set(PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
set(pc ${PROJECT_BINARY_DIR}/install)
if(LODE_SHARED)
  lode_write_pc(${pc}/lode.pc "-L\${libdir} -llode" "${needed}")
else()
  lode_write_pc(${pc}/lode.pc "-L\${libdir} -llode${needed}")
endif()
install(FILES ${pc}/lode.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(LODE_STATIC)
  lode_write_pc(${pc}/lode-static.pc "\${libdir}/liblode.a${needed}")
  install(FILES ${pc}/lode-static.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

# ---- find_package ------------------------------------------------------------------------------

configure_package_config_file(cmake/lodeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/install/lodeConfig.cmake INSTALL_DESTINATION ${package})
set(compatible SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatible SameMinorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/lodeConfigVersion.cmake
  COMPATIBILITY ${compatible})
install(FILES ${PROJECT_BINARY_DIR}/install/lodeConfig.cmake
  ${PROJECT_BINARY_DIR}/install/lodeConfigVersion.cmake DESTINATION ${package})
