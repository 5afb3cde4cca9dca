/* vertical.h - the vertical database: a bit row for each frequent item
 *
 *                 transactions →
 *     rank 0      0 1 0 0 1 0 …     the rarest frequent item
 *     rank 1      1 1 0 0 1 0 …
 *     …                             rows are zero-padded to whole lines of 64 bytes
 *
 * Items below the threshold are dropped; the other items are ranked by ascending support
 * (item_order.h), so that most classes of the search are small. If the data set has its own order
 * (dataset.h), infrequent items need not come first; therefore every item that occurs must reach
 * every threshold for which rows are taken.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_VERTICAL_H
#define LODE_DATA_TRANSACTIONS_VERTICAL_H

#include "data/transactions/dataset.h"
#include "data/transactions/prepared.h"

typedef struct vertical {
    mem *mem;         /* memory of the arrays; NULL = they belong to `shared` */
    prepared *shared; /* the shared rows that `job` has taken; NULL = none */
    lode_job *job;
    uint32_t n_items;
    size_t words;       /* words per row; a multiple of 8 */
    uint32_t *ids;      /* rank → item id */
    uint64_t *supports; /* by rank; if processes share a job, summed over all processes */
    uint64_t *rows;     /* n_items * words */
} vertical;

/* Ranks the items whose entry in `supports` (by id) is at least min_count. */
LODE_NODISCARD lode_status vertical_rank(lode_job *job, vertical *v, const lode_dataset *data,
                                         const uint64_t *supports, uint64_t min_count);
/* Ranks items by the supports of the data set. Their memory comes from `m`, which may outlive the
 * job. */
LODE_NODISCARD lode_status vertical_rank_in(lode_job *job, mem *m, vertical *v,
                                            const lode_dataset *data, uint64_t min_count);
/* Fills the rows of ranked items, with all threads. */
LODE_NODISCARD lode_status vertical_fill(lode_job *job, vertical *v, const lode_dataset *data);
void vertical_clear(vertical *v);

/* Takes ranked items and filled rows that jobs share. Rows made for a lower threshold can be used,
 * because the rows for a higher threshold are the last among them. Rows made for a higher threshold
 * are extended. `origin` receives how the rows were obtained. */
LODE_NODISCARD lode_status vertical_take(lode_job *job, vertical *v, const lode_dataset *data,
                                         uint64_t min_count, prepared_origin *origin);
/* Returns whether vertical_take() would find rows to use now. Another job may change this. */
bool vertical_is_there(const lode_dataset *data, uint64_t min_count);
/* Returns the number of items that reach a threshold. */
uint32_t vertical_count(const lode_dataset *data, uint64_t min_count);
/* Returns the lowest threshold whose rows need little more memory, so that later jobs can use the
 * rows. Returns min_count if there can be no other job or memory is limited. */
uint64_t vertical_deeper(const lode_job *job, const lode_dataset *data, uint64_t min_count);

/* Fills rows for the caller's ranking: rank[id] is the row of an item. All rows must be zero before
 * the call. Items with a rank of n_items or more, such as VERTICAL_NO_RANK, have no row. `spread`
 * scatters groups of 64 transactions over the columns, so that the first columns are a fair sample
 * of the data. */
#define VERTICAL_NO_RANK UINT32_MAX
LODE_NODISCARD lode_status vertical_fill_rows(lode_job *job, const lode_dataset *data,
                                              const uint32_t *rank, uint32_t n_items, bool spread,
                                              uint64_t *rows);

/* Returns the bytes of one row of n_transactions bits. */
size_t vertical_row_bytes(uint64_t n_transactions);

#endif
