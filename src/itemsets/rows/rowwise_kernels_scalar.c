/* rowwise_kernels_scalar.c - see rowwise_kernels.h
 * SPDX-License-Identifier: Apache-2.0 */
#define ROWWISE_KERNELS rowwise_kernels_scalar
#define ROWWISE_NAME    "scalar"
#include "itemsets/rows/rowwise_kernels_body.h"
