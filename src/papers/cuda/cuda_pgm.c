/* cuda_pgm.c - the extensions of a batch of patterns on a GPU: two round trips
 *
 *     host                                 device
 *     tables of the batch       ─────────> rows written out, extensions counted
 *     memory for the records    <───────── how many each pattern has
 *                               ─────────> records, sorted by pattern and code; supports
 *     codes tested, columns     <───────── extensions in enough graphs
 *                               ─────────> columns of those that are followed; nobody waits
 *
 * It uses the stream, the stages and the pinned memory of the graph device that it is opened on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/cuda/cuda_pgm.h"

#include "base/vec.h"
#include "device/api/paper_ops.h"
#include "device/cuda/graph_device.h"
#include "papers/cuda/cuda_papers.h"
#include "papers/cuda/pgm_kernels.h"

#define LIST_GUESS   2048u /* extensions that come back together with their number */
#define RECORD_BYTES 128u  /* memory for one, with all that is needed to sort it; about */
#define RECORD_SHARE 8u    /* records of more than one pattern take this part of the memory */

struct pgm_device {
    backend_graph_device *on;
    cuda_pgm pgm;
    pgm_clock clock;
    cuda_buffer labels;
    cuda_buffer rows, records;  /* what is needed to count extensions, and to list them */
    cuda_pgm_pattern *patterns; /* of the batch, and one more */
    size_t patterns_cap;
    uint64_t records_most; /* of a batch; a single pattern may have more */
    pgm_extension *list;
    size_t list_cap;
};

static void cuda_pgm_close(pgm_device *g) {
    if (!g) return;
    backend_graph_device *d = g->on;
    (void)cudaSetDevice((int)d->card->index);
    cuda_card_free(d->card, g->labels.data, g->labels.bytes); /* waits for the kernels */
    cuda_card_free(d->card, g->rows.data, g->rows.bytes);
    cuda_card_free(d->card, g->records.data, g->records.bytes);
    pgm_clock_close(&g->clock);
    mem_free(&d->job->mem, g->patterns, g->patterns_cap * sizeof *g->patterns);
    mem_free(&d->job->mem, g->list, g->list_cap * sizeof *g->list);
    mem_free(&d->job->mem, g, sizeof *g);
}

/* Brings the labels of vertices, and after them those of half-edges. */
static lode_status pgm_bring_labels(pgm_device *g, const pgm_labels *labels) {
    lode_status status = LODE_OK;
    backend_graph_device *d = g->on;
    size_t vertices = d->graphs.n_vertices * sizeof *labels->of_vertex;
    size_t halves = d->graphs.n_half * sizeof *labels->of_half;
    size_t second = graph_round_up(vertices + 1), bytes = second + graph_round_up(halves);
    LODE_TRY(graph_bind(d));
    LODE_TRY(cuda_card_need(d->card, bytes, "the labels", &g->labels.data));
    g->labels.bytes = bytes;
    uint8_t *to = g->labels.data;
    LODE_TRY(cuda_graph_ops.upload(d, to, labels->of_vertex, vertices));
    LODE_TRY(cuda_graph_ops.upload(d, to + second, labels->of_half, halves));
    g->pgm.labels = *labels;
    g->pgm.labels.of_vertex = (const uint32_t *)(const void *)to;
    g->pgm.labels.of_half = (const uint32_t *)(const void *)(to + second);
done:
    return status;
}

static lode_status cuda_pgm_open(backend_graph_device *device, const pgm_labels *labels,
                                 pgm_device **out) {
    pgm_device *g = NULL;
    lode_status status = mem_zalloc(&device->job->mem, (void **)&g, sizeof *g);
    if (status != LODE_OK) return status;
    g->on = device;
    g->pgm.graphs = device->graphs;
    LODE_TRY(pgm_bring_labels(g, labels));
    LODE_TRY(pgm_clock_open(device, &g->clock));
    g->records_most = cuda_card_left(device->card) / RECORD_SHARE / RECORD_BYTES;
    *out = g;
done:
    if (status != LODE_OK) cuda_pgm_close(g);
    return status;
}

