/* frontier.c - Frontier Expansion: Eclat over bit rows, breadth first as far as it pays; see
 * search.h
 *
 * Problem:  all frequent itemsets, by intersecting vertical bit rows in large batches.
 * Method:   drop infrequent items, rank the others from the rarest, build one bit row each; split
 *           the search into root classes (one per first item); a producer puts them into a bounded
 *           FIFO, and one consumer per device takes classes from there (search.h).
 * Epsilon:  1 is depth first, a class at a time; unlimited is breadth first, a level at a time. In
 *           between, batches are just large enough to keep the device busy. While a consumer has
 *           queued fewer candidates than epsilon, it takes further root classes, but in one batch
 *           no more than its share of the work that is left in them (hook_take_root()).
 * Balance:  a consumer that finds the FIFO empty waits. A consumer that sees another one wait hands
 *           over the oldest class of its stack. The paper does not do that, and says that overlong
 *           branches cost it utilisation.
 * Best for: data with many candidates per class and dense rows.
 * After:    Zhang, Zhang, Bakos: Accelerating frequent itemset mining on graphics processing units,
 *           Journal of Supercomputing, 2013.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/os.h"
#include "itemsets/common/forecast.h"
#include "itemsets/common/prepare.h"
#include "itemsets/frontier/search.h"
#include "runtime/parallel.h"
#include "runtime/tasks.h"

/* Stack, work list and output block of a device, at the least. */
#define HOST_BYTES_PER_DEVICE ((size_t)1 << 20)
#define LIST_SHARE            0.75 /* of the memory that is left; the rest is for the stacks */

typedef struct frontier_result {
    frontier_totals totals;
    uint64_t epsilon;
    uint32_t lists, lists_peak;
} frontier_result;

typedef struct frontier_run {
    engine_task *task;
    vertical v;
    uint32_t first, end; /* ranks of the root classes */
    uint32_t max_lists;  /* per device */
    tasks fifo;
    uint32_t next_root;     /* if one device works alone */
    double *spans;          /* of the root classes, by rank */
    double *rests;          /* the spans from each rank on, added up */
    size_t spans_bytes;     /* of either */
    _Atomic uint32_t taken; /* root classes below this rank have left the FIFO */
    unsigned n_consumers;
    frontier_result *results; /* these two by consumer */
    device_use *uses;
} frontier_run;

/* ---- preprocessing ------------------------------------------------------------------------- */

/* Divides the progress among the root classes, by the candidates that are counted for each and
 * below it. */
static lode_status run_divide(frontier_run *run) {
    lode_status status = LODE_OK;
    mem *m = &run->task->job->mem;
    uint32_t n = run->v.n_items, *supports = NULL;
    size_t bytes = n * sizeof *supports;
    double sum = 0;
    forecast_config config = {.power = 1, .set_work = (double)run->v.words + 50};
    forecast_rows rows = {.rows = run->v.rows, .words = run->v.words};
    run->spans_bytes = ((size_t)n + 1) * sizeof *run->spans;
    LODE_TRY(mem_zalloc(m, (void **)&run->spans, run->spans_bytes));
    LODE_TRY(mem_zalloc(m, (void **)&run->rests, run->spans_bytes));
    LODE_TRY(mem_resize(m, (void **)&supports, 0, bytes));
    for (uint32_t i = 0; i < n; i++) {
        supports[i] = run->v.supports[i] < UINT32_MAX ? (uint32_t)run->v.supports[i] : UINT32_MAX;
    }
    forecast_class c = {.n = n,
                        .supports = supports,
                        .of = run->task->items.data->total_weight,
                        .min_count = run->task->min_count,
                        .max_added = run->task->items.options->max_size - 1};
    forecast_roots(&c, &config, &rows, run->first, run->end, run->spans);
    for (uint32_t i = run->first; i < run->end; i++) sum += run->spans[i] += n - i;
    for (uint32_t i = run->end; i-- > run->first;) {
        run->spans[i] /= sum;
        run->rests[i] = run->rests[i + 1] + run->spans[i];
    }
done:
    mem_free(m, supports, bytes);
    return status;
}

static lode_status run_prepare(frontier_run *run) {
    lode_status status = LODE_OK;
    unsigned n = run->task->plan->n;
    LODE_TRY(prepare_rows(run->task, &run->v, 2 * n, n * HOST_BYTES_PER_DEVICE));
    root_range range = prepare_range(run->task, run->v.n_items);
    run->first = range.first;
    run->end = range.end;
    run->max_lists = prepare_list_limit(run->task, &run->v, n, LIST_SHARE);
    LODE_TRY(run_divide(run));
done:
    return status;
}

/* ---- consumers ----------------------------------------------------------------------------- */

static bool hook_is_hungry(void *user) {
    return tasks_is_hungry(&((frontier_run *)user)->fifo);
}

