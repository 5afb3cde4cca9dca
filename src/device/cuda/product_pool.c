/* product_pool.c - device memory, copies through pinned memory, timers; see product_device.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/os.h"
#include "device/cuda/product_device.h"

/* ---- life ---------------------------------------------------------------------------------- */

static lode_status open_timers(product_device *d) {
    lode_status status = LODE_OK;
    for (unsigned i = 0; i < PRODUCT_TIMERS; i++) {
        CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&d->timers[i].start));
        CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&d->timers[i].end));
    }
    for (unsigned i = 0; i < 2; i++) {
        CUDA_TRY(d, "cudaEventCreate",
                 cudaEventCreateWithFlags(&d->half_done[i], cudaEventDisableTiming));
    }
done:
    return status;
}

static lode_status open_pinned(product_device *d) {
    lode_status status = LODE_OK;
    void *pinned = NULL;
    LODE_TRY(mem_charge(&d->job->mem, 2 * PRODUCT_HALF));
    cudaError_t error = cudaMallocHost(&pinned, 2 * PRODUCT_HALF);
    if (error != cudaSuccess) {
        mem_discharge(&d->job->mem, 2 * PRODUCT_HALF);
        return cuda_fail(d->job, d->card->index, "cudaMallocHost", error);
    }
    d->pinned = pinned;
done:
    return status;
}

/* Goes on in a slab from its start. */
static void use_slab(product_device *d, unsigned i) {
    size_t bytes = d->slabs[i].bytes;
    d->room = (product_room){d->slabs[i].base, 0, bytes, bytes, i};
}

static void add_slab(product_device *d, void *memory, size_t bytes) {
    d->slabs[d->n_slabs] = (product_slab){memory, bytes};
    use_slab(d, d->n_slabs++);
}

lode_status product_pool_open(product_device *d, size_t bytes) {
    lode_status status = LODE_OK;
    void *memory = NULL;
    CUDA_TRY(d, "cudaStreamCreate", cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking));
    LODE_TRY(open_timers(d));
    LODE_TRY(open_pinned(d));
    LODE_TRY(cuda_card_need(d->card, sizeof *d->numbers, "the tallies", &memory));
    d->numbers = memory;
    CUDA_TRY(d, "cudaMemsetAsync", cudaMemsetAsync(d->numbers, 0, sizeof *d->numbers, d->stream));
    LODE_TRY(cuda_card_need(d->card, bytes, "the rows and the counts", &memory));
    add_slab(d, memory, bytes);
done:
    return status;
}

void product_pool_close(product_device *d) {
    if (d->stream) (void)cudaStreamSynchronize(d->stream);
    for (unsigned i = 0; i < d->n_slabs; i++) {
        cuda_card_free(d->card, d->slabs[i].base, d->slabs[i].bytes);
    }
    cuda_card_free(d->card, d->numbers, sizeof *d->numbers);
    for (unsigned i = 0; i < PRODUCT_TIMERS; i++) {
        if (d->timers[i].start) (void)cudaEventDestroy(d->timers[i].start);
        if (d->timers[i].end) (void)cudaEventDestroy(d->timers[i].end);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (d->half_done[i]) (void)cudaEventDestroy(d->half_done[i]);
    }
    if (d->pinned) {
        (void)cudaFreeHost(d->pinned);
        mem_discharge(&d->job->mem, 2 * PRODUCT_HALF);
    }
    if (d->stream) (void)cudaStreamDestroy(d->stream);
}

#define SLAB_FACTOR 4 /* a slab is 4 times as large as those before it together */

/* Takes a slab of at least this size from the card. */
static bool allocate_slab(product_device *d, size_t least) {
    size_t wanted = 0;
    void *memory = NULL;
    if (d->card_is_full || d->n_slabs == PRODUCT_SLABS) return false;
    for (unsigned i = 0; i < d->n_slabs; i++) wanted += SLAB_FACTOR * d->slabs[i].bytes;
    if (wanted < least) wanted = least;
    size_t left = cuda_card_left(d->card) / d->sharers / 128 * 128;
    if (wanted >= left) { /* the last one */
        d->card_is_full = true;
        wanted = left;
    }
    if (wanted < least || cuda_card_alloc(d->card, wanted, &memory) != LODE_OK) {
        d->card_is_full = true;
        return false;
    }
    add_slab(d, memory, wanted);
    return true;
}

bool product_enter_slab(product_device *d, size_t least) {
    for (unsigned i = d->room.slab + 1; i < d->n_slabs; i++) {
        if (d->slabs[i].bytes < least) continue;
        use_slab(d, i);
        return true;
    }
    return allocate_slab(d, least);
}

void product_widen(product_device *d, size_t bytes) {
    while (bytes > product_left(d) / 2 && product_enter_slab(d, 2 * product_left(d))) {
    }
}

/* Whether there is room; if not, PRODUCT_TRY() ends the search before anything is done with it. */
static bool pool_has(product_device *d, size_t bytes) {
    bool fits = bytes <= product_left(d) && product_align(bytes) <= product_left(d);
    if (!fits) d->overrun = true;
    return fits;
}

