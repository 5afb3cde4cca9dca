/* partition_data.h - the data of one prefix, and the engine run that searches them
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_PARTITIONS_PARTITION_DATA_H
#define LODE_PIPELINE_PARTITIONS_PARTITION_DATA_H

#include "pipeline/partitions/partition_base.h"
#include "write/itemsets/item_filter.h"

/* The current prefix. Its counts are in the base; its data are made when they are searched. */
typedef struct partition_data {
    partition_base base;
    engine_task *task;
    const lode_engine *engine;
    const item_filter *outer;       /* the original filter of the sink; NULL = none */
    item_filter filter;             /* that filter, plus the prefix */
    uint32_t *fixed, *fixed_counts; /* of `filter` */
    engine_branch at;               /* has the prefix, which it does not own; valid if `is_at` */
    bool is_at;                     /* there is a current prefix */
    uint64_t least;                 /* the threshold that is used for the current prefix */
    lode_dataset *made; /* its transactions; NULL = not made, or the whole data set is searched */
    uint32_t end;       /* if base.cut, `made` only has items with ranks below this */
    uint8_t *drop;      /* scratch, by id: the item is left out of `made` */
    unsigned n_runs;    /* of the engine so far */
    mem_kept kept;      /* owns the arrays */
} partition_data;

/* Estimates the bytes of a data set that has n_rows of the transactions of `data`. */
uint64_t partition_data_bytes(const lode_dataset *data, uint64_t n_rows);

/* `outer`: the filter of the task's sink, or NULL. Call partition_data_close() also after a
 * failure. */
LODE_NODISCARD lode_status partition_data_open(partition_data *d, engine_task *task,
                                               const lode_engine *engine, const item_filter *outer);
/* Restores the filter of the sink. */
void partition_data_close(partition_data *d);

/* Moves to the prefix of a branch: counts it, and sets the filter of the sink. The prefix must stay
 * valid until the next call. */
LODE_NODISCARD lode_status partition_data_enter(partition_data *d, const engine_branch *of);
/* Reports the current prefix itself, if the target asks for it. */
LODE_NODISCARD lode_status partition_data_report(partition_data *d);

/* Whether the engine can search a range that begins at `first` in one run. */
bool partition_data_takes(const partition_data *d, uint32_t first);
/* Runs the engine on the range [first, end). partition_data_takes() must be true for `first`. */
LODE_NODISCARD lode_status partition_data_search(partition_data *d, uint32_t first, uint32_t end);

#endif