/* Room for `bytes`. Unless they must be had, a failure leaves no message. */
static lode_status pgm_buffer_need(backend_graph_device *d, cuda_buffer *b, size_t bytes,
                                   bool must) {
    lode_status status = LODE_OK;
    if (bytes <= b->bytes) return LODE_OK;
    cuda_card_free(d->card, b->data, b->bytes);
    *b = (cuda_buffer){0};
    size_t ample = bytes + bytes / 2; /* room to grow, if it can be had */
    status = cuda_card_alloc(d->card, ample, &b->data);
    if (status == LODE_OK) {
        bytes = ample;
    } else if (must) {
        status = cuda_card_need(d->card, bytes, "the extensions of a pattern", &b->data);
    } else {
        status = cuda_card_alloc(d->card, bytes, &b->data);
    }
    LODE_TRY(status);
    b->bytes = bytes;
    /* A guess of the list is fetched before its length is known: all of it must be defined. */
    CUDA_TRY(d, "cudaMemsetAsync", cudaMemsetAsync(b->data, 0, bytes, d->stream));
done:
    return status;
}

/* The next `bytes` of a buffer. */
static void *pgm_cut(const cuda_buffer *b, size_t *at, size_t bytes) {
    void *piece = (uint8_t *)b->data + *at;
    *at += graph_round_up(bytes);
    return piece;
}

/* Memory for the rows written out, and for the number of extensions of each work item. */
static lode_status pgm_need_rows(pgm_device *g, bool must) {
    backend_graph_device *d = g->on;
    lode_status status = LODE_OK;
    cuda_pgm *p = &g->pgm;
    size_t n = (size_t)p->n_item_tiles * CUDA_PGM_TILE, at = 0;
    size_t cells = (size_t)g->patterns[p->n_patterns].first_cell_tile * CUDA_PGM_TILE;
    size_t matrix = cells * sizeof *p->matrix;
    size_t counts = n * sizeof *p->counts, places = n * sizeof *p->places;
    size_t ends = p->n_patterns * sizeof *p->ends;
    CUDA_TRY(d, "cub scratch", cuda_pgm_count_scratch(n, &p->scratch_bytes));
    LODE_TRY(pgm_buffer_need(d, &g->rows,
                             graph_round_up(matrix) + graph_round_up(counts) +
                                 graph_round_up(places) + graph_round_up(ends) +
                                 graph_round_up(p->scratch_bytes),
                             must));
    p->matrix = pgm_cut(&g->rows, &at, matrix);
    p->counts = pgm_cut(&g->rows, &at, counts);
    p->places = pgm_cut(&g->rows, &at, places);
    p->ends = pgm_cut(&g->rows, &at, ends);
    p->scratch = pgm_cut(&g->rows, &at, p->scratch_bytes);
done:
    return status;
}

static lode_status pgm_need_records(pgm_device *g, bool must) {
    backend_graph_device *d = g->on;
    lode_status status = LODE_OK;
    cuda_pgm *p = &g->pgm;
    size_t n = p->n_records, at = 0, u32 = n * sizeof(uint32_t), u64 = n * sizeof(uint64_t);
    size_t records = n * sizeof(pgm_record), entries = n * sizeof(pgm_entry);
    p->list_cap = p->n_records / (p->min_support ? p->min_support : 1);
    size_t list = sizeof *p->head + p->list_cap * sizeof *p->list;
    CUDA_TRY(d, "cub scratch", cuda_pgm_sort_scratch(p->n_records, p->key_bits, &p->scratch_bytes));
    LODE_TRY(pgm_buffer_need(d, &g->records,
                             graph_round_up(records) + graph_round_up(entries) +
                                 2 * graph_round_up(u32) + 5 * graph_round_up(u64) +
                                 graph_round_up(list) + graph_round_up(p->scratch_bytes),
                             must));
    p->records = pgm_cut(&g->records, &at, records);
    p->entries = pgm_cut(&g->records, &at, entries);
    p->order = pgm_cut(&g->records, &at, u32);
    p->sorted = pgm_cut(&g->records, &at, u32);
    p->keys = pgm_cut(&g->records, &at, u64);
    p->sorted_keys = pgm_cut(&g->records, &at, u64);
    p->values = pgm_cut(&g->records, &at, u64);
    p->run_keys = pgm_cut(&g->records, &at, u64);
    p->run_values = pgm_cut(&g->records, &at, u64);
    p->head = pgm_cut(&g->records, &at, list);
    p->list = (cuda_pgm_run *)(void *)(p->head + 1);
    p->scratch = pgm_cut(&g->records, &at, p->scratch_bytes);
done:
    return status;
}

