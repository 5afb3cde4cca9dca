/* rowwise.c - see rowwise.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/rows/rowwise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "data/transactions/item_order.h"
#include "itemsets/rows/rowwise_probe.h"
#include "itemsets/rows/rowwise_tuning.h"
#include "itemsets/rows/rowwise_walk.h"
#include "runtime/parallel.h"

typedef struct rowwise {
    engine_task *task;
    rowwise_table table;
    unsigned n_threads;
    tasks tasks;
    _Atomic uint64_t nodes;
} rowwise;

/* ---- threads --------------------------------------------------------------------------------- */

static lode_status walker_open(rowwise_walker *w, rowwise *run, unsigned index) {
    lode_status status = LODE_OK;
    const lode_mine_options *o = run->task->items.options;
    *w = (rowwise_walker){.task = run->task,
                          .job = run->task->job,
                          .table = &run->table,
                          .kernels = rowwise_kernels_pick(),
                          .target = o->target,
                          .numbers = sink_takes_numbers(run->task->sink),
                          .min_size = o->min_size,
                          .max_size = o->max_size,
                          .tasks = run->n_threads > 1 ? &run->tasks : NULL,
                          .owner = index == 0};
    LODE_TRY(rowwise_walker_open(w));
    status = sink_open_worker(run->task->sink, &w->out);
done:
    return status;
}

static lode_status walker_work(rowwise_walker *w, rowwise *run) {
    lode_status status = LODE_OK;
    tasks_item item;
    bool gives = false;
    if (w->owner) LODE_TRY(rowwise_walk_all(w, 1));
    /* tasks_begin() has counted the start as one task for each thread. */
    while (w->tasks && !(gives = lease_gives(w->job)) && tasks_take(w->tasks, true, &item)) {
        rowwise_take(w, item.record);
        status = rowwise_walk_below(w);
        rowwise_record_free(&run->task->job->mem, item.record);
        LODE_TRY(status);
    }
    if (gives) tasks_leave(w->tasks); /* the others go on */
done:
    return status;
}

static lode_status rowwise_thread(void *arg, unsigned index) {
    rowwise *run = arg;
    lode_status status = LODE_OK;
    rowwise_walker w = {0};
    LODE_TRY(walker_open(&w, run, index));
    status = walker_work(&w, run);
done:
    if (status != LODE_OK && run->n_threads > 1) tasks_abort(&run->tasks);
    progress_flush(&run->task->job->at, &w.told);
    atomic_fetch_add_explicit(&run->nodes, w.nodes, memory_order_relaxed);
    lode_status closed = sink_close_worker(w.out);
    rowwise_walker_close(&w);
    return status != LODE_OK ? status : closed;
}

/* As many threads as there is room for, and one in any case. */
static void rowwise_limit_threads(rowwise *run) {
    const rowwise_table *t = &run->table;
    size_t left = mem_left(&run->task->job->mem);
    run->n_threads = lease_width(run->task->job, run->task->job->threads);
    if (left == SIZE_MAX) return;
    uint64_t most = left / rowwise_walker_need(t->rows.n, t->list.n);
    if (most < run->n_threads) run->n_threads = most > 1 ? (unsigned)most : 1;
}

static lode_status rowwise_run_threads(rowwise *run) {
    tasks_item left;
    rowwise_limit_threads(run);
    tasks_init(&run->tasks);
    tasks_begin(&run->tasks, run->n_threads);
    tasks_close(&run->tasks);
    lode_status status = parallel_run(run->task->job, run->n_threads, true, rowwise_thread, run);
    while (tasks_drain(&run->tasks, &left)) rowwise_record_free(&run->task->job->mem, left.record);
    tasks_clear(&run->tasks);
    return status;
}

/* ---- by shape -------------------------------------------------------------------------------- */

/* Whether the search can do the job at all. */
static bool choose_can(const engine_task *task) {
    lode_target target = task->items.options->target;
    bool closed = target == LODE_TARGET_CLOSED || target == LODE_TARGET_MAXIMAL;
    return closed && !task->items.rules && !task->items.sample &&
           !engine_wants_range(&task->request) && !task->request.divided;
}

