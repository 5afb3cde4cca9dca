/* cuda_buffers.c - device memory that grows; see device.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/device.h"

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
