/* item_names.h - the items of a store by name
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_STORE_ITEM_NAMES_H
#define LODE_RESULTS_STORE_ITEM_NAMES_H

#include "results/store/stored_file.h"

/* Checks the names and makes a table of them, once. Graphs have none. Errors: PARSE, NOMEM, BUDGET,
 * CANCELLED. */
LODE_NODISCARD lode_status names_load(lode_store *s);

/* The item of a name; UINT32_MAX if there is none. After names_load(). */
uint32_t names_find(const lode_store *s, const char *name, size_t n);

/* No item has this name: INVALID, with a message about `what` that guesses which was meant, unless
 * there have been many guesses already. */
lode_status names_unknown(lode_store *s, const char *what, const char *name, size_t n);

/* Lends the name of an item. */
static inline const char *names_at(const lode_store *s, uint32_t item, size_t *bytes) {
    return arrow_name(s->file, arrow_column_at(s->file, s->items)->dictionary, item, bytes);
}

#endif
