# What the programs of this build load when they start, by LODE_LINK:
#
#   SYSTEM   the C library, zlib and zstd, from this machine: the default
#   BUNDLED  the C library; zlib and zstd are in the programs
#   STATIC   nothing; such programs cannot load the CUDA driver or the libraries for .xlsx either
#
# The C++ runtime that the CUDA kernels need is in the programs in any case: loading it takes longer
# than a small job. Each build folder has one LODE_LINK. docs/packages.md has the packages that are
# made so.
# SPDX-License-Identifier: Apache-2.0
if(NOT LODE_LINK MATCHES "^(SYSTEM|BUNDLED|STATIC)$")
  message(FATAL_ERROR "LODE_LINK is ${LODE_LINK}; expected SYSTEM, BUNDLED or STATIC")
endif()
set(LODE_CXX_LIBRARY -l:libstdc++.a)
if(LODE_LINK STREQUAL "SYSTEM")
  return()
endif()

if(LODE_MOLECULES STREQUAL "AUTO") # it would load RDKit
  set(LODE_MOLECULES OFF)
endif()
find_library(ZLIB_LIBRARY libz.a)
find_library(ZSTD_LIBRARY libzstd.a)
if(NOT ZLIB_LIBRARY MATCHES "\\.a$" OR NOT ZSTD_LIBRARY MATCHES "\\.a$")
  message(FATAL_ERROR "LODE_LINK=${LODE_LINK} needs libz.a, libzstd.a and a build folder of its own; "
                      "found: ${ZLIB_LIBRARY}, ${ZSTD_LIBRARY}")
endif()
add_link_options(-static-libgcc)
if(LODE_LINK STREQUAL "STATIC")
  foreach(option LODE_CUDA LODE_XLSX LODE_LZ4 LODE_SHARED LODE_PYTHON LODE_MPI LODE_SERVER)
    set(${option} OFF)
  endforeach()
  add_link_options(-static)
  # What messages name for the things that such a program cannot do.
  set_property(SOURCE cli/messages.c src/results/arrow/sheet.c src/read/workbook.c src/results/arrow/adbc.c APPEND PROPERTY COMPILE_DEFINITIONS
    "LODE_OTHER_PROGRAM=\"lode-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}.tar.gz\"")
endif()
