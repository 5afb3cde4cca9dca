/* graph_device.c - the operations on graphs of the CUDA backend; see graph_device.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/graph_device.h"

#include <string.h>

#include "device/cuda/graph_kernels.h"

#define STAGE_LEAST  ((size_t)128 << 10)
#define GRAPH_ARRAYS 5

lode_status graph_bind(backend_graph_device *d) {
    cudaError_t error = cudaSetDevice((int)d->card->index);
    return error == cudaSuccess ? LODE_OK
                                : cuda_fail(d->job, d->card->index, "cudaSetDevice", error);
}

/* ---- tables on their way -------------------------------------------------------------------- */

static lode_status graph_pin(backend_graph_device *d, size_t bytes, uint8_t **out) {
    void *host = NULL;
    lode_status status = mem_charge(&d->job->mem, bytes);
    if (status != LODE_OK) return status;
    cudaError_t error = cudaMallocHost(&host, bytes);
    if (error != cudaSuccess) {
        mem_discharge(&d->job->mem, bytes);
        return cuda_fail(d->job, d->card->index, "cudaMallocHost", error);
    }
    *out = host;
    return LODE_OK;
}

static void graph_unpin(backend_graph_device *d, uint8_t *host, size_t bytes) {
    if (!host) return;
    (void)cudaFreeHost(host); /* fails only when all has failed before */
    mem_discharge(&d->job->mem, bytes);
}

static void stage_free(backend_graph_device *d, graph_stage *s) {
    graph_unpin(d, s->host, s->bytes);
    cuda_card_free(d->card, s->device, s->bytes);
    s->host = s->device = NULL;
    s->bytes = 0;
}

lode_status graph_stage_settle(backend_graph_device *d, graph_stage *s) {
    lode_status status = LODE_OK;
    float milliseconds = 0;
    if (!s->busy) return LODE_OK;
    s->busy = false;
    CUDA_TRY(d, "cudaEventSynchronize", cudaEventSynchronize(s->done));
    CUDA_TRY(d, "cudaEventElapsedTime",
             cudaEventElapsedTime(&milliseconds, s->started, s->computed));
    d->counters.kernel_seconds += (double)milliseconds / 1000;
done:
    return status;
}

lode_status graph_stage_need(backend_graph_device *d, graph_stage *s, size_t bytes) {
    lode_status status = LODE_OK;
    void *device = NULL;
    LODE_TRY(graph_stage_settle(d, s));
    if (bytes <= s->bytes) return LODE_OK;
    stage_free(d, s);
    bytes = bytes < STAGE_LEAST ? STAGE_LEAST : graph_round_up(bytes + bytes / 2);
    LODE_TRY(graph_pin(d, bytes, &s->host));
    s->bytes = bytes;
    LODE_TRY(cuda_card_need(d->card, bytes, "the tables of patterns", &device));
    s->device = device;
done:
    if (status != LODE_OK && !s->device) {
        graph_unpin(d, s->host, s->bytes);
        s->host = NULL;
        s->bytes = 0;
    }
    return status;
}

void *graph_stage_put(graph_stage *s, size_t *at, const void *array, size_t bytes) {
    void *device = s->device + *at;
    if (bytes > 0) memcpy(s->host + *at, array, bytes);
    *at += graph_round_up(bytes);
    return device;
}

lode_status graph_stage_send(backend_graph_device *d, graph_stage *s, size_t bytes) {
    lode_status status = LODE_OK;
    CUDA_TRY(d, "cudaMemcpyAsync",
             cudaMemcpyAsync(s->device, s->host, bytes, cudaMemcpyHostToDevice, d->stream));
    d->counters.bytes_up += bytes;
done:
    return status;
}

static lode_status stage_open(backend_graph_device *d, graph_stage *s) {
    lode_status status = LODE_OK;
    CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&s->started));
    CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&s->computed));
    CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&s->done));
    LODE_TRY(graph_stage_need(d, s, STAGE_LEAST));
done:
    return status;
}

static void stage_close(backend_graph_device *d, graph_stage *s) {
    stage_free(d, s);
    if (s->started) (void)cudaEventDestroy(s->started);
    if (s->computed) (void)cudaEventDestroy(s->computed);
    if (s->done) (void)cudaEventDestroy(s->done);
}

/* ---- life ----------------------------------------------------------------------------------- */

static void graph_close(backend_graph_device *d) {
    if (!d) return;
    mem *m = &d->job->mem;
    (void)cudaSetDevice((int)d->card->index);
    if (d->stream) (void)cudaStreamSynchronize(d->stream);
    stage_close(d, &d->build);
    for (unsigned i = 0; i < BACKEND_GRAPH_LANES; i++) {
        stage_close(d, &d->lanes[i]);
        graph_unpin(d, d->results[i].host, d->results[i].bytes);
    }
    cuda_card_free(d->card, d->block, d->block_bytes);
    if (d->stream) (void)cudaStreamDestroy(d->stream);
    cuda_card_close(d->card);
    mem_free(m, d, sizeof *d);
}

