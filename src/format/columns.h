/* columns.h - words that tables use: names of columns, and true and false
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_FORMAT_COLUMNS_H
#define LODE_FORMAT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether two texts are equal up to the case of ASCII letters. */
bool columns_same(const char *text, size_t n, const char *word);

/* Usual names of a column of transactions, such as order_id, or of items, such as sku. */
bool columns_is_transaction(const char *name, size_t n);
bool columns_is_item(const char *name, size_t n);

/* Names that the column of row numbers has in a true-or-false table; pandas writes none at all. */
bool columns_is_index(const char *name, size_t n);

/* What a cell of a true-or-false table says: 1, 0, or -1 if it is neither. */
int columns_truth(const char *cell, size_t n);

#endif
