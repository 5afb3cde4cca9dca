/* partition_data.c - see partition_data.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/partitions/partition_data.h"

#include "data/transactions/project.h"

lode_status partition_data_open(partition_data *d, engine_task *task, const lode_engine *engine,
                                const item_filter *outer) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    *d = (partition_data){.task = task, .engine = engine, .outer = outer};
    LODE_TRY(partition_base_open(&d->base, task));
    size_t n = d->base.n + (outer ? (size_t)outer->n_fixed : 0) + 1;
    size_t n_groups = outer ? (size_t)outer->groups.n : 0;
    LODE_TRY(mem_keep(m, &d->kept, (void **)&d->fixed, n * sizeof *d->fixed));
    LODE_TRY(
        mem_keep(m, &d->kept, (void **)&d->fixed_counts, (n_groups + 1) * sizeof *d->fixed_counts));
    LODE_TRY(mem_keep(m, &d->kept, (void **)&d->drop, task->items.data->item_bound + (size_t)1));
done:
    return status;
}

static void data_forget(partition_data *d) {
    lode_dataset_free(d->made);
    d->made = NULL;
}

void partition_data_close(partition_data *d) {
    data_forget(d);
    sink_set_filter(d->task->sink, d->outer);
    mem_drop(&d->task->job->mem, &d->kept);
    partition_base_close(&d->base);
}

/* ---- the prefix ------------------------------------------------------------------------------ */

/* The sink adds the prefix, together with the items that it adds anyway. */
static void data_set_filter(partition_data *d) {
    const engine_branch *at = &d->at;
    const item_filter *outer = d->outer;
    if (at->n_prefix == 0) {
        sink_set_filter(d->task->sink, outer);
        return;
    }
    uint32_t n = outer ? outer->n_fixed : 0, n_groups = outer ? outer->groups.n : 0;
    d->filter = outer ? *outer : (item_filter){.job = d->task->job, .max_support = UINT64_MAX};
    if (n > 0) memcpy(d->fixed, outer->fixed, n * sizeof *d->fixed);
    memcpy(d->fixed + n, at->prefix, at->n_prefix * sizeof *d->fixed);
    d->filter.fixed = d->fixed;
    d->filter.n_fixed = n + at->n_prefix;
    if (n_groups > 0) {
        memcpy(d->fixed_counts, outer->fixed_counts, n_groups * sizeof *d->fixed_counts);
        for (uint32_t i = 0; i < at->n_prefix && outer->of.starts; i++) {
            select_count(&outer->of, at->prefix[i], d->fixed_counts, 1);
        }
        d->filter.fixed_counts = d->fixed_counts;
    }
    sink_set_filter(d->task->sink, &d->filter);
}

/* Returns the threshold for the next run. Maximal sets keep the threshold of the start: a higher
 * one would make other sets maximal. */
static uint64_t data_least(const engine_task *task) {
    uint64_t now = job_threshold(task->job);
    bool rises = now > task->min_count && task->items.options->target != LODE_TARGET_MAXIMAL;
    return rises ? now : task->min_count;
}

lode_status partition_data_enter(partition_data *d, const engine_branch *of) {
    size_t bytes = of->n_prefix * sizeof *of->prefix;
    if (d->is_at && d->at.n_prefix == of->n_prefix &&
        (bytes == 0 || memcmp(d->at.prefix, of->prefix, bytes) == 0)) {
        return LODE_OK;
    }
    data_forget(d);
    d->is_at = false;
    lode_status status = partition_count(&d->base, of);
    if (status != LODE_OK) return status;
    d->at = *of;
    d->is_at = true;
    d->least = data_least(d->task);
    data_set_filter(d);
    return LODE_OK;
}

/* Whether the target asks for the prefix. */
static bool data_wants_prefix(const partition_data *d) {
    const partition_base *b = &d->base;
    lode_target target = d->task->items.options->target;
    if (b->total < d->least) return false;
    for (uint32_t i = 0; i < b->n && !b->cut; i++) {
        if (target == LODE_TARGET_CLOSED && b->supports[i] == b->total) return false;
        if (target == LODE_TARGET_MAXIMAL && b->supports[i] >= d->least) return false;
    }
    return true;
}

lode_status partition_data_report(partition_data *d) {
    if (d->at.n_prefix == 0 || !data_wants_prefix(d)) return LODE_OK;
    return sink_add_fixed(d->task->sink, d->base.total);
}

/* ---- its transactions ------------------------------------------------------------------------ */

/* Whether an item of this rank is in the data. */
static bool data_has(const partition_data *d, uint32_t rank, uint32_t end) {
    return d->base.supports[rank] >= d->least && (rank < end || !d->base.cut);
}

