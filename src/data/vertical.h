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
#include "data/prepared.h"

typedef struct vertical {
    mem *mem;         /* of the arrays; NULL: they belong to another */
    prepared *shared; /* … which `job` gives back; NULL: none */
    lode_job *job;
    uint32_t n_items;
    size_t words;       /* per row; a multiple of 8 */
    uint32_t *ids;      /* rank → item id */
    uint64_t *supports; /* by rank; over all parts where a job is shared */
    uint64_t *rows;     /* n_items * words */
} vertical;

/* Ranks the items whose support in `supports` (item_bound of them) reaches min_count. */
LODE_NODISCARD lode_status vertical_rank(lode_job *job, vertical *v, const lode_dataset *data,
                                         const uint64_t *supports, uint64_t min_count);
/* The same of the data set itself, in memory that may outlive the job. */
LODE_NODISCARD lode_status vertical_rank_in(lode_job *job, mem *m, vertical *v,
                                            const lode_dataset *data, uint64_t min_count);
/* Fills the rows of ranked items, with all threads. */
LODE_NODISCARD lode_status vertical_fill(lode_job *job, vertical *v, const lode_dataset *data);
void vertical_clear(vertical *v);

/* Items ranked and rows filled for a threshold, shared between jobs: whoever made it for a lower
 * threshold has made it for this one, whose rows are the last. One that was made for a higher
 * threshold is extended. Says in `how` where it came from. */
LODE_NODISCARD lode_status vertical_take(lode_job *job, vertical *v, const lode_dataset *data,
                                         uint64_t min_count, prepared_how *how);
/* Whether vertical_take() would have nothing to do; another job may change that. */
bool vertical_is_there(const lode_dataset *data, uint64_t min_count);
/* Of the data set, how many items reach a threshold. */
uint32_t vertical_count(const lode_dataset *data, uint64_t min_count);
/* A lower threshold, about the lowest, that takes little more: for what is made to be shared. The
 * same where no other job can come, or memory is limited. */
uint64_t vertical_deeper(const lode_job *job, const lode_dataset *data, uint64_t min_count);
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