/* Queues a copy to offset `at` of the pinned results. */
static lode_status pgm_bring(backend_graph_device *d, size_t at, const void *from, size_t bytes) {
    lode_status status = LODE_OK;
    CUDA_TRY(
        d, "cudaMemcpyAsync",
        cudaMemcpyAsync(d->results[0].host + at, from, bytes, cudaMemcpyDeviceToHost, d->stream));
    d->counters.bytes_down += bytes;
done:
    return status;
}

/* Waits until everything queued so far is there. */
static lode_status pgm_finish(backend_graph_device *d, graph_stage *s) {
    lode_status status = LODE_OK;
    LODE_TRY(pgm_clock_mark(d, s->done));
    s->busy = true;
    LODE_TRY(graph_stage_settle(d, s));
done:
    return status;
}

/* Waits for the columns that were built last, and adds their time. */
static lode_status pgm_settle_columns(pgm_device *g) {
    backend_graph_device *d = g->on;
    lode_status status = LODE_OK;
    graph_stage *s = &d->lanes[1];
    if (!s->busy) return LODE_OK;
    LODE_TRY(graph_stage_settle(d, s));
    LODE_TRY(pgm_clock_add(d, s->started, s->computed, &g->clock.times.column));
done:
    return status;
}

/* ---- the batch ------------------------------------------------------------------------------ */

/* Keeps the first n patterns. */
static void pgm_keep_patterns(pgm_device *g, uint32_t n) {
    g->pgm.n_patterns = n;
    g->pgm.n_row_tiles = g->patterns[n].first_row_tile;
    g->pgm.n_item_tiles = g->patterns[n].first_item_tile;
}

/* The bits of a key; only as many patterns are kept as it has room for. */
static lode_status pgm_divide_key(pgm_device *g, uint32_t n_columns_most) {
    cuda_pgm *p = &g->pgm;
    p->column_bits = pgm_bits_for(2 * (uint64_t)n_columns_most);
    p->key_bits = p->column_bits + p->labels.half_bits + p->labels.vertex_bits;
    if (p->key_bits > 64) {
        return job_fail(g->on->job, LODE_UNSUPPORTED,
                        "too many labels for the codes of gspan on a GPU; the algorithm frontier "
                        "has no such limit");
    }
    uint32_t spare = 64 - p->key_bits;
    if (spare < 32 && p->n_patterns > 1u << spare) pgm_keep_patterns(g, 1u << spare);
    if (p->n_patterns > 1) p->key_bits += pgm_bits_for(p->n_patterns - 1);
    return LODE_OK;
}

static size_t pgm_tiles(size_t n) {
    return (n + CUDA_PGM_TILE - 1) / CUDA_PGM_TILE;
}

/* Numbers the tiles of a pattern through; false: there are too many. */
static bool pgm_lay_out_next(const cuda_pgm_pattern *x, cuda_pgm_pattern *next) {
    size_t n_rows = x->n_rows, rows = x->first_row_tile + pgm_tiles(n_rows);
    size_t items = x->first_item_tile + pgm_tiles(x->of.n_path * n_rows);
    size_t cells = x->first_cell_tile + pgm_tiles(x->of.n_columns * n_rows);
    *next = (cuda_pgm_pattern){.first_row_tile = (uint32_t)rows,
                               .first_item_tile = (uint32_t)items,
                               .first_cell_tile = (uint32_t)cells};
    return cells <= INT32_MAX; /* the others are fewer */
}

/* Says where the patterns lie, up to where there are too many. */
static lode_status pgm_lay_out(pgm_device *g, const pgm_batch *batch) {
    lode_status status = LODE_OK;
    uint32_t n = 0, most = 0;
    if (batch->n_patterns + 1 > g->patterns_cap) {
        LODE_TRY(vec_grow(&g->on->job->mem, (void **)&g->patterns, 0, &g->patterns_cap,
                          (size_t)batch->n_patterns + 1, sizeof *g->patterns));
    }
    g->patterns[0] = (cuda_pgm_pattern){0};
    for (; n < batch->n_patterns; n++) {
        cuda_pgm_pattern *x = &g->patterns[n];
        x->of = batch->patterns[n];
        x->n_rows = batch->columns[x->of.first_column + x->of.n_columns - 1].n;
        if (!pgm_lay_out_next(x, x + 1)) break;
        if (x->of.n_columns > most) most = x->of.n_columns;
    }
    if (n == 0) {
        LODE_LEAVE(job_fail(g->on->job, LODE_UNSUPPORTED,
                            "a pattern has too many occurrences for gspan on a GPU; the algorithm "
                            "frontier has no such limit"));
    }
    pgm_keep_patterns(g, n);
    LODE_TRY(pgm_divide_key(g, most));
done:
    return status;
}

