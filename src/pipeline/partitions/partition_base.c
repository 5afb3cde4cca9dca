/* partition_base.c - see partition_base.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/partitions/partition_base.h"

#include "base/check.h"
#include "data/transactions/item_order.h"
#include "itemsets/common/forecast.h"
#include "pipeline/partitions/partitions.h"

/* ---- ranks ----------------------------------------------------------------------------------- */

static lode_status base_rank(partition_base *b) {
    lode_status status = LODE_OK;
    const lode_dataset *data = b->data;
    lode_job *job = b->task->job;
    ranking r = {0};
    size_t bound = data->item_bound;
    LODE_TRY(rank_frequent(job, data, data->item_supports, b->task->min_count, &r));
    b->n = r.n;
    LODE_TRY(mem_keep(b->mem, &b->kept, (void **)&b->order, (r.n + 1u) * sizeof *b->order));
    LODE_TRY(mem_keep(b->mem, &b->kept, (void **)&b->ranks, (bound + 1) * sizeof *b->ranks));
    for (size_t i = 0; i < bound; i++) b->ranks[i] = PARTITION_NONE;
    for (uint32_t i = 0; i < r.n; i++) {
        b->order[i] = r.items[r.n - 1 - i].id;
        b->ranks[b->order[i]] = i;
    }
done:
    rank_free(job, &r);
    return status;
}

lode_status partition_base_open(partition_base *b, const engine_task *task) {
    lode_status status = LODE_OK;
    lode_target target = task->items.options->target;
    *b = (partition_base){.task = task, .mem = &task->job->mem, .data = task->items.data};
    b->cut = target == LODE_TARGET_ALL || target == LODE_TARGET_TOP;
    LODE_TRY(base_rank(b));
    size_t n = b->n + (size_t)1;
    LODE_TRY(mem_keep_zero(b->mem, &b->kept, (void **)&b->marks, n * sizeof *b->marks));
    LODE_TRY(mem_keep_zero(b->mem, &b->kept, (void **)&b->supports, n * sizeof *b->supports));
    LODE_TRY(mem_keep_zero(b->mem, &b->kept, (void **)&b->weights, n * sizeof *b->weights));
    LODE_TRY(mem_keep_zero(b->mem, &b->kept, (void **)&b->found, n * sizeof *b->found));
    LODE_TRY(mem_keep_zero(b->mem, &b->kept, (void **)&b->members, n * sizeof *b->members));
done:
    return status;
}

uint64_t partition_base_bytes(const lode_dataset *data) {
    const lode_profile *p = &data->profile;
    uint64_t rank = sizeof(uint64_t) * 2 + sizeof(double) * 2 + sizeof(uint32_t) * 2 + 1;
    return p->n_items * rank + data->item_bound * sizeof(uint32_t) +
           (p->n_occurrences + 2 * p->n_transactions) * sizeof(uint32_t);
}

void partition_base_close(partition_base *b) {
    vec_u32_free(b->mem, &b->held);
    mem_drop(b->mem, &b->kept);
}

partition_sense partition_check(const partition_base *b, const engine_branch *branch) {
    partition_sense sense = PARTITION_FINE;
    for (uint32_t i = 0; i < branch->n_prefix; i++) {
        uint32_t rank = b->ranks[branch->prefix[i]];
        if (rank == PARTITION_NONE) {
            sense = PARTITION_GONE;
            continue;
        }
        for (uint32_t k = 0; k < i; k++) {
            if (b->ranks[branch->prefix[k]] <= rank) return PARTITION_NONSENSE;
        }
    }
    return sense;
}

uint32_t partition_bound(const partition_base *b, const engine_branch *of) {
    return of->n_prefix > 0 ? b->ranks[of->prefix[of->n_prefix - 1]] : b->n;
}

/* ---- which transactions hold an item --------------------------------------------------------- */

