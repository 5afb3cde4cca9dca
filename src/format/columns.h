/* columns.h - names that columns of tables have, in any spelling and in some languages
 *
 * Names are compared without regard to case, accents, and whatever is neither letter nor digit:
 * "Order ID", "order_id", "OrderId" and "ORDER-ID" are one name.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_FORMAT_COLUMNS_H
#define LODE_FORMAT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether two texts are equal up to the case of ASCII letters; up to spelling, as above. */
bool columns_same(const char *text, size_t n, const char *word);
bool columns_alike(const char *text, size_t n, const char *word);

/* The number that an option for a column is, counted from 1; 0 if it is a name, or not given. */
size_t columns_number(const char *option);

/* How well a name suits a column of transactions: 1 = an order, invoice, receipt, basket …; 2 = a
 * session or a visit; 3 = a customer; 4 = just an id; 0 = not at all. */
unsigned columns_transaction_rank(const char *name, size_t n);
#define COLUMNS_JUST_ID 4

/* How well it suits one of items: 1 = the name of a product; 2 = a product; 3 = a description; 4 =
 * the code of a product; 5 = just a name; 0 = not at all. */
unsigned columns_item_rank(const char *name, size_t n);
#define COLUMNS_JUST_NAME 5

/* Names of a column of row numbers, also in a pivot table; pandas writes none at all. */
bool columns_is_index(const char *name, size_t n);

/* Names of the column, or the line, that adds up the others. */
bool columns_is_total(const char *name, size_t n);

/* Names that any column of a table may have, such as date or price; and item1, item2, … */
bool columns_is_usual(const char *name, size_t n);
bool columns_is_numbered(const char *name, size_t n);

#endif
