/* cross_kernels_avx2.c - see cross_kernels.h; compiled with the flags of its name
 * SPDX-License-Identifier: Apache-2.0 */
#if defined(__x86_64__)
#define CROSS_KERNELS cross_kernels_avx2
#define CROSS_NAME    "avx2"
#include "itemsets/rows/cross_kernels_body.h"
#else
typedef int cross_kernels_avx2_none; /* a file must not be empty */
#endif