/* Queues the tables of the batch. */
static lode_status pgm_send_batch(pgm_device *g, const pgm_batch *batch) {
    backend_graph_device *d = g->on;
    lode_status status = LODE_OK;
    cuda_pgm *p = &g->pgm;
    graph_stage *s = &d->build;
    size_t patterns = ((size_t)batch->n_patterns + 1) * sizeof *p->patterns, at = 0;
    size_t columns = batch->n_columns * sizeof *p->columns;
    size_t paths = batch->n_paths * sizeof *p->paths;
    LODE_TRY(graph_stage_need(
        d, s, graph_round_up(patterns) + graph_round_up(columns) + graph_round_up(paths)));
    patterns = ((size_t)p->n_patterns + 1) * sizeof *p->patterns;
    p->patterns = graph_stage_put(s, &at, g->patterns, patterns);
    p->columns = graph_stage_put(s, &at, batch->columns, columns);
    p->paths = graph_stage_put(s, &at, batch->paths, paths);
    LODE_TRY(graph_stage_send(d, s, at));
done:
    return status;
}

/* ---- extensions ----------------------------------------------------------------------------- */

/* Keeps half of the patterns if memory is short; false: that cannot help. */
static bool pgm_keep_half(pgm_device *g, lode_status status) {
    if (status != LODE_BUDGET && status != LODE_NOMEM) return false;
    if (g->pgm.n_patterns == 1) return false;
    pgm_keep_patterns(g, g->pgm.n_patterns / 2);
    return true;
}

/* Finds out where the records of each pattern end; lent until results are brought again. */
static lode_status pgm_count_records(pgm_device *g, const uint64_t **ends) {
    backend_graph_device *d = g->on;
    lode_status status = LODE_OK;
    cuda_pgm *p = &g->pgm;
    graph_stage *s = &d->lanes[0];
    do status = pgm_need_rows(g, p->n_patterns == 1);
    while (pgm_keep_half(g, status));
    LODE_TRY(status);
    LODE_TRY(graph_results_need(d, &d->results[0], p->n_patterns * sizeof *p->ends));
    LODE_TRY(pgm_clock_mark(d, s->started));
    CUDA_TRY(d, "count extensions", cuda_launch_pgm_count(p, d->stream));
    LODE_TRY(pgm_clock_mark(d, s->computed));
    LODE_TRY(pgm_bring(d, 0, p->ends, p->n_patterns * sizeof *p->ends));
    LODE_TRY(pgm_finish(d, s));
    LODE_TRY(pgm_clock_add(d, s->started, s->computed, &g->clock.times.extend));
    *ends = (const uint64_t *)(const void *)d->results[0].host;
done:
    return status;
}

/* Makes room for the records of as many patterns as memory allows. */
static lode_status pgm_make_room(pgm_device *g, const uint64_t *ends) {
    lode_status status = LODE_OK;
    cuda_pgm *p = &g->pgm;
    uint32_t n = 1;
    uint64_t most = g->records_most < INT32_MAX ? g->records_most : INT32_MAX;
    while (n < p->n_patterns && ends[n] <= most) n++;
    pgm_keep_patterns(g, n);
    if (ends[n - 1] > INT32_MAX) {
        LODE_LEAVE(job_fail(g->on->job, LODE_UNSUPPORTED,
                            "a pattern has more than 2^31 extensions of its occurrences; the "
                            "algorithm frontier has no such limit"));
    }
    do {
        p->n_records = (uint32_t)ends[p->n_patterns - 1];
        status = p->n_records > 0 ? pgm_need_records(g, p->n_patterns == 1) : LODE_OK;
    } while (pgm_keep_half(g, status));
done:
    return status;
}

