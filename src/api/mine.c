/* mine.c - lode_mine: checks the request, picks the engine, runs it, reports
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "api/targets.h"
#include "base/os.h"
#include "engine/engine.h"
#include "runtime/job_report.h"
#include "runtime/valid.h"
#include "sink/sink_memory.h"

/* Whether the sink can take patterns of the data set. */
static lode_status mine_check_sink(lode_job *job, const lode_dataset *data, const lode_sink *sink) {
    const char *wrong = NULL;
    if (sink->complete) wrong = "the sink was finished before";
    if (sink->job != job) wrong = "the sink belongs to another job";
    if (sink->data && sink->data != data) wrong = "the sink was made for another data set";
    return wrong ? job_fail(job, LODE_INVALID, "%s", wrong) : LODE_OK;
}

static lode_status mine_check_shares(lode_job *job, const lode_dataset *data,
                                     const lode_mine_options *o) {
    if (o->reduce && o->n_transactions_total < data->total_weight) {
        return job_fail(job, LODE_INVALID, "all parts have %llu transactions, and this one %llu",
                        (unsigned long long)o->n_transactions_total,
                        (unsigned long long)data->total_weight);
    }
    return LODE_OK;
}

static lode_status mine_check(lode_job *job, const lode_mine_options *o) {
    if (o->min_support.numerator == 0 && o->target != LODE_TARGET_TOP) {
        return job_fail(job, LODE_INVALID, "the minimum support is missing");
    }
    if (o->max_size > 0 && o->max_size < o->min_size) {
        return job_fail(job, LODE_INVALID, "the maximum size %u is below the minimum size %u",
                        o->max_size, o->min_size);
    }
    if (o->target == LODE_TARGET_TOP && o->top_k == 0) {
        return job_fail(job, LODE_INVALID, "the target top:K needs a K of at least 1");
    }
    return LODE_OK;
}

/* Says which of the given options the engine does not look at. */
static void mine_note_unused(const engine_task *task, const lode_engine *engine) {
    const lode_mine_options *o = task->options;
    lode_paper_options papers = valid_papers(o->papers);
    const struct {
        unsigned flag;
        bool given;
        const char *name;
    } knobs[] = {
        {ENGINE_EPSILON, o->epsilon != 0, "epsilon"},
        {ENGINE_LISTS, o->max_lists != 0, "lists"},
        {ENGINE_POPCOUNT, papers.popcount != LODE_POPCOUNT_NATIVE, "popcount"},
        {ENGINE_GRID, papers.grid != LODE_GRID_FOLDED, "grid"},
        {ENGINE_GRID, papers.reduce != LODE_REDUCE_ANY, "reduce"},
        {ENGINE_PRODUCT, o->product != LODE_PRODUCT_AUTO, "product"},
    };
    char *note = task->report->note;
    size_t n = strlen(note), room = sizeof task->report->note;
    for (size_t i = 0; i < sizeof knobs / sizeof *knobs; i++) {
        if (!knobs[i].given || engine->uses & knobs[i].flag || n >= room) continue;
        n += (size_t)snprintf(note + n, room - n, "%s%s has no effect with %s", n ? "; " : "",
                              knobs[i].name, engine->name);
    }
}

/* The engine that was asked for; NULL: any. */
static lode_status mine_asked(const engine_task *task, const lode_engine **out) {
    const char *name = task->options->algorithm;
    *out = NULL;
    if (!name || strcmp(name, "auto") == 0) return LODE_OK;
    *out = engine_find(name);
    if (*out) return LODE_OK;
    return job_fail(task->job, LODE_INVALID, "there is no algorithm '%s'", name);
}

static lode_status mine_plan(engine_task *task, const lode_engine *asked, backend_plan *plan) {
    engine_report *report = task->report;
    const char *spec = task->job->device;
    snprintf(report->device_why, sizeof report->device_why, "asked for");
    if (strcmp(spec, "auto") == 0) {
        spec = engine_choose_device(task, asked, report->device_why, sizeof report->device_why);
    }
    lode_status status = backend_make_plan(task->job, spec, plan);
    if (status != LODE_OK) return status;
    if (!engine_plan_is_cpu(plan)) lease_keep(task->job, plan->n);
    task->plan = plan;
    snprintf(report->device, sizeof report->device, "%s", plan->text);
    snprintf(report->note, sizeof report->note, "%s", plan->note);
    if (!asked || asked->uses & ENGINE_DEVICES || engine_plan_is_cpu(plan)) return LODE_OK;
    return job_fail(task->job, LODE_UNSUPPORTED, "%s runs on the CPU only", asked->name);
}

