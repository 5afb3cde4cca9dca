/* column_names.h - usual names of table columns, in any spelling and in several languages
 *
 * Comparisons ignore case, accents, and characters that are neither letters nor digits: "Order ID",
 * "order_id", "OrderId" and "ORDER-ID" are the same name.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_COLUMN_NAMES_H
#define LODE_READ_COLUMN_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether two texts are equal, ignoring the case of ASCII letters. */
bool columns_same(const char *text, size_t n, const char *word);
/* Returns whether two texts are the same name, compared as described above. */
bool columns_alike(const char *text, size_t n, const char *word);

/* Returns the column number given in an option, counted from 1; 0 if the option is a name, or
 * NULL. */
size_t columns_number(const char *option);

/* Returns how well a name suits a column of transactions; 1 is the best. 1 = an order, an invoice,
 * a receipt or a basket; 2 = a session or a visit; 3 = a customer; 4 = just an id; 0 = not at
 * all. */
unsigned columns_transaction_rank(const char *name, size_t n);
#define COLUMNS_JUST_ID 4

/* Returns how well a name suits a column of items; 1 is the best. 1 = the name of a product; 2 = a
 * product; 3 = a description; 4 = the code of a product; 5 = just a name; 0 = not at all. */
unsigned columns_item_rank(const char *name, size_t n);
#define COLUMNS_JUST_NAME 5

/* Returns whether this is a name for row numbers or row labels. The empty name is one, because
 * pandas writes it. */
bool columns_is_index(const char *name, size_t n);

/* Returns whether this is a name for totals of a column or a row. */
bool columns_is_total(const char *name, size_t n);

/* Returns whether this is a usual column name, such as date or price. */
bool columns_is_usual(const char *name, size_t n);
/* Returns whether this is a numbered name such as item1, item2, … */
bool columns_is_numbered(const char *name, size_t n);

#endif
