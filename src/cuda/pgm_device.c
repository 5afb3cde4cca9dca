/* pgm_device.c - the extensions of one pattern on a GPU: three round trips each
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/vec.h"
#include "cuda/graph_device.h"

#define LIST_GUESS 1024u /* extensions that come back together with their number */

void graph_search_free(backend_graph_device *d) {
    cuda_card_free(d->card, d->rows.data, d->rows.bytes);
    cuda_card_free(d->card, d->records.data, d->records.bytes);
    mem_free(&d->job->mem, d->list, d->list_cap * sizeof *d->list);
}

static lode_status buffer_need(backend_graph_device *d, graph_buffer *b, size_t bytes) {
    lode_status status = LODE_OK;
    if (bytes <= b->bytes) return LODE_OK;
    cuda_card_free(d->card, b->data, b->bytes);
    *b = (graph_buffer){0};
    size_t ample = bytes + bytes / 2; /* room to grow, if it can be had */
    status = cuda_card_alloc(d->card, ample, &b->data);
    if (status == LODE_OK) bytes = ample;
    if (status != LODE_OK) {
        status = cuda_card_need(d->card, bytes, "the extensions of a pattern", &b->data);
    }
    LODE_TRY(status);
    b->bytes = bytes;
    /* Extensions are fetched before it is known how many there are: what lies behind them, too. */
    CUDA_TRY(d, "cudaMemsetAsync", cudaMemsetAsync(b->data, 0, bytes, d->stream));
done:
    return status;
}

/* The next `bytes` of a buffer. */
static void *cut(const graph_buffer *b, size_t *at, size_t bytes) {
    void *piece = (uint8_t *)b->data + *at;
    *at += graph_round_up(bytes);
    return piece;
}

/* Memory for the rows written out, and for the number of extensions of each work item. */
static lode_status need_rows(backend_graph_device *d) {
    lode_status status = LODE_OK;
    cuda_pgm *p = &d->pgm;
    size_t n = (size_t)p->n_path * p->n_rows, at = 0;
    size_t matrix = (size_t)p->n_columns * p->n_rows * sizeof *p->matrix;
    size_t counts = n * sizeof *p->counts, places = n * sizeof *p->places;
    CUDA_TRY(d, "cub scratch", cuda_pgm_count_scratch(n, &p->scratch_bytes));
    LODE_TRY(buffer_need(d, &d->rows,
                         graph_round_up(matrix) + graph_round_up(counts) + graph_round_up(places) +
                             graph_round_up(p->scratch_bytes)));
    p->matrix = cut(&d->rows, &at, matrix);
    p->counts = cut(&d->rows, &at, counts);
    p->places = cut(&d->rows, &at, places);
    p->scratch = cut(&d->rows, &at, p->scratch_bytes);
done:
    return status;
}

static lode_status need_records(backend_graph_device *d) {
    lode_status status = LODE_OK;
    cuda_pgm *p = &d->pgm;
    size_t n = p->n_records, at = 0, u32 = n * sizeof(uint32_t), u64 = n * sizeof(uint64_t);
    CUDA_TRY(d, "cub scratch", cuda_pgm_sort_scratch(p->n_records, p->key_bits, &p->scratch_bytes));
    LODE_TRY(buffer_need(d, &d->records,
                         graph_round_up(16 * n) + 4 * graph_round_up(u32) +
                             5 * graph_round_up(u64) + graph_round_up(sizeof(uint32_t)) +
                             graph_round_up(p->scratch_bytes)));
    p->records = cut(&d->records, &at, 16 * n);
    p->rows = cut(&d->records, &at, u32);
    p->ends = cut(&d->records, &at, u32);
    p->order = cut(&d->records, &at, u32);
    p->sorted = cut(&d->records, &at, u32);
    p->keys = cut(&d->records, &at, u64);
    p->sorted_keys = cut(&d->records, &at, u64);
    p->values = cut(&d->records, &at, u64);
    p->run_keys = cut(&d->records, &at, u64);
    p->run_values = cut(&d->records, &at, u64);
    p->n_runs = cut(&d->records, &at, sizeof(uint32_t));
    p->scratch = cut(&d->records, &at, p->scratch_bytes);
done:
    return status;
}

/* Queues a copy to offset `at` of the pinned results. */
static lode_status bring(backend_graph_device *d, size_t at, const void *from, size_t bytes) {
    lode_status status = LODE_OK;
    CUDA_TRY(
        d, "cudaMemcpyAsync",
        cudaMemcpyAsync(d->results[0].host + at, from, bytes, cudaMemcpyDeviceToHost, d->stream));
    d->counters.bytes_down += bytes;
done:
    return status;
}

static lode_status begin(backend_graph_device *d, graph_stage *s) {
    lode_status status = LODE_OK;
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(s->started, d->stream));
done:
    return status;
}

static lode_status computed(backend_graph_device *d, graph_stage *s) {
    lode_status status = LODE_OK;
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(s->computed, d->stream));
done:
    return status;
}

/* Waits until everything queued so far is there. */
static lode_status finish(backend_graph_device *d, graph_stage *s) {
    lode_status status = LODE_OK;
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(s->done, d->stream));
    s->busy = true;
    LODE_TRY(graph_stage_settle(d, s));
done:
    return status;
}

