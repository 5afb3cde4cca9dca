/* ring.c - sends work lists to the device and brings counts back; see device.h
 *
 * Copies that overlap with kernels need pinned host memory, and pinning costs half a second per
 * GiB. So a little memory is pinned once, as slots that are used in turn:
 *
 *     slot 0   copy in │ up │ kernels │ down │ copy out
 *     slot 1             copy in │ up │ kernels │ down │ copy out
 *     slot 2 …
 *
 * Each slot has a stream, so its copies overlap with the kernels of other slots. The host waits
 * only when it needs a slot again, and at the end. The kernels of a slot wait for those of the slot
 * before it: they would not be faster side by side, and one after the other, the times between
 * their events add up to the time of computing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "device/cuda/device.h"

#define PINNED_BYTES (CUDA_SLOTS * (CUDA_SLOT_BYTES + CUDA_SLOT_RESULTS * sizeof(uint32_t)))

static lode_status open_slot(backend_device *d, cuda_slot *slot, uint8_t *pinned) {
    lode_status status = LODE_OK;
    void *up = NULL, *counts = NULL;
    slot->host_up = pinned;
    slot->host_counts = (uint32_t *)(void *)(pinned + CUDA_SLOT_BYTES);
    CUDA_TRY(d, "cudaStreamCreate",
             cudaStreamCreateWithFlags(&slot->stream, cudaStreamNonBlocking));
    CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&slot->started));
    CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&slot->computed));
    CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&slot->done));
    LODE_TRY(cuda_card_need(d->card, CUDA_SLOT_BYTES, "the work lists", &up));
    slot->up = up;
    LODE_TRY(
        cuda_card_need(d->card, CUDA_SLOT_RESULTS * sizeof *slot->counts, "the counts", &counts));
    slot->counts = counts;
done:
    return status;
}

lode_status cuda_ring_open(backend_device *d) {
    lode_status status = LODE_OK;
    void *pinned = NULL;
    LODE_TRY(mem_charge(&d->job->mem, PINNED_BYTES));
    cudaError_t error = cudaMallocHost(&pinned, PINNED_BYTES);
    if (error != cudaSuccess) {
        mem_discharge(&d->job->mem, PINNED_BYTES);
        return cuda_fail(d->job, d->card->index, "cudaMallocHost", error);
    }
    d->slots[0].host_up = pinned;
    for (unsigned i = 0; i < CUDA_SLOTS; i++) {
        LODE_TRY(open_slot(d, &d->slots[i], (uint8_t *)pinned + i * (PINNED_BYTES / CUDA_SLOTS)));
    }
done:
    return status;
}

void cuda_ring_close(backend_device *d) {
    for (unsigned i = 0; i < CUDA_SLOTS; i++) {
        cuda_slot *slot = &d->slots[i];
        cuda_card_free(d->card, slot->up, CUDA_SLOT_BYTES);
        cuda_card_free(d->card, slot->counts, CUDA_SLOT_RESULTS * sizeof *slot->counts);
        if (slot->started) (void)cudaEventDestroy(slot->started);
        if (slot->computed) (void)cudaEventDestroy(slot->computed);
        if (slot->done) (void)cudaEventDestroy(slot->done);
        if (slot->stream) (void)cudaStreamDestroy(slot->stream);
    }
    if (!d->slots[0].host_up) return;
    (void)cudaFreeHost(d->slots[0].host_up);
    mem_discharge(&d->job->mem, PINNED_BYTES);
}

/* Adds the time of a slot's kernels to the clock; they must be done. */
static lode_status read_clock(backend_device *d, cuda_slot *slot) {
    lode_status status = LODE_OK;
    float milliseconds = 0;
    CUDA_TRY(d, "cudaEventElapsedTime",
             cudaEventElapsedTime(&milliseconds, slot->started, slot->computed));
    d->counters.kernel_seconds += (double)milliseconds / 1000;
done:
    return status;
}

/* Waits for a slot and takes its counts. */
static lode_status finish_slot(backend_device *d, cuda_slot *slot, uint32_t *counts) {
    lode_status status = LODE_OK;
    if (slot->n == 0) return LODE_OK;
    CUDA_TRY(d, "cudaEventSynchronize", cudaEventSynchronize(slot->done));
    memcpy(counts + slot->first, slot->host_counts, slot->n * sizeof *counts);
    LODE_TRY(read_clock(d, slot));
done:
    slot->n = 0;
    return status;
}

/* Queues a chunk of a batch; its kernels run after those of slot `before`. */
static lode_status start_slot(backend_device *d, cuda_slot *slot, const cuda_slot *before,
                              const cuda_batch *b) {
    lode_status status = LODE_OK;
    size_t bytes = slot->n * b->width;
    size_t back = slot->n * sizeof *slot->counts;
    memcpy(slot->host_up, (const uint8_t *)b->records + slot->first * b->width, bytes);
    CUDA_TRY(d, "cudaMemcpyAsync",
             cudaMemcpyAsync(slot->up, slot->host_up, bytes, cudaMemcpyHostToDevice, slot->stream));
    if (before) {
        CUDA_TRY(d, "cudaStreamWaitEvent", cudaStreamWaitEvent(slot->stream, before->computed, 0));
    }
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->started, slot->stream));
    CUDA_TRY(d, "kernel launch", b->launch(b->arg, slot));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->computed, slot->stream));
    CUDA_TRY(d, "cudaMemcpyAsync",
             cudaMemcpyAsync(slot->host_counts, slot->counts, back, cudaMemcpyDeviceToHost,
                             slot->stream));
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(slot->done, slot->stream));
    d->counters.bytes_up += bytes;
    d->counters.bytes_down += back;
done:
    return status;
}

lode_status cuda_ring_run(backend_device *d, const cuda_batch *b) {
    lode_status status = LODE_OK;
    size_t chunk = CUDA_SLOT_BYTES / b->width, n = b->n;
    unsigned turn = 0;
    if (chunk > CUDA_SLOT_RESULTS) chunk = CUDA_SLOT_RESULTS;
    if (chunk == 0)
        return job_fail(d->job, LODE_UNSUPPORTED,
                        "a candidate has %zu bytes, which is too large for a GPU", b->width);
    for (size_t first = 0; first < n; first += chunk, turn++) {
        cuda_slot *slot = &d->slots[turn % CUDA_SLOTS];
        LODE_TRY(finish_slot(d, slot, b->counts));
        slot->first = first;
        slot->n = n - first < chunk ? n - first : chunk;
        LODE_TRY(start_slot(d, slot, turn > 0 ? &d->slots[(turn - 1) % CUDA_SLOTS] : NULL, b));
    }
    for (unsigned i = 0; i < CUDA_SLOTS; i++) {
        LODE_TRY(finish_slot(d, &d->slots[turn++ % CUDA_SLOTS], b->counts));
    }
done:
    for (unsigned i = 0; i < CUDA_SLOTS; i++) d->slots[i].n = 0;
    return status;
}

lode_status cuda_ring_settle(backend_device *d) {
    lode_status status = LODE_OK;
    CUDA_TRY(d, "cudaStreamSynchronize", cudaStreamSynchronize(d->slots[0].stream));
    LODE_TRY(read_clock(d, &d->slots[0]));
done:
    return status;
}
