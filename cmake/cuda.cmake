# The CUDA backend: built where nvcc is found, left out where it is not. The runtime is linked
# statically, so that the program runs on machines without a driver too.
#
# LODE_CUDA_ARCHITECTURES: machine code for these, and PTX of the first for whatever comes later.
# SPDX-License-Identifier: Apache-2.0
set(LODE_CUDA_ARCHITECTURES "80;86;89;90a" CACHE STRING "what the CUDA kernels are compiled for")

if(NOT CMAKE_CUDA_COMPILER)
  find_program(nvcc nvcc HINTS ENV CUDACXX ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda
               PATH_SUFFIXES bin)
  if(nvcc)
    set(CMAKE_CUDA_COMPILER ${nvcc})
  endif()
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(STATUS "no nvcc: the CUDA backend is left out")
  return()
endif()

set(CMAKE_CUDA_ARCHITECTURES OFF) # the flags below say it all, also to a CMake that is older
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
file(GLOB cuda_sources CONFIGURE_DEPENDS src/cuda/*.c src/cuda/*.cu src/papers/cuda/*.c
     src/papers/cuda/*.cu)
target_sources(lode-objects PRIVATE ${cuda_sources})
target_compile_definitions(lode-objects PRIVATE LODE_WITH_CUDA)
set(LODE_HAS_CUDA ON)
set_property(SOURCE src/api/build.c APPEND PROPERTY COMPILE_DEFINITIONS
             "LODE_BUILD_CUDA=\"${CUDAToolkit_VERSION}\"")
set_source_files_properties(${cuda_sources} PROPERTIES INCLUDE_DIRECTORIES
                            "${CUDAToolkit_INCLUDE_DIRS}")
set_target_properties(lode-objects PROPERTIES CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON
                      CUDA_ARCHITECTURES OFF CUDA_RUNTIME_LIBRARY Static)
list(GET LODE_CUDA_ARCHITECTURES 0 lowest)
set(gencode "-gencode=arch=compute_${lowest},code=compute_${lowest}")
foreach(arch ${LODE_CUDA_ARCHITECTURES})
  list(APPEND gencode "-gencode=arch=compute_${arch},code=sm_${arch}")
endforeach()
target_compile_options(lode-objects PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${gencode}>")