static bool cuda_run_before(const cuda_pgm_run *a, const cuda_pgm_run *b) {
    return a->key < b->key;
}

#define SORT_NAME   sort_cuda_runs
#define SORT_TYPE   cuda_pgm_run
#define SORT_BEFORE cuda_run_before
#include "base/sort_body.h"

static pgm_extension pgm_extension_of(const pgm_device *g, const cuda_pgm_run *run) {
    const cuda_pgm *p = &g->pgm;
    const pgm_labels *l = &p->labels;
    uint64_t key = run->key;
    pgm_extension e = {.n_rows = run->n_rows, .support = run->support, .first = run->first};
    e.record.to_label = (uint32_t)(key & (((uint64_t)1 << l->vertex_bits) - 1));
    key >>= l->vertex_bits;
    e.record.edge_label = (uint32_t)(key & (((uint64_t)1 << l->half_bits) - 1));
    key >>= l->half_bits;
    uint32_t column = (uint32_t)(key & (((uint64_t)1 << p->column_bits) - 1));
    e.pattern = (uint32_t)(key >> p->column_bits);
    uint32_t n_columns = g->patterns[e.pattern].of.n_columns;
    bool forward = column >= n_columns;
    e.record.from = forward ? column - n_columns : n_columns - 1;
    e.record.to = forward ? n_columns : column;
    return e;
}

/* Writes the records, sorts them and sums them up; brings the first extensions. */
static lode_status pgm_sum_records(pgm_device *g, uint32_t n_brought) {
    backend_graph_device *d = g->on;
    lode_status status = LODE_OK;
    cuda_pgm *p = &g->pgm;
    graph_stage *s = &d->lanes[0];
    pgm_clock *c = &g->clock;
    LODE_TRY(pgm_clock_mark(d, s->started));
    CUDA_TRY(d, "list extensions", cuda_launch_pgm_records(p, d->stream));
    LODE_TRY(pgm_clock_mark(d, c->recorded));
    CUDA_TRY(d, "sort extensions", cuda_launch_pgm_sort(p, d->stream));
    LODE_TRY(pgm_clock_mark(d, c->sorted));
    CUDA_TRY(d, "sum up extensions", cuda_launch_pgm_supports(p, d->stream));
    LODE_TRY(pgm_clock_mark(d, s->computed));
    LODE_TRY(pgm_bring(d, 0, p->head, sizeof *p->head + n_brought * sizeof *p->list));
    LODE_TRY(pgm_finish(d, s));
    LODE_TRY(pgm_clock_add(d, s->started, c->recorded, &c->times.extend));
    LODE_TRY(pgm_clock_add(d, c->recorded, c->sorted, &c->times.sort));
    LODE_TRY(pgm_clock_add(d, c->sorted, s->computed, &c->times.support));
done:
    return status;
}

/* Lists the extensions in enough graphs, in order. */
static lode_status pgm_list_extensions(pgm_device *g, pgm_found *found) {
    backend_graph_device *d = g->on;
    lode_status status = LODE_OK;
    const cuda_pgm *p = &g->pgm;
    graph_results *r = &d->results[0];
    sort_stop stop = job_sort_stop(d->job);
    uint32_t guess = p->list_cap < LIST_GUESS ? p->list_cap : LIST_GUESS;
    LODE_TRY(graph_results_need(d, r, sizeof *p->head + guess * sizeof *p->list));
    LODE_TRY(pgm_sum_records(g, guess));
    cuda_pgm_head head = *(const cuda_pgm_head *)(const void *)r->host;
    size_t runs = head.n_listed * sizeof *p->list;
    if (head.n_listed > guess) {
        LODE_TRY(graph_results_need(d, r, sizeof head + runs));
        LODE_TRY(pgm_bring(d, sizeof head, p->list, runs));
        CUDA_TRY(d, "cudaStreamSynchronize", cudaStreamSynchronize(d->stream));
    }
    if (head.n_listed > g->list_cap) {
        LODE_TRY(vec_grow(&d->job->mem, (void **)&g->list, 0, &g->list_cap, head.n_listed,
                          sizeof *g->list));
    }
    cuda_pgm_run *list = (cuda_pgm_run *)(void *)(r->host + sizeof head);
    if (!sort_cuda_runs(list, head.n_listed, &stop)) LODE_LEAVE(job_check(d->job));
    for (uint32_t i = 0; i < head.n_listed; i++) g->list[i] = pgm_extension_of(g, &list[i]);
    found->n_list = head.n_listed;
    found->n_counted = head.n_runs;
done:
    return status;
}