/* An engine was asked for a target that it does not find. */
static lode_status mine_refuse_target(engine_task *task, const lode_engine *engine) {
    char list[64] = "top:K"; /* which all of them find */
    size_t n = strlen(list);
    for (size_t i = 0; i < N_PLAIN_TARGETS; i++) {
        if (!(engine_targets(engine) >> plain_targets[i].target & 1)) continue;
        n += (size_t)snprintf(list + n, sizeof list - n, ", %s", plain_targets[i].name);
    }
    return job_fail(task->job, LODE_UNSUPPORTED, "%s does not find that; its targets are: %s",
                    engine->name, list);
}

/* The ways to share a job among processes. */
static bool engine_does_ranges(const lode_engine *engine) {
    return engine->ranges;
}
static bool engine_does_reduce(const lode_engine *engine) {
    return engine->reduce;
}

/* An engine was asked to share a job in a way that it does not know. */
static lode_status mine_refuse_sharing(engine_task *task, const lode_engine *engine,
                                       const char *what, bool (*does)(const lode_engine *)) {
    char list[128] = "";
    size_t n = 0;
    for (size_t i = 0; engine_at(i) && n < sizeof list; i++) {
        if (!does(engine_at(i))) continue;
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", engine_at(i)->name);
    }
    return job_fail(task->job, LODE_UNSUPPORTED, "%s does not %s; those that do: %s", engine->name,
                    what, list);
}

static lode_status mine_check_sharing(engine_task *task, const lode_engine *engine) {
    const lode_mine_options *o = task->options;
    if (engine_wants_range(o) && !engine->ranges) {
        return mine_refuse_sharing(task, engine, "search a range of root classes",
                                   engine_does_ranges);
    }
    if (o->reduce && !engine->reduce) {
        return mine_refuse_sharing(task, engine, "add up supports over parts of the data",
                                   engine_does_reduce);
    }
    if (o->reduce && task->plan->n > 1) {
        return job_fail(task->job, LODE_UNSUPPORTED,
                        "a job over parts of the data takes one device per process");
    }
    return LODE_OK;
}

static lode_status mine_pick(engine_task *task, const lode_engine *asked, const lode_engine **out) {
    engine_report *report = task->report;
    const lode_engine *engine = asked;
    if (asked) {
        snprintf(report->why, sizeof report->why, "asked for");
    } else {
        engine = engine_choose(task, report->why, sizeof report->why);
    }
    if (!engine) {
        return job_fail(task->job, LODE_UNSUPPORTED,
                        "no algorithm does that: weighted transactions, targets other than all and "
                        "top:K, shared jobs and GPUs do not go together");
    }
    snprintf(report->algorithm, sizeof report->algorithm, "%s", engine->name);
    if (!(engine_targets(engine) >> task->options->target & 1)) {
        return mine_refuse_target(task, engine);
    }
    if (task->data->weights && !engine->weights) {
        return job_fail(task->job, LODE_UNSUPPORTED, "%s does not accept weighted transactions",
                        engine->name);
    }
    lode_status shares = mine_check_sharing(task, engine);
    if (shares != LODE_OK) return shares;
    mine_note_unused(task, engine);
    job_log(task->job, LODE_LOG_DEBUG, "algorithm %s (%s) on %s (%s)", engine->name, report->why,
            report->device, report->device_why);
    *out = engine;
    return LODE_OK;
}

/* ---- the best K ----------------------------------------------------------------------------- */

#define TOP_STEP 4 /* by which the threshold falls when fewer than K were found */

/* Where no threshold is given, the search for the best K looks for one itself. A job that is shared
 * cannot: its processes must all use the same. */
static bool top_seeks_threshold(const lode_mine_options *o) {
    bool shared = o->reduce || engine_wants_range(o);
    return o->target == LODE_TARGET_TOP && o->min_support.numerator == 0 && !shared;
}

static uint64_t items_at_least(const lode_dataset *data, uint64_t support) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < data->item_bound; i++) n += data->item_supports[i] >= support;
    return n;
}

/* The support of the K-th item: there are K itemsets as frequent, if items alone are wanted. Of few
 * items, that of a frequent one. */
static uint64_t top_first_count(const lode_dataset *data, uint64_t k) {
    uint64_t least = 1, most = data->total_weight, few = data->profile.n_items / 4 + 1;
    if (k > few) k = few;
    while (least < most) {
        uint64_t middle = least + (most - least + 1) / 2;
        if (items_at_least(data, middle) >= k) {
            least = middle;
        } else {
            most = middle - 1;
        }
    }
    return least;
}

