/* product_slices.c - a root that is larger than the device: its columns come in slices
 *
 * Counts add up over slices, rows of children grow slice by slice, and so do the histograms of
 * cubes. Every operation on the root takes all slices once; below it, nothing is sliced.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/os.h"
#include "cuda/product_device.h"

/* Packs rows of the slice, from `row` on, into `to`, as many as there is room for. */
static uint32_t pack_rows(const product_device *d, uint32_t s, uint32_t row, uint8_t *to) {
    const product_root *root = d->root;
    size_t width = (size_t)d->slice_vectors * 16, length = root->row_words * 8, at = s * width;
    size_t left = at < length ? length - at : 0, there = left < width ? left : width;
    uint32_t most = (uint32_t)(PRODUCT_HALF / width), n = root->n_rows - row;
    if (n > most) n = most;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *from = (const uint8_t *)root->rows + (row + i) * length;
        memcpy(to + i * width, from + (there > 0 ? at : 0), there);
        memset(to + i * width + there, 0, width - there);
    }
    return n;
}

lode_status product_load_slice(product_device *d, uint32_t s) {
    lode_status status = LODE_OK;
    size_t width = (size_t)d->slice_vectors * 16;
    uint8_t *to = (uint8_t *)(uintptr_t)d->frames[0]->view.base;
    double start = os_seconds();
    unsigned turn = 0;
    for (uint32_t row = 0, n = 0; row < d->root->n_rows; row += n, turn ^= 1) {
        uint8_t *half = d->pinned + turn * PRODUCT_HALF;
        CUDA_TRY(d, "cudaEventSynchronize", cudaEventSynchronize(d->half_done[turn]));
        n = pack_rows(d, s, row, half);
        CUDA_TRY(
            d, "cudaMemcpyAsync",
            cudaMemcpyAsync(to + row * width, half, n * width, cudaMemcpyHostToDevice, d->stream));
        CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(d->half_done[turn], d->stream));
        d->report.bytes_up += n * width;
    }
    /* What the pinned memory holds must be gone before others use it. */
    for (turn = 0; turn < 2; turn++) {
        CUDA_TRY(d, "cudaEventSynchronize", cudaEventSynchronize(d->half_done[turn]));
    }
    d->report.slices++;
    d->report.transfer += os_seconds() - start;
done:
    return status;
}
