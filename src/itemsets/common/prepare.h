/* prepare.h - what every miner over bit rows does first
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_COMMON_PREPARE_H
#define LODE_ITEMSETS_COMMON_PREPARE_H

#include "data/transactions/vertical.h"
#include "pipeline/engine/item_task.h"
#include "runtime/list_pool.h"

/* Ranks the frequent items, by supports over all parts of a shared job. */
LODE_NODISCARD lode_status prepare_rank(const engine_task *task, vertical *v);

/* The root classes to search, of n_items: classes [first, end), by the rank of their first item. */
typedef struct root_range {
    uint32_t first, end;
} root_range;
root_range prepare_range(const engine_task *task, uint32_t n_items);

/* Says in the report whether what the job starts from was built, extended or reused. */
void prepare_report(const engine_task *task, prepared_origin origin);

/* How much memory is left. If that is less than needed, first frees prepared data that is not in
 * use. */
size_t prepare_left(const engine_task *task, size_t needed);

/* Ranked items and their rows, shared with other jobs on the data. Fails with the number if the
 * budget cannot hold them and `extra_rows` more rows and `extra_bytes`. */
LODE_NODISCARD lode_status prepare_rows(const engine_task *task, vertical *v, size_t extra_rows,
                                        size_t extra_bytes);

/* For the engine table: all that a miner over bit rows prepares. */
LODE_NODISCARD lode_status prepare_engine_rows(engine_task *task);

/* How many lists in the memory of the host each of n devices may have: what was asked for, or
 * `share` of what memory allows. */
uint32_t prepare_list_limit(const engine_task *task, const vertical *v, unsigned n_devices,
                            double share);

/* Finds room for lists on an open device: up to host_limit of them if they lie in the memory of the
 * host, else as many as its own memory holds, shared with the other consumers on it. */
LODE_NODISCARD lode_status prepare_lists(const engine_task *task, const vertical *v,
                                         backend_slot slot, backend_device *device,
                                         uint32_t host_limit, uint32_t *granted);

/* Divides the time of a device operation into counting and transfer. `computed`: seconds of
 * computing by the device's own clock; 0 if it has none, and all is counting. */
void prepare_split_time(double elapsed, double computed, double *counting, double *transfer);

/* A list of the device, backed; BACKEND_NO_ROW when the pool or the memory budget has none left. A
 * device that has less memory than it seemed ends the pool there. */
uint32_t prepare_take_list(const lode_backend *backend, backend_device *device, list_pool *pool);

/* ---- the part of the report that all miners on devices have in common ------------------------ */

/* What one consumer did on its device. */
typedef struct device_use {
    uint64_t batches, bytes_up, bytes_down, memory_peak;
    double transfer, candidate, counting, output; /* seconds */
    double busy;                                  /* seconds from its first to its last work */
} device_use;

/* Adds what n consumers did. Their times become means, and the report says how evenly the work was
 * divided (utilisation: mean of `busy` over the longest). */
void device_report_add(engine_report *report, const device_use *uses, unsigned n);

/* Counting has read and written this many bytes of rows in all; after times.counting is known. */
void device_report_bytes(engine_report *report, double bytes);

#endif
