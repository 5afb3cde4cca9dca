/* cuda_backend.c - the CUDA backend: the number of GPUs, memory of lists, operations on rows; see
 * device.h
 *
 * The runtime is linked statically and finds the driver by itself, so the same program runs with
 * and without a GPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "device/cuda/device.h"
#include "device/cuda/graph_device.h"

#define BATCH_BYTES                                                                                \
    ((size_t)1 << 30) /* result rows of a batch: about 0.7 ms of counting on an H200 */
#define BATCH_LEAST 4096
#define BATCH_MOST  ((size_t)1 << 20)
#define SLABS_AIM   128 /* about how many slabs the room for lists is cut into */

/* Lists leave 1/8 of the memory, at most 1 GiB, to buffers. A candidate needs 64 bytes there. */
#define HELD_SHARE      8
#define HELD_MOST       ((size_t)1 << 30)
#define CANDIDATE_BYTES 64

/* ---- what there is ------------------------------------------------------------------------- */

static unsigned cuda_count(void) {
    int n = 0;
    if (cudaGetDeviceCount(&n) == cudaSuccess) return (unsigned)n;
    (void)cudaGetLastError();
    return 0;
}

static void explain_absence(cudaError_t error, char *detail, size_t bytes) {
    int driver = 0, runtime = 0;
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    if (error == cudaErrorInsufficientDriver && driver == 0) {
        snprintf(detail, bytes, "no NVIDIA driver is installed");
    } else if (error == cudaErrorInsufficientDriver) {
        snprintf(detail, bytes, "the NVIDIA driver is for CUDA %d.%d; this build needs %d.%d",
                 driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    } else if (error == cudaErrorNoDevice) {
        snprintf(detail, bytes, "there is no NVIDIA GPU");
    } else {
        snprintf(detail, bytes, "%s", cudaGetErrorString(error));
    }
}

static bool cuda_probe(char *detail, size_t detail_bytes) {
    int n = 0;
    struct cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceCount(&n);
    if (error == cudaSuccess && n == 0) error = cudaErrorNoDevice;
    if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, 0);
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        explain_absence(error, detail, detail_bytes);
        return false;
    }
    snprintf(detail, detail_bytes, "%d x %s, %.0f GiB", n, properties.name,
             (double)properties.totalGlobalMem / (1 << 30));
    return true;
}

/* Creates the CUDA context, which all threads share. */
static void cuda_wake(unsigned index) {
    if (cudaSetDevice((int)index) == cudaSuccess) (void)cudaFree(NULL);
    (void)cudaGetLastError();
}

static unsigned cuda_consumers(const lode_job *job) {
    (void)job;
    return 1;
}

/* ---- life ---------------------------------------------------------------------------------- */

static void cuda_close(backend_device *d) {
    if (!d) return;
    mem *m = &d->job->mem;
    (void)cudaSetDevice((int)d->card->index);
    cuda_buffer_free(d, &d->and_dst);
    cuda_buffer_free(d, &d->and_lists);
    for (unsigned i = 0; i < d->n_slabs; i++) {
        cuda_card_free(d->card, d->rows.slabs[i], d->slab_bytes);
    }
    cuda_ring_close(d);
    if (d->shares_rows) cuda_card_drop_rows(d->card);
    cuda_card_close(d->card);
    mem_free(m, d, sizeof *d);
}

static lode_status cuda_open(lode_job *job, unsigned index, unsigned threads,
                             backend_device **out) {
    (void)threads;
    backend_device *d = NULL;
    lode_status status = mem_zalloc(&job->mem, (void **)&d, sizeof *d);
    if (status != LODE_OK) return status;
    d->job = job;
    status = cuda_card_open(job, index, &d->card);
    if (status != LODE_OK) {
        mem_free(&job->mem, d, sizeof *d);
        return status;
    }
    d->config.n_sm = d->card->n_sm;
    status = cuda_bind(d);
    if (status == LODE_OK) status = cuda_ring_open(d);
    if (status == LODE_OK) {
        *out = d;
    } else {
        cuda_close(d);
    }
    return status;
}

/* ---- figures ------------------------------------------------------------------------------- */

static backend_counters cuda_counters(const backend_device *d) {
    backend_counters counters = d->counters;
    counters.memory_peak = d->card->peak;
    return counters;
}

/* Bytes that lists leave to buffers. */
static size_t held_bytes(size_t left) {
    return left / HELD_SHARE < HELD_MOST ? left / HELD_SHARE : HELD_MOST;
}

