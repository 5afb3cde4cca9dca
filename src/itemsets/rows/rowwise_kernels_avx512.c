/* rowwise_kernels_avx512.c - see rowwise_kernels.h; compiled with the flags for AVX-512
 * SPDX-License-Identifier: Apache-2.0 */
#if defined(__x86_64__)
#define ROWWISE_KERNELS rowwise_kernels_avx512
#define ROWWISE_NAME    "avx512"
#include "itemsets/rows/rowwise_kernels_body.h"
#else
typedef int rowwise_kernels_avx512_none; /* a file must not be empty */
#endif
