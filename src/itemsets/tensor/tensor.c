/* tensor.c - Eclat by products of bit matrices: all pairs of a class at once; see tensor.h
 *
 * Problem:  all, closed or maximal itemsets, on devices that count many pairs at a time.
 * Method:   depth first over frames, each with many classes (device/api/products.h). Supports of
 *           all two-item extensions of a prefix are one product of bit matrices over (AND, count),
 *           on tensor cores where a device has them. Classes keep the columns of their prefix only.
 *           Perfect extensions are set aside, and combined with each set at the output; the last
 *           few partners of every branch are counted together, as a subset lattice.
 * Output:   what a device found is written by other threads; sinks that only count patterns get
 *           numbers (emit.c).
 * Balance:  consumers share the rows of the root (consumer.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/figures.h"
#include "base/os.h"
#include "itemsets/tensor/run.h"
#include "runtime/parallel.h"

_Static_assert(PRODUCT_DEPTHS == LODE_REPORT_LEVELS, "the report must have a place for each depth");
_Static_assert(PRODUCT_SIZES == SINK_TALLY_SIZES, "the sink must have room for the same tallies");

/* ---- a run ----------------------------------------------------------------------------------- */

static lode_status tensor_thread(void *arg, unsigned worker) {
    tensor_run *run = arg;
    return worker < run->n_consumers ? tensor_consume(run, worker) : tensor_run_writer(run);
}

static lode_status run_search(tensor_run *run) {
    lode_job *job = run->task->job;
    tasks_item left;
    run->front = run->range.first;
    run->back = run->range.end;
    tensor_spans_begin(&run->spans, run->range);
    run->n_consumers = run->task->plan->n;
    if (engine_plan_is_cpu(run->task->plan)) {
        run->n_consumers = lease_width(job, run->n_consumers);
    }
    run->n_writers = 0;
    if (run->config.fetch && job->threads > run->n_consumers) {
        run->n_writers = job->threads - run->n_consumers;
    }
    atomic_store(&run->failure, LODE_OK);
    tasks_init(&run->queue);
    tasks_begin(&run->queue, run->n_consumers);
    tasks_close(&run->queue);
    lode_status status =
        parallel_run(job, run->n_consumers + run->n_writers, true, tensor_thread, run);
    LODE_DEBUG_CHECK(status != LODE_OK || run->front == run->back,
                     "the search left out the rows %u to %u", run->front, run->back);
    LODE_DEBUG_CHECK(status != LODE_OK || atomic_load(&run->queued_bytes) == 0,
                     "the queue is empty but still accounts for %zu bytes",
                     atomic_load(&run->queued_bytes));
    while (tasks_drain(&run->queue, &left)) tensor_task_free(&job->mem, left.record);
    tasks_clear(&run->queue);
    return status;
}

/* If the sink takes numbers only, the device just adds them up. If a set is too large for that, the
 * search starts over and delivers set by set. */
static lode_status run_searches(tensor_run *run) {
    mem *m = tensor_mem(run);
    run->config.fetch = !sink_takes_numbers(run->task->sink);
    if (run->config.fetch) return run_search(run);
    lode_status status =
        mem_zalloc(m, (void **)&run->tally, TENSOR_TALLY_SIZE * sizeof *run->tally);
    if (status != LODE_OK) return status;
    status = run_search(run);
    /* The sink, or the second search, will count these patterns again. */
    atomic_fetch_sub_explicit(&run->task->job->at.patterns, run->shown, memory_order_relaxed);
    if (!run->too_large) status = tensor_tally_deliver(run, status);
    mem_free(m, run->tally, TENSOR_TALLY_SIZE * sizeof *run->tally);
    if (!run->too_large) return status;
    job_clear_message(run->task->job);
    run->config.fetch = true;
    progress_begin_pass(&run->task->job->at, 1);
    return run_search(run);
}

static lode_status check_devices(const engine_task *task) {
    for (unsigned i = 0; i < task->plan->n; i++) {
        const lode_backend *backend = task->plan->slots[i].backend;
        if (backend->products) continue;
        return job_fail(task->job, LODE_UNSUPPORTED, "tensor does not run on %s", backend->name);
    }
    return LODE_OK;
}

/* ---- the report ------------------------------------------------------------------------------ */

static void report_depths(engine_report *report, const product_report *d) {
    for (unsigned i = 0; i < PRODUCT_DEPTHS; i++) {
        const product_depth *from = &d->depths[i];
        engine_depth *to = &report->depths[i];
        report->candidates_counted += from->pairs + from->lattice_sets;
        to->classes += from->classes;
        to->rows += from->rows;
        to->pairs += from->pairs;
        to->pair_bits += from->pair_bits;
        to->cubes += from->lattices;
        to->cube_sets += from->lattice_sets;
        to->cube_bits += from->lattice_bits;
        if (to->rows > 0 && report->n_depths <= i) report->n_depths = i + 1;
    }
}