/* Collects the best K in between, and hands them to the caller's sink at the end. *again: there are
 * fewer than K, and may be more below the threshold. */
static lode_status mine_top_once(engine_task *task, const lode_engine *engine, bool *again) {
    lode_status status = LODE_OK;
    lode_sink *target = task->sink, *top = NULL;
    uint64_t k = task->options->top_k;
    LODE_TRY(sink_top_create(task->job, &top, k));
    sink_limit(top, task->options->min_size, task->options->max_size);
    sink_expect(top, &target->bounds);
    task->sink = top;
    bool may_repeat = top_seeks_threshold(task->options) && task->min_count > 1;
    progress_begin_pass(&task->job->at, may_repeat ? 0.5 : 1);
    lode_status mined = engine->run(task);
    bool usable = mined == LODE_OK || mined == LODE_CANCELLED || mined == LODE_STOPPED;
    if (!usable) LODE_LEAVE(mined);
    status = lode_sink_finish(top, mined != LODE_OK); /* who has stopped it waits for no order */
    if (status == LODE_CANCELLED) { /* while it was sorted: all is there, in no order */
        mined = status;
    } else if (status != LODE_OK) {
        goto done;
    }
    bool enough = columns_count(sink_memory_columns(top)) >= k || task->min_count == 1;
    *again = top_seeks_threshold(task->options) && mined == LODE_OK && !enough;
    if (!*again) LODE_TRY(sink_replay(sink_memory_columns(top), target, NULL));
    status = mined;
done:
    task->sink = target;
    lode_sink_free(top);
    return status;
}

static lode_status mine_top(engine_task *task, const lode_engine *engine) {
    bool again = false;
    char why[LODE_REPORT_TEXT];
    memcpy(why, task->report->why, sizeof why);
    lode_status status = mine_top_once(task, engine, &again);
    while (status == LODE_OK && again) {
        task->min_count = (task->min_count + TOP_STEP - 1) / TOP_STEP;
        task->report->min_count = task->min_count;
        atomic_store_explicit(&task->job->threshold, task->min_count, memory_order_relaxed);
        memcpy(task->report->why, why, sizeof why); /* engines add to it */
        status = mine_top_once(task, engine, &again);
    }
    return status;
}

/* ---- the job -------------------------------------------------------------------------------- */

static void mine_start_limits(engine_task *task) {
    const lode_mine_options *o = task->options;
    sink_set_data(task->sink, task->data);
    sink_limit(task->sink, o->min_size, o->max_size);
    sink_limit_patterns(task->sink, o->limit_patterns ? o->limit_patterns : UINT64_MAX);
    job_start_limits(task->job, o->limit_seconds);
    sink_bounds bounds = {.least = top_seeks_threshold(o) ? 1 : task->min_count,
                          .most = task->data->total_weight,
                          .longest = task->data->profile.longest};
    sink_expect(task->sink, o->reduce ? NULL : &bounds); /* the others' data are not known here */
}

/* Lifts the limits, and says which of them has ended the job. */
static void mine_end_limits(engine_task *task, lode_status status) {
    engine_report *report = task->report;
    sink_set_data(task->sink, NULL);
    sink_limit_patterns(task->sink, UINT64_MAX);
    sink_expect(task->sink, NULL);
    job_halt_reason reason = job_end_limits(task->job);
    if (status != LODE_STOPPED) return;
    const char *partial = "the result is partial";
    if (reason == JOB_LIMIT_TIME) {
        snprintf(report->stopped_by, sizeof report->stopped_by, "limit-time");
        job_fail(task->job, status, "stopped after %.10g s, the time limit: %s",
                 task->options->limit_seconds, partial);
    } else if (reason == JOB_LIMIT_PATTERNS) {
        snprintf(report->stopped_by, sizeof report->stopped_by, "limit-patterns");
        job_fail(task->job, status, "stopped at the limit of %llu patterns: %s",
                 (unsigned long long)task->options->limit_patterns, partial);
    } else if (reason == JOB_SINK_STOPS) {
        job_fail(task->job, status, "stopped by the sink: %s", partial);
    }
}

/* What the sink has now, so that it can answer for sets that are not in it. */
static void mine_note_origin(const engine_task *task, lode_status status) {
    const lode_mine_options *o = task->options;
    uint64_t total = o->reduce ? o->n_transactions_total : task->data->total_weight;
    sink_origin origin = {.complete = status == LODE_OK && !o->root_first && !o->root_end,
                          .target = o->target,
                          .min_size = o->min_size,
                          .max_size = o->max_size,
                          .threshold = job_threshold(task->job),
                          .total = total};
    sink_note_job(task->sink, &origin);
}

