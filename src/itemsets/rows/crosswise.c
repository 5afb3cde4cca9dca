/* crosswise.c - see crosswise.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/rows/crosswise.h"

#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "itemsets/rows/cross_choose.h"
#include "itemsets/rows/cross_give.h"
#include "runtime/parallel.h"

typedef struct crosswise {
    engine_task *task;
    cross_table table;
    unsigned n_threads;
    tasks tasks;
    _Atomic uint64_t nodes;
} crosswise;

/* ---- threads --------------------------------------------------------------------------------- */

static lode_status walker_open(cross_walker *w, crosswise *run, unsigned index) {
    lode_status status = LODE_OK;
    const lode_mine_options *o = run->task->options;
    *w = (cross_walker){.task = run->task,
                        .job = run->task->job,
                        .table = &run->table,
                        .kernels = cross_kernels_pick(),
                        .target = o->target,
                        .numbers = sink_takes_numbers(run->task->sink),
                        .min_size = o->min_size,
                        .max_size = o->max_size,
                        .tasks = run->n_threads > 1 ? &run->tasks : NULL,
                        .owner = index == 0};
    LODE_TRY(cross_walker_open(w));
    status = sink_open_worker(run->task->sink, &w->out);
done:
    return status;
}

static lode_status walker_work(cross_walker *w, crosswise *run) {
    lode_status status = LODE_OK;
    tasks_item item;
    bool gives = false;
    if (w->owner) LODE_TRY(cross_walk_all(w, 1));
    /* tasks_begin() has counted the start as one task for each thread. */
    while (w->tasks && !(gives = lease_gives(w->job)) && tasks_take(w->tasks, true, &item)) {
        cross_take(w, item.record);
        status = cross_walk_below(w);
        cross_record_free(&run->task->job->mem, item.record);
        LODE_TRY(status);
    }
    if (gives) tasks_leave(w->tasks); /* the others go on */
done:
    return status;
}

static lode_status crosswise_thread(void *arg, unsigned index) {
    crosswise *run = arg;
    lode_status status = LODE_OK;
    cross_walker w = {0};
    LODE_TRY(walker_open(&w, run, index));
    status = walker_work(&w, run);
done:
    if (status != LODE_OK && run->n_threads > 1) tasks_abort(&run->tasks);
    progress_flush(&run->task->job->at, &w.told);
    atomic_fetch_add_explicit(&run->nodes, w.nodes, memory_order_relaxed);
    lode_status closed = sink_close_worker(w.out);
    cross_walker_close(&w);
    return status != LODE_OK ? status : closed;
}

/* As many threads as there is room for, and one in any case. */
static void crosswise_limit_threads(crosswise *run) {
    const cross_table *t = &run->table;
    size_t left = mem_left(&run->task->job->mem);
    run->n_threads = lease_width(run->task->job, run->task->job->threads);
    if (left == SIZE_MAX) return;
    uint64_t most = left / cross_walker_need(t->rows.n, t->list.n);
    if (most < run->n_threads) run->n_threads = most > 1 ? (unsigned)most : 1;
}

static lode_status crosswise_run_threads(crosswise *run) {
    tasks_item left;
    crosswise_limit_threads(run);
    tasks_init(&run->tasks);
    tasks_begin(&run->tasks, run->n_threads);
    tasks_close(&run->tasks);
    lode_status status = parallel_run(run->task->job, run->n_threads, true, crosswise_thread, run);
    while (tasks_drain(&run->tasks, &left)) cross_record_free(&run->task->job->mem, left.record);
    tasks_clear(&run->tasks);
    return status;
}

/* ---- the job --------------------------------------------------------------------------------- */

static void crosswise_explain(const crosswise *run) {
    engine_report *report = run->task->report;
    const cross_table *t = &run->table;
    size_t n = strlen(report->why);
    snprintf(report->why + n, sizeof report->why - n,
             "; searches sets of rows: %u of them, %u frequent items in %u different columns",
             t->rows.n, t->n_items, t->list.n);
}

static lode_status crosswise_search(crosswise *run) {
    engine_report *report = run->task->report;
    double start = os_seconds();
    crosswise_explain(run);
    lode_status status = crosswise_run_threads(run);
    report->times.counting += os_seconds() - start;
    report->n_threads = run->n_threads;
    report->n_devices = 1;
    report->frequent_items = run->table.n_items;
    report->nodes = run->nodes;
    return status;
}

lode_status crosswise_run(engine_task *task, bool *done) {
    lode_status status = LODE_OK;
    crosswise run = {.task = task};
    double start = os_seconds();
    *done = false;
    cross_choice choice = cross_choose_by_shape(task);
    if (choice == CROSS_NEVER) return LODE_OK;
    LODE_TRY(cross_table_open(&run.table, task));
    bool pays = choice == CROSS_ALWAYS;
    if (!pays) LODE_TRY(cross_choose_by_probing(task, &run.table, &pays));
    task->report->times.preprocess += os_seconds() - start;
    if (pays) status = crosswise_search(&run);
    *done = pays;
done:
    cross_table_close(&run.table, &task->job->mem);
    return status;
}
