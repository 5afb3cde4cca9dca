/* cross_kernels_scalar.c - see cross_kernels.h
 * SPDX-License-Identifier: Apache-2.0 */
#define CROSS_KERNELS cross_kernels_scalar
#define CROSS_NAME    "scalar"
#include "itemsets/rows/cross_kernels_body.h"
