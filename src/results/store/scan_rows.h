/* scan_rows.h - one pass over the rows that match a query, on all threads
 *
 * Threads take one batch after the other. Within a batch, rows are tested in blocks. Each block has
 * a mask of the rows that match. One branch-free loop per bound computes the mask. Only rows that
 * meet all bounds are tested for their items. Visitors get only blocks with at least one match.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_STORE_SCAN_ROWS_H
#define LODE_RESULTS_STORE_SCAN_ROWS_H

#include "results/store/query_plan.h"

#define SCAN_BLOCK 1024

typedef struct scan_block {
    stored_batch *batch;
    stored_range range; /* the mask is 0 for rows that do not match */
    uint64_t first;     /* number of the block's first row in the store */
    uint32_t found;     /* number of rows that match; at least 1 */
    unsigned worker;    /* number of the thread */
} scan_block;

/* Called for the blocks of a batch in order, by one thread. */
typedef lode_status (*scan_fn)(void *user, const scan_block *block);

/* Counts the matching rows; `user` is an _Atomic uint64_t. */
lode_status scan_visit_count(void *user, const scan_block *block);

/* A pass over the batches from `first` to `end` - 1. */
typedef struct scan_pass {
    const query_plan *plan;
    uint32_t first, end;
    scan_fn visit;
    void *user;
} scan_pass;

/* Returns the number of threads of a pass. Worker numbers are below this number. */
unsigned scan_width(const lode_store *s);
/* Runs a pass. Errors: those of `visit`, PARSE, NOMEM, BUDGET, CANCELLED. */
LODE_NODISCARD lode_status scan_run(const scan_pass *pass);
/* Returns the first batch that may have a matching row. */
uint32_t scan_first(const query_plan *plan);
/* Runs a pass over the batches from scan_first(plan) on. */
LODE_NODISCARD lode_status scan_all(const query_plan *plan, scan_fn visit, void *user);

/* Does what all public calls about queries have in common: leases threads, parses the query, calls
 * `answer`, and ends the call. Errors: those that these steps return. */
typedef lode_status (*scan_answer_fn)(const query_plan *plan, void *user);
LODE_NODISCARD lode_status scan_ask(lode_store *s, const lode_query_options *query,
                                    scan_answer_fn answer, void *user);

#endif