uint64_t partition_data_bytes(const lode_dataset *data, uint64_t n_rows) {
    uint64_t all = data->profile.n_transactions;
    double share = all > 0 ? (double)n_rows / (double)all : 0;
    uint64_t occurrences = (uint64_t)(share * (double)data->profile.n_occurrences);
    return (n_rows * (data->weights ? 2u : 1u) + occurrences) * sizeof(uint32_t) +
           data->item_bound * sizeof(uint64_t);
}

static lode_status data_make(partition_data *d, uint32_t end) {
    const partition_base *b = &d->base;
    lode_job *job = d->task->job;
    const lode_dataset *whole = d->task->items.data;
    size_t room = (size_t)partition_data_bytes(whole, b->held.n);
    data_forget(d);
    if (mem_left(&job->mem) < room) prepared_reclaim(whole->prepared);
    memset(d->drop, 1, whole->item_bound);
    for (uint32_t i = 0; i < b->n; i++) d->drop[b->order[i]] = !data_has(d, i, end);
    picked_rows picked = {b->held.data, b->held.n};
    lode_status status = d->at.n_prefix > 0 ? dataset_pick(job, whole, picked, d->drop, &d->made)
                                            : dataset_project(job, whole, NULL, d->drop, &d->made);
    if (status != LODE_OK) return status;
    d->made->order = b->order;
    d->made->n_order = b->n;
    d->end = end;
    return LODE_OK;
}

/* ---- the search ------------------------------------------------------------------------------ */

bool partition_data_takes(const partition_data *d, uint32_t first) {
    if (d->engine->ranges) return true;
    for (uint32_t i = 0; i < first; i++) {
        if (d->base.supports[i] >= d->least) return false;
    }
    return true;
}

/* Brings the data to hand that a range is searched in; NULL: all transactions, as they are. */
static lode_status data_prepare(partition_data *d, uint32_t end, const lode_dataset **out) {
    const partition_base *b = &d->base;
    bool ranges = d->engine->ranges;
    uint32_t above = end;
    while (above < b->n && b->supports[above] < d->task->min_count) above++;
    *out = d->task->items.data;
    if (d->at.n_prefix == 0 && (ranges || above == b->n)) return LODE_OK;
    bool fits = d->made && (ranges ? d->end >= end : d->end == end);
    lode_status status = fits ? LODE_OK : data_make(d, end);
    *out = d->made;
    return status;
}

/* The roots of a range, counted from the rarest item of the data. */
static void data_roots(const partition_data *d, uint32_t first, uint32_t end,
                       lode_mine_options *o) {
    const partition_base *b = &d->base;
    uint32_t above = 0, within = 0;
    if (!d->engine->ranges) return;
    for (uint32_t i = first; i < b->n; i++) {
        bool here = d->made ? data_has(d, i, d->end) : true;
        above += here && i >= end;
        within += here && i < end;
    }
    o->root_first = above;
    o->root_end = above + within;
}

/* Sizes without the prefix, which the sink adds. */
static void data_sizes(const partition_data *d, lode_mine_options *o) {
    uint32_t n = d->at.n_prefix;
    if (o->max_size != UINT32_MAX) o->max_size -= n;
    o->min_size = o->min_size > n ? o->min_size - n : 1;
}

/* Adds the figures known before the run to the report. Engines report some figures for the last run
 * only, and append to the texts in each run. */
static void data_report(partition_data *d, const engine_report *before) {
    engine_report *r = d->task->report;
    r->times.preprocess += before->times.preprocess;
    r->nodes += before->nodes;
    if (before->n_threads > r->n_threads) r->n_threads = before->n_threads;
    r->frequent_items = d->base.n;
    if (d->n_runs++ == 0) return;
    memcpy(r->why, before->why, sizeof r->why);
    memcpy(r->note, before->note, sizeof r->note);
    memcpy(r->prepared, before->prepared, sizeof r->prepared);
}

lode_status partition_data_search(partition_data *d, uint32_t first, uint32_t end) {
    engine_task task = *d->task;
    engine_report before = *d->task->report;
    lode_mine_options o = *d->task->items.options;
    lode_status status = data_prepare(d, end, &task.items.data);
    if (status != LODE_OK) return status;
    data_roots(d, first, end, &o);
    data_sizes(d, &o);
    task.min_count = d->made ? d->least : d->task->min_count;
    task.items.options = &o;
    task.parts.branches = NULL;
    task.request.root_first = o.root_first;
    task.request.root_end = o.root_end;
    task.request.divided = false;
    d->task->report->nodes = 0;
    status = d->engine->run(&task);
    data_report(d, &before);
    return status;
}
