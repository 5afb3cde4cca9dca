/* kernels_scalar.c - see kernels.h; compiled without instruction-set flags
 * SPDX-License-Identifier: Apache-2.0 */
#define ADAPTIVE_KERNELS adaptive_kernels_scalar
#define ADAPTIVE_NAME    "scalar"
#include "itemsets/adaptive/kernels_body.h"
