/* vertical.c - see vertical.h
 *
 * Filling: each thread takes a range of transactions that begins and ends at a cache line of the
 * rows (512 transactions). So no two threads write to the same line, and no atomics are needed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/vertical.h"

#include <string.h>

#include "base/bits.h"
#include "data/transactions/dense.h"
#include "data/transactions/item_order.h"
#include "runtime/parallel.h"

#define LINE_TRANSACTIONS 512
#define LINE_WORDS        (LINE_TRANSACTIONS / DENSE_WORD)

size_t vertical_row_bytes(uint64_t n_transactions) {
    return bits_round_up((size_t)n_transactions, LINE_TRANSACTIONS) / 8;
}

/* The ranking goes to `m`, which may outlive the job. */
static lode_status vertical_rank_by(lode_job *job, mem *m, vertical *v, const lode_dataset *data,
                                    const uint64_t *supports, uint64_t min_count) {
    lode_status status = LODE_OK;
    ranking r = {0};
    *v = (vertical){.mem = m};
    LODE_TRY(rank_frequent(job, data, supports, min_count, &r));
    v->n_items = r.n;
    LODE_TRY(mem_resize(m, (void **)&v->ids, 0, r.n * sizeof *v->ids));
    LODE_TRY(mem_resize(m, (void **)&v->supports, 0, r.n * sizeof *v->supports));
    for (uint32_t k = 0; k < r.n; k++) {
        v->ids[k] = r.items[k].id;
        v->supports[k] = r.items[k].support;
    }
done:
    rank_free(job, &r);
    return status;
}

lode_status vertical_rank(lode_job *job, vertical *v, const lode_dataset *data,
                          const uint64_t *supports, uint64_t min_count) {
    return vertical_rank_by(job, &job->mem, v, data, supports, min_count);
}

lode_status vertical_rank_in(lode_job *job, mem *m, vertical *v, const lode_dataset *data,
                             uint64_t min_count) {
    return vertical_rank_by(job, m, v, data, data->item_supports, min_count);
}

typedef struct fill_task {
    const lode_dataset *data;
    uint64_t *rows;
    size_t words;
    const uint32_t *rank; /* item id → rank, or VERTICAL_NO_RANK */
    uint32_t n_items;     /* items of higher ranks have no row */
    uint64_t stride;      /* group w of 64 transactions goes to word w * stride, modulo words */
    lode_job *job;
    unsigned n_workers;
} fill_task;

/* Where the column of a group of 64 transactions begins. */
static uint64_t *vertical_column(const fill_task *task, uint64_t word) {
    return task->rows + (task->stride == 1 ? word : word * task->stride % task->words);
}

static void vertical_fill_transaction(const fill_task *task, uint64_t t, const uint32_t *items,
                                      uint32_t n) {
    uint64_t *column = vertical_column(task, t / 64);
    uint64_t bit = (uint64_t)1 << (t % 64);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rank = task->rank[items[i]];
        if (rank < task->n_items) column[(size_t)rank * task->words] |= bit;
    }
}

/* The part of a block that lies in [first, end). */
static void vertical_fill_block(const fill_task *task, const data_block *block, uint64_t first,
                                uint64_t end) {
    uint64_t from = block->first > first ? block->first : first;
    uint64_t to = block->first + block->n < end ? block->first + block->n : end;
    for (uint64_t t = from; t < to; t++) {
        uint32_t at = block->offsets[t - block->first];
        vertical_fill_transaction(task, t, block->items + at,
                                  block->offsets[t - block->first + 1] - at);
    }
}

/* Writes word w of all items for the `n` transactions of a line. Transposes a square of bits for
 * each group of 64 transactions. */
static void vertical_turn(const fill_task *task, uint64_t first, uint64_t n, size_t w) {
    const lode_dataset *data = task->data;
    uint64_t squares[LINE_WORDS][DENSE_WORD] = {{0}}, any = 0;
    for (uint64_t t = 0; t < n; t++) {
        any |= squares[t / DENSE_WORD][t % DENSE_WORD] = dense_row(data->dense, first + t)[w];
    }
    if (any == 0) return;
    for (unsigned k = 0; k < LINE_WORDS; k++) bits_turn(squares[k]);
    for (uint32_t i = 0; i < DENSE_WORD && w * DENSE_WORD + i < data->item_bound; i++) {
        uint32_t rank = task->rank[w * DENSE_WORD + i];
        if (rank >= task->n_items) continue;
        for (unsigned k = 0; k < LINE_WORDS; k++) {
            uint64_t word = first / DENSE_WORD + k;
            vertical_column(task, word)[(size_t)rank * task->words] = squares[k][i];
        }
    }
}

