/* cuda_fetch.c - results on their way from a GPU, through the pinned memory of its first slot
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "papers/cuda/cuda_papers.h"

lode_status cuda_fetch(backend_device *d, void *host, const void *from, size_t bytes) {
    lode_status status = LODE_OK;
    cuda_slot *slot = &d->slots[0];
    for (size_t done_bytes = 0; done_bytes < bytes;) {
        size_t piece = bytes - done_bytes < CUDA_SLOT_BYTES ? bytes - done_bytes : CUDA_SLOT_BYTES;
        CUDA_TRY(d, "cudaMemcpyAsync",
                 cudaMemcpyAsync(slot->host_up, (const uint8_t *)from + done_bytes, piece,
                                 cudaMemcpyDeviceToHost, slot->stream));
        CUDA_TRY(d, "cudaStreamSynchronize", cudaStreamSynchronize(slot->stream));
        memcpy((uint8_t *)host + done_bytes, slot->host_up, piece);
        done_bytes += piece;
    }
    d->counters.bytes_down += bytes;
done:
    return status;
}

#define TOTALS_BYTES 64 /* at the start of the pinned memory */

/* Queues the copy of the first `n` entries of each array after the totals. */
static lode_status fetch_queue_arrays(backend_device *d, const cuda_counted *c, size_t n) {
    lode_status status = LODE_OK;
    cuda_slot *slot = &d->slots[0];
    size_t at = TOTALS_BYTES;
    for (size_t i = 0; i < c->n_arrays; i++) {
        CUDA_TRY(d, "cudaMemcpyAsync",
                 cudaMemcpyAsync(slot->host_up + at, c->arrays[i].from, n * c->arrays[i].width,
                                 cudaMemcpyDeviceToHost, slot->stream));
        at += n * c->arrays[i].width;
    }
    d->counters.bytes_down += at;
done:
    return status;
}

lode_status cuda_fetch_counted(backend_device *d, const cuda_counted *c) {
    lode_status status = LODE_OK;
    cuda_slot *slot = &d->slots[0];
    size_t width = 0, at = TOTALS_BYTES;
    for (size_t i = 0; i < c->n_arrays; i++) width += c->arrays[i].width;
    size_t room = (CUDA_SLOT_BYTES - TOTALS_BYTES) / width, first = c->most < room ? c->most : room;
    CUDA_TRY(d, "cudaMemcpyAsync",
             cudaMemcpyAsync(slot->host_up, c->from, c->n_totals * sizeof *c->totals,
                             cudaMemcpyDeviceToHost, slot->stream));
    LODE_TRY(fetch_queue_arrays(d, c, first));
    CUDA_TRY(d, "cudaStreamSynchronize", cudaStreamSynchronize(slot->stream));
    memcpy(c->totals, slot->host_up, c->n_totals * sizeof *c->totals);
    size_t n = c->totals[c->n_totals - 1], here = n < first ? n : first;
    for (size_t i = 0; i < c->n_arrays; i++) {
        memcpy(c->arrays[i].host, slot->host_up + at, here * c->arrays[i].width);
        at += first * c->arrays[i].width;
    }
    for (size_t i = 0; i < c->n_arrays && n > first; i++) {
        size_t w = c->arrays[i].width;
        LODE_TRY(cuda_fetch(d, (uint8_t *)c->arrays[i].host + first * w,
                            (const uint8_t *)c->arrays[i].from + first * w, (n - first) * w));
    }
done:
    return status;
}