static bool hook_accept(void *user, frontier_record *record) {
    return tasks_offer(&((frontier_run *)user)->fifo, (tasks_item){.record = record});
}

static lode_status hook_check(void *user) {
    return job_check(((frontier_run *)user)->task->job);
}

/* On the thread of the caller, a check can also report progress. */
static lode_status hook_tick(void *user) {
    return job_tick(((frontier_run *)user)->task->job, 0, 0);
}

static bool hook_never(void *user) {
    (void)user;
    return false;
}

/* A consumer notes that it has a root class now. They leave the FIFO in the order of ranks. */
static uint32_t root_taken(frontier_run *run, uint32_t rank) {
    atomic_store_explicit(&run->taken, rank + 1, memory_order_relaxed);
    return rank;
}

/* The share of a consumer in the work of the root classes: in its first batch, of all of them, so
 * that breadth first every consumer has its part of each level; later, of those that are left. */
static double root_share(frontier_run *run, bool first) {
    uint32_t at = first ? run->first : atomic_load_explicit(&run->taken, memory_order_relaxed);
    return run->rests[at] / run->n_consumers;
}

static bool hook_take_root(void *user, double taken, bool first, uint32_t *rank) {
    frontier_run *run = user;
    tasks_item item;
    if (taken > 0 && taken >= root_share(run, first)) return false;
    if (!tasks_take_more(&run->fifo, &item)) return false;
    *rank = root_taken(run, item.root);
    return true;
}

static bool hook_count_root(void *user, double taken, bool first, uint32_t *rank) {
    frontier_run *run = user;
    (void)taken;
    (void)first;
    if (run->next_root == run->end) return false;
    *rank = run->next_root++;
    return true;
}

static lode_status search_task(frontier_run *run, frontier_search *s, tasks_item item) {
    mem *m = &run->task->job->mem;
    if (item.record) {
        lode_status status = frontier_search_record(s, item.record);
        frontier_record_free(m, item.record);
        return status;
    }
    return frontier_search_root(s, root_taken(run, item.root));
}

static device_use use_of(const frontier_totals *t) {
    return (device_use){.batches = t->batches,
                        .bytes_up = t->device.bytes_up,
                        .bytes_down = t->device.bytes_down,
                        .memory_peak = t->device.memory_peak,
                        .start = t->start_seconds,
                        .transfer = t->transfer_seconds,
                        .candidate = t->candidate_seconds,
                        .counting = t->counting_seconds,
                        .output = t->output_seconds,
                        .busy = t->busy_seconds};
}

/* Keeps what the report needs, and closes the search. */
static lode_status search_end(frontier_run *run, frontier_search *s, unsigned consumer,
                              lode_status status) {
    frontier_result *r = &run->results[consumer];
    if (s) {
        r->totals = frontier_search_totals(s);
        r->epsilon = frontier_search_epsilon(s);
        r->lists = frontier_search_pool(s)->limit;
        r->lists_peak = frontier_search_pool(s)->peak;
    }
    double start = os_seconds();
    lode_status closed = frontier_search_free(s);
    r->totals.output_seconds += os_seconds() - start;
    run->uses[consumer] = use_of(&r->totals);
    return status != LODE_OK ? status : closed;
}

static lode_status consume(frontier_run *run, unsigned consumer) {
    lode_status status = LODE_OK;
    frontier_search *s = NULL;
    frontier_hooks hooks = {run,        hook_is_hungry, hook_accept, hook_take_root,
                            run->spans, hook_check};
    tasks_item item;
    LODE_TRY(frontier_search_create(&s, run->task, &run->v, run->task->plan->slots[consumer],
                                    run->max_lists, hooks));
    if (consumer == 0) LODE_TRY(frontier_search_items(s, run->first, run->end));
    bool again = false, gives = false;
    while (!(gives = consumer > 0 && lease_gives(run->task->job)) &&
           tasks_take(&run->fifo, again, &item)) {
        LODE_TRY(search_task(run, s, item));
        again = true;
    }
    if (gives && again) tasks_leave(&run->fifo); /* the others go on */
done:
    if (status != LODE_OK) tasks_abort(&run->fifo);
    return search_end(run, s, consumer, status);
}

/* ---- the producer -------------------------------------------------------------------------- */

static lode_status produce(frontier_run *run) {
    lode_status status = LODE_OK;
    bool search = run->task->items.options->max_size >= 2;
    for (uint32_t rank = run->first; search && rank < run->end;) {
        rank += tasks_put(&run->fifo, (tasks_item){.root = rank});
        LODE_TRY(hook_tick(run));
        if (tasks_is_aborted(&run->fifo)) break;
    }
    tasks_close(&run->fifo);
    while (!tasks_wait_end(&run->fifo)) LODE_TRY(hook_tick(run));
done:
    if (status != LODE_OK) tasks_abort(&run->fifo);
    return status;
}