/* The same from bits, which are there before there are lists (dense.h). */
static lode_status vertical_fill_from_bits(const fill_task *task, uint64_t first, uint64_t end) {
    uint64_t n = task->data->profile.n_transactions;
    for (; first < end && first < n; first += LINE_TRANSACTIONS) {
        uint64_t left = n - first;
        lode_status status = job_check(task->job);
        if (status != LODE_OK) return status;
        for (size_t w = 0; w < task->data->dense->words; w++) {
            vertical_turn(task, first, left < LINE_TRANSACTIONS ? left : LINE_TRANSACTIONS, w);
        }
    }
    return LODE_OK;
}

static lode_status vertical_fill_worker(void *arg, unsigned worker) {
    const fill_task *task = arg;
    uint64_t lines = task->words / 8;
    uint64_t first = lines * worker / task->n_workers * LINE_TRANSACTIONS;
    uint64_t end = lines * (worker + 1) / task->n_workers * LINE_TRANSACTIONS;
    if (task->data->dense) return vertical_fill_from_bits(task, first, end);
    for (size_t b = 0; b < task->data->n_blocks; b++) {
        lode_status status = job_check(task->job);
        if (status != LODE_OK) return status;
        vertical_fill_block(task, &task->data->blocks[b], first, end);
    }
    return LODE_OK;
}

/* About the golden section of n, and coprime to n, so that its multiples are spread evenly. */
static uint64_t vertical_golden_stride(uint64_t n) {
    uint64_t stride = (uint64_t)(0.618 * (double)n) | 1;
    for (;; stride += 2) {
        uint64_t a = n, b = stride;
        while (b != 0) {
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) return stride;
    }
}

lode_status vertical_fill_rows(lode_job *job, const lode_dataset *data, const uint32_t *rank,
                               uint32_t n_items, bool spread, uint64_t *rows) {
    size_t words = vertical_row_bytes(data->profile.n_transactions) / sizeof *rows;
    fill_task task = {.data = data, .rows = rows, .words = words, .rank = rank, .job = job};
    task.n_items = n_items;
    task.stride = spread && words > 0 ? vertical_golden_stride(words) : 1;
    task.n_workers = job->threads;
    if (task.n_workers > words / 8) task.n_workers = words >= 8 ? (unsigned)(words / 8) : 1;
    return parallel_run(job, task.n_workers, false, vertical_fill_worker, &task);
}

lode_status vertical_fill(lode_job *job, vertical *v, const lode_dataset *data) {
    lode_status status = LODE_OK;
    mem *m = &job->mem;
    uint32_t *rank = NULL;
    size_t rank_bytes = data->item_bound * sizeof *rank;

    LODE_TRY(mem_resize(m, (void **)&rank, 0, rank_bytes));
    for (uint32_t i = 0; i < data->item_bound; i++) rank[i] = VERTICAL_NO_RANK;
    for (uint32_t k = 0; k < v->n_items; k++) rank[v->ids[k]] = k;
    v->words = vertical_row_bytes(data->profile.n_transactions) / sizeof *v->rows;
    LODE_TRY(mem_zalloc(v->mem, (void **)&v->rows, v->n_items * v->words * sizeof *v->rows));
    LODE_TRY(vertical_fill_rows(job, data, rank, v->n_items, false, v->rows));
done:
    mem_free(m, rank, rank_bytes);
    return status;
}

/* Whether each row has as many bits as its item has support (not for weighted or divided data).
 * With `ascends`, items must also be in order of support. */
static bool vertical_validate(const vertical *v, bool ascends) {
    for (uint32_t k = 0; k < v->n_items; k++) {
        const uint64_t *row = v->rows + k * v->words;
        uint64_t n = 0;
        for (size_t i = 0; i < v->words; i++) n += bits_count(row[i]);
        if (n != v->supports[k]) return false;
        if (ascends && k > 0 && v->supports[k - 1] > v->supports[k]) return false;
    }
    return true;
}

void vertical_clear(vertical *v) {
    prepared_drop(v->job, v->shared);
    if (!v->mem) {
        *v = (vertical){0};
        return;
    }
    mem_free(v->mem, v->ids, v->n_items * sizeof *v->ids);
    mem_free(v->mem, v->supports, v->n_items * sizeof *v->supports);
    if (v->rows) mem_free(v->mem, v->rows, v->n_items * v->words * sizeof *v->rows);
    *v = (vertical){0};
}

/* ---- shared between jobs --------------------------------------------------------------------- */

#define DEEPER 1.25 /* a lower threshold may need this many times the rows */

typedef struct vertical_rows_key {
    uint64_t min_count;
} vertical_rows_key;

uint32_t vertical_count(const lode_dataset *data, uint64_t min_count) {
    return rank_count(data, data->item_supports, min_count);
}