/* Copies one array of the graphs after those before it. */
static lode_status put_array(backend_graph_device *d, size_t *at, const void *array, size_t bytes,
                             const void **out) {
    lode_status status = LODE_OK;
    uint8_t *to = (uint8_t *)d->block + *at;
    if (bytes > 0) {
        CUDA_TRY(d, "cudaMemcpyAsync",
                 cudaMemcpyAsync(to, array, bytes, cudaMemcpyHostToDevice, d->stream));
    }
    d->counters.bytes_up += bytes;
    *at += graph_round_up(bytes);
    *out = to;
done:
    return status;
}

static lode_status put_graphs(backend_graph_device *d, const backend_graphs *g) {
    lode_status status = LODE_OK;
    const size_t word = sizeof(uint32_t);
    const struct {
        const void *from;
        size_t bytes;
    } arrays[GRAPH_ARRAYS] = {{g->offsets, ((size_t)g->n_vertices + 1) * word},
                              {g->half, g->n_half * sizeof *g->half},
                              {g->graph_of, g->n_vertices * word},
                              {g->from_rank, g->n_types * word},
                              {g->pair_rank, g->n_types * word}};
    const void *to[GRAPH_ARRAYS];
    size_t at = 0;
    for (size_t i = 0; i < GRAPH_ARRAYS; i++) d->block_bytes += graph_round_up(arrays[i].bytes);
    status = cuda_card_need(d->card, d->block_bytes, "the graphs", &d->block);
    if (status != LODE_OK) d->block_bytes = 0;
    LODE_TRY(status);
    for (size_t i = 0; i < GRAPH_ARRAYS; i++) {
        LODE_TRY(put_array(d, &at, arrays[i].from, arrays[i].bytes, &to[i]));
    }
    d->graphs = *g;
    d->graphs.offsets = to[0];
    d->graphs.half = to[1];
    d->graphs.graph_of = to[2];
    d->graphs.from_rank = to[3];
    d->graphs.pair_rank = to[4];
done:
    return status;
}

static void graph_wake(unsigned index) {
    if (cudaSetDevice((int)index) == cudaSuccess) (void)cudaFree(NULL);
}

static lode_status graph_open(lode_job *job, unsigned index, const backend_graphs *graphs,
                              backend_graph_device **out) {
    backend_graph_device *d = NULL;
    lode_status status = mem_zalloc(&job->mem, (void **)&d, sizeof *d);
    if (status != LODE_OK) return status;
    d->job = job;
    status = cuda_card_open(job, index, &d->card);
    if (status != LODE_OK) {
        mem_free(&job->mem, d, sizeof *d);
        return status;
    }
    LODE_TRY(graph_bind(d));
    CUDA_TRY(d, "cudaStreamCreate", cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking));
    for (unsigned i = 0; i < BACKEND_GRAPH_LANES; i++) LODE_TRY(stage_open(d, &d->lanes[i]));
    LODE_TRY(stage_open(d, &d->build));
    LODE_TRY(put_graphs(d, graphs));
    *out = d;
done:
    if (status != LODE_OK) graph_close(d);
    return status;
}

static backend_counters graph_counters(const backend_graph_device *d) {
    backend_counters counters = d->counters;
    counters.memory_peak = d->card->peak;
    return counters;
}

/* ---- memory --------------------------------------------------------------------------------- */

static lode_status graph_alloc(backend_graph_device *d, size_t bytes, void **out) {
    lode_status status = graph_bind(d);
    return status == LODE_OK ? cuda_card_alloc(d->card, bytes, out) : status;
}

static void graph_free(backend_graph_device *d, void *pointer, size_t bytes) {
    (void)cudaSetDevice((int)d->card->index);
    cuda_card_free(d->card, pointer, bytes); /* waits for the kernels that use it */
}

static size_t graph_left(backend_graph_device *d) {
    return cuda_card_left(d->card);
}

static lode_status graph_copy(backend_graph_device *d, void *to, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind) {
    lode_status status = LODE_OK;
    LODE_TRY(graph_bind(d));
    CUDA_TRY(d, "cudaMemcpyAsync", cudaMemcpyAsync(to, from, bytes, kind, d->stream));
    CUDA_TRY(d, "cudaStreamSynchronize", cudaStreamSynchronize(d->stream));
    *(kind == cudaMemcpyHostToDevice ? &d->counters.bytes_up : &d->counters.bytes_down) += bytes;
done:
    return status;
}

static lode_status graph_upload(backend_graph_device *d, void *to, const void *host, size_t bytes) {
    return graph_copy(d, to, host, bytes, cudaMemcpyHostToDevice);
}

static lode_status graph_download(backend_graph_device *d, void *host, const void *from,
                                  size_t bytes) {
    return graph_copy(d, host, from, bytes, cudaMemcpyDeviceToHost);
}

