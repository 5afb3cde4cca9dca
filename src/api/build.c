/* build.c - says how this library was built; the build system defines LODE_BUILD_… for this file
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cpu/kernels.h"
#include "runtime/valid.h"

#if !defined(LODE_BUILD_TYPE)
#define LODE_BUILD_TYPE ""
#endif
#if !defined(LODE_BUILD_SANITIZERS)
#define LODE_BUILD_SANITIZERS ""
#endif

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#if defined(__clang__)
#define COMPILER                                                                                   \
    "clang " TEXT(__clang_major__) "." TEXT(__clang_minor__) "." TEXT(__clang_patchlevel__)
#elif defined(__GNUC__)
#define COMPILER "gcc " TEXT(__GNUC__) "." TEXT(__GNUC_MINOR__) "." TEXT(__GNUC_PATCHLEVEL__)
#else
#define COMPILER "unknown compiler"
#endif

#if defined(__x86_64__)
#define INSTRUCTION_SETS "avx512, avx2, scalar"
#elif defined(__aarch64__)
#define INSTRUCTION_SETS "neon, scalar"
#else
#define INSTRUCTION_SETS "scalar"
#endif

#if defined(LODE_WITH_CUDA) && defined(LODE_BUILD_CUDA)
#define CUDA_VERSION LODE_BUILD_CUDA
#elif defined(LODE_WITH_CUDA)
#define CUDA_VERSION "of unknown version"
#else
#define CUDA_VERSION NULL
#endif

bool lode_build_info(lode_build *out) {
    const cpu_kernels *chosen = cpu_kernels_pick();
    lode_build b = {.type = LODE_BUILD_TYPE,
                    .sanitizers = LODE_BUILD_SANITIZERS,
                    .compiler = COMPILER,
                    .instruction_sets = INSTRUCTION_SETS,
                    .chosen = chosen ? chosen->name : NULL,
                    .cuda = CUDA_VERSION};
    return valid_fill(out, &b);
}
