/* permute_avx512.c - see permutations.h; compiled with the flags for AVX-512
 * SPDX-License-Identifier: Apache-2.0 */
#if defined(__x86_64__)
#define PERMUTE_KERNELS permute_kernels_avx512
#define PERMUTE_NAME    "avx512"
#include "groups/permute_body.h"
#else
typedef int permute_kernels_avx512_none; /* a file must not be empty */
#endif
