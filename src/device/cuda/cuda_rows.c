/* cuda_rows.c - the CUDA backend's operations on bit rows; see device.h
 * SPDX-License-Identifier: Apache-2.0 */

#include "device/cuda/device.h"

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
    _Static_assert(sizeof(cuda_work) == sizeof(backend_work), "the kernels read backend_work");
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
