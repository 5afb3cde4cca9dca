/* kernels_avx2.c - see kernels.h; compiled with the flags for AVX2
 * SPDX-License-Identifier: Apache-2.0 */
#if defined(__x86_64__)
#define ADAPTIVE_KERNELS adaptive_kernels_avx2
#define ADAPTIVE_NAME    "avx2"
#include "itemsets/adaptive/kernels_body.h"
#else
typedef int adaptive_kernels_none; /* a file must not be empty */
#endif
