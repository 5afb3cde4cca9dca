/* cpu_graphs.h - device/api/graph_ops.h on the CPU; also used by pgm on the CPU (src/papers)
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CPU_CPU_GRAPHS_H
#define LODE_DEVICE_CPU_CPU_GRAPHS_H

#include "device/api/graph_ops.h"
#include "runtime/ledger.h"

struct backend_graph_device {
    lode_job *job;
    backend_graphs graphs;  /* the arrays belong to the caller of open() */
    ledger_account account; /* of this job, for this device (runtime/ledger.h) */
    /* Bytes: --device-memory (SIZE_MAX = not given); allocated now by alloc(); most so far. */
    size_t budget, used, peak;
    backend_graph_found found[BACKEND_GRAPH_LANES]; /* by lane: the result of its last extend() */
    backend_counters counters;
    size_t work; /* comparisons since the last check for a stop */
};

extern const backend_graph_ops cpu_graph_ops;

#define CPU_GRAPHS_CHECK_EVERY ((size_t)1 << 22) /* comparisons between two checks */

/* Adds `work` comparisons, and from time to time checks whether the job must stop. If it must,
 * returns the status of job_check(). */
LODE_NODISCARD static inline lode_status cpu_graphs_check(backend_graph_device *d, size_t work) {
    d->work += work;
    if (d->work < CPU_GRAPHS_CHECK_EVERY) return LODE_OK;
    d->work = 0;
    return job_check(d->job);
}

#endif
