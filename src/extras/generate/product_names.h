/* product_names.h - product names for generated baskets
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_GENERATE_PRODUCT_NAMES_H
#define LODE_EXTRAS_GENERATE_PRODUCT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define PRODUCT_NAME_BYTES 64

/* Writes the name of product i with a closing zero, and returns its length. Names are all different
 * and contain no comma, quote or line end. */
size_t product_name(uint32_t i, char name[PRODUCT_NAME_BYTES]);

#endif
