/* item_count.h - counts the patterns that a batch stands for, by size
 *
 * A batch with n perfect extensions stands for 2^n patterns for each item. These patterns are
 * counted by binomials, mostly at the end: a worker tallies how many sets have each size and number
 * of perfect extensions, and multiplies the tallies out when it closes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_ITEM_COUNT_H
#define LODE_WRITE_ITEMSETS_ITEM_COUNT_H

#include "data/transactions/dataset.h"
#include "runtime/job.h"
#include "write/itemsets/item_sink.h"

#define ITEM_REPORT_EVERY 65536 /* patterns between updates of the shared progress count */

/* Counts n patterns of a size, if the size is accepted. */
static inline LODE_NODISCARD lode_status item_count_size(item_worker *w, uint64_t size,
                                                         uint64_t n) {
    const lode_sink *sink = w->base.sink;
    if (size < sink->min_size || size > sink->max_size) return LODE_OK;
    return sink_count_patterns(&w->base, size, n);
}

/* Counts n patterns of a size, each with all subsets of n_perfect > 0 perfect extensions. */
LODE_NODISCARD lode_status item_count_perfect(item_worker *w, uint64_t size, uint64_t n,
                                              uint32_t n_perfect);

/* Counts n patterns of a size, each with all subsets of the perfect extensions. */
static inline LODE_NODISCARD lode_status item_count(item_worker *w, uint64_t size, uint64_t n,
                                                    uint32_t n_perfect) {
    if (n_perfect > 0) return item_count_perfect(w, size, n, n_perfect);
    sink_progress(&w->base, n, ITEM_REPORT_EVERY);
    return item_count_size(w, size, n);
}

/* Multiplies out the tallies. Must be called when the worker closes. */
LODE_NODISCARD lode_status item_count_noted(item_worker *w);

/* Returns how many patterns of accepted sizes each item of the batch stands for, but at most
 * UINT64_MAX. */
uint64_t item_patterns_each(const lode_sink *sink, const lode_batch *batch);

/* ---- the maximum size of a frequent itemset -------------------------------------------------- */

/* Sets *width to a bound of the size of the frequent sets. A set that occurs in t = `threshold`
 * transactions has no more items than the shortest of them, and so no more than the t-th longest
 * transaction. Only frequent items count. Reads all transactions. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status width_bound(lode_job *job, const lode_dataset *data, uint64_t threshold,
                                       uint32_t *width);

#endif