static lode_status cuda_pgm_search(pgm_device *g, const pgm_batch *batch, pgm_found *found) {
    lode_status status = LODE_OK;
    const uint64_t *ends = NULL;
    *found = (pgm_found){0};
    LODE_TRY(graph_bind(g->on));
    g->pgm.layout = batch->layout;
    g->pgm.min_support = batch->min_support;
    LODE_TRY(pgm_lay_out(g, batch));
    LODE_TRY(pgm_send_batch(g, batch));
    LODE_TRY(pgm_count_records(g, &ends)); /* waits, so that the stage may be used again */
    LODE_TRY(pgm_settle_columns(g));
    LODE_TRY(pgm_make_room(g, ends));
    if (g->pgm.n_records > 0) LODE_TRY(pgm_list_extensions(g, found));
    found->n_patterns = g->pgm.n_patterns;
    found->list = g->list;
done:
    return status;
}

/* ---- columns -------------------------------------------------------------------------------- */

static lode_status cuda_pgm_build(pgm_device *g, const pgm_build *list, uint32_t n) {
    backend_graph_device *d = g->on;
    lode_status status = LODE_OK;
    graph_stage *s = &d->lanes[1];
    uint32_t n_tiles = 0;
    LODE_TRY(graph_bind(d));
    LODE_TRY(pgm_settle_columns(g));
    LODE_TRY(graph_stage_need(d, s, n * sizeof(cuda_pgm_child)));
    cuda_pgm_child *children = (cuda_pgm_child *)(void *)s->host;
    for (uint32_t i = 0; i < n; i++) {
        const pgm_extension *e = &list[i].extension;
        children[i] = (cuda_pgm_child){.block = list[i].block,
                                       .pattern = e->pattern,
                                       .backward = e->record.to < e->record.from,
                                       .first = e->first,
                                       .n_rows = e->n_rows,
                                       .first_tile = n_tiles};
        n_tiles += (uint32_t)pgm_tiles(e->n_rows);
    }
    LODE_TRY(graph_stage_send(d, s, n * sizeof *children));
    LODE_TRY(pgm_clock_mark(d, s->started));
    CUDA_TRY(d, "columns",
             cuda_launch_pgm_columns(&g->pgm, (const cuda_pgm_child *)(const void *)s->device, n,
                                     n_tiles, d->stream));
    LODE_TRY(pgm_clock_mark(d, s->computed));
    LODE_TRY(pgm_clock_mark(d, s->done));
    s->busy = true;
done:
    return status;
}

static lode_status cuda_pgm_times(pgm_device *g, pgm_times *out) {
    lode_status status = graph_bind(g->on);
    if (status == LODE_OK) status = pgm_settle_columns(g);
    *out = g->clock.times;
    return status;
}

const pgm_ops cuda_pgm_ops = {
    .open = cuda_pgm_open,
    .close = cuda_pgm_close,
    .search = cuda_pgm_search,
    .build = cuda_pgm_build,
    .times = cuda_pgm_times,
};

/* ---- events around the kernels of pgm -------------------------------------------------------- */

lode_status pgm_clock_open(backend_graph_device *d, pgm_clock *c) {
    lode_status status = LODE_OK;
    CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&c->recorded));
    CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&c->sorted));
done:
    return status;
}

void pgm_clock_close(pgm_clock *c) {
    if (c->recorded) (void)cudaEventDestroy(c->recorded);
    if (c->sorted) (void)cudaEventDestroy(c->sorted);
}

lode_status pgm_clock_mark(backend_graph_device *d, cudaEvent_t event) {
    lode_status status = LODE_OK;
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(event, d->stream));
done:
    return status;
}

lode_status pgm_clock_add(backend_graph_device *d, cudaEvent_t from, cudaEvent_t to,
                          double *seconds) {
    lode_status status = LODE_OK;
    float milliseconds = 0;
    CUDA_TRY(d, "cudaEventElapsedTime", cudaEventElapsedTime(&milliseconds, from, to));
    *seconds += (double)milliseconds / 1000;
done:
    return status;
}
