/* cuda_pgm.c - the extensions of one pattern on a GPU: two round trips each
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

#define LIST_GUESS 1024u /* extensions that come back together with their number */

struct pgm_device {
    backend_graph_device *on;
    cuda_pgm pgm;
    pgm_clock clock;
    cuda_buffer labels;
    cuda_buffer rows, records; /* what is needed to count extensions, and to list them */
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
    *out = g;
done:
    if (status != LODE_OK) cuda_pgm_close(g);
    return status;
}

static lode_status pgm_buffer_need(backend_graph_device *d, cuda_buffer *b, size_t bytes) {
    lode_status status = LODE_OK;
    if (bytes <= b->bytes) return LODE_OK;
    cuda_card_free(d->card, b->data, b->bytes);
    *b = (cuda_buffer){0};
    size_t ample = bytes + bytes / 2; /* room to grow, if it can be had */
    status = cuda_card_alloc(d->card, ample, &b->data);
    if (status == LODE_OK) bytes = ample;
    if (status != LODE_OK) {
        status = cuda_card_need(d->card, bytes, "the extensions of a pattern", &b->data);
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
static lode_status pgm_need_rows(pgm_device *g) {
    backend_graph_device *d = g->on;
    lode_status status = LODE_OK;
    cuda_pgm *p = &g->pgm;
    size_t n = (size_t)p->n_path * p->n_rows, at = 0;
    size_t matrix = (size_t)p->n_columns * p->n_rows * sizeof *p->matrix;
    size_t counts = n * sizeof *p->counts, places = n * sizeof *p->places;
    CUDA_TRY(d, "cub scratch", cuda_pgm_count_scratch(n, &p->scratch_bytes));
    LODE_TRY(pgm_buffer_need(d, &g->rows,
                             graph_round_up(matrix) + graph_round_up(counts) +
                                 graph_round_up(places) + graph_round_up(p->scratch_bytes)));
    p->matrix = pgm_cut(&g->rows, &at, matrix);
    p->counts = pgm_cut(&g->rows, &at, counts);
    p->places = pgm_cut(&g->rows, &at, places);
    p->scratch = pgm_cut(&g->rows, &at, p->scratch_bytes);
done:
    return status;
}

static lode_status pgm_need_records(pgm_device *g) {
    backend_graph_device *d = g->on;
    lode_status status = LODE_OK;
    cuda_pgm *p = &g->pgm;
    size_t n = p->n_records, at = 0, u32 = n * sizeof(uint32_t), u64 = n * sizeof(uint64_t);
    size_t records = n * sizeof(pgm_record), entries = n * sizeof(pgm_entry);
    CUDA_TRY(d, "cub scratch", cuda_pgm_sort_scratch(p->n_records, p->key_bits, &p->scratch_bytes));
    LODE_TRY(pgm_buffer_need(d, &g->records,
                             graph_round_up(records) + graph_round_up(entries) +
                                 2 * graph_round_up(u32) + 5 * graph_round_up(u64) +
                                 graph_round_up(sizeof(uint32_t)) +
                                 graph_round_up(p->scratch_bytes)));
    p->records = pgm_cut(&g->records, &at, records);
    p->entries = pgm_cut(&g->records, &at, entries);
    p->order = pgm_cut(&g->records, &at, u32);
    p->sorted = pgm_cut(&g->records, &at, u32);
    p->keys = pgm_cut(&g->records, &at, u64);
    p->sorted_keys = pgm_cut(&g->records, &at, u64);
    p->values = pgm_cut(&g->records, &at, u64);
    p->run_keys = pgm_cut(&g->records, &at, u64);
    p->run_values = pgm_cut(&g->records, &at, u64);
    p->n_runs = pgm_cut(&g->records, &at, sizeof(uint32_t));
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

/* How many extensions there are, of all rows and path vertices. */
static lode_status pgm_count_records(pgm_device *g) {
    backend_graph_device *d = g->on;
    lode_status status = LODE_OK;
    cuda_pgm *p = &g->pgm;
    graph_stage *s = &d->lanes[0];
    size_t last = (size_t)p->n_path * p->n_rows - 1;
    LODE_TRY(pgm_need_rows(g));
    LODE_TRY(pgm_clock_mark(d, s->started));
    CUDA_TRY(d, "count extensions", cuda_launch_pgm_count(p, d->stream));
    LODE_TRY(pgm_clock_mark(d, s->computed));
    LODE_TRY(pgm_bring(d, 0, p->places + last, sizeof *p->places));
    LODE_TRY(pgm_bring(d, sizeof *p->places, p->counts + last, sizeof *p->counts));
    LODE_TRY(pgm_finish(d, s));
    LODE_TRY(pgm_clock_add(d, s->started, s->computed, &g->clock.times.extend));
    const uint8_t *host = d->results[0].host;
    uint64_t before = *(const uint64_t *)(const void *)host;
    uint64_t n = before + *(const uint32_t *)(const void *)(host + sizeof before);
    if (n > INT32_MAX) {
        LODE_LEAVE(job_fail(d->job, LODE_UNSUPPORTED,
                            "a pattern has more than 2^31 extensions of its occurrences; the "
                            "algorithm frontier has no such limit"));
    }
    p->n_records = (uint32_t)n;
done:
    return status;
}

static pgm_extension pgm_extension_of(const cuda_pgm *p, uint64_t key, uint64_t value) {
    const pgm_labels *l = &p->labels;
    pgm_extension e = {.n_rows = (uint32_t)(value >> 32), .support = (uint32_t)value};
    e.record.to_label = (uint32_t)(key & (((uint64_t)1 << l->vertex_bits) - 1));
    key >>= l->vertex_bits;
    e.record.edge_label = (uint32_t)(key & (((uint64_t)1 << l->half_bits) - 1));
    key >>= l->half_bits;
    bool forward = key >= p->n_columns;
    e.record.from = forward ? (uint32_t)key - p->n_columns : p->n_columns - 1;
    e.record.to = forward ? p->n_columns : (uint32_t)key;
    return e;
}

/* Brings the keys and values of up to n extensions. */
static lode_status pgm_bring_runs(pgm_device *g, uint32_t n) {
    backend_graph_device *d = g->on;
    lode_status status = LODE_OK;
    const cuda_pgm *p = &g->pgm;
    LODE_TRY(pgm_bring(d, sizeof(uint64_t), p->run_keys, n * sizeof *p->run_keys));
    LODE_TRY(
        pgm_bring(d, (1 + (size_t)n) * sizeof(uint64_t), p->run_values, n * sizeof *p->run_values));
done:
    return status;
}

/* Writes the records, sorts them and sums them up; brings the first extensions. */
static lode_status pgm_sum_records(pgm_device *g, uint32_t n_brought) {
    backend_graph_device *d = g->on;
    lode_status status = LODE_OK;
    cuda_pgm *p = &g->pgm;
    graph_stage *s = &d->lanes[1];
    pgm_clock *c = &g->clock;
    LODE_TRY(pgm_need_records(g));
    LODE_TRY(pgm_clock_mark(d, s->started));
    CUDA_TRY(d, "list extensions", cuda_launch_pgm_records(p, d->stream));
    LODE_TRY(pgm_clock_mark(d, c->recorded));
    CUDA_TRY(d, "sort extensions", cuda_launch_pgm_sort(p, d->stream));
    LODE_TRY(pgm_clock_mark(d, c->sorted));
    CUDA_TRY(d, "sum up extensions", cuda_launch_pgm_supports(p, d->stream));
    LODE_TRY(pgm_clock_mark(d, s->computed));
    LODE_TRY(pgm_bring(d, 0, p->n_runs, sizeof *p->n_runs));
    LODE_TRY(pgm_bring_runs(g, n_brought));
    LODE_TRY(pgm_finish(d, s));
    LODE_TRY(pgm_clock_add(d, s->started, c->recorded, &c->times.extend));
    LODE_TRY(pgm_clock_add(d, c->recorded, c->sorted, &c->times.sort));
    LODE_TRY(pgm_clock_add(d, c->sorted, s->computed, &c->times.support));
done:
    return status;
}

/* Lists the extensions. */
static lode_status pgm_list_extensions(pgm_device *g, uint32_t *n_out) {
    backend_graph_device *d = g->on;
    lode_status status = LODE_OK;
    const cuda_pgm *p = &g->pgm;
    uint32_t guess = p->n_records < LIST_GUESS ? p->n_records : LIST_GUESS, first = 0;
    LODE_TRY(pgm_sum_records(g, guess));
    uint32_t n = *(const uint32_t *)(const void *)d->results[0].host;
    if (n > guess) {
        LODE_TRY(graph_results_need(d, &d->results[0], (1 + 2 * (size_t)n) * sizeof(uint64_t)));
        LODE_TRY(pgm_bring_runs(g, n));
        CUDA_TRY(d, "cudaStreamSynchronize", cudaStreamSynchronize(d->stream));
        guess = n;
    }
    if (n > g->list_cap) {
        LODE_TRY(vec_grow(&d->job->mem, (void **)&g->list, 0, &g->list_cap, n, sizeof *g->list));
    }
    const uint64_t *keys = (const uint64_t *)(const void *)d->results[0].host + 1;
    for (uint32_t i = 0; i < n; i++) {
        g->list[i] = pgm_extension_of(p, keys[i], keys[guess + i]);
        g->list[i].first = first;
        first += g->list[i].n_rows;
    }
    *n_out = n;
done:
    return status;
}

static lode_status cuda_pgm_search(pgm_device *g, const pgm_occurrences *o,
                                   const pgm_extension **list, uint32_t *n) {
    backend_graph_device *d = g->on;
    lode_status status = LODE_OK;
    cuda_pgm *p = &g->pgm;
    graph_stage *s = &d->build;
    size_t columns = o->n_columns * sizeof *o->columns, path = o->n_path * sizeof *o->path, at = 0;
    *n = 0;
    LODE_TRY(graph_bind(d));
    LODE_TRY(graph_stage_need(d, s, graph_round_up(columns) + graph_round_up(path)));
    LODE_TRY(graph_results_need(d, &d->results[0], (1 + 2 * LIST_GUESS) * sizeof(uint64_t)));
    p->layout = o->layout;
    p->n_columns = o->n_columns;
    p->n_path = o->n_path;
    p->n_rows = o->columns[o->n_columns - 1].n;
    p->key_bits =
        pgm_bits_for(2 * (uint64_t)o->n_columns) + p->labels.half_bits + p->labels.vertex_bits;
    if (p->key_bits > 64) {
        LODE_LEAVE(job_fail(d->job, LODE_UNSUPPORTED,
                            "too many labels for the codes of gspan on a GPU; the algorithm "
                            "frontier has no such limit"));
    }
    p->columns = graph_stage_put(s, &at, o->columns, columns);
    p->path = graph_stage_put(s, &at, o->path, path);
    LODE_TRY(graph_stage_send(d, s, at));
    LODE_TRY(pgm_count_records(g)); /* waits, so that the stage may be used again */
    LODE_TRY(pgm_clock_settle(d, &g->clock));
    if (p->n_records > 0) LODE_TRY(pgm_list_extensions(g, n));
    *list = g->list;
done:
    return status;
}

static lode_status cuda_pgm_column(pgm_device *g, const pgm_extension *e, void *block) {
    backend_graph_device *d = g->on;
    lode_status status = LODE_OK;
    LODE_TRY(graph_bind(d));
    LODE_TRY(pgm_clock_column_begins(d, &g->clock));
    CUDA_TRY(d, "column", cuda_launch_pgm_column(&g->pgm, e, block, d->stream));
    LODE_TRY(pgm_clock_column_ends(d, &g->clock));
done:
    return status;
}

static lode_status cuda_pgm_times(pgm_device *g, pgm_times *out) {
    lode_status status = graph_bind(g->on);
    if (status == LODE_OK) status = pgm_clock_settle(g->on, &g->clock);
    *out = g->clock.times;
    return status;
}

const pgm_ops cuda_pgm_ops = {
    .open = cuda_pgm_open,
    .close = cuda_pgm_close,
    .search = cuda_pgm_search,
    .column = cuda_pgm_column,
    .times = cuda_pgm_times,
};

/* ---- events around the kernels of pgm -------------------------------------------------------- */

lode_status pgm_clock_open(backend_graph_device *d, pgm_clock *c) {
    lode_status status = LODE_OK;
    CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&c->recorded));
    CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&c->sorted));
    for (uint32_t i = 0; i < PGM_CLOCK_COLUMNS; i++) {
        CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&c->began[i]));
        CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&c->ended[i]));
    }
