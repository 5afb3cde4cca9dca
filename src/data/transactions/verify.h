/* verify.h - counts the patterns of a search again, while it runs (--verify)
 *
 * Each thread that passes patterns on copies them into a batch of its own. When the batch is full,
 * the thread counts the sets of the batch in the transactions (recount.h), and compares. So memory
 * does not grow with the result, and all threads take part. The transactions are those of the whole
 * data set, even if the search used a part of it, and none of the structures of the search is used.
 *
 * This finds wrong counts. It cannot find missing patterns, and does not test whether a pattern is
 * closed, maximal or a generator.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_VERIFY_H
#define LODE_DATA_TRANSACTIONS_VERIFY_H

#include "data/transactions/dataset.h"

typedef struct verifier {
    lode_job *job;
    const lode_dataset *data;  /* in memory; patterns have its ids */
    size_t room;               /* items of a full batch */
    _Atomic uint64_t verified; /* patterns that were counted again, and whose counts were right */
} verifier;

/* What one thread has still to count. Zero is valid, and empty. */
typedef struct verify_batch {
    vec_u32 items;
    vec_u64 offsets; /* empty, or one more than sets */
    vec_u64 claimed; /* the supports that the search found */
    uint64_t patterns;
} verify_batch;

/* Some of the items of a set; lent. */
typedef struct verify_side {
    const uint32_t *items;
    uint32_t n;
} verify_side;

/* Begins a search with nothing verified. */
void verify_begin(verifier *v, lode_job *job, const lode_dataset *data);
/* The bytes that the batches of all threads take. */
uint64_t verify_need(const verifier *v);

/* Adds the set of the items of `a` and `b`, in any order. The sets of a pattern come first; then
 * verify_pattern() ends the pattern, and counts the batch if it is full. Errors: NOMEM, BUDGET;
 * INTERNAL, with a message that names the set and both counts; CANCELLED. */
LODE_NODISCARD lode_status verify_add(const verifier *v, verify_batch *batch, verify_side a,
                                      verify_side b, uint64_t claimed);
LODE_NODISCARD lode_status verify_pattern(verifier *v, verify_batch *batch);
/* Counts what is left, and frees the batch, even after a failure. `v` may be NULL. */
LODE_NODISCARD lode_status verify_end(verifier *v, mem *m, verify_batch *batch);

#endif
