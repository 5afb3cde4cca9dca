/* batches.h - searches tasks in batches, and reports which are finished
 *
 * What:  the branches of a task go to the engine in batches of about a second. When a batch has
 *        ended, no thread works, and all of its patterns are in the sink; the callback can then
 *        record that (lode/journal.h).
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

/* Reports finished branches: those with the numbers [first, end), but without the branches `given`
 * that were handed out from them. These get the numbers after the last branch. `given` is valid
 * only during the call. */
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
