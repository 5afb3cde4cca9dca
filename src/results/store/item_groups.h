/* item_groups.h - groups of items of a store: a name, a glob, or a file of these
 *
 * The rules are those of data/transactions/select.h, for the names of a store.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_STORE_ITEM_GROUPS_H
#define LODE_RESULTS_STORE_ITEM_GROUPS_H

#include "results/store/stored_file.h"

/* A line of a list; `text` goes on to the next one. False: there is none. */
typedef struct list_line {
    const char *text;
    size_t n;
} list_line;
bool list_next(const char **text, list_line *line);

/* Sets `bit` in the mark of every item of a group. `what` names the option in messages. After
 * names_load(). Errors: INVALID (no such item; the message guesses), NOTFOUND, IO, NOMEM, BUDGET.
 */
LODE_NODISCARD lode_status groups_mark(lode_store *s, const char *what, list_line group,
                                       uint64_t bit, uint64_t *marks);

#endif