/* The decision without looking at the transactions. */
static rowwise_choice rowwise_choose_by_shape(const engine_task *task) {
    const char *forced = getenv("LODE_CROSSWISE");
    if (!choose_can(task) || (forced && strcmp(forced, "never") == 0)) return ROWWISE_NEVER;
    uint32_t rows = rowwise_count_rows(task->items.data);
    if (rows == 0 || rows > ROWWISE_ROWS) return ROWWISE_NEVER;
    uint32_t items = rank_count(task->items.data, task->items.data->item_supports, task->min_count);
    if (items == 0) return ROWWISE_NEVER;
    /* The table takes less than another walker, and so does what probes need. */
    if (3 * rowwise_walker_need(rows, items) > mem_left(&task->job->mem)) return ROWWISE_NEVER;
    if (forced && strcmp(forced, "always") == 0) return ROWWISE_ALWAYS;
    return items >= ROWWISE_ITEMS_PER_ROW * (uint64_t)rows ? ROWWISE_PERHAPS : ROWWISE_NEVER;
}

/* ---- by probing ------------------------------------------------------------------------------ */

/* What a search takes, in nanoseconds. */
static double choose_rows_ns(const rowwise_work *work, unsigned words) {
    bool one = words == 1;
    return work->nodes * ROWWISE_NODE_NS +
           work->tries * (one ? ROWWISE_TRY_NS : ROWWISE_TRY_WORDS_NS) +
           work->words * ROWWISE_WORD_NS;
}

static double choose_items_ns(const rowwise_work *work, bool dense) {
    return work->nodes * ROWWISE_SET_NS + work->tries * ROWWISE_CHILD_NS +
           work->words * (dense ? ROWWISE_DENSE_NS : ROWWISE_SPARSE_NS);
}

/* More and more probes of both kinds, until it is clear or has taken its share. */
static lode_status rowwise_choose_by_probing(engine_task *task, const rowwise_table *table,
                                             bool *pays) {
    lode_status status = LODE_OK;
    rowwise_prober d = {0};
    rowwise_work rows = {0}, items = {0};
    bool enough = false;
    LODE_TRY(rowwise_prober_open(&d, task, table));
    for (unsigned n = 0, until = ROWWISE_PROBES_LEAST; !enough; until *= 2) {
        for (; n < until; n++) {
            LODE_TRY(rowwise_probe_rows(&d, &rows));
            LODE_TRY(rowwise_probe_items(&d, &items));
        }
        double by_rows = choose_rows_ns(&rows, table->rows.words) / n;
        double by_items = choose_items_ns(&items, d.dense) / n;
        double less = by_rows < by_items ? by_rows : by_items, more = by_rows + by_items - less;
        *pays = by_rows < by_items;
        enough = n >= ROWWISE_PROBES_MOST || more > less * (1 + ROWWISE_CLEAR / sqrt(n)) ||
                 d.looked * ROWWISE_WORD_NS > less * ROWWISE_PROBES_SHARE * (less / more);
    }
done:
    rowwise_prober_close(&d, &task->job->mem);
    return status;
}

/* ---- the job --------------------------------------------------------------------------------- */

static void rowwise_explain(const rowwise *run) {
    engine_report *report = run->task->report;
    const rowwise_table *t = &run->table;
    size_t n = strlen(report->why);
    snprintf(report->why + n, sizeof report->why - n,
             "; searches sets of rows: %u rows, %u frequent items in %u different columns",
             t->rows.n, t->n_items, t->list.n);
}

static lode_status rowwise_search(rowwise *run) {
    engine_report *report = run->task->report;
    double start = os_seconds();
    rowwise_explain(run);
    lode_status status = rowwise_run_threads(run);
    report->times.counting += os_seconds() - start;
    report->n_threads = run->n_threads;
    report->n_devices = 1;
    report->frequent_items = run->table.n_items;
    report->nodes = run->nodes;
    return status;
}

lode_status rowwise_run(engine_task *task, bool *done) {
    lode_status status = LODE_OK;
    rowwise run = {.task = task};
    double start = os_seconds();
    *done = false;
    rowwise_choice choice = rowwise_choose_by_shape(task);
    if (choice == ROWWISE_NEVER) return LODE_OK;
    LODE_TRY(rowwise_table_open(&run.table, task));
    bool pays = choice == ROWWISE_ALWAYS;
    if (!pays) LODE_TRY(rowwise_choose_by_probing(task, &run.table, &pays));
    task->report->times.preprocess += os_seconds() - start;
    if (pays) status = rowwise_search(&run);
    *done = pays;
done:
    rowwise_table_close(&run.table, &task->job->mem);
    return status;
}

/* ---- whether to search rowwise --------------------------------------------------------------- */
