/* divide.c - see divide.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/divide.h"

#include <stdio.h>

#include "pipeline/partitions/partitions.h"
#include "pipeline/spill/spill.h"

/* Branches per share: enough for errors in their weights to average out, and few enough that making
 * them takes little time compared with a search that is worth dividing. CPU times without reading,
 * relative to one run, in two shares: T40I10 of 1 M at 1% takes in total 1.98 with 64, and 1.56
 * with 16 and blocks of items kept together (the slower share 1.13 and 0.78); T40I10 of 100 K at
 * 0.2% takes 0.96 in total. */
#define DIVIDE_BRANCHES 16
/* For graphs, each share repeats the division, which extends the patterns with the most
 * occurrences; each of these takes as long as hundreds of others. HIV at 823 in two shares, total
 * and slower share: 1.83 and 0.99 with 16 and the heaviest first; depth first, 1.13 and 0.81 with
 * 8, 1.34 and 0.70 with 12, 1.60 and 1.02 with 24. */
#define DIVIDE_GRAPH_BRANCHES 12

lode_status divide_check(const engine_task *task) {
    const engine_request *r = &task->request;
    lode_job *job = task->job;
    if (!r->divided && r->share == 0) return LODE_OK;
    if (r->share > r->n_shares || (r->n_shares > 0 && r->share == 0)) {
        return job_fail(job, LODE_INVALID, "share %u of %u: expected 1 to %u", r->share,
                        r->n_shares, r->n_shares);
    }
    if (r->n_shares > SHARE_MOST) {
        return job_fail(job, LODE_INVALID, "%u shares: expected at most %u", r->n_shares,
                        SHARE_MOST);
    }
    if (r->min_support.numerator == 0) {
        return job_fail(job, LODE_INVALID,
                        "shares and tasks require a minimum support (-s), even with top:K");
    }
    if (task->parts.batches && r->target == LODE_TARGET_TOP) {
        return job_fail(job, LODE_INVALID,
                        "tasks of top:K cannot be finished one at a time: the best K are known "
                        "only at the end");
    }
    if (engine_wants_range(r) || (task->items.options && task->items.options->reduce)) {
        return job_fail(job, LODE_INVALID,
                        "shares and tasks cannot be combined with root_first, root_end or reduce");
    }
    return LODE_OK;
}

uint32_t divide_goal(const engine_task *task, uint32_t n_shares) {
    return n_shares * (task->graphs.data ? DIVIDE_GRAPH_BRANCHES : DIVIDE_BRANCHES);
}

lode_status divide_search(engine_task *task, const lode_engine *engine, branch_list *into) {
    if (task->items.data && task->items.data->spool) return spill_divide_search(task, into);
    return engine->divide ? engine->divide(task, into) : partitions_divide(task, into);
}

lode_status divide_take_share(engine_task *task, const lode_engine *engine, divided_share *share) {
    lode_status status = LODE_OK;
    const engine_request *r = &task->request;
    mem *m = &task->job->mem;
    engine_report *report = task->report;
    branch_list *all = &share->all;
    uint32_t *owner;
    engine_branch *mine;
    uint64_t hash;
    size_t n = 0;
    branches_init(all, m, divide_goal(task, r->n_shares));
    LODE_TRY(divide_search(task, engine, all));
    LODE_TRY(mem_keep(m, &share->kept, (void **)&owner, (all->n + 1) * sizeof *owner));
    LODE_TRY(mem_keep(m, &share->kept, (void **)&mine, (all->n + 1) * sizeof *mine));
    LODE_TRY(branches_deal(all, r->n_shares, owner, &hash));
    for (size_t i = 0; i < all->n; i++) {
        if (owner[i] == r->share) mine[n++] = all->list[i];
    }
    share->branches = (engine_branches){.list = mine, .n = n};
    task->parts.branches = &share->branches;
    report->share = r->share;
    report->n_shares = r->n_shares;
    snprintf(report->cut, sizeof report->cut, "%016llx", (unsigned long long)hash);
done:
    return status;
}

void divide_drop_share(engine_task *task, divided_share *share) {
    if (task->parts.branches == &share->branches) task->parts.branches = NULL;
    mem_drop(&task->job->mem, &share->kept);
    branches_free(&share->all);
}
