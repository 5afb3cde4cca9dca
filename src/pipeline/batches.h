/* batches.h - searches the branches of a task in batches, and reports which are finished
 *
 * What:  the branches of a task (parts of the search, engine.h) go to the engine in batches of
 *        about a second. When a batch has ended, no thread works, and all patterns of the batch are
 *        in the sink; the callback can then record in a journal that these branches are finished
 *        (lode/journal.h).
 * How:   the speed of the last batch decides how much expected work the next one gets. If a batch
 *        takes too long, the engine is asked to hand out parts that it has not searched, until the
 *        batch ends; these parts go to the end of the queue. So a batch need not take as long as
 *        its longest branch.
 * Order: batches are ranges of the queue, so the numbers of finished branches are a range.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_BATCHES_H
#define LODE_PIPELINE_BATCHES_H

#include "pipeline/run.h"

/* Reports that the branches with the numbers [first, end) are finished, except for the parts of
 * them that were handed out. These parts, `given`, become branches with the next free numbers.
 * `given` is valid only during the call. */
typedef lode_status (*batch_done_fn)(void *user, size_t first, size_t end,
                                     const engine_branch *given, size_t n_given);

typedef struct mine_batches {
    batch_done_fn done;
    void *user;
    double seconds; /* target time of a batch */
} mine_batches;

/* Searches the branches of the task, according to task->parts.batches. */
LODE_NODISCARD lode_status batches_search(engine_task *task, const mine_kind *kind,
                                          const lode_engine *engine);

#endif
