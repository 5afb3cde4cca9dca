/* batches.h - tasks that are searched some at a time, so that it can be told what is finished
 *
 * What:  the branches of a task go to the engine in batches of about a second. When a batch has
 *        ended, no thread works, and all of its patterns are in the sink: whoever asked for it is
 *        told, and can write that down (lode/journal.h).
 * How:   the speed of the last batch says how much expected work the next one gets. Where that was
 *        wrong, the engine is asked to hand out parts of what it has open, which come back at the
 *        end of the line, until it ends: a branch of an hour does not take an hour.
 * Order: batches are ranges of the line, so that what is finished is a range of numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_BATCHES_H
#define LODE_PIPELINE_BATCHES_H

#include "pipeline/run.h"

/* Told of branches that are finished: those with the numbers [first, end), and what they have
 * handed out. */
typedef lode_status (*batch_done_fn)(void *user, size_t first, size_t end,
                                     const engine_branch *given, size_t n_given);

typedef struct mine_batches {
    batch_done_fn done;
    void *user;
    double seconds; /* that a batch should take */
} mine_batches;

/* Searches the branches of the task, as task->parts.batches says. */
LODE_NODISCARD lode_status batches_search(engine_task *task, const mine_kind *kind,
                                          const lode_engine *engine);

#endif
