/* item_columns.h - patterns by columns: offsets, items, supports
 *
 *     offsets  0   2     5 …        pattern i = items[offsets[i]] … items[offsets[i+1] - 1]
 *     items    3 7|1 3 7|…          ascending within a pattern
 *     supports 12  9 …
 *
 * Results are stored in memory and sorted in this form. The arrays form an Arrow large-list.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_ITEM_COLUMNS_H
#define LODE_WRITE_ITEMSETS_ITEM_COLUMNS_H

#include "base/sort.h"
#include "base/vec.h"
#include "data/transactions/recount.h"

typedef struct columns {
    vec_u64 supports;
    vec_u64 offsets; /* empty, or one more entry than patterns */
    vec_u32 items;
} columns;

void columns_free(mem *m, columns *c);

/* Appends the patterns of a batch, with sorted items. The batch must have no perfect extensions. On
 * failure `c` is unchanged. */
LODE_NODISCARD lode_status columns_append(mem *m, columns *c, const lode_batch *batch);
/* Appends all patterns of `from`, which may be empty afterwards. On failure both are unchanged. */
LODE_NODISCARD lode_status columns_join(mem *m, columns *c, columns *from);
/* Keeps only patterns with at least this support. */
void columns_keep(columns *c, uint64_t min_support);

/* Returns pattern i as a batch of one pattern. */
lode_batch columns_at(const columns *c, uint64_t i);

#define SINK_ASK_EVERY 4096 /* patterns written between checks for a cancel */

typedef enum columns_order { COLUMNS_BY_SIZE, COLUMNS_BY_SUPPORT } columns_order;

/* Sorts the patterns by size and items, or by support (from the highest), size and items. Takes
 * twice the memory while it works. `stop` may be NULL. Returns CANCELLED if `stop` ended the sort;
 * the patterns are then unchanged. */
LODE_NODISCARD lode_status columns_sort(mem *m, columns *c, columns_order order,
                                        const sort_stop *stop);

/* Sorts the patterns by their values, from the highest, then by support, size and items. Otherwise
 * as columns_sort(). */
LODE_NODISCARD lode_status columns_rank(mem *m, columns *c, const double *values,
                                        const sort_stop *stop);

static inline size_t columns_bytes(const columns *c) {
    return (c->offsets.n + c->supports.n) * sizeof(uint64_t) + c->items.n * sizeof(uint32_t);
}

/* The patterns as sets whose supports are to be counted. */
static inline recount_sets columns_recount(const columns *c) {
    return (recount_sets){c->items.data, c->offsets.data, c->supports.data, c->supports.n};
}

static inline uint64_t columns_count(const columns *c) {
    return c->supports.n;
}

#endif
