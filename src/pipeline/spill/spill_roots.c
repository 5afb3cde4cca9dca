/* spill_roots.c - see spill_roots.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/spill/spill_roots.h"

#include "data/transactions/item_order.h"
#include "pipeline/engine/branches.h"
#include "pipeline/spill/spill.h"

/* ---- what goes ------------------------------------------------------------------------------- */

/* Bytes of all transactions in memory, and of mining them. */
static uint64_t roots_memory_bytes(const engine_task *task) {
    const lode_dataset *data = task->items.data;
    job_sizes sizes = engine_task_sizes(task).data;
    uint64_t rows = sizes.n_transactions * (data->weighted || data->weights ? 2u : 1u);
    uint64_t mining = (3 * sizes.n_occurrences + 3 * sizes.n_transactions) * sizeof(uint32_t);
    if (task->job->forecast) mining = task->job->forecast(task->job, &sizes);
    return (sizes.n_occurrences + rows) * sizeof(uint32_t) + sizes.n_occurrences / 16 +
           sizes.item_bound * 3 * sizeof(uint64_t) + mining;
}

lode_status spill_refuse(const engine_task *task, const char *what) {
    return job_over_budget(task->job, roots_memory_bytes(task),
                           "%s cannot be mined from disk (--spill), and mining them in memory",
                           what);
}

lode_status spill_check(const engine_task *task) {
    const lode_mine_options *o = task->items.options;
    const char *what = o->target == LODE_TARGET_GENERATORS  ? "generators"
                       : engine_wants_range(&task->request) ? "patterns of a range of root classes"
                       : task->items.data->total_weight > UINT32_MAX
                           ? "transactions with a total weight of 2^32 or more"
                           : NULL;
    return what ? spill_refuse(task, what) : LODE_OK;
}

/* ---- dividing -------------------------------------------------------------------------------- */

/* Returns the expected work of a root: its transactions with the more frequent items of each, as
 * if items were independent. `before` is the number of occurrences of these items in all
 * transactions. */
static double roots_work(const lode_dataset *data, uint64_t support, double before) {
    double n = data->total_weight > 0 ? (double)data->total_weight : 1;
    return (double)support * (1 + before / n);
}

static double roots_all_work(const lode_dataset *data, const ranking *r) {
    double work = 0, before = 0;
    for (uint32_t i = r->n; i-- > 0; before += (double)r->items[i].support) {
        work += roots_work(data, r->items[i].support, before);
    }
    return work;
}

/* Ranges of about the same work, from the most frequent items on. */
static lode_status roots_add_ranges(const lode_dataset *data, const ranking *r, branch_list *into) {
    lode_status status = LODE_OK;
    engine_branch range = {0};
    double before = 0, even = roots_all_work(data, r) / into->goal;
    for (uint32_t i = 0; i < r->n; i++) {
        uint64_t support = r->items[r->n - 1 - i].support;
        range.work += roots_work(data, support, before);
        before += (double)support;
        range.end = i + 1;
        if (range.work < even && range.end < r->n) continue;
        LODE_TRY(branches_add(into, &range, false));
        range = (engine_branch){.first = i + 1};
    }
done:
    return status;
}

lode_status spill_divide_search(engine_task *task, branch_list *into) {
    lode_status status = LODE_OK;
    const lode_dataset *data = task->items.data;
    ranking r = {0};
    LODE_TRY(spill_check(task));
    LODE_TRY(rank_frequent(task->job, data, data->item_supports, task->min_count, &r));
    branches_expect(into, roots_all_work(data, &r));
    status = roots_add_ranges(data, &r, into);
done:
    rank_free(task->job, &r);
    return status;
}

/* ---- searching ------------------------------------------------------------------------------- */

lode_status spill_mark_roots(spill_job *s) {
    lode_status status = LODE_OK;
    const engine_branches *b = s->task->parts.branches;
    if (!b) return LODE_OK;
    LODE_TRY(mem_keep_zero(s->mem, &s->kept, (void **)&s->roots, s->n + (size_t)1));
    for (size_t i = 0; i < b->n; i++) {
        const engine_branch *range = &b->list[i];
        if (range->n_prefix > 0) {
            LODE_LEAVE(job_fail(s->job, LODE_INVALID,
                                "a task with a prefix cannot be combined with data on disk "
                                "(--spill), whose tasks are ranges of items"));
        }
        for (uint32_t k = range->first; k < range->end && k < s->n; k++) {
            s->roots[k] = k == range->first && b->finished ? SPILL_BEGINS : SPILL_ROOT;
        }
    }
done:
    return status;
}
