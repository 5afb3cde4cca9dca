/* elements.h - symbols of the chemical elements
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_ELEMENTS_H
#define LODE_BASE_ELEMENTS_H

#include <stddef.h>

#define ELEMENTS_MOST 118

/* The symbol of an atomic number; NULL if it is not from 1 to ELEMENTS_MOST. */
const char *element_symbol(size_t number);
/* The atomic number of a symbol; 0 if there is no such element. */
size_t element_number(const char *symbol, size_t n);

#endif
