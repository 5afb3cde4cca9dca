/* select.h - groups of items, given by a name, a glob, or a file of names and globs
 *
 *     milk        the item with this name
 *     beer*       every item whose name matches: * matches any text, ? any character, [a-z] any
 *                 character from a to z; \ escapes a character
 *     @FILE       all items given by the names and globs in a file, one per line (blank lines are
 *                 skipped)
 *
 * Text is first looked up as a name, so that an item called "what?" is found. An item called "@x"
 * is written as \@x, or as @x within a file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_SELECT_H
#define LODE_DATA_TRANSACTIONS_SELECT_H

#include "data/transactions/dataset.h"

/* One group: the ids of its items, ascending. */
typedef struct select_group {
    uint32_t *ids;
    uint32_t n, cap; /* cap: capacity of `ids` */
    /* how many items of the group a pattern must and may have; most UINT32_MAX = no limit */
    uint32_t least, most;
    const char *text; /* as written by the user; points into the text that was parsed */
    size_t bytes;
} select_group;

typedef struct select_groups {
    mem *mem;
    select_group *groups;
    uint32_t n;
    size_t cap;
} select_groups;

/* Reads a list of groups, one per line. `what` names the option in messages. With `counted`, every
 * line begins with the numbers `least` and `most`, such as "0-1:", "2-:" or "1:"; otherwise they
 * are 1 and UINT32_MAX. Errors: INVALID (an empty line, or a name or glob that matches no item; the
 * message suggests a name, and says in which line and file), NOTFOUND, IO, those of job_check();
 * NOMEM, BUDGET. `text` NULL gives no groups. */
LODE_NODISCARD lode_status select_parse(lode_job *job, const lode_dataset *data, const char *text,
                                        const char *what, bool counted, select_groups *out);
void select_clear(select_groups *groups);

/* Sets marks[id] |= mark for every item of every group; marks has item_bound entries. */
void select_mark(const select_groups *groups, uint8_t *marks, uint8_t mark);

/* The groups of each item: item i is in the groups members[starts[i]] … members[starts[i + 1] - 1].
 * Both arrays are NULL if there are no groups. */
typedef struct select_index {
    uint32_t *starts, *members;
    mem_kept kept;
} select_index;

LODE_NODISCARD lode_status select_index_make(mem *m, const select_groups *groups,
                                             uint32_t item_bound, select_index *out);
void select_index_clear(mem *m, select_index *index);

/* Adds `by` to the count of every group that contains the item. */
static inline void select_count(const select_index *of, uint32_t id, uint32_t *counts,
                                uint32_t by) {
    for (uint32_t k = of->starts[id]; k < of->starts[id + 1]; k++) counts[of->members[k]] += by;
}

/* Returns whether a name matches a glob. Both are UTF-8. */
bool select_matches(const char *glob, size_t glob_bytes, const char *name, size_t name_bytes);

/* ---- suggestions for unknown names ----------------------------------------------------------- */

#define SELECT_HINT_BYTES 384

/* Writes the end of a message about an unknown name, or "". It suggests names that contain the
 * unknown name, or the nearest name. If the unknown name looks like a list, it says that each item
 * needs its own option. */
void select_hint(const lode_dataset *data, const char *text, size_t n,
                 char hint[SELECT_HINT_BYTES]);

#endif