/* What the job takes beside what there is already, should it run out of memory. */
static uint64_t mine_note_need(engine_task *task, const lode_engine *engine) {
    lode_job *job = task->job;
    if (mem_left(&job->mem) == SIZE_MAX) return 0;
    engine_sizes sizes = engine_task_sizes(task);
    uint64_t bytes = engine_need(engine, &sizes);
    job->unsure = engine_is_unsure(engine, task->options->target);
    job_note_need(job, mem_used(mem_tightest(&job->mem)) + bytes);
    return bytes;
}

/* A result that was only measured is none, however the job has ended. */
static lode_status mine_check_kept(engine_task *task, lode_status status) {
    uint64_t lost = sink_memory_lost(task->sink);
    bool ended = status == LODE_OK || status == LODE_CANCELLED || status == LODE_STOPPED;
    if (lost == 0 || !ended) return status;
    uint64_t beside = atomic_load_explicit(&task->job->need, memory_order_relaxed);
    task->job->unsure = status != LODE_OK;
    return job_over_budget(task->job, beside + lost, "mining, with its result in memory,");
}

/* Where and how: anew when the job has waited, since it may have fewer threads then. */
static lode_status mine_settle(engine_task *task, backend_plan *plan, const lode_engine **engine,
                               uint64_t *need) {
    lode_status status = LODE_OK;
    const lode_engine *asked = NULL;
    job_begin_phase(task->job, task->sink ? "mine" : "prepare");
    LODE_TRY(mine_asked(task, &asked));
    LODE_TRY(mine_plan(task, asked, plan));
    LODE_TRY(mine_pick(task, asked, engine));
    *need = mine_note_need(task, *engine);
done:
    return status;
}

static lode_status mine_once(engine_task *task) {
    lode_status status = LODE_OK;
    const lode_engine *engine = NULL;
    backend_plan plan;
    uint64_t need;
    bool waited;
    LODE_TRY(mine_settle(task, &plan, &engine, &need));
    LODE_TRY(lease_reserve(task->job, need, &waited));
    if (waited) LODE_TRY(mine_settle(task, &plan, &engine, &need));
    LODE_TRY(task->options->target == LODE_TARGET_TOP ? mine_top(task, engine) : engine->run(task));
done:
    return status;
}

/* What was asked for, as far as the report speaks of it. */
static void mine_report_asked(lode_job *job, const lode_mine_options *o) {
    static const char *const adjectives[] = {[LODE_TARGET_ALL] = "",
                                             [LODE_TARGET_TOP] = "",
                                             [LODE_TARGET_CLOSED] = "closed",
                                             [LODE_TARGET_MAXIMAL] = "maximal",
                                             [LODE_TARGET_GENERATORS] = "generator"};
    report_asked *a = &job->report.asked;
    a->top = o->target == LODE_TARGET_TOP;
    a->plain = o->target == LODE_TARGET_ALL;
    a->adjective = adjectives[o->target];
    a->top_k = o->top_k;
    a->least = o->min_size;
    a->most = o->max_size;
    a->limit_seconds = o->limit_seconds;
    a->limit_patterns = o->limit_patterns;
    job_report_threshold(job, o->min_support);
}

/* Where other jobs left too little memory and nothing was found yet: again when they have ended. */
static lode_status mine_run(engine_task *task) {
    uint64_t before = lode_sink_patterns(task->sink), limit = task->options->limit_patterns;
    lode_status status = mine_once(task);
    while (status == LODE_BUDGET && lode_sink_patterns(task->sink) == before) {
        status = lease_again(task->job);
        if (status != LODE_OK) break;
        sink_limit_patterns(task->sink, limit ? limit : UINT64_MAX);
        status = mine_once(task);
    }
    return status;
}

/* Takes the caller's options over, if they make sense. */
static lode_status mine_check_all(lode_job *job, const lode_dataset *data,
                                  const lode_mine_options *options, lode_mine_options *checked) {
    lode_status status = valid_take(job, VALID_MINE, options, checked);
    if (status == LODE_OK) mine_report_asked(job, checked);
    if (status == LODE_OK) status = mine_check(job, checked);
    return status == LODE_OK ? mine_check_shares(job, data, checked) : status;
}