static void run_report(const tensor_run *run) {
    engine_report *report = run->task->report;
    unsigned n = run->n_consumers;
    double bits = 0; /* both rows of a pair, as if they were read for it alone */
    device_report_add(report, run->uses, n);
    for (unsigned i = 0; i < n; i++) {
        const product_report *d = &run->reports[i];
        report_depths(report, d);
        report->spilled_bytes += d->spilled_bytes;
        report->slices += d->slices;
        if (!report->product[0]) snprintf(report->product, sizeof report->product, "%s", d->kernel);
    }
    for (unsigned i = 0; i < report->n_depths; i++) {
        bits += 2 * report->depths[i].pair_bits + report->depths[i].cube_bits;
    }
    device_report_bytes(report, bits / 8);
    report->n_threads = n + run->n_writers;
    report->candidates_generated = report->candidates_counted;
    report->frequent_items = run->root.root.n_rows - run->root.skip;
}

/* Adds to the report what the search starts from. */
static void report_root(const tensor_run *run) {
    const product_root *root = &run->root.root;
    engine_report *report = run->task->report;
    size_t length = strlen(report->why);
    uint32_t n = root->n_rows - run->root.skip;
    if (n == 0) return;
    char percent[FIGURE_BYTES];
    double density = (double)run->root.n_occurrences / (double)root->n_columns / n;
    snprintf(report->why + length, sizeof report->why - length,
             "; starts from %s: %u frequent items, density %s%%", root->rows ? "bit rows" : "lists",
             n, figure_percent(density, percent));
}

/* ---- the engine ------------------------------------------------------------------------------ */

static lode_status tensor_run_task(engine_task *task) {
    static const product_kernel kernels[] = {
        [LODE_PRODUCT_AUTO] = PRODUCT_AUTO,
        [LODE_PRODUCT_POPC] = PRODUCT_POPC,
        [LODE_PRODUCT_MMA] = PRODUCT_MMA,
        [LODE_PRODUCT_WGMMA] = PRODUCT_WGMMA,
    };
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    lode_target target = task->items.options->target;
    tensor_run run = {.task = task, .n_consumers = task->plan->n};
    mem_kept kept = {0};
    double start = os_seconds();
    run.config.target = target == LODE_TARGET_TOP ? LODE_TARGET_ALL : target;
    run.config.kernel = kernels[task->items.options->product];
    pthread_mutex_init(&run.lock, NULL);
    LODE_TRY(check_devices(task));
    LODE_TRY(mem_keep_zero(m, &kept, (void **)&run.reports, task->plan->n * sizeof *run.reports));
    LODE_TRY(mem_keep_zero(m, &kept, (void **)&run.uses, task->plan->n * sizeof *run.uses));
    LODE_TRY(tensor_root_make(task, &run.root));
    run.range = prepare_range(task, run.root.root.n_rows - run.root.skip);
    run.range.first += run.root.skip;
    run.range.end += run.root.skip;
    LODE_TRY(tensor_spans_make(task, &run.root, run.range, &run.spans));
    task->report->times.preprocess = os_seconds() - start;
    report_root(&run);
    if (run.range.first < run.range.end) status = run_searches(&run);
    run_report(&run);
done:
    tensor_spans_clear(m, &run.spans);
    tensor_root_clear(task, &run.root);
    mem_drop(m, &kept);
    pthread_mutex_destroy(&run.lock);
    return status;
}

static uint64_t tensor_need(const engine_sizes *s) {
    uint64_t root = tensor_root_need(s);
    return root + root / 2 + s->threads * ((uint64_t)192 << 10);
}

/* Estimates the work as the words of all pairs of item rows; a GPU processes 50 of them in the time
 * of one on a CPU. On CPUs alone, tensor never beats adaptive. */
static double tensor_estimate(const engine_task *task) {
    double n = (double)task->items.data->profile.n_items;
    for (unsigned i = 0; i < task->plan->n; i++) {
        if (!task->plan->slots[i].backend->products) return INFINITY;
    }
    if (engine_plan_is_cpu(task->plan)) return INFINITY;
    return n * n / 2 * (double)task->items.data->profile.n_transactions / 64 / 50;
}

const lode_engine lode_engine_tensor = {
    .name = "tensor",
    .summary =
        "Counts pairs as products of bit matrices, on the tensor cores of a GPU if there is one.",
    .oracle = false,
    .weights = false,
    .ranges = true,
    .targets = 1u << LODE_TARGET_CLOSED | 1u << LODE_TARGET_MAXIMAL,
    .uses = ENGINE_DEVICES | ENGINE_PRODUCT,
    .estimate = tensor_estimate,
    .need = tensor_need,
    .prepare = tensor_root_prepare,
    .run = tensor_run_task,
};