/* Thread 0 is the caller's and produces; thread i consumes on device i - 1. */
static lode_status frontier_thread(void *arg, unsigned worker) {
    return worker == 0 ? produce(arg) : consume(arg, worker - 1);
}

static lode_status run_side_by_side(frontier_run *run) {
    tasks_init(&run->fifo);
    lease_rest(run->task->job); /* the producer sleeps nearly all the time */
    lode_status status =
        parallel_run(run->task->job, run->n_consumers + 1, true, frontier_thread, run);
    lease_resume(run->task->job);
    tasks_item left;
    while (tasks_drain(&run->fifo, &left)) frontier_record_free(&run->task->job->mem, left.record);
    tasks_clear(&run->fifo);
    return status;
}

/* One device needs neither queue nor threads. */
static lode_status run_alone(frontier_run *run) {
    lode_status status = LODE_OK;
    frontier_search *s = NULL;
    frontier_hooks hooks = {run, hook_never, NULL, hook_count_root, run->spans, hook_tick};
    LODE_TRY(frontier_search_create(&s, run->task, &run->v, run->task->plan->slots[0],
                                    run->max_lists, hooks));
    LODE_TRY(frontier_search_items(s, run->first, run->end));
    if (run->task->items.options->max_size < 2) goto done;
    for (run->next_root = run->first; run->next_root < run->end;) {
        LODE_TRY(search_task(run, s, (tasks_item){.root = run->next_root++}));
    }
done:
    return search_end(run, s, 0, status);
}

static lode_status run_thread_alone(void *arg, unsigned worker) {
    (void)worker;
    return run_alone(arg);
}

/* ---- the report ---------------------------------------------------------------------------- */

static void report_consumer(engine_report *report, const frontier_result *r) {
    report->candidates_generated += r->totals.candidates;
    report->candidates_counted += r->totals.counted;
    report->lists_rebuilt += r->totals.rebuilt;
    report->lists_allowed += r->lists;
    if (r->lists_peak > report->lists_peak) report->lists_peak = r->lists_peak;
    report->epsilon = r->epsilon > report->epsilon ? r->epsilon : report->epsilon;
    report->rows_read += r->totals.device.rows_read;
    report->rows_written += r->totals.device.rows_written;
}

static void frontier_report(const frontier_run *run) {
    engine_report *report = run->task->report;
    unsigned n = run->n_consumers;
    uint64_t rows_before =
        report->rows_read + report->rows_written; /* of earlier runs, in which … */
    report->lists_allowed = 0;
    device_report_add(report, run->uses, n);
    for (unsigned i = 0; i < n; i++) report_consumer(report, &run->results[i]);
    report->n_threads = n;
    report->frequent_items = run->v.n_items;
    report->list_bytes = run->v.words * sizeof *run->v.rows;
    uint64_t rows = report->rows_read + report->rows_written - rows_before;
    device_report_bytes(report, (double)report->counting_bytes + /* … these may have been shorter */
                                    (double)rows * (double)report->list_bytes);
}

static lode_status frontier_run_task(engine_task *task) {
    lode_status status = LODE_OK;
    frontier_run run = {.task = task};
    mem *m = &task->job->mem;
    mem_kept kept = {0};
    double start = os_seconds();

    LODE_TRY(mem_keep_zero(m, &kept, (void **)&run.results, task->plan->n * sizeof *run.results));
    LODE_TRY(mem_keep_zero(m, &kept, (void **)&run.uses, task->plan->n * sizeof *run.uses));
    LODE_TRY(run_prepare(&run));
    task->report->times.preprocess = os_seconds() - start;
    run.n_consumers = lease_width(task->job, task->plan->n);
    status = run.n_consumers > 1 ? run_side_by_side(&run)
                                 : parallel_run(task->job, 1, true, run_thread_alone, &run);
    frontier_report(&run);
done:
    mem_free(m, run.spans, run.spans_bytes);
    mem_free(m, run.rests, run.spans_bytes);
    vertical_clear(&run.v);
    mem_drop(m, &kept);
    return status;
}

static uint64_t frontier_need(const engine_sizes *s) {
    return engine_need_rows(s) + s->threads * (HOST_BYTES_PER_DEVICE + HOST_BYTES_PER_DEVICE / 8);
}

/* All pairs of the frequent items, over whole rows. */
static double frontier_estimate(const engine_task *task) {
    double n = (double)task->items.data->profile.n_items;
    return n * n / 2 * (double)task->items.data->profile.n_transactions / 64;
}

const lode_engine lode_engine_frontier = {
    .name = "frontier",
    .summary = "Frontier Expansion: Eclat over bit rows, in batches of candidates (--epsilon).",
    .oracle = false,
    .weights = false,
    .ranges = true,
    .parts = true,
    .uses = ENGINE_DEVICES | ENGINE_EPSILON | ENGINE_LISTS,
    .estimate = frontier_estimate,
    .need = frontier_need,
    .prepare = prepare_engine_rows,
    .run = frontier_run_task,
};
