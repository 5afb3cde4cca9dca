/* prepare.h - the common first steps of all miners over bit rows
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

/* Records in the report whether the data of the job were built, extended or reused. */
void prepare_report(const engine_task *task, prepared_origin origin);

/* How much memory is left. If that is less than needed, first frees unused prepared data. */
size_t prepare_left(const engine_task *task, size_t needed);

/* Ranked items and their rows, shared with other jobs on the data. If the budget cannot hold them
 * and `extra_rows` more rows and `extra_bytes`, fails with the number that is needed. */
LODE_NODISCARD lode_status prepare_rows(const engine_task *task, vertical *v, size_t extra_rows,
                                        size_t extra_bytes);

/* For the engine table: prepares the rows. */
LODE_NODISCARD lode_status prepare_engine_rows(engine_task *task);

/* The maximum lists in host memory for each of n devices: as requested, or `share` of what memory
 * allows. */
uint32_t prepare_list_limit(const engine_task *task, const vertical *v, unsigned n_devices,
                            double share);

/* Reserves lists on an open device: up to host_limit of them if they are in host memory, otherwise
 * as many as its own memory holds, shared with the other consumers on it. */
LODE_NODISCARD lode_status prepare_lists(const engine_task *task, const vertical *v,
                                         backend_slot slot, backend_device *device,
                                         uint32_t host_limit, uint32_t *granted);

/* Divides the time of a device operation into counting and transfer. `computed`: seconds of
 * computing by the device's own clock; 0 = it has none, so everything is counting. */
void prepare_split_time(double elapsed, double computed, double *counting, double *transfer);

/* A list of the device, backed; BACKEND_NO_ROW if the pool or the memory budget has none left. If a
 * device has less memory than it seemed, the pool ends there. */
uint32_t prepare_take_list(const lode_backend *backend, backend_device *device, list_pool *pool);

/* ---- the common part of the report of all miners on devices ---------------------------------- */

/* Work of one consumer on its device. */
typedef struct device_use {
    uint64_t batches, bytes_up, bytes_down, memory_peak;
    double start, transfer, candidate, counting, output; /* seconds */
    double busy; /* seconds from its first to its last work */
} device_use;

/* Adds the work of n consumers. Their times become means, and the report says how evenly the work
 * was divided (utilisation: mean of `busy` / maximum). */
void device_report_add(engine_report *report, const device_use *uses, unsigned n);

/* Sets the total bytes of rows read and written by counting, once times.counting is known. */
void device_report_bytes(engine_report *report, double bytes);

#endif
