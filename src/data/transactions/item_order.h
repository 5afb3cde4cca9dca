/* item_order.h - item orders: frequent items by support, and occurring items as codes
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_ITEM_ORDER_H
#define LODE_DATA_TRANSACTIONS_ITEM_ORDER_H

#include "data/transactions/dataset.h"

/* ---- the frequent items of a data set, from the rarest to the most frequent ------------------ */

/* All engines rank items in this order (or its reverse), so that a range of root items means the
 * same items to every engine. A part of a data set may use the order of the whole data set instead
 * of an order by its own supports (lode_dataset.order). */

typedef struct ranked_item {
    uint64_t support;
    uint32_t id;
} ranked_item;

typedef struct ranking {
    /* ordered by ascending support, then by ascending id; or as in lode_dataset.order, if the data
     * set has one */
    ranked_item *items;
    uint32_t n;
} ranking;

/* Returns the number of items with a support of at least min_count. `supports` has item_bound
 * entries. */
uint32_t rank_count(const lode_dataset *data, const uint64_t *supports, uint64_t min_count);

/* Ranks the items with a support of at least min_count, in memory of the job. On failure there is
 * nothing to free. Errors: NOMEM, BUDGET, and those of job_check(). */
LODE_NODISCARD lode_status rank_frequent(lode_job *job, const lode_dataset *data,
                                         const uint64_t *supports, uint64_t min_count,
                                         ranking *out);
void rank_free(lode_job *job, ranking *r);

/* ---- items that occur, as codes 0, 1, 2, … in print order, and their names as UTF-8 ---------- */

/* Arrow calls this a dictionary: lists hold codes, and each name is stored once. Items that do not
 * occur have no code, so that gaps in item numbers do not fill the dictionary. */

typedef struct codes {
    mem *mem;
    uint32_t *of; /* code by id; NULL = ids are the codes */
    uint32_t n_ids;
    uint32_t n;      /* codes */
    vec_u64 offsets; /* n + 1 offsets of the names */
    vec_char text;
} codes;

/* Makes the codes of the items that occur. codes_free() also accepts a `codes` that is all zero.
 * Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status codes_of_items(codes *c, mem *m, const lode_dataset *data);
/* Makes a code for every name of a dictionary. */
LODE_NODISCARD lode_status codes_of_names(codes *c, mem *m, const dict *names);
void codes_free(codes *c);

/* Appends a name as UTF-8. Bytes that are not UTF-8 are converted as base/utf8.h describes. */
LODE_NODISCARD lode_status codes_put_text(mem *m, vec_char *to, const char *name, size_t n);

#endif
