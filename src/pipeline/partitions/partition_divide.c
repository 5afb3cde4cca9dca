/* partition_divide.c - divides a search into branches, by forecasts of the work below each item
 *
 * Items of the root are weighed by their supports alone. A heavy one is divided: the items that are
 * frequent with it are counted in its transactions, so that their weights are better known.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/partitions/partition_base.h"
#include "pipeline/partitions/partitions.h"

/* Adds branches for what was counted and weighed below a prefix. */
static lode_status divide_ranks(const partition_base *b, const engine_branch *of, uint32_t end,
                                branch_list *into) {
    bool divides = of->n_prefix + 1 < b->task->options->max_size;
    branch_ranks ranks = {.weights = b->weights, .n = end, .divides = divides};
    return branches_add_ranks(into, of, &ranks);
}

/* Divides the branch of one item. */
static lode_status divide_root(partition_base *b, const engine_branch *root, branch_list *into) {
    lode_status status = LODE_OK;
    engine_branch of = {.n_prefix = root->n_prefix + 1, .own = true};
    LODE_TRY(branches_prefix(into, root, &b->order[root->first], 1, &of.prefix));
    LODE_TRY(partition_count(b, &of));
    if (partition_is_subsumed(b, &of)) goto done;
    partition_weigh(b, &of, root->first, b->task->min_count);
    status = divide_ranks(b, &of, root->first, into);
done:
    return status;
}

lode_status partitions_divide(engine_task *task, branch_list *into) {
    lode_status status = LODE_OK;
    partition_base b;
    engine_branch of = {.own = true}, next;
    double work = 0;
    LODE_TRY(partition_base_open(&b, task));
    LODE_TRY(partition_count(&b, &of));
    partition_weigh(&b, &of, b.n, task->min_count);
    for (uint32_t i = 0; i < b.n; i++) work += b.weights[i];
    branches_expect(into, work);
    LODE_TRY(divide_ranks(&b, &of, b.n, into));
    while (branches_next(into, &next)) {
        LODE_TRY(job_check(task->job));
        LODE_TRY(divide_root(&b, &next, into));
    }
done:
    partition_base_close(&b);
    return status;
}
