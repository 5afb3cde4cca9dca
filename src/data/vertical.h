/* vertical.h - the database turned by ninety degrees: one row of bits per frequent item
 *
 *                 transactions →
 *     rank 0      0 1 0 0 1 0 …     the rarest frequent item
 *     rank 1      1 1 0 0 1 0 …
 *     …                             rows padded with zero bits to whole lines of 64 bytes
 *
 * Items below the threshold are dropped, the rest ranked by ascending support (ties by id), which
 * makes the classes of the search small where they are many.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_VERTICAL_H
#define LODE_DATA_VERTICAL_H

#include "data/dataset.h"

typedef struct vertical {
    mem *mem;
    uint32_t n_items;
    size_t words;       /* per row; a multiple of 8 */
    uint32_t *ids;      /* rank → item id */
    uint64_t *supports; /* by rank; over all parts where a job is shared */
    uint64_t *rows;     /* n_items * words */
} vertical;

/* Ranks the items whose support in `supports` (item_bound of them) reaches min_count. */
LODE_NODISCARD lode_status vertical_rank(lode_job *job, vertical *v, const lode_dataset *data,
                                         const uint64_t *supports, uint64_t min_count);
/* Fills the rows of ranked items, with all threads. */
LODE_NODISCARD lode_status vertical_fill(lode_job *job, vertical *v, const lode_dataset *data);
void vertical_clear(vertical *v);
/* Whether each row has as many bits as its item has support: without weights and other parts. */
bool vertical_validate(const vertical *v);

/* Fills rows, all zero, by a ranking of one's own: rank[id] is the row of an item; one that is not
 * below n_items, such as VERTICAL_NO_RANK, has none. `spread`: transactions, 64 at a time, take
 * turns from all over the data, so that the first columns are a fair sample of them. */
#define VERTICAL_NO_RANK UINT32_MAX
LODE_NODISCARD lode_status vertical_fill_rows(lode_job *job, const lode_dataset *data,
                                              const uint32_t *rank, uint32_t n_items, bool spread,
                                              uint64_t *rows);

/* Bytes of one row for so many transactions. */
size_t vertical_row_bytes(uint64_t n_transactions);

#endif
