/* permute_avx2.c - see permutations.h; compiled with the flags for AVX2
 * SPDX-License-Identifier: Apache-2.0 */
#if defined(__x86_64__)
#define PERMUTE_KERNELS permute_kernels_avx2
#define PERMUTE_NAME    "avx2"
#include "groups/permute_body.h"
#else
typedef int permute_kernels_avx2_none; /* a file must not be empty */
#endif
