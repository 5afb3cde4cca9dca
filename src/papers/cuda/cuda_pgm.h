/* cuda_pgm.h - timing of the steps of pgm on a GPU
 *
 * A search is timed when its results arrive. Columns are queued without waiting: the events around
 * them are read after the next search has waited, or when the times are requested.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_CUDA_CUDA_PGM_H
#define LODE_PAPERS_CUDA_CUDA_PGM_H

#include "device/api/pgm_shapes.h"
#include "device/cuda/graph_device.h"

typedef struct pgm_clock {
    cudaEvent_t recorded, sorted; /* within a search: records are written, and sorted */
    pgm_times times;
} pgm_clock;

LODE_NODISCARD lode_status pgm_clock_open(backend_graph_device *d, pgm_clock *c);
void pgm_clock_close(pgm_clock *c);

LODE_NODISCARD lode_status pgm_clock_mark(backend_graph_device *d, cudaEvent_t event);
/* Adds the time between two events that have happened. */
LODE_NODISCARD lode_status pgm_clock_add(backend_graph_device *d, cudaEvent_t from, cudaEvent_t to,
                                         double *seconds);

#endif
