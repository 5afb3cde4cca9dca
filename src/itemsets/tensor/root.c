/* root.c - the rows that the search starts from: bit rows, or lists for sparse data; see tensor.h
 *
 * In a list, a transaction takes 4 bytes for each of its items; in bit rows, one bit for every
 * frequent item there is. Below a density of half a per cent, devices are faster with lists, too.
 *
 * SPDX-License-Identifier: Apache-2.0 */

#include <stdatomic.h>

#include "base/sort.h"
#include "itemsets/common/prepare.h"
#include "itemsets/tensor/tensor.h"
#include "runtime/parallel.h"

#define LISTS_DENSITY 0.005
#define LISTS_RANGE   4096                /* transactions that a thread takes at a time */
#define HOST_BYTES    ((size_t)128 << 10) /* the least that must be left for the search itself */

static size_t root_list_bytes(const engine_task *task, uint64_t n_occurrences) {
    uint64_t n = task->items.data->profile.n_transactions;
    return (n + 1 + n / LISTS_RANGE + 1) * sizeof(uint64_t) + n_occurrences * sizeof(uint32_t);
}

/* Whether to start from lists: the data are sparse, or bit rows do not fit the budget. */
static bool lists_pay(const engine_task *task, const job_sizes *s) {
    double n = (double)s->n_transactions * (double)s->n_items;
    size_t lists = root_list_bytes(task, s->n_occurrences), left = mem_left(&task->job->mem);
    size_t rows = s->n_items * vertical_row_bytes(s->n_transactions);
    if ((double)s->n_occurrences < LISTS_DENSITY * n) return true;
    return rows + HOST_BYTES > left && lists < rows;
}

