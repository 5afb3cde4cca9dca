/* pgm_clock.c - events around the kernels of pgm
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/cuda/pgm_clock.h"

lode_status pgm_clock_open(backend_graph_device *d, pgm_clock *c) {
    lode_status status = LODE_OK;
    CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&c->recorded));
    CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&c->sorted));
    for (uint32_t i = 0; i < PGM_CLOCK_COLUMNS; i++) {
        CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&c->began[i]));
        CUDA_TRY(d, "cudaEventCreate", cudaEventCreate(&c->ended[i]));
    }
done:
    return status;
}

void pgm_clock_close(pgm_clock *c) {
    if (c->recorded) (void)cudaEventDestroy(c->recorded);
    if (c->sorted) (void)cudaEventDestroy(c->sorted);
    for (uint32_t i = 0; i < PGM_CLOCK_COLUMNS; i++) {
        if (c->began[i]) (void)cudaEventDestroy(c->began[i]);
        if (c->ended[i]) (void)cudaEventDestroy(c->ended[i]);
    }
}

lode_status pgm_clock_mark(backend_graph_device *d, cudaEvent_t event) {
    lode_status status = LODE_OK;
    CUDA_TRY(d, "cudaEventRecord", cudaEventRecord(event, d->stream));
done:
    return status;
}

lode_status pgm_clock_add(backend_graph_device *d, cudaEvent_t from, cudaEvent_t to,
                          double *seconds) {
    lode_status status = LODE_OK;
    float milliseconds = 0;
    CUDA_TRY(d, "cudaEventElapsedTime", cudaEventElapsedTime(&milliseconds, from, to));
    *seconds += (double)milliseconds / 1000;
done:
    return status;
}

lode_status pgm_clock_column_begins(backend_graph_device *d, pgm_clock *c) {
    lode_status status = LODE_OK;
    if (c->n_columns == PGM_CLOCK_COLUMNS) LODE_TRY(pgm_clock_settle(d, c));
    LODE_TRY(pgm_clock_mark(d, c->began[c->n_columns]));
done:
    return status;
}

lode_status pgm_clock_column_ends(backend_graph_device *d, pgm_clock *c) {
    lode_status status = LODE_OK;
    LODE_TRY(pgm_clock_mark(d, c->ended[c->n_columns]));
    c->n_columns++;
done:
    return status;
}

lode_status pgm_clock_settle(backend_graph_device *d, pgm_clock *c) {
    lode_status status = LODE_OK;
    double seconds = 0;
    uint32_t n = c->n_columns;
    c->n_columns = 0;
    if (n == 0) return LODE_OK;
    CUDA_TRY(d, "cudaEventSynchronize", cudaEventSynchronize(c->ended[n - 1]));
    for (uint32_t i = 0; i < n; i++) {
        LODE_TRY(pgm_clock_add(d, c->began[i], c->ended[i], &seconds));
    }
    c->times.column += seconds;
    d->counters.kernel_seconds += seconds;
done:
    return status;
}
