/* search.c - runs the engine once: in memory, from disk (spill/) or by partitions (partitions/)
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/constrain.h"
#include "pipeline/partitions/partitions.h"
#include "pipeline/run.h"
#include "pipeline/spill/spill.h"

/* Whether a run that found too little memory may continue from disk: nothing was found yet, and
 * there is a folder for the files. A search of given branches may not: they were made from the data
 * in memory, and other processes have the same ones. */
static bool search_may_spill(const engine_task *task, const lode_engine *engine, uint64_t before) {
    return task->items.data && task->items.data->spill.n > 0 && engine->orders &&
           !task->parts.branches && lode_sink_patterns(task->sink) == before;
}

/* Data on disk are mined from there. Branches for an engine that cannot divide its search are cut
 * out of the data as partitions. Everything else is mined in memory, and from disk if memory is too
 * small. */
static lode_status search_memory_disk_or_partitions(engine_task *task, const lode_engine *engine) {
    uint64_t before = lode_sink_patterns(task->sink);
    if (task->items.data && task->items.data->spool) return spill_run(task, engine);
    if (task->items.data && task->parts.branches && !engine->divide) {
        return partitions_run(task, engine, constrain_filter(task));
    }
    lode_status status = engine->run(task);
    if (status != LODE_BUDGET || !search_may_spill(task, engine, before)) return status;
    job_clear_message(task->job);
    prepared_reclaim(task->items.data->prepared);
    return spill_run(task, engine);
}

lode_status mine_search(engine_task *task, const mine_kind *kind, const lode_engine *engine) {
    if (kind->search) return kind->search(task, engine);
    lode_status status = constrain_leaves_nothing(task)
                             ? job_check(task->job)
                             : search_memory_disk_or_partitions(task, engine);
    return status == LODE_OK ? constrain_add_fixed(task) : status;
}
