/* item_names.h - looks up the items of a store by name
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_STORE_ITEM_NAMES_H
#define LODE_RESULTS_STORE_ITEM_NAMES_H

#include "results/store/stored_file.h"

/* Checks the names and builds a hash table of them. Only the first call does any work. Stores of
 * graphs have no item names. Errors: PARSE, NOMEM, BUDGET, CANCELLED. */
LODE_NODISCARD lode_status names_load(lode_store *s);

/* Returns the item with a name; UINT32_MAX if there is none. names_load() must have been called. */
uint32_t names_find(const lode_store *s, const char *name, size_t n);

/* Returns INVALID, with a message about `what` that no item has this name. The message suggests a
 * name, unless many suggestions were made already. */
lode_status names_unknown(lode_store *s, const char *what, const char *name, size_t n);

/* Lends the name of an item. */
static inline const char *names_at(const lode_store *s, uint32_t item, size_t *bytes) {
    return arrow_name(s->file, arrow_column_at(s->file, s->items)->dictionary, item, bytes);
}

#endif
