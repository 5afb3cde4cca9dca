/* kernels_avx512.c - see kernels.h; compiled with the flags for AVX-512
 * SPDX-License-Identifier: Apache-2.0 */
#if defined(__x86_64__)
#define ADAPTIVE_KERNELS adaptive_kernels_avx512
#define ADAPTIVE_NAME    "avx512"
#include "itemsets/adaptive/kernels_body.h"
#else
typedef int adaptive_kernels_none; /* a file must not be empty */
#endif