/* ---- extend --------------------------------------------------------------------------------- */

lode_status graph_results_need(backend_graph_device *d, graph_results *r, size_t bytes) {
    lode_status status = LODE_OK;
    if (bytes <= r->bytes) return LODE_OK;
    graph_unpin(d, r->host, r->bytes);
    r->host = NULL;
    r->bytes = 0;
    bytes = bytes < STAGE_LEAST ? STAGE_LEAST : graph_round_up(bytes + bytes / 2);
    LODE_TRY(graph_pin(d, bytes, &r->host));
    r->bytes = bytes;
done:
    return status;
}

/* Sends the tables of a batch; `b` gets their places on the device. */
static lode_status send_batch(backend_graph_device *d, graph_stage *s, backend_graph_batch *b) {
    lode_status status = LODE_OK;
    size_t at = 0, nodes = b->n_nodes * sizeof *b->nodes,
           candidates = b->n_candidates * sizeof *b->candidates;
    size_t paths = b->n_paths * sizeof *b->paths;
    LODE_TRY(graph_stage_need(
        d, s, graph_round_up(nodes) + graph_round_up(candidates) + graph_round_up(paths)));
    b->nodes = graph_stage_put(s, &at, b->nodes, nodes);
    b->candidates = graph_stage_put(s, &at, b->candidates, candidates);
    b->paths = graph_stage_put(s, &at, b->paths, paths);
    LODE_TRY(graph_stage_send(d, s, at));
done:
    return status;
}

static lode_status graph_extend(backend_graph_device *d, unsigned lane,
                                const backend_graph_batch *batch) {
    lode_status status = LODE_OK;
    graph_stage *s = &d->lanes[lane];
    graph_results *r = &d->results[lane];
    backend_graph_batch b = *batch;
    size_t bytes = backend_graph_work(b.n_slots, 0); /* rows, then supports */
    LODE_TRY(graph_bind(d));
    r->n_slots = b.n_slots;
    if (b.n_slots == 0) return LODE_OK;
    LODE_TRY(graph_results_need(d, r, bytes));
    LODE_TRY(send_batch(d, s, &b));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(s->started, d->stream));
    CUDA_TRY(d, "cudaMemsetAsync",
             cudaMemsetAsync(b.work, 0, backend_graph_work(b.n_slots, b.n_words), d->stream));
    CUDA_TRY(d, "extend", cuda_launch_extend(&d->graphs, &b, d->stream));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(s->computed, d->stream));
    CUDA_TRY(d, "cudaMemcpyAsync",
             cudaMemcpyAsync(r->host, b.work, bytes, cudaMemcpyDeviceToHost, d->stream));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(s->done, d->stream));
    s->busy = true;
    d->counters.bytes_down += bytes;
done:
    return status;
}

static lode_status graph_found(backend_graph_device *d, unsigned lane, backend_graph_found *found) {
    lode_status status = LODE_OK;
    const graph_results *r = &d->results[lane];
    LODE_TRY(graph_bind(d));
    LODE_TRY(graph_stage_settle(d, &d->lanes[lane]));
    found->rows = (const uint64_t *)(const void *)r->host;
    found->supports = (const uint32_t *)(const void *)(r->host + r->n_slots * sizeof(uint64_t));
done:
    return status;
}

/* ---- build ---------------------------------------------------------------------------------- */

static size_t graph_build_work(backend_graph_device *d, uint32_t n_tiles, uint32_t n_rows) {
    (void)d;
    size_t bytes = 0;
    /* A failure shows again, with a message, when the work is done. */
    if (cuda_build_work(n_tiles, n_rows, &bytes) != cudaSuccess) bytes = 256;
    return bytes;
}

static lode_status graph_build(backend_graph_device *d, const backend_build *build) {
    lode_status status = LODE_OK;
    graph_stage *s = &d->build;
    backend_build b = *build;
    size_t at = 0, bytes = b.n_children * sizeof *b.children;
    if (b.n_children == 0) return LODE_OK;
    LODE_TRY(graph_bind(d));
    LODE_TRY(graph_stage_need(d, s, graph_round_up(bytes)));
    b.children = graph_stage_put(s, &at, b.children, bytes);
    LODE_TRY(graph_stage_send(d, s, at));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(s->started, d->stream));
    CUDA_TRY(d, "build", cuda_launch_build(&d->graphs, &b, d->stream));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(s->computed, d->stream));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(s->done, d->stream));
    s->busy = true;
done:
    return status;
}

const backend_graph_ops cuda_graph_ops = {
    .wake = graph_wake,
    .open = graph_open,
    .close = graph_close,
    .counters = graph_counters,
    .alloc = graph_alloc,
    .free = graph_free,
    .left = graph_left,
    .upload = graph_upload,
    .download = graph_download,
    .extend = graph_extend,
    .found = graph_found,
    .build_work = graph_build_work,
    .build = graph_build,
};
