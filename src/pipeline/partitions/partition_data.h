/* partition_data.h - the data of one prefix, and the engine that searches them
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_PARTITIONS_PARTITION_DATA_H
#define LODE_PIPELINE_PARTITIONS_PARTITION_DATA_H

#include "pipeline/partitions/partition_base.h"
#include "write/itemsets/item_filter.h"

/* The prefix at hand. What was counted of it is in the base; its data are made when they are
 * searched. */
typedef struct partition_data {
    partition_base base;
    engine_task *task;
    const lode_engine *engine;
    const item_filter *outer; /* the filter that the sink had; NULL: none */
    item_filter filter;       /* that one, and the prefix */
    uint32_t *fixed, *fixed_counts;
    engine_branch at;   /* has the prefix, lent; valid if `is_at` */
    bool is_at;         /* … there is one */
    uint64_t least;     /* what its items must reach, as long as it is at hand */
    lode_dataset *made; /* its transactions; NULL: not made, or all of them are searched */
    uint32_t end;       /* ranks from here on are not in them, if they are cut */
    uint8_t *drop;      /* by id: not in them; scratch */
    unsigned n_runs;    /* of the engine */
    mem_kept kept;
} partition_data;

/* Bytes of a data set of so many of the transactions. */
uint64_t partition_data_bytes(const lode_dataset *data, uint64_t n_rows);

LODE_NODISCARD lode_status partition_data_open(partition_data *d, engine_task *task,
                                               const lode_engine *engine, const item_filter *outer);
/* The sink has the filter again that it had. */
void partition_data_close(partition_data *d);

/* Goes to the prefix of a branch, which must stay where it is: counts, and tells the sink. */
LODE_NODISCARD lode_status partition_data_enter(partition_data *d, const engine_branch *of);
/* Reports the prefix itself, if the target asks for it. */
LODE_NODISCARD lode_status partition_data_report(partition_data *d);

/* Whether the engine can search the range in one run. */
bool partition_data_takes(const partition_data *d, uint32_t first);
/* Has the engine search a range that it takes. */
LODE_NODISCARD lode_status partition_data_search(partition_data *d, uint32_t first, uint32_t end);

#endif
