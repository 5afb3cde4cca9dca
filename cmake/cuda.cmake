# The CUDA backend: built where nvcc is found, left out where it is not. The runtime is linked
# statically, so that the program runs on machines without a driver too.
#
# LODE_CUDA_ARCHITECTURES: machine code for these, and PTX of the first for whatever comes later. "native"
# means those of the GPUs of this machine or, where it has none, the last of the default.
# LODE_CUDA=GPU leaves the backend out where this machine has no GPU.
# SPDX-License-Identifier: Apache-2.0
set(LODE_CUDA_ARCHITECTURES "80;86;89;90a" CACHE STRING "what the CUDA kernels are compiled for")
set(architectures ${LODE_CUDA_ARCHITECTURES})

if(LODE_CUDA STREQUAL "GPU" OR architectures STREQUAL "native")
  set(architectures "")
  find_program(LODE_NVIDIA_SMI nvidia-smi)
  mark_as_advanced(LODE_NVIDIA_SMI)
  if(LODE_NVIDIA_SMI)
    execute_process(COMMAND ${LODE_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
                    OUTPUT_VARIABLE capabilities ERROR_QUIET)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${capabilities}")
    foreach(capability ${capabilities})
      string(REPLACE "." "" architecture ${capability})
      string(REGEX REPLACE "^90$" "90a" architecture ${architecture}) # with wgmma
      list(APPEND architectures ${architecture})
    endforeach()
    list(REMOVE_DUPLICATES architectures)
  endif()
  if(NOT architectures AND LODE_CUDA STREQUAL "GPU")
    message(STATUS "no GPU: the CUDA backend is left out")
    return()
  endif()
  if(NOT architectures)
    set(architectures 90a)
  endif()
endif()

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
add_link_options(-static-libstdc++ -static-libgcc) # CMake links programs with the C++ compiler
file(GLOB cuda_sources CONFIGURE_DEPENDS src/device/cuda/*.c src/device/cuda/*.cu src/papers/cuda/*.c
     src/papers/cuda/*.cu)
target_sources(lode-objects PRIVATE ${cuda_sources})
set(LODE_HAS_CUDA ON)
# Only where it is asked for: the other objects are the same with and without CUDA.
set_property(SOURCE src/api/build.c src/device/api/backend.c APPEND PROPERTY COMPILE_DEFINITIONS
             LODE_WITH_CUDA)
set_property(SOURCE src/api/build.c APPEND PROPERTY COMPILE_DEFINITIONS
             "LODE_BUILD_CUDA=\"${CUDAToolkit_VERSION}\"")
set_source_files_properties(${cuda_sources} PROPERTIES INCLUDE_DIRECTORIES
                            "${CUDAToolkit_INCLUDE_DIRS}")
set_target_properties(lode-objects PROPERTIES CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON
                      CUDA_ARCHITECTURES OFF CUDA_RUNTIME_LIBRARY Static)
list(GET architectures 0 lowest)
set(gencode "-gencode=arch=compute_${lowest},code=compute_${lowest}")
foreach(arch ${architectures})
  list(APPEND gencode "-gencode=arch=compute_${arch},code=sm_${arch}")
endforeach()
target_compile_options(lode-objects PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${gencode}>")