uint64_t tensor_root_need(const engine_sizes *s) {
    uint64_t rows = engine_need_rows(s);
    uint64_t lists =
        (s->data.n_transactions + 1) * sizeof(uint64_t) + s->data.n_occurrences * sizeof(uint32_t);
    double cells = (double)s->data.n_transactions * (double)s->data.n_items;
    return (double)s->data.n_occurrences < LISTS_DENSITY * cells ? lists : rows;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Lists are shared among jobs. They contain all items that reach a threshold, which may be lower
 * than that of the job. */
typedef struct lists_key {
    uint64_t min_count;
    uint64_t n_items;
} lists_key;

typedef struct root_lists {
    vertical v; /* ranked items, without rows */
    uint64_t *starts;
    uint32_t *items;
    mem_kept kept; /* owns these two */
} root_lists;

/* A job can use lists of a lower threshold, unless more than half of their items are not frequent
 * in it. */
static bool lists_fit(const void *key, const void *wanted) {
    const lists_key *k = key, *w = wanted;
    return k->min_count <= w->min_count && k->n_items <= 2 * w->n_items;
}

/* Lists of a lower threshold take the place of those of a higher one. */
static bool lists_outdated(const void *key, const void *by) {
    const lists_key *k = key, *b = by;
    return b->min_count <= k->min_count;
}

static void lists_free(mem *m, void *value) {
    root_lists *l = value;
    mem_drop(m, &l->kept);
    vertical_clear(&l->v);
    mem_free(m, l, sizeof *l);
}

/* All threads fill the lists, each for ranges of transactions. First they count the frequent items
 * of each range; the sums of the earlier ranges then give the place where a range begins. So the
 * result does not depend on the number of threads. */
typedef struct lists_filling {
    lode_job *job;
    const lode_dataset *data;
    const uint32_t *rank;
    root_lists *lists;
    uint64_t *before; /* occurrences in each range, then in all ranges before it */
    uint64_t n_ranges;
    atomic_uint_fast64_t next; /* the next range to take */
    bool fills;                /* else counts */
} lists_filling;

/* Block b has the transactions [*from, *to) of the range [first, end), counted within the block. */
static bool lists_part(const data_block *block, uint64_t first, uint64_t end, uint32_t *from,
                       uint32_t *to) {
    if (block->first >= end || block->first + block->n <= first) return false;
    *from = first > block->first ? (uint32_t)(first - block->first) : 0;
    *to = end < block->first + block->n ? (uint32_t)(end - block->first) : block->n;
    return true;
}

static uint64_t lists_count_part(const lists_filling *f, const data_block *block, uint32_t from,
                                 uint32_t to) {
    uint64_t n = 0;
    for (uint32_t i = block->offsets[from]; i < block->offsets[to]; i++) {
        n += f->rank[block->items[i]] != VERTICAL_NO_RANK;
    }
    return n;
}

/* Returns how many occurrences there are then, of which there were n. */
static uint64_t lists_fill_part(const lists_filling *f, const data_block *block, uint32_t from,
                                uint32_t to, uint64_t n) {
    const root_lists *l = f->lists;
    for (uint32_t t = from; t < to; t++) {
        uint64_t first = n;
        l->starts[block->first + t] = n;
        for (uint32_t i = block->offsets[t]; i < block->offsets[t + 1]; i++) {
            uint32_t row = f->rank[block->items[i]];
            if (row != VERTICAL_NO_RANK) l->items[n++] = row;
        }
        sort_u32(l->items + first, (size_t)(n - first));
    }
    return n;
}

static void lists_do_range(const lists_filling *f, uint64_t range) {
    const lode_dataset *data = f->data;
    uint64_t first = range * LISTS_RANGE, end = first + LISTS_RANGE;
    uint64_t n = f->fills ? f->before[range] : 0;
    for (size_t b = 0; b < data->n_blocks && data->blocks[b].first < end; b++) {
        uint32_t from, to;
        if (!lists_part(&data->blocks[b], first, end, &from, &to)) continue;
        n = f->fills ? lists_fill_part(f, &data->blocks[b], from, to, n)
                     : n + lists_count_part(f, &data->blocks[b], from, to);
    }
    if (!f->fills) f->before[range] = n;
}

static lode_status lists_worker(void *arg, unsigned worker) {
    (void)worker;
    lists_filling *f = arg;
    lode_status status = LODE_OK;
    for (;;) {
        uint64_t range = atomic_fetch_add_explicit(&f->next, 1, memory_order_relaxed);
        if (range >= f->n_ranges) break;
        LODE_TRY(job_check(f->job));
        lists_do_range(f, range);
    }
done:
    return status;
}

static lode_status lists_pass(lists_filling *f, bool fills) {
    unsigned threads = f->job->threads;
    f->fills = fills;
    atomic_store(&f->next, 0);
    if (threads > f->n_ranges) threads = f->n_ranges > 0 ? (unsigned)f->n_ranges : 1;
    return parallel_run(f->job, threads, false, lists_worker, f);
}

static lode_status fill_lists(lode_job *job, const lode_dataset *data, const uint32_t *rank,
                              root_lists *l) {
    lode_status status = LODE_OK;
    uint64_t n = data->profile.n_transactions, sum = 0;
    lists_filling f = {.job = job, .data = data, .rank = rank, .lists = l};
    f.n_ranges = (n + LISTS_RANGE - 1) / LISTS_RANGE;
    size_t bytes = f.n_ranges * sizeof *f.before;
    LODE_TRY(mem_resize(&job->mem, (void **)&f.before, 0, bytes));
    LODE_TRY(lists_pass(&f, false));
    for (uint64_t i = 0; i < f.n_ranges; i++) {
        uint64_t here = f.before[i];
        f.before[i] = sum;
        sum += here;
    }
    l->starts[n] = sum;
    LODE_TRY(lists_pass(&f, true));
done:
    mem_free(&job->mem, f.before, f.before ? bytes : 0);
    return status;
}

static lode_status lists_build(prepared_build *b) {
    lode_status status = LODE_OK;
    const lode_dataset *data = b->arg;
    lode_job *job = b->job;
    lists_key *key = b->key;
    root_lists *l = NULL;
    uint32_t *rank = NULL;
    uint64_t n_occurrences = 0;
    size_t rank_bytes = data->item_bound * sizeof *rank;
    LODE_TRY(mem_zalloc(b->mem, (void **)&l, sizeof *l));
    key->min_count = vertical_deeper(job, data, key->min_count);
    LODE_TRY(vertical_rank_in(job, b->mem, &l->v, data, key->min_count));
    key->n_items = l->v.n_items;
    for (uint32_t k = 0; k < l->v.n_items; k++) n_occurrences += l->v.supports[k];
    LODE_TRY(mem_resize(&job->mem, (void **)&rank, 0, rank_bytes));
    LODE_TRY(mem_keep(b->mem, &l->kept, (void **)&l->starts,
                      (data->profile.n_transactions + 1) * sizeof *l->starts));
    LODE_TRY(mem_keep(b->mem, &l->kept, (void **)&l->items, n_occurrences * sizeof *l->items));
    for (uint32_t i = 0; i < data->item_bound; i++) rank[i] = VERTICAL_NO_RANK;
    for (uint32_t k = 0; k < l->v.n_items; k++) rank[l->v.ids[k]] = k;
    LODE_TRY(fill_lists(job, data, rank, l));
    b->value = l;
done:
    mem_free(&job->mem, rank, rank ? rank_bytes : 0);
    if (status != LODE_OK && l) lists_free(b->mem, l);
    return status;
}

static const prepared_kind lists_kind = {.name = "lists",
                                         .key_bytes = sizeof(lists_key),
                                         .fits = lists_fit,
                                         .outdated = lists_outdated,
                                         .build = lists_build,
                                         .free = lists_free};

static lode_status take_lists(const engine_task *task, const job_sizes *s, tensor_root *r) {
    lode_status status = LODE_OK;
    const lode_dataset *data = task->items.data;
    prepared_origin origin;
    lists_key key = {.min_count = task->min_count, .n_items = s->n_items};
    if (!prepared_has(data->prepared, &lists_kind, &key)) {
        size_t needed = root_list_bytes(task, s->n_occurrences) +
                        data->item_bound * sizeof(uint32_t) + HOST_BYTES;
        size_t left = prepare_left(task, needed);
        if (needed > left) {
            return job_over_budget(task->job, mem_budget(&task->job->mem) - left + needed,
                                   "mining with the data and lists of %llu items",
                                   (unsigned long long)s->n_occurrences);
        }
    }
    prepared_request request = {data->prepared, &lists_kind, &key, data};
    LODE_TRY(prepared_take(task->job, &request, &r->shared, &origin));
    const root_lists *l = prepared_value(r->shared);
    r->v = l->v;
    r->v.mem = NULL; /* the lists own it */
    r->starts = l->starts;
    r->items = l->items;
    r->skip = (uint32_t)(l->v.n_items - s->n_items);
    prepare_report(task, origin);
done:
    return status;
}

/* ---- both ------------------------------------------------------------------------------------ */

lode_status tensor_root_make(const engine_task *task, tensor_root *r) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    uint64_t n = task->items.data->profile.n_transactions;
    job_sizes s = engine_task_sizes(task).data;
    if (n > UINT32_MAX) {
        return job_fail(task->job, LODE_UNSUPPORTED,
                        "tensor has 32-bit counters, which are too small for %llu transactions",
                        (unsigned long long)n);
    }
    r->n_occurrences = s.n_occurrences;
    LODE_TRY(lists_pay(task, &s) ? take_lists(task, &s, r)
                                 : prepare_rows(task, &r->v, 0, HOST_BYTES * task->plan->n));
    LODE_TRY(mem_keep(m, &r->kept, (void **)&r->supports, r->v.n_items * sizeof *r->supports));
    for (uint32_t i = 0; i < r->v.n_items; i++) r->supports[i] = (uint32_t)r->v.supports[i];
    r->root = (product_root){.n_rows = r->v.n_items,
                             .supports = r->supports,
                             .n_columns = n,
                             .rows = r->starts ? NULL : r->v.rows,
                             .row_words = r->v.words,
                             .starts = r->starts,
                             .items = r->items};
done:
    return status;
}

void tensor_root_clear(const engine_task *task, tensor_root *r) {
    mem_drop(&task->job->mem, &r->kept);
    vertical_clear(&r->v);
    prepared_drop(task->job, r->shared);
}

/* Prepares lists for the threshold of the task, and bit rows for the lowest threshold above it that
 * is dense enough for them. */
lode_status tensor_root_prepare(engine_task *task) {
    lode_status status = LODE_OK;
    tensor_root r = {0};
    engine_task above = *task;
    uint64_t low = task->min_count, high = task->items.data->total_weight;
    LODE_TRY(tensor_root_make(task, &r));
    if (!r.starts || low >= high) goto done;
    while (low < high) {
        above.min_count = low + (high - low) / 2;
        job_sizes s = engine_task_sizes(&above).data;
        if (lists_pay(&above, &s)) {
            low = above.min_count + 1;
        } else {
            high = above.min_count;
        }
    }
    above.min_count = low;
    job_sizes s = engine_task_sizes(&above).data;
    if (s.n_items > 0 && !lists_pay(&above, &s)) status = prepare_engine_rows(&above);
    if (status == LODE_BUDGET) status = LODE_OK; /* jobs that need bit rows will try again */
done:
    tensor_root_clear(task, &r);
    return status;
}