/* starts[rank + 1]: first how many there are, then where the next one goes. */
static void index_count(partition_base *b) {
    for (size_t k = 0; k < b->data->n_blocks; k++) {
        const data_block *block = &b->data->blocks[k];
        for (uint32_t i = 0; i < block->offsets[block->n]; i++) {
            uint32_t rank = b->ranks[block->items[i]];
            if (rank != PARTITION_NONE) b->starts[rank + 2]++;
        }
    }
    for (uint32_t i = 2; i < b->n + 2; i++) b->starts[i] += b->starts[i - 1];
}

static void index_block(partition_base *b, const data_block *block) {
    for (uint32_t t = 0; t < block->n; t++) {
        for (uint32_t i = block->offsets[t]; i < block->offsets[t + 1]; i++) {
            uint32_t rank = b->ranks[block->items[i]];
            if (rank != PARTITION_NONE)
                b->rows[b->starts[rank + 1]++] = (uint32_t)(block->first + t);
        }
    }
}

#if LODE_DEBUG
/* Each item has as many transactions as its support says, ascending. */
static void index_validate(const partition_base *b) {
    LODE_DEBUG_CHECK(b->starts[0] == 0, "the first transactions begin at %llu instead of 0",
                     (unsigned long long)b->starts[0]);
    for (uint32_t i = 0; i < b->n; i++) {
        uint64_t n = b->starts[i + 1] - b->starts[i];
        LODE_DEBUG_CHECK(b->data->weights || n == b->data->item_supports[b->order[i]],
                         "item %u has %llu transactions, not as many as its support", i,
                         (unsigned long long)n);
        for (uint64_t k = b->starts[i] + 1; k < b->starts[i + 1]; k++) {
            LODE_DEBUG_CHECK(b->rows[k - 1] < b->rows[k],
                             "transactions of item %u are out of order", i);
        }
    }
}

/* Checks the counts for a prefix, and that no mark is left. */
static void count_validate(const partition_base *b) {
    for (uint32_t i = 0; i < b->n; i++) {
        LODE_DEBUG_CHECK(!b->marks[i], "item %u is still marked", i);
        LODE_DEBUG_CHECK(b->supports[i] <= b->total, "the support of item %u exceeds the total", i);
    }
    for (size_t i = 1; i < b->held.n; i++) {
        LODE_DEBUG_CHECK(b->held.data[i - 1] < b->held.data[i], "transactions are out of order");
    }
}
#endif

static lode_status index_make(partition_base *b) {
    lode_status status = LODE_OK;
    lode_job *job = b->task->job;
    if (b->starts) return LODE_OK;
    if (b->data->profile.n_transactions > UINT32_MAX) {
        return job_fail(
            job, LODE_UNSUPPORTED,
            "with this algorithm, tasks with a prefix require data of at most %u transactions",
            UINT32_MAX);
    }
    LODE_TRY(mem_keep_zero(b->mem, &b->kept, (void **)&b->starts, (b->n + 3u) * sizeof *b->starts));
    LODE_TRY(job_check(job));
    index_count(b);
    size_t n = (size_t)b->starts[b->n + 1] + 1;
    status = mem_keep(b->mem, &b->kept, (void **)&b->rows, n * sizeof *b->rows);
    if (status != LODE_OK) b->starts = NULL; /* its memory goes with the rest */
    LODE_TRY(status);
    for (size_t k = 0; k < b->data->n_blocks; k++) {
        LODE_TRY(job_check(job));
        index_block(b, &b->data->blocks[k]);
    }
    LODE_VALIDATE(index_validate(b));
done:
    return status;
}

/* ---- supports -------------------------------------------------------------------------------- */

