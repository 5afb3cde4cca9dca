/* prepare.c - see prepare.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/common/prepare.h"

#include <stdio.h>
#include <string.h>

#include "base/host.h"

lode_status prepare_rank(const engine_task *task, vertical *v) {
    lode_status status = LODE_OK;
    lode_job *job = task->job;
    const lode_dataset *data = task->items.data;
    const lode_mine_options *o = task->items.options;
    uint64_t *supports = NULL;
    size_t bytes = o->reduce ? data->item_bound * sizeof *supports : 0;
    LODE_TRY(mem_resize(&job->mem, (void **)&supports, 0, bytes));
    if (bytes > 0) memcpy(supports, data->item_supports, bytes);
    if (o->reduce) LODE_TRY(o->reduce(o->reduce_user, supports, data->item_bound));
    LODE_TRY(
        vertical_rank(job, v, data, o->reduce ? supports : data->item_supports, task->min_count));
done:
    mem_free(&job->mem, supports, bytes);
    return status;
}

root_range prepare_range(const engine_task *task, uint32_t n_items) {
    const lode_mine_options *o = task->items.options;
    root_range r = {.first = o->root_first < n_items ? o->root_first : n_items,
                    .end = o->root_end && o->root_end < n_items ? o->root_end : n_items};
    if (r.end < r.first) r.end = r.first;
    return r;
}

void prepare_report(const engine_task *task, prepared_origin origin) {
    snprintf(task->report->prepared, sizeof task->report->prepared, "%s",
             prepared_origin_text(origin));
}

size_t prepare_left(const engine_task *task, size_t needed) {
    size_t left = mem_left(&task->job->mem);
    if (needed <= left) return left;
    prepared_reclaim(task->items.data->prepared); /* other jobs may never need it again */
    return mem_left(&task->job->mem);
}

/* Fails with the number of bytes if the budget cannot hold the rows of n items and the rest. */
static lode_status prepare_check_room(const engine_task *task, uint32_t n, size_t extra_rows,
                                      size_t extra_bytes) {
    lode_job *job = task->job;
    size_t row_bytes = vertical_row_bytes(task->items.data->profile.n_transactions);
    size_t needed = (n + extra_rows) * row_bytes + extra_bytes +
                    task->items.data->item_bound * sizeof(uint32_t);
    if (needed <= prepare_left(task, needed)) return LODE_OK;
    return job_over_budget(job, mem_used(mem_tightest(&job->mem)) + needed,
                           "mining with the data and %u bit rows of %zu bytes each", n, row_bytes);
}

/* For a job that is shared among processes. Supports are counted over all parts, so the job cannot
 * use shared rows and makes its own. */
static lode_status prepare_own_rows(const engine_task *task, vertical *v, size_t extra_rows,
                                    size_t extra_bytes) {
    lode_status status = LODE_OK;
    LODE_TRY(prepare_rank(task, v));
    LODE_TRY(prepare_check_room(task, v->n_items, extra_rows, extra_bytes));
    status = vertical_fill(task->job, v, task->items.data);
done:
    return status;
}

lode_status prepare_rows(const engine_task *task, vertical *v, size_t extra_rows,
                         size_t extra_bytes) {
    lode_status status = LODE_OK;
    prepared_origin origin = PREPARED_BUILT;
    if (task->items.options->reduce) return prepare_own_rows(task, v, extra_rows, extra_bytes);
    bool is_there = vertical_is_there(task->items.data, task->min_count);
    uint32_t n = is_there ? 0 : vertical_count(task->items.data, task->min_count);
    LODE_TRY(prepare_check_room(task, n, extra_rows, extra_bytes));
    LODE_TRY(vertical_take(task->job, v, task->items.data, task->min_count, &origin));
    prepare_report(task, origin);
done:
    return status;
}

lode_status prepare_engine_rows(engine_task *task) {
    vertical v = {0};
    lode_status status = prepare_rows(task, &v, 0, 0);
    vertical_clear(&v);
    return status;
}

