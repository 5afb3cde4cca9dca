/* cpu_graphs.h - the operations on graphs of the CPU backend
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CPU_CPU_GRAPHS_H
#define LODE_CPU_CPU_GRAPHS_H

#include "backend/graph_ops.h"
#include "runtime/ledger.h"

/* An extension of one row (cpu_graph_search.c). */
typedef struct cpu_record {
    backend_extension code;
    uint32_t row, to;
    size_t number; /* in the order of rows, path vertices and half-edges */
} cpu_record;

struct backend_graph_device {
    lode_job *job;
    backend_graphs graphs;
    ledger_seat seat;
    size_t budget, used, peak;
    backend_graph_found found[BACKEND_GRAPH_LANES];
    backend_counters counters;
    size_t work; /* since the last check whether the job is to stop */

    /* search() */
    backend_column last; /* the last column */
    cpu_record *records;
    size_t n_records, records_cap;
    backend_extension *list;
    size_t n_list, list_cap;
    uint32_t *row; /* vertices of the present row */
    size_t row_cap;
};

extern const backend_graph_ops cpu_graph_ops;

#define CPU_GRAPHS_CHECK_EVERY ((size_t)1 << 22) /* comparisons between two checks */

/* Checks from time to time whether the job is to stop, after so much more work. */
LODE_NODISCARD static inline lode_status cpu_graphs_check(backend_graph_device *d, size_t work) {
    d->work += work;
    if (d->work < CPU_GRAPHS_CHECK_EVERY) return LODE_OK;
    d->work = 0;
    return job_check(d->job);
}

LODE_NODISCARD lode_status cpu_search(backend_graph_device *d, const backend_occurrences *o,
                                      const backend_extension **list, uint32_t *n);
LODE_NODISCARD lode_status cpu_search_column(backend_graph_device *d, const backend_extension *e,
                                             uint32_t *idx, uint32_t *vid);
void cpu_search_free(backend_graph_device *d);

#endif