static uint64_t cuda_fill(const backend_device *d, size_t row_words) {
    size_t row_bytes = row_words * sizeof(uint64_t);
    size_t n = row_bytes ? BATCH_BYTES / row_bytes : BATCH_MOST;
    n = n < BATCH_LEAST ? BATCH_LEAST : n > BATCH_MOST ? BATCH_MOST : n;
    size_t most =
        held_bytes(d->card->budget) / CANDIDATE_BYTES; /* a tiny budget still has BATCH_LEAST */
    return n < most || most < BATCH_LEAST ? n : most;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static lode_status cuda_set_rows(backend_device *d, const uint64_t *rows, uint32_t n_rows,
                                 size_t row_words) {
    lode_status status = LODE_OK;
    size_t row_bytes = row_words * sizeof *rows;
    LODE_TRY(cuda_bind(d));
    if (row_words / 2 > UINT32_MAX)
        return job_fail(d->job, LODE_UNSUPPORTED,
                        "bit rows of this length are not supported on a GPU");
    LODE_TRY(cuda_card_share_rows(d->card, rows, n_rows * row_bytes));
    d->shares_rows = true;
    d->row_bytes = row_bytes;
    d->rows.items = (const uint4 *)(const void *)d->card->rows;
    d->rows.n_items = n_rows;
    d->rows.vectors = (uint32_t)(row_words / 2);
    d->counters.bytes_up += n_rows * row_bytes;
done:
    return status;
}

static size_t cuda_list_room(const backend_device *d) {
    size_t left = cuda_card_left(d->card);
    return left - held_bytes(left);
}

/* The number of lists in a slab is a power of two, so a shift turns a row number into a slab and a
 * place. back_lists() finds out whether the card has memory for all of them. */
static lode_status cuda_reserve_lists(backend_device *d, uint32_t wanted, uint32_t *granted) {
    d->rows.slab_shift = 0;
    while ((uint64_t)SLABS_AIM << d->rows.slab_shift < wanted) d->rows.slab_shift++;
    d->slab_bytes = d->row_bytes << d->rows.slab_shift;
    uint64_t most = (uint64_t)CUDA_MAX_SLABS << d->rows.slab_shift;
    *granted = most < wanted ? (uint32_t)most : wanted;
    return LODE_OK;
}

static lode_status cuda_back_lists(backend_device *d, uint32_t n_lists) {
    lode_status status = LODE_OK;
    if (d->row_bytes == 0) return LODE_OK;
    unsigned needed = (unsigned)(((uint64_t)n_lists + ((uint64_t)1 << d->rows.slab_shift) - 1) >>
                                 d->rows.slab_shift);
    if (needed <= d->n_slabs) return LODE_OK;
    LODE_TRY(cuda_bind(d));
    while (d->n_slabs < needed) {
        void *slab = NULL;
        status = cuda_card_alloc(d->card, d->slab_bytes, &slab);
        if (status != LODE_OK) return LODE_BUDGET; /* the search continues with the lists it has */
        d->rows.slabs[d->n_slabs++] = slab;
    }
done:
    return status;
}

const lode_backend lode_backend_cuda = {
    .name = "cuda",
    .first = "cuda:0",
    .probe = cuda_probe,
    .count = cuda_count,
    .wake = cuda_wake,
    .consumers = cuda_consumers,
    .open = cuda_open,
    .close = cuda_close,
    .counters = cuda_counters,
    .fill = cuda_fill,
    .set_rows = cuda_set_rows,
    .list_room = cuda_list_room,
    .reserve_lists = cuda_reserve_lists,
    .back_lists = cuda_back_lists,
    .and_count = cuda_and_count,
    .and_rows = cuda_and_rows,
    .graphs = &cuda_graph_ops,
    .products = &cuda_products,
    .papers = &cuda_paper_ops,
};

/* ---- device memory that grows ---------------------------------------------------------------- */

lode_status cuda_bind(backend_device *d) {
    cudaError_t error = cudaSetDevice((int)d->card->index);
    return error == cudaSuccess ? LODE_OK
                                : cuda_fail(d->job, d->card->index, "cudaSetDevice", error);
}

void cuda_buffer_free(backend_device *d, cuda_buffer *buffer) {
    cuda_card_free(d->card, buffer->data, buffer->bytes);
    *buffer = (cuda_buffer){0};
}

lode_status cuda_buffer_need(backend_device *d, cuda_buffer *buffer, size_t bytes) {
    if (bytes <= buffer->bytes) return LODE_OK;
    cuda_buffer_free(d, buffer);
    if (bytes < 4096) bytes = 4096;
    size_t ample = bytes + bytes / 2; /* room to grow, if it can be had */
    lode_status status = cuda_card_alloc(d->card, ample, &buffer->data);
    if (status == LODE_OK) bytes = ample;
    if (status != LODE_OK) status = cuda_card_need(d->card, bytes, "candidates", &buffer->data);
    LODE_TRY(status);
    buffer->bytes = bytes;
    /* cuda_fetch_counted() copies entries before it knows how many there are: none may be
     * undefined. */
    CUDA_TRY(d, "cudaMemsetAsync", cudaMemsetAsync(buffer->data, 0, bytes, d->slots[0].stream));
done:
    return status;
}

lode_status cuda_buffer_fill(backend_device *d, cuda_buffer *buffer, const void *host,
                             size_t bytes) {
    lode_status status = LODE_OK;
    LODE_TRY(cuda_buffer_need(d, buffer, bytes));
    if (bytes == 0) return LODE_OK;
    /* From pageable memory, so `host` is free to change when this returns. */
    CUDA_TRY(
        d, "cudaMemcpyAsync",
        cudaMemcpyAsync(buffer->data, host, bytes, cudaMemcpyHostToDevice, d->slots[0].stream));
    d->counters.bytes_up += bytes;
done:
    return status;
}

/* ---- the CUDA backend's operations on bit rows ----------------------------------------------- */

static cudaError_t rows_launch_and_count(void *arg, cuda_slot *slot) {
    const backend_device *d = arg;
    const cuda_work *work = (const cuda_work *)(const void *)slot->up;
    return cuda_launch_and_count(&d->rows, &d->config, work, slot->n, slot->counts, slot->stream);
}

/* Notes how many candidates reach the threshold, over about the last hundred thousand. */
static void rows_note_passed(backend_device *d, size_t n, size_t passed) {
    d->n_counted += n;
    d->n_passed += passed;
    while (d->n_counted > 100000) {
        d->n_counted /= 2;
        d->n_passed /= 2;
    }
}

static void rows_count_stores(backend_device *d, const backend_work *work, size_t n,
                              const uint32_t *counts) {
    size_t passed = 0, stored = 0;
    for (size_t i = 0; i < n; i++) {
        bool frequent = counts[i] >= d->config.min_count;
        passed += frequent;
        stored += work[i].dst != BACKEND_NO_ROW && frequent;
    }
    d->counters.rows_read += 2 * n;
    d->counters.rows_written += stored;
    rows_note_passed(d, n, passed);
}

lode_status cuda_count_work(backend_device *d, const cuda_counting *c, cuda_chunk_fn launch,
                            void *arg) {
    _Static_assert(sizeof(cuda_work) == sizeof(backend_work),
                   "the kernels read a backend_work as a cuda_work");
    lode_status status = LODE_OK;
    LODE_TRY(cuda_bind(d));
    d->config.min_count = c->min_count;
    d->config.late = d->n_passed * 3 < d->n_counted;
    cuda_batch batch = {c->work, sizeof *c->work, c->n, launch, arg, c->counts};
    LODE_TRY(cuda_ring_run(d, &batch));
    rows_count_stores(d, c->work, c->n, c->counts);
done:
    return status;
}

lode_status cuda_and_count(backend_device *d, const backend_work *work, size_t n,
                           uint32_t min_count, uint32_t *counts) {
    cuda_counting c = {work, n, min_count, counts};
    return cuda_count_work(d, &c, rows_launch_and_count, d);
}

lode_status cuda_and_rows(backend_device *d, const uint32_t *dst, const uint32_t *rows, uint32_t k,
                          size_t n) {
    lode_status status = LODE_OK;
    cuda_slot *slot = &d->slots[0];
    if (n == 0) return LODE_OK;
    LODE_TRY(cuda_bind(d));
    LODE_TRY(cuda_buffer_fill(d, &d->and_dst, dst, n * sizeof *dst));
    LODE_TRY(cuda_buffer_fill(d, &d->and_lists, rows, n * k * sizeof *rows));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->started, slot->stream));
    CUDA_TRY(
        d, "and_rows",
        cuda_launch_list_rows(&d->rows, d->and_dst.data, d->and_lists.data, k, n, slot->stream));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->computed, slot->stream));
    LODE_TRY(cuda_ring_settle(d)); /* other streams read these rows next */
    d->counters.rows_read += n * k;
    d->counters.rows_written += n;
done:
    return status;
}
