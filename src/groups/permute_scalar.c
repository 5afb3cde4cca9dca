/* permute_scalar.c - see permutations.h
 * SPDX-License-Identifier: Apache-2.0 */
#define PERMUTE_KERNELS permute_kernels_scalar
#define PERMUTE_NAME    "scalar"
#include "groups/permute_body.h"