/* The threshold to start with, and options with nothing left open. */
static uint64_t mine_complete(const lode_dataset *data, lode_mine_options *o) {
    uint64_t n = o->reduce ? o->n_transactions_total : data->total_weight;
    if (o->max_size == 0) o->max_size = UINT32_MAX;
    if (o->min_size == 0) o->min_size = 1;
    return top_seeks_threshold(o) ? top_first_count(data, o->top_k)
                                  : lode_threshold_count(o->min_support, n);
}

static lode_status mine_checked(lode_job *job, const lode_dataset *data, lode_mine_options *checked,
                                lode_sink *sink) {
    engine_task task = {
        .job = job, .data = data, .options = checked, .sink = sink, .report = &job->report.engine};
    task.min_count = mine_complete(data, checked);
    task.report->min_count = task.min_count;
    atomic_store_explicit(&job->threshold, task.min_count, memory_order_relaxed);
    atomic_store_explicit(&job->at.patterns, 0, memory_order_relaxed);
    mine_start_limits(&task);
    lode_status status = mine_check_kept(&task, mine_run(&task));
    if (status == LODE_OK) job_end_phase(job);
    mine_end_limits(&task, status);
    mine_note_origin(&task, status);
    task.report->final_min_count = job_threshold(job);
    lode_status reported = sink_report(sink);
    return job_explain(job, status != LODE_OK ? status : reported, "mining");
}

lode_status lode_mine(lode_job *job, const lode_dataset *data, const lode_mine_options *options,
                      lode_sink *sink) {
    lease_call call = {0};
    lode_mine_options checked;
    double start = os_seconds();
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(options), VALID_NEEDS(sink));
    job_report_begin_mine(job, false, sink);
    dataset_report(data, job);
    lode_status status = mine_check_all(job, data, options, &checked);
    if (status == LODE_OK) status = mine_check_sink(job, data, sink);
    if (status == LODE_OK) {
        status = job_explain(job, lease_enter(job, LEASE_ANY, &call), "mining");
        start = os_seconds(); /* without the time that it has waited */
    }
    if (status == LODE_OK) status = job_explain(job, job_check(job), "mining");
    if (status == LODE_OK) status = mine_checked(job, data, &checked, sink);
    status = job_report_end_mine(job, start, status);
    lease_leave(&call);
    return status;
}

lode_status lode_dataset_prepare(lode_job *job, const lode_dataset *data,
                                 const lode_mine_options *options) {
    engine_report report = {0};
    const lode_engine *engine = NULL;
    backend_plan plan;
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(options));
    lease_call call = {0};
    lode_mine_options checked;
    uint64_t need;
    lode_status status = mine_check_all(job, data, options, &checked);
    if (status == LODE_OK) status = lease_enter(job, LEASE_ANY, &call);
    if (status != LODE_OK) return job_explain(job, status, "preparing");
    engine_task task = {.job = job, .data = data, .options = &checked, .report = &report};
    task.min_count = mine_complete(data, &checked);
    job_start_limits(job, checked.limit_seconds);
    status = mine_settle(&task, &plan, &engine, &need);
    if (status == LODE_OK && engine->prepare) status = engine->prepare(&task);
    if (status == LODE_OK) job_end_phase(job);
    job_end_limits(job);
    lease_leave(&call);
    return job_explain(job, status, "preparing");
}

void lode_dataset_forget(const lode_dataset *data) {
    if (data) prepared_reclaim(data->prepared);
}

bool lode_algorithm_at(size_t i, lode_algorithm *out) {
    const lode_engine *engine = engine_at(i);
    if (!engine) return valid_fill(out, NULL);
    lode_algorithm a = {
        .name = engine->name,
        .summary = engine->summary,
        .oracle = engine->oracle,
        .weights = engine->weights,
        .targets = engine_targets(engine),
    };
    return valid_fill(out, &a);
}

static bool absent_device_at(size_t i, lode_device *out) {
    lode_device d = {.name = backend_absent_at(i)};
    snprintf(d.detail, sizeof d.detail, "%s", BACKEND_ABSENT);
    return valid_fill(out, d.name ? &d : NULL);
}

void lode_device_wake(const char *device) {
    backend_wake(device);
}

bool lode_device_at(size_t i, lode_device *out) {
    const lode_backend *backend = backend_at(i);
    size_t n_there = 0;
    while (backend_at(n_there)) n_there++;
    if (!backend) return absent_device_at(i - n_there, out);
    lode_device d = {.name = backend->name};
    d.usable = out && backend->probe(d.detail, sizeof d.detail);
    return valid_fill(out, &d);
}
