/* kernels_neon.c - see kernels.h; needs no flags, because every 64-bit ARM processor has NEON
 * SPDX-License-Identifier: Apache-2.0 */
#if defined(__aarch64__)
#define LINE_COUNT_NEON
#define ADAPTIVE_KERNELS adaptive_kernels_neon
#define ADAPTIVE_NAME    "neon"
#include "itemsets/adaptive/kernels_body.h"
#else
typedef int adaptive_kernels_no_neon; /* a file must not be empty */
#endif
