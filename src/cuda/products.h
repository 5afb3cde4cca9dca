/* products.h - the CUDA form of backend/products.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CUDA_PRODUCTS_H
#define LODE_CUDA_PRODUCTS_H

#include "backend/products.h"

extern const backend_products cuda_products;

#endif
