/* prepare.h - the common first steps of all miners over bit rows
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_COMMON_PREPARE_H
#define LODE_ITEMSETS_COMMON_PREPARE_H

#include "data/transactions/vertical.h"
#include "pipeline/engine/item_task.h"
#include "runtime/list_pool.h"

/* Ranks the frequent items of the task. If the job is divided among processes (options->reduce),
 * their supports are those over all parts of the data. */
LODE_NODISCARD lode_status prepare_rank(const engine_task *task, vertical *v);

/* The root classes to search: those whose first item has a rank in [first, end). */
typedef struct root_range {
    uint32_t first, end;
} root_range;
root_range prepare_range(const engine_task *task, uint32_t n_items);

/* Records in the report whether the data of the job were built, extended or reused. */
void prepare_report(const engine_task *task, prepared_origin origin);

/* Returns the bytes that the memory budget has left. If they are fewer than needed, first frees
 * unused prepared data. */
size_t prepare_left(const engine_task *task, size_t needed);

/* Takes the ranked items and their rows, which are shared with other jobs on the data (but not if
 * the job is divided among processes). The budget must have room for the rows, for `extra_rows`
 * more rows and for `extra_bytes`; otherwise the job fails with a message that says how many bytes
 * are needed. */
LODE_NODISCARD lode_status prepare_rows(const engine_task *task, vertical *v, size_t extra_rows,
                                        size_t extra_bytes);

/* For the table of an engine (lode_engine.prepare): prepares the rows for later jobs. */
LODE_NODISCARD lode_status prepare_engine_rows(engine_task *task);

/* Returns how many lists each of n devices may have in host memory: as many as the user has asked
 * for or, if the user has not, as many as fit in the fraction `share` of the memory that is
 * left. */
uint32_t prepare_list_limit(const engine_task *task, const vertical *v, unsigned n_devices,
                            double share);

/* Reserves lists on an open device, and sets *granted to their number. If the device keeps lists in
 * host memory, it gets up to host_limit lists; otherwise as many as fit in this consumer's part of
 * the device memory. */
LODE_NODISCARD lode_status prepare_lists(const engine_task *task, const vertical *v,
                                         backend_slot slot, backend_device *device,
                                         uint32_t host_limit, uint32_t *granted);

/* Divides the `elapsed` seconds of a device operation into counting and transfer, and adds the
 * parts to *counting and *transfer. `computed`: seconds of computing by the device's own clock; 0 =
 * the device has no clock, so everything is counting. */
void prepare_split_time(double elapsed, double computed, double *counting, double *transfer);

/* Takes a list from the pool, with memory for the list on the device. Returns BACKEND_NO_ROW if the
 * pool has no list left, or there is no memory for another list. If the device's own memory has run
 * out, the limit of the pool is lowered to the number of lists that have memory. */
uint32_t prepare_take_list(const lode_backend *backend, backend_device *device, list_pool *pool);

/* ---- the common part of the report of all miners on devices ---------------------------------- */

/* Work of one consumer on its device; bytes_up and bytes_down are transfers to and from it. */
typedef struct device_use {
    uint64_t batches, bytes_up, bytes_down, memory_peak;
    double start, transfer, candidate, counting, output; /* seconds */
    double busy; /* seconds from its first to its last work */
} device_use;

/* Adds the work of n consumers to the report. Times in the report are means over the consumers. The
 * utilisation in the report is the mean of `busy` divided by its maximum, which shows how evenly
 * the work was divided. */
void device_report_add(engine_report *report, const device_use *uses, unsigned n);

/* Reports the total bytes of rows that counting has read and written, and the resulting bandwidth.
 * Call this when report->times.counting is known. */
void device_report_bytes(engine_report *report, double bytes);

#endif
