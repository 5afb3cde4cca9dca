/* top.c - the best K patterns of any kind
 *
 * Patterns go to a sink that keeps the best K, and raises the threshold of the job to the support
 * of the K-th. If no threshold is given, the search starts with a high one, and is repeated with a
 * lower one as long as it finds fewer than K patterns. A search that starts with the threshold 1
 * could get lost among patterns that occur once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "pipeline/run.h"

/* A shared job does not look for a threshold: its processes must all use the same one. */
bool top_seeks_threshold(const engine_task *task) {
    bool shared =
        engine_wants_range(&task->request) || (task->items.options && task->items.options->reduce);
    return task->request.target == LODE_TARGET_TOP && task->request.min_support.numerator == 0 &&
           !shared;
}

/* Searches once. Sets *again if fewer than K patterns were found and there may be more below the
 * threshold; otherwise hands over the best. */
static lode_status top_once(engine_task *task, const mine_kind *kind, const lode_engine *engine,
                            bool *again) {
    lode_status status = LODE_OK;
    lode_sink *target = task->sink, *top = NULL;
    bool may_repeat = top_seeks_threshold(task) && task->min_count > 1;
    LODE_TRY(kind->top->open(task, &top));
    task->sink = top;
    progress_begin_pass(&task->job->at, may_repeat ? 0.5 : 1);
    lode_status mined = mine_search(task, kind, engine);
    if (!mine_is_usable(mined)) LODE_LEAVE(mined);
    if (job_is_raised(task->job)) LODE_LEAVE(LODE_STOPPED);
    status = lode_sink_finish(top, mined != LODE_OK); /* after a stop, do not wait for sorting */
    if (status == LODE_CANCELLED) { /* while it was sorted: all is there, in no order */
        mined = status;
    } else if (status != LODE_OK) {
        goto done;
    }
    bool enough = lode_sink_patterns(top) >= task->request.top_k;
    *again = may_repeat && mined == LODE_OK && !enough;
    if (!*again) LODE_TRY(kind->top->replay(top, target));
    status = mined;
done:
    task->sink = target;
    lode_sink_free(top);
    return status;
}

lode_status top_search(engine_task *task, const mine_kind *kind, const lode_engine *engine) {
    bool again = false;
    char why[LODE_REPORT_TEXT];
    memcpy(why, task->report->why, sizeof why);
    lode_status status = top_once(task, kind, engine, &again);
    while (status == LODE_OK && again) {
        task->min_count = kind->top->next_count(task, task->min_count);
        task->report->min_count = task->min_count;
        atomic_store_explicit(&task->job->threshold, task->min_count, memory_order_relaxed);
        memcpy(task->report->why, why, sizeof why); /* engines add to it */
        status = top_once(task, kind, engine, &again);
    }
    return status;
}
