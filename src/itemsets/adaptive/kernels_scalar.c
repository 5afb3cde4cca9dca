/* kernels_scalar.c - see kernels.h; compiled with the flags of its name
 * SPDX-License-Identifier: Apache-2.0 */
#define ADAPTIVE_KERNELS adaptive_kernels_scalar
#define ADAPTIVE_NAME    "scalar"
#include "itemsets/adaptive/kernels_body.h"
