/* rowwise_kernels_avx2.c - see rowwise_kernels.h; compiled with the flags for AVX2
 * SPDX-License-Identifier: Apache-2.0 */
#if defined(__x86_64__)
#define ROWWISE_KERNELS rowwise_kernels_avx2
#define ROWWISE_NAME    "avx2"
#include "itemsets/rows/rowwise_kernels_body.h"
#else
typedef int rowwise_kernels_avx2_none; /* a file must not be empty */
#endif
