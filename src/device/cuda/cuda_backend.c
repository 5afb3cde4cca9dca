/* cuda_backend.c - the CUDA backend: what GPUs there are, consumers, where their lists lie; see
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

/* Lists leave a part of the memory to buffers: 1/8, at most 1 GiB. A candidate takes 64 bytes
 * there. */
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
    if (row_words / 2 > UINT32_MAX) return job_fail(d->job, LODE_UNSUPPORTED, "rows too long");
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

/* A slab has a power of two of lists, so that a row number becomes a slab and a place by a shift.
 * back_lists() finds out whether the card has memory for all of them. */
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
        if (status != LODE_OK) return LODE_BUDGET; /* the search goes on with the lists it has */
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