uint64_t vertical_deeper(const lode_job *job, const lode_dataset *data, uint64_t min_count) {
    uint64_t low = 1, high = min_count;
    if (job->ctx->of_one_job) return high;
    double most = DEEPER * vertical_count(data, min_count);
    double bytes = most * (double)vertical_row_bytes(data->profile.n_transactions);
    if (!mem_is_ample(&job->mem, (size_t)bytes)) return high;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (vertical_count(data, middle) <= most) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return high;
}

static bool vertical_rows_fit(const void *key, const void *wanted) {
    const vertical_rows_key *k = key, *w = wanted;
    return k->min_count <= w->min_count;
}

static bool vertical_rows_extend(const void *key, const void *wanted) {
    return !vertical_rows_fit(key, wanted);
}

static void vertical_rows_free(mem *m, void *value) {
    vertical *v = value;
    vertical_clear(v);
    mem_free(m, v, sizeof *v);
}

/* Copies the rows of `older`, which are the last ones, and fills only those before them. */
static lode_status vertical_rows_fill_rest(lode_job *job, vertical *v, const lode_dataset *data,
                                           const vertical *older) {
    lode_status status = LODE_OK;
    uint32_t *rank = NULL, added = v->n_items - older->n_items;
    size_t rank_bytes = data->item_bound * sizeof *rank, row_bytes = older->words * sizeof *v->rows;
    LODE_TRY(mem_resize(&job->mem, (void **)&rank, 0, rank_bytes));
    v->words = older->words;
    LODE_TRY(mem_zalloc(v->mem, (void **)&v->rows, v->n_items * row_bytes));
    for (uint32_t i = 0; i < older->n_items; i++) {
        LODE_TRY(job_check(job));
        memcpy(v->rows + (added + i) * v->words, older->rows + i * v->words, row_bytes);
    }
    for (uint32_t i = 0; i < data->item_bound; i++) rank[i] = VERTICAL_NO_RANK;
    for (uint32_t k = 0; k < added; k++) rank[v->ids[k]] = k;
    status = vertical_fill_rows(job, data, rank, added, false, v->rows);
done:
    mem_free(&job->mem, rank, rank_bytes);
    return status;
}

static lode_status vertical_rows_build(prepared_build *b) {
    lode_status status = LODE_OK;
    const lode_dataset *data = b->arg;
    vertical_rows_key *key = b->key;
    const vertical *older = b->older ? prepared_value(b->older) : NULL;
    vertical *v = NULL;
    LODE_TRY(mem_zalloc(b->mem, (void **)&v, sizeof *v));
    key->min_count = vertical_deeper(b->job, data, key->min_count);
    LODE_TRY(vertical_rank_in(b->job, b->mem, v, data, key->min_count));
    b->extended = older && v->n_items - older->n_items < v->n_items;
    LODE_TRY(b->extended ? vertical_rows_fill_rest(b->job, v, data, older)
                         : vertical_fill(b->job, v, data));
    LODE_DEBUG_CHECK(data->weights || vertical_validate(v, !data->order),
                     "the bit rows do not match the supports");
    b->value = v;
done:
    if (status != LODE_OK && v) vertical_rows_free(b->mem, v);
    return status;
}

static const prepared_kind vertical_rows_kind = {.name = "rows",
                                                 .key_bytes = sizeof(vertical_rows_key),
                                                 .fits = vertical_rows_fit,
                                                 .extends = vertical_rows_extend,
                                                 .build = vertical_rows_build,
                                                 .free = vertical_rows_free};

bool vertical_is_there(const lode_dataset *data, uint64_t min_count) {
    vertical_rows_key key = {.min_count = min_count};
    return prepared_has(data->prepared, &vertical_rows_kind, &key);
}

lode_status vertical_take(lode_job *job, vertical *v, const lode_dataset *data, uint64_t min_count,
                          prepared_origin *origin) {
    prepared *p = NULL;
    vertical_rows_key key = {.min_count = min_count};
    prepared_request request = {data->prepared, &vertical_rows_kind, &key, data};
    lode_status status = prepared_take(job, &request, &p, origin);
    if (status != LODE_OK) return status;
    const vertical *all = prepared_value(p);
    uint32_t skip = 0; /* items below the threshold: the first ranks */
    for (uint32_t high = all->n_items; skip < high;) {
        uint32_t middle = skip + (high - skip) / 2;
        if (all->supports[middle] >= min_count) {
            high = middle;
        } else {
            skip = middle + 1;
        }
    }
    *v = (vertical){.shared = p,
                    .job = job,
                    .n_items = all->n_items - skip,
                    .words = all->words,
                    .ids = all->ids + skip,
                    .supports = all->supports + skip,
                    .rows = all->rows ? all->rows + skip * all->words : NULL};
    return LODE_OK;
}