void *product_take_low(product_device *d, size_t bytes) {
    void *at = d->room.base + d->room.low;
    if (pool_has(d, bytes)) d->room.low += product_align(bytes);
    return at;
}

void *product_take_high(product_device *d, size_t bytes) {
    if (pool_has(d, bytes)) d->room.high -= product_align(bytes);
    return d->room.base + d->room.high;
}

/* ---- copies -------------------------------------------------------------------------------- */

/* Pieces go through the two halves of the pinned memory in turn: while one piece is transferred,
 * the host copies the other. */
lode_status product_fetch(product_device *d, void *host, const void *from, size_t bytes) {
    lode_status status = LODE_OK;
    size_t sent = 0, taken = 0;
    double start = os_seconds();
    for (unsigned turn = 0; taken < bytes; turn ^= 1) {
        size_t piece = bytes - sent < PRODUCT_HALF ? bytes - sent : PRODUCT_HALF;
        if (piece > 0) {
            PRODUCT_TRY(d, "cudaMemcpyAsync",
                        cudaMemcpyAsync(d->pinned + turn * PRODUCT_HALF,
                                        (const uint8_t *)from + sent, piece, cudaMemcpyDeviceToHost,
                                        d->stream));
            PRODUCT_TRY(d, "cudaEventRecord", cudaEventRecord(d->half_done[turn], d->stream));
        }
        sent += piece;
        if (sent <= PRODUCT_HALF && sent < bytes) continue; /* start the other half as well */
        unsigned oldest = taken / PRODUCT_HALF % 2;
        size_t ready = sent - taken < PRODUCT_HALF ? sent - taken : PRODUCT_HALF;
        PRODUCT_TRY(d, "cudaEventSynchronize", cudaEventSynchronize(d->half_done[oldest]));
        memcpy((uint8_t *)host + taken, d->pinned + oldest * PRODUCT_HALF, ready);
        taken += ready;
    }
    d->report.bytes_down += bytes;
    d->report.transfer += os_seconds() - start;
done:
    return status;
}

lode_status product_send(product_device *d, void *to, const void *host, size_t bytes) {
    lode_status status = LODE_OK;
    size_t sent = 0;
    double start = os_seconds();
    for (unsigned turn = 0; sent < bytes; turn++) {
        size_t piece = bytes - sent < PRODUCT_HALF ? bytes - sent : PRODUCT_HALF;
        uint8_t *half = d->pinned + turn % 2 * PRODUCT_HALF;
        if (turn >= 2) {
            PRODUCT_TRY(d, "cudaEventSynchronize", cudaEventSynchronize(d->half_done[turn % 2]));
        }
        memcpy(half, (const uint8_t *)host + sent, piece);
        PRODUCT_TRY(
            d, "cudaMemcpyAsync",
            cudaMemcpyAsync((uint8_t *)to + sent, half, piece, cudaMemcpyHostToDevice, d->stream));
        PRODUCT_TRY(d, "cudaEventRecord", cudaEventRecord(d->half_done[turn % 2], d->stream));
        sent += piece;
    }
    d->report.bytes_up += bytes;
    PRODUCT_TRY(d, "cudaStreamSynchronize", cudaStreamSynchronize(d->stream));
    d->report.transfer += os_seconds() - start;
done:
    return status;
}

lode_status product_fetch_u32(product_device *d, vec_u32 *v, const uint32_t *from, size_t n) {
    v->n = 0;
    lode_status status = vec_u32_reserve(&d->job->mem, v, n);
    if (status == LODE_OK) status = product_fetch(d, v->data, from, n * sizeof *from);
    if (status == LODE_OK) v->n = n;
    return status;
}

lode_status product_fetch_u64(product_device *d, vec_u64 *v, const uint64_t *from, size_t n) {
    v->n = 0;
    lode_status status = vec_u64_reserve(&d->job->mem, v, n);
    if (status == LODE_OK) status = product_fetch(d, v->data, from, n * sizeof *from);
    if (status == LODE_OK) v->n = n;
    return status;
}

/* ---- timers -------------------------------------------------------------------------------- */

lode_status product_wait(product_device *d) {
    lode_status status = LODE_OK;
    CUDA_TRY(d, "cudaStreamSynchronize", cudaStreamSynchronize(d->stream));
    for (unsigned i = 0; i < d->n_timers; i++) {
        float milliseconds = 0;
        CUDA_TRY(d, "cudaEventElapsedTime",
                 cudaEventElapsedTime(&milliseconds, d->timers[i].start, d->timers[i].end));
        d->report.counting += (double)milliseconds / 1000;
    }
    d->n_timers = 0;
done:
    return status;
}

lode_status product_timer_start(product_device *d) {
    lode_status status = LODE_OK;
    if (d->n_timers == PRODUCT_TIMERS) LODE_TRY(product_wait(d));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(d->timers[d->n_timers].start, d->stream));
done:
    return status;
}

lode_status product_timer_stop(product_device *d) {
    lode_status status = LODE_OK;
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(d->timers[d->n_timers].end, d->stream));
    d->n_timers++;
done:
    return status;
}
