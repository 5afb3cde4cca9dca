/* item_order.h - item orders: frequent items by support, and occurring items as codes
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_ITEM_ORDER_H
#define LODE_DATA_TRANSACTIONS_ITEM_ORDER_H

#include "data/transactions/dataset.h"

/* ---- the frequent items of a data set, from the rarest to the most frequent ------------------ */

/* All engines rank items in this order (or its reverse), so that root ranges mean the same to all.
 * Parts of a data set may have the order of the whole instead of that of their own supports
 * (lode_dataset.order). */

typedef struct ranked_item {
    uint64_t support;
    uint32_t id;
} ranked_item;

typedef struct ranking {
    ranked_item *items; /* by ascending support, then by ascending id; in lode_dataset.order, if the
                         * data set has one */
    uint32_t n;
} ranking;

/* The number of items with a support of at least min_count; `supports` has item_bound entries. */
uint32_t rank_count(const lode_dataset *data, const uint64_t *supports, uint64_t min_count);

/* Ranks these items, in memory of the job. Errors: NOMEM, BUDGET, and those of job_check(); on
 * failure there is nothing to free. */
LODE_NODISCARD lode_status rank_frequent(lode_job *job, const lode_dataset *data,
                                         const uint64_t *supports, uint64_t min_count,
                                         ranking *out);
void rank_free(lode_job *job, ranking *r);

/* ---- items that occur, as codes 0, 1, 2, … in print order, and their names as UTF-8 ---------- */

/* What Arrow calls a dictionary: lists hold codes, and each name is stored once. Items that do not
 * occur have no code, so that numbers with gaps do not fill the dictionary. */

typedef struct codes {
    mem *mem;
    uint32_t *of; /* code by id; NULL = ids are the codes */
    uint32_t n_ids;
    uint32_t n;      /* codes */
    vec_u64 offsets; /* of the names, n + 1 */
    vec_char text;
} codes;

/* All zero may be freed. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status codes_of_items(codes *c, mem *m, const lode_dataset *data);
/* Every name of a dictionary. */
LODE_NODISCARD lode_status codes_of_names(codes *c, mem *m, const dict *names);
void codes_free(codes *c);

/* Appends a name as UTF-8; base/utf8.h says what happens to other bytes. */
LODE_NODISCARD lode_status codes_put_text(mem *m, vec_char *to, const char *name, size_t n);

#endif
