/* cpu_graphs.h - graph operations of the CPU backend
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CPU_CPU_GRAPHS_H
#define LODE_DEVICE_CPU_CPU_GRAPHS_H

#include "device/api/graph_ops.h"
#include "runtime/ledger.h"

struct backend_graph_device {
    lode_job *job;
    backend_graphs graphs;
    ledger_account account;
    size_t budget, used, peak;
    backend_graph_found found[BACKEND_GRAPH_LANES];
    backend_counters counters;
    size_t work; /* since the last check for a stop */
};

extern const backend_graph_ops cpu_graph_ops;

#define CPU_GRAPHS_CHECK_EVERY ((size_t)1 << 22) /* comparisons between two checks */

/* Adds `work`, and from time to time checks for a stop. */
LODE_NODISCARD static inline lode_status cpu_graphs_check(backend_graph_device *d, size_t work) {
    d->work += work;
    if (d->work < CPU_GRAPHS_CHECK_EVERY) return LODE_OK;
    d->work = 0;
    return job_check(d->job);
}

#endif