/* How many extensions there are, of all rows and path vertices. */
static lode_status count_records(backend_graph_device *d) {
    lode_status status = LODE_OK;
    cuda_pgm *p = &d->pgm;
    graph_stage *s = &d->lanes[0];
    size_t last = (size_t)p->n_path * p->n_rows - 1;
    LODE_TRY(need_rows(d));
    LODE_TRY(begin(d, s));
    CUDA_TRY(d, "count extensions", cuda_launch_pgm_count(p, d->stream));
    LODE_TRY(computed(d, s));
    LODE_TRY(bring(d, 0, p->places + last, sizeof *p->places));
    LODE_TRY(bring(d, sizeof *p->places, p->counts + last, sizeof *p->counts));
    LODE_TRY(finish(d, s));
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

static backend_extension extension_of(const cuda_pgm *p, uint64_t key, uint64_t value) {
    const backend_graphs *g = &p->graphs;
    backend_extension e = {.n_rows = (uint32_t)(value >> 32), .support = (uint32_t)value};
    e.to_label = (uint32_t)(key & (((uint64_t)1 << g->vertex_label_bits) - 1));
    key >>= g->vertex_label_bits;
    e.edge_label = (uint32_t)(key & (((uint64_t)1 << g->edge_label_bits) - 1));
    key >>= g->edge_label_bits;
    bool forward = key >= p->n_columns;
    e.position = (uint16_t)(forward ? key - p->n_columns : p->n_columns - 1);
    e.target = forward ? BACKEND_GRAPH_NEW : (uint16_t)key;
    return e;
}

/* Brings the keys and values of up to n extensions. */
static lode_status bring_runs(backend_graph_device *d, uint32_t n) {
    lode_status status = LODE_OK;
    const cuda_pgm *p = &d->pgm;
    LODE_TRY(bring(d, sizeof(uint64_t), p->run_keys, n * sizeof *p->run_keys));
    LODE_TRY(
        bring(d, (1 + (size_t)n) * sizeof(uint64_t), p->run_values, n * sizeof *p->run_values));
done:
    return status;
}

/* Lists and sums up the extensions. */
static lode_status list_extensions(backend_graph_device *d, uint32_t *n_out) {
    lode_status status = LODE_OK;
    cuda_pgm *p = &d->pgm;
    graph_stage *s = &d->lanes[1];
    uint32_t guess = p->n_records < LIST_GUESS ? p->n_records : LIST_GUESS, first = 0;
    LODE_TRY(need_records(d));
    LODE_TRY(begin(d, s));
    CUDA_TRY(d, "sort extensions", cuda_launch_pgm_sort(p, d->stream));
    LODE_TRY(computed(d, s));
    LODE_TRY(bring(d, 0, p->n_runs, sizeof *p->n_runs));
    LODE_TRY(bring_runs(d, guess));
    LODE_TRY(finish(d, s));
    uint32_t n = *(const uint32_t *)(const void *)d->results[0].host;
    if (n > guess) {
        LODE_TRY(graph_results_need(d, &d->results[0], (1 + 2 * (size_t)n) * sizeof(uint64_t)));
        LODE_TRY(bring_runs(d, n));
        CUDA_TRY(d, "cudaStreamSynchronize", cudaStreamSynchronize(d->stream));
        guess = n;
    }
    if (n > d->list_cap) {
        LODE_TRY(vec_grow(&d->job->mem, (void **)&d->list, 0, &d->list_cap, n, sizeof *d->list));
    }
    const uint64_t *keys = (const uint64_t *)(const void *)d->results[0].host + 1;
    for (uint32_t i = 0; i < n; i++) {
        d->list[i] = extension_of(p, keys[i], keys[guess + i]);
        d->list[i].first = first;
        first += d->list[i].n_rows;
    }
    *n_out = n;
done:
    return status;
}

static uint32_t bits_for(uint64_t n) {
    uint32_t bits = 1;
    while (n >> bits) bits++;
    return bits;
}

lode_status graph_search(backend_graph_device *d, const backend_occurrences *o,
                         const backend_extension **list, uint32_t *n) {
    lode_status status = LODE_OK;
    cuda_pgm *p = &d->pgm;
    graph_stage *s = &d->build;
    size_t columns = o->n_columns * sizeof *o->columns, path = o->n_path * sizeof *o->path, at = 0;
    *n = 0;
    LODE_TRY(graph_bind(d));
    LODE_TRY(graph_stage_need(d, s, graph_round_up(columns) + graph_round_up(path)));
    LODE_TRY(graph_results_need(d, &d->results[0], (1 + 2 * LIST_GUESS) * sizeof(uint64_t)));
    p->graphs = d->graphs;
    p->layout = o->layout;
    p->n_columns = o->n_columns;
    p->n_path = o->n_path;
    p->n_rows = o->n_rows;
    p->key_bits = bits_for(2 * (uint64_t)o->n_columns) + d->graphs.edge_label_bits +
                  d->graphs.vertex_label_bits;
    if (p->key_bits > 64) {
        LODE_LEAVE(job_fail(d->job, LODE_UNSUPPORTED,
                            "too many labels for the codes of gspan on a GPU; the algorithm "
                            "frontier has no such limit"));
    }
    p->columns = graph_stage_put(s, &at, o->columns, columns);
    p->path = graph_stage_put(s, &at, o->path, path);
    LODE_TRY(graph_stage_send(d, s, at));
    LODE_TRY(count_records(d)); /* waits, so that the stage may be used again */
    if (p->n_records > 0) LODE_TRY(list_extensions(d, n));
    *list = d->list;
done:
    return status;
}

lode_status graph_search_column(backend_graph_device *d, const backend_extension *e, uint32_t *idx,
                                uint32_t *vid) {
    lode_status status = LODE_OK;
    LODE_TRY(graph_bind(d));
    CUDA_TRY(d, "column",
             cuda_launch_pgm_column(&d->pgm, e->first, e->n_rows, e->target != BACKEND_GRAPH_NEW,
                                    idx, vid, d->stream));
done:
    return status;
}