/* How many lists fit this many bytes, unless the user has asked for a number; at least one. */
static uint32_t lists_in(const engine_task *task, const vertical *v, double bytes) {
    size_t row_bytes = v->words * sizeof *v->rows;
    uint64_t limit = task->items.options->max_lists;
    if (limit == 0) limit = row_bytes ? (uint64_t)(bytes / (double)row_bytes) : UINT32_MAX;
    uint64_t most = UINT32_MAX - 1 - v->n_items; /* row numbers are 32 bits */
    return limit == 0 ? 1 : limit < most ? (uint32_t)limit : (uint32_t)most;
}

uint32_t prepare_list_limit(const engine_task *task, const vertical *v, unsigned n_devices,
                            double share) {
    size_t left = mem_left(&task->job->mem);
    double room = left == SIZE_MAX ? (double)host_read_memory("").available / 2 : (double)left;
    return lists_in(task, v, room * share / n_devices);
}

/* How many consumers use the same device. */
static unsigned count_sharing(const backend_plan *plan, backend_slot slot) {
    unsigned n = 0;
    for (unsigned i = 0; i < plan->n; i++) {
        n += plan->slots[i].backend == slot.backend && plan->slots[i].index == slot.index;
    }
    return n;
}

lode_status prepare_lists(const engine_task *task, const vertical *v, backend_slot slot,
                          backend_device *device, uint32_t host_limit, uint32_t *granted) {
    size_t room = slot.backend->list_room(device);
    uint32_t wanted = host_limit;
    if (room != SIZE_MAX)
        wanted = lists_in(task, v, (double)room / count_sharing(task->plan, slot));
    return slot.backend->reserve_lists(device, wanted, granted);
}

void prepare_split_time(double elapsed, double computed, double *counting, double *transfer) {
    if (computed <= 0 || computed > elapsed) computed = elapsed;
    *counting += computed;
    *transfer += elapsed - computed;
}

uint32_t prepare_take_list(const lode_backend *backend, backend_device *device, list_pool *pool) {
    if (list_pool_is_empty(pool)) return BACKEND_NO_ROW;
    if (!list_pool_has_returned(pool)) {
        if (list_pool_prepare(pool) != LODE_OK) return BACKEND_NO_ROW;
        if (backend->back_lists(device, pool->fresh + 1) != LODE_OK) {
            /* Other programs use the rest of the device memory. Asking for it again at every
             * candidate would cost more than the lists are worth. */
            if (backend->list_room(device) != SIZE_MAX) pool->limit = pool->fresh;
            return BACKEND_NO_ROW;
        }
    }
    return list_pool_take(pool);
}

/* ---- the part of the report that all miners on devices have in common ------------------------ */

void device_report_add(engine_report *report, const device_use *uses, unsigned n) {
    double sum = 0, longest = 0;
    for (unsigned i = 0; i < n; i++) {
        const device_use *u = &uses[i];
        report->batches += u->batches;
        report->bytes_up += u->bytes_up;
        report->bytes_down += u->bytes_down;
        if (u->memory_peak > report->device_memory_peak) {
            report->device_memory_peak = u->memory_peak;
        }
        report->start_seconds += u->start / n;
        report->times.transfer += u->transfer / n;
        report->times.candidate += u->candidate / n;
        report->times.counting += u->counting / n;
        report->times.output += u->output / n;
        sum += u->busy;
        if (u->busy > longest) longest = u->busy;
    }
    report->utilisation = longest > 0 ? sum / (n * longest) : 1;
    report->n_devices = n;
}

void device_report_bytes(engine_report *report, double bytes) {
    double seconds = report->times.counting;
    report->counting_bytes = (uint64_t)bytes;
    report->counting_bandwidth =
        seconds > 0 ? (uint64_t)((double)report->counting_bytes / seconds) : 0;
}
