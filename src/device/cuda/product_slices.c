/* product_slices.c - a root that is larger than the device comes up in slices of its columns
 *
 * Counts, histograms of lattices and rows of children grow from slice to slice. Every operation on
 * the root takes all slices once; frames below it are never sliced.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/os.h"
#include "device/cuda/product_device.h"

/* Packs the slice of as many rows from `row` on as fit half of the pinned memory; returns how
 * many. */
static uint32_t slice_pack_rows(const product_device *d, uint32_t s, uint32_t row, uint8_t *to) {
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
        PRODUCT_TRY(d, "cudaEventSynchronize", cudaEventSynchronize(d->half_done[turn]));
        n = slice_pack_rows(d, s, row, half);
        PRODUCT_TRY(
            d, "cudaMemcpyAsync",
            cudaMemcpyAsync(to + row * width, half, n * width, cudaMemcpyHostToDevice, d->stream));
        PRODUCT_TRY(d, "cudaEventRecord", cudaEventRecord(d->half_done[turn], d->stream));
        d->report.bytes_up += n * width;
    }
    /* The copies must be done before somebody else uses the pinned memory. */
    for (turn = 0; turn < 2; turn++) {
        PRODUCT_TRY(d, "cudaEventSynchronize", cudaEventSynchronize(d->half_done[turn]));
    }
    d->report.slices++;
    d->report.transfer += os_seconds() - start;
done:
    return status;
}