/* Counts a transaction, if it holds all of the prefix. */
static lode_status count_holder(partition_base *b, const data_block *block, uint32_t t,
                                uint32_t wanted) {
    uint32_t at = (uint32_t)(t - block->first), here = 0;
    uint32_t from = block->offsets[at], end = block->offsets[at + 1];
    for (uint32_t i = from; i < end; i++) {
        uint32_t rank = b->ranks[block->items[i]];
        here += rank != PARTITION_NONE && b->marks[rank];
    }
    if (here < wanted) return LODE_OK;
    uint32_t weight = b->data->weights ? b->data->weights[t] : 1;
    for (uint32_t i = from; i < end; i++) {
        uint32_t rank = b->ranks[block->items[i]];
        if (rank != PARTITION_NONE) b->supports[rank] += weight;
    }
    b->total += weight;
    return vec_u32_push(b->mem, &b->held, t);
}

/* Visits the transactions with the rarest item of the prefix. */
static lode_status count_held(partition_base *b, const engine_branch *of) {
    lode_status status = LODE_OK;
    uint32_t rarest = b->ranks[of->prefix[0]];
    const data_block *block = b->data->blocks;
    for (uint64_t i = b->starts[rarest]; i < b->starts[rarest + 1]; i++) {
        uint32_t t = b->rows[i];
        while (t >= block->first + block->n) block++;
        LODE_TRY(count_holder(b, block, t, of->n_prefix));
    }
done:
    return status;
}

lode_status partition_count(partition_base *b, const engine_branch *of) {
    lode_status status = LODE_OK;
    b->held.n = 0;
    b->total = 0;
    if (of->n_prefix == 0) {
        for (uint32_t i = 0; i < b->n; i++) b->supports[i] = b->data->item_supports[b->order[i]];
        b->total = b->data->total_weight;
        return LODE_OK;
    }
    LODE_TRY(index_make(b));
    LODE_TRY(job_check(b->task->job));
    memset(b->supports, 0, b->n * sizeof *b->supports);
    for (uint32_t i = 0; i < of->n_prefix; i++) b->marks[b->ranks[of->prefix[i]]] = 1;
    status = count_held(b, of);
    for (uint32_t i = 0; i < of->n_prefix; i++) {
        b->marks[b->ranks[of->prefix[i]]] = 0;
        b->supports[b->ranks[of->prefix[i]]] = 0;
    }
    if (status == LODE_OK) LODE_VALIDATE(count_validate(b));
done:
    return status;
}

bool partition_is_subsumed(const partition_base *b, const engine_branch *of) {
    if (b->cut) return false;
    for (uint32_t i = partition_bound(b, of); i < b->n; i++) {
        if (b->supports[i] == b->total) return true;
    }
    return false;
}

/* ---- expected work --------------------------------------------------------------------------- */

void partition_weigh(partition_base *b, const engine_branch *of, uint32_t end, uint64_t least) {
    uint32_t n = 0, k = 0, most = b->task->items.options->max_size;
    forecast_config config = {.power = 1, .set_work = 1};
    for (uint32_t i = end; i-- > 0;) {
        uint64_t support = b->supports[i];
        if (support >= least)
            b->members[n++] = support < UINT32_MAX ? (uint32_t)support : UINT32_MAX;
    }
    forecast_class c = {.n = n, .supports = b->members, .of = b->total, .min_count = least};
    c.max_added = most == UINT32_MAX ? most : most > of->n_prefix + 1 ? most - of->n_prefix - 1 : 0;
    forecast_members(&c, &config, b->found);
    for (uint32_t i = end; i-- > 0;) {
        b->weights[i] = 0;
        if (b->supports[i] < least) continue;
        b->weights[i] =
            b->found[k] + (n - k); /* the branches below it, and the candidates of its class */
        k++;
    }
}

/* ---- divides a search into branches, by forecasts of the work below each item ---------------- */

/* Items of the root are weighed by their supports alone. A heavy item is divided: its frequent
 * partners are counted in its transactions, so that their weights are better known. */

/* Adds branches for the items counted and weighed below a prefix. */
static lode_status divide_ranks(const partition_base *b, const engine_branch *of, uint32_t end,
                                branch_list *into) {
    bool divides = of->n_prefix + 1 < b->task->items.options->max_size;
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