done:
    return status;
}

void pgm_clock_close(pgm_clock *c) {
    if (c->recorded) (void)cudaEventDestroy(c->recorded);
    if (c->sorted) (void)cudaEventDestroy(c->sorted);
    for (uint32_t i = 0; i < PGM_CLOCK_COLUMNS; i++) {
        if (c->began[i]) (void)cudaEventDestroy(c->began[i]);
        if (c->ended[i]) (void)cudaEventDestroy(c->ended[i]);
    }
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

lode_status pgm_clock_column_begins(backend_graph_device *d, pgm_clock *c) {
    lode_status status = LODE_OK;
    if (c->n_columns == PGM_CLOCK_COLUMNS) LODE_TRY(pgm_clock_settle(d, c));
    LODE_TRY(pgm_clock_mark(d, c->began[c->n_columns]));
done:
    return status;
}

lode_status pgm_clock_column_ends(backend_graph_device *d, pgm_clock *c) {
    lode_status status = LODE_OK;
    LODE_TRY(pgm_clock_mark(d, c->ended[c->n_columns]));
    c->n_columns++;
done:
    return status;
}

lode_status pgm_clock_settle(backend_graph_device *d, pgm_clock *c) {
    lode_status status = LODE_OK;
    double seconds = 0;
    uint32_t n = c->n_columns;
    c->n_columns = 0;
    if (n == 0) return LODE_OK;
    CUDA_TRY(d, "cudaEventSynchronize", cudaEventSynchronize(c->ended[n - 1]));
    for (uint32_t i = 0; i < n; i++) {
        LODE_TRY(pgm_clock_add(d, c->began[i], c->ended[i], &seconds));
    }
    c->times.column += seconds;
    d->counters.kernel_seconds += seconds;
done:
    return status;
}
