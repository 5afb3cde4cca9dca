/* run.c - see run.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/run.h"

#include <stdio.h>
#include <string.h>

#include "base/figures.h"
#include "base/os.h"
#include "data/graphs/graphs.h"
#include "data/transactions/verify.h"
#include "pipeline/batches.h"
#include "pipeline/constrain.h"
#include "pipeline/divide.h"
#include "pipeline/engine/targets.h"
#include "pipeline/graph_groups.h"
#include "runtime/job_report.h"

/* ---- check: what was asked for --------------------------------------------------------------- */

static void run_report_asked(const engine_task *task) {
    const engine_request *r = &task->request;
    report_asked *a = &task->job->report.asked;
    a->top = r->target == LODE_TARGET_TOP;
    a->plain = r->target == LODE_TARGET_ALL;
    a->adjective = target_words[r->target].adjective;
    a->top_k = r->top_k;
    a->least = r->min_size;
    a->most = r->max_size;
    a->limit_seconds = r->limit_seconds;
    a->limit_patterns = r->limit_patterns;
    job_report_threshold(task->job, r->min_support);
}

/* Whether a search for significant patterns finds its threshold itself. */
static bool run_finds_count(const engine_task *task) {
    bool tested = tested_wanted(task) || graph_groups_tested(task);
    return tested && task->request.min_support.numerator == 0;
}

/* Takes the caller's options over, if they make sense. */
static lode_status run_check(engine_task *task, const mine_call *call) {
    lode_status status = LODE_OK;
    lode_job *job = task->job;
    engine_request *r = &task->request;
    LODE_TRY(valid_take_bytes(job, call->kind->options, call->given, call->copy, call->copy_bytes));
    status = call->kind->read(task, call->copy);
    r->divided = r->n_shares > 0 || task->parts.branches || task->parts.division;
    if (task->sink) run_report_asked(task);
    if (status != LODE_OK) goto done;
    if (r->min_support.numerator == 0 && r->target != LODE_TARGET_TOP && !run_finds_count(task)) {
        return job_fail(job, LODE_INVALID, "the minimum support is missing");
    }
    if (r->target == LODE_TARGET_TOP && r->top_k == 0) {
        return job_fail(job, LODE_INVALID, "the target top:K requires a K of at least 1");
    }
    LODE_TRY(divide_check(task));
done:
    return status;
}

/* ---- narrow: what is searched ---------------------------------------------------------------- */

static lode_status run_narrow(engine_task *task, const mine_kind *kind) {
    return kind->narrow ? kind->narrow(task) : LODE_OK;
}

static void run_widen(engine_task *task, const lode_dataset *data) {
    constrain_end(task);
    task->items.data = data;
}

/* ---- verify: counting again what the search finds -------------------------------------------- */

lode_status mine_check_verify(const engine_task *task, const lode_dataset *data) {
    lode_status status = task->request.verify ? dataset_in_memory(task->job, data) : LODE_OK;
    if (status != LODE_UNSUPPORTED) return status;
    job_clear_message(task->job);
    return job_fail(task->job, status,
                    "--verify counts in memory, and the transactions are on disk; use a larger "
                    "--memory, or leave out --verify");
}

void mine_begin_verify(const engine_task *task, const lode_dataset *data) {
    if (!task->verify) return;
    verify_begin(task->verify, task->job, data);
    task->sink->verify = task->verify;
}

uint64_t mine_verify_need(const engine_task *task) {
    return task->verify && task->verify->data ? verify_need(task->verify) : 0;
}

void mine_end_verify(const engine_task *task) {
    if (!task->verify) return;
    task->sink->verify = NULL;
    task->report->verify = true;
    task->report->verified = task->verify->verified;
}

/* ---- search: one run of the engine ----------------------------------------------------------- */

/* The threshold to start with. A search for significant patterns begins with a guess. */
static uint64_t run_first_count(const engine_task *task, const mine_kind *kind) {
    if (run_finds_count(task)) return 1;
    return top_seeks_threshold(task) ? kind->top->next_count(task, 0)
                                     : lode_threshold_count(task->request.min_support, task->total);
}

static lode_status run_engine(engine_task *task, const mine_kind *kind, const lode_engine *engine) {
    bool top = task->request.target == LODE_TARGET_TOP;
    divided_share share = {0};
    bool cut = task->request.n_shares > 0 && !task->parts.branches;
    lode_status status = cut ? divide_take_share(task, engine, &share) : LODE_OK;
    if (status == LODE_OK) {
        status = tested_wanted(task)   ? tested_search(task, kind, engine)
                 : top                 ? top_search(task, kind, engine)
                 : task->parts.batches ? batches_search(task, kind, engine)
                                       : mine_search(task, kind, engine);
    }
    divide_drop_share(task, &share);
    if (status == LODE_UNSUPPORTED && kind->too_large) {
        job_fail(task->job, status, "%s", kind->too_large);
    }
    return status;
}

/* Chooses device, engine and memory, and runs the engine. If other jobs left too little memory and
 * nothing was found yet, waits until they have ended and tries again. */
static lode_status run_settled(engine_task *task, const mine_kind *kind) {
    lode_status status;
    const lode_engine *engine = NULL;
    backend_plan plan;
    uint64_t need = 0, before = lode_sink_patterns(task->sink);
    bool waited = false;
    do {
        uint64_t limit = task->request.limit_patterns;
        sink_limit_patterns(task->sink, limit ? limit : UINT64_MAX);
        status = mine_settle(task, kind, &plan, &engine, &need);
        if (status == LODE_OK) status = lease_reserve(task->job, need, &waited);
        /* Once more after waiting: the job may have fewer threads now. */
        if (status == LODE_OK && waited) status = mine_settle(task, kind, &plan, &engine, &need);
        if (status == LODE_OK) status = run_engine(task, kind, engine);
        if (status != LODE_BUDGET || lode_sink_patterns(task->sink) != before) return status;
        status = lease_again(task->job);
    } while (status == LODE_OK);
    return status;
}

/* A result that was only measured is none, however the job has ended. */
static lode_status run_check_kept(const engine_task *task, const mine_kind *kind,
                                  lode_status status) {
    uint64_t lost = sink_memory_lost(task->sink);
    if (lost == 0 || !mine_is_usable(status)) return status;
    uint64_t need = atomic_load_explicit(&task->job->need, memory_order_relaxed);
    task->job->unsure = kind->unsure || status != LODE_OK;
    return job_over_budget(task->job, need + lost, "mining with the result in memory");
}

/* Searches with the threshold of the request. */
static lode_status run_from_start(engine_task *task, const mine_kind *kind) {
    task->min_count = run_first_count(task, kind);
    kind->begin(task);
    lode_status status = job_check(task->job);
    if (status == LODE_OK && tested_wanted(task)) {
        status = tested_first_count(task, &task->min_count);
    }
    task->report->min_count = task->min_count;
    atomic_store_explicit(&task->job->threshold, task->min_count, memory_order_relaxed);
    if (status == LODE_OK) status = run_settled(task, kind);
    return run_check_kept(task, kind, status);
}

/* ---- search: again, where somebody raises the threshold ------------------------------------ */

/* Returns what happens when the threshold is raised during the search. A search shared with other
 * processes refuses, because they would not hear of it. A search of tasks goes on: others set its
 * threshold. */
static job_raises run_raises(const engine_task *task) {
    if (task->parts.branches) return JOB_RAISES_ON;
    bool together = task->items.options && task->items.options->reduce;
    return !together && sink_can_empty(task->sink) ? JOB_RAISES_AGAIN : JOB_RAISES_REFUSED;
}

/* Searches as if nothing had been found. */
static lode_status run_again(engine_task *task, const mine_kind *kind) {
    job_clear_message(task->job);
    atomic_store_explicit(&task->job->at.patterns, 0, memory_order_relaxed);
    lode_status status = sink_empty(task->sink);
    return status == LODE_OK ? run_from_start(task, kind) : status;
}

static lode_status run_with_raises(engine_task *task, const mine_kind *kind) {
    lode_job *job = task->job;
    const engine_report before = *task->report;
    uint64_t least = top_seeks_threshold(task) ? 1 : run_first_count(task, kind), next;
    job_begin_search(job, run_raises(task), least);
    lode_status status = run_from_start(task, kind);
    while ((next = job_next_search(job, status != LODE_INTERNAL)) > 0) {
        *task->report = before;
        if (next != least) {
            task->request.min_support = (lode_threshold){next, 0};
            job_report_threshold(job, task->request.min_support);
        }
        status = run_again(task, kind);
        least = next;
    }
    if (status == LODE_OK) job_end_phase(job);
    kind->end(task, status);
    task->report->final_min_count = job_threshold(job);
    return status;
}

/* ---- report: how it has ended --------------------------------------------------------------- */

/* Lifts the limits, and says which of them has ended the job. */
static void run_end_limits(const engine_task *task, lode_status status) {
    engine_report *report = task->report;
    const char *partial = "the result is partial";
    sink_limit_patterns(task->sink, UINT64_MAX);
    job_halt_reason reason = job_end_limits(task->job);
    if (status != LODE_STOPPED) return;
    if (reason == JOB_LIMIT_TIME) {
        snprintf(report->stopped_by, sizeof report->stopped_by, "limit-time");
        job_fail(task->job, status, "stopped after %.10g s, the time limit: %s",
                 task->request.limit_seconds, partial);
    } else if (reason == JOB_LIMIT_PATTERNS) {
        snprintf(report->stopped_by, sizeof report->stopped_by, "limit-patterns");
        job_fail(task->job, status, "stopped at the limit of %llu patterns: %s",
                 (unsigned long long)task->request.limit_patterns, partial);
    } else if (reason == JOB_SINK_STOPS) {
        job_fail(task->job, status, "stopped by the callback of the sink: %s", partial);
    }
}

/* ---- a job, from beginning to end ------------------------------------------------------------ */

#define SMALL_SETS 4096 /* finding this many sets takes less time than starting a thread */

/* Whether transactions have fewer subsets than SMALL_SETS, so that no threshold gives more sets. */
static bool run_is_small(const lode_dataset *data) {
    uint64_t sets = 0;
    if (!data || data->spool || data->dense) return false;
    for (size_t b = 0; b < data->n_blocks; b++) {
        const data_block *block = &data->blocks[b];
        for (uint32_t t = 0; t < block->n; t++) {
            uint32_t items = block->offsets[t + 1] - block->offsets[t];
            if (items > 16 || (sets += (uint64_t)1 << items) > SMALL_SETS) return false;
        }
    }
    return true;
}

/* The most threads that a job is given: one for a small job, unless its caller chose a number. */
static unsigned run_threads(const engine_task *task) {
    return task->job->any_threads && run_is_small(task->items.data) ? 1 : LEASE_ANY;
}

/* Mines with the limits of the request around it. */
static lode_status run_limited(engine_task *task, const mine_kind *kind) {
    lode_job *job = task->job;
    const lode_dataset *data = task->items.data;
    lode_status status = job_check(job);
    if (status != LODE_OK) return job_explain(job, status, "mining");
    atomic_store_explicit(&job->at.patterns, 0, memory_order_relaxed);
    job_start_limits(job, task->request.limit_seconds);
    status = run_narrow(task, kind);
    if (status == LODE_OK) status = run_with_raises(task, kind);
    run_widen(task, data);
    run_end_limits(task, status);
    lode_status reported = sink_report(task->sink);
    return job_explain(job, status != LODE_OK ? status : reported, "mining");
}

lode_status mine_run(engine_task *task, const mine_call *call) {
    lode_job *job = task->job;
    const mine_kind *kind = call->kind;
    lease_call held = {0};
    double start = os_seconds();
    verifier verify = {.job = job};
    task->report = &job->report.engine;
    job_report_begin_mine(job, kind->kind, task->sink);
    if (task->graphs.data) {
        graphs_report(task->graphs.data, task->job);
    } else {
        dataset_report(task->items.data, task->job);
    }
    lode_status status = run_check(task, call);
    if (status == LODE_OK) {
        const void *data = task->items.data ? (const void *)task->items.data : task->graphs.data;
        status = sink_check(task->sink, job, kind->kind, data);
    }
    if (status == LODE_OK) {
        status = job_explain(job, lease_enter(job, run_threads(task), &held), "mining");
        start = os_seconds(); /* without the time that it has waited */
    }
    if (task->request.verify) task->verify = &verify;
    if (status == LODE_OK) status = run_limited(task, kind);
    task->verify = NULL;
    status = job_report_end_mine(job, start, status);
    lease_leave(&held);
    return status;
}

/* ---- preparing ------------------------------------------------------------------------------- */

/* Divides the search or prepares the data. Data that the job makes for itself (a projection) are
 * not prepared. */
static lode_status run_prepare_part(engine_task *task, const mine_kind *kind) {
    lode_status status = LODE_OK;
    const lode_engine *engine = NULL;
    const lode_dataset *data = task->items.data;
    backend_plan plan;
    uint64_t need;
    LODE_TRY(run_narrow(task, kind));
    task->min_count = run_first_count(task, kind);
    atomic_store_explicit(&task->job->threshold, task->min_count, memory_order_relaxed);
    LODE_TRY(mine_settle(task, kind, &plan, &engine, &need));
    if (task->parts.division) {
        status = divide_search(task, engine, task->parts.division);
    } else if (engine->prepare && task->items.data == data) {
        status = engine->prepare(task);
    }
done:
    run_widen(task, data);
    return status;
}

lode_status mine_prepare(engine_task *task, const mine_call *call) {
    lode_job *job = task->job;
    engine_report report = {0}; /* discarded: the report is about searches */
    lease_call held = {0};
    task->report = &report;
    lode_status status = run_check(task, call);
    if (status == LODE_OK) status = lease_enter(job, LEASE_ANY, &held);
    if (status != LODE_OK) return job_explain(job, status, "preparing");
    job_start_limits(job, task->request.limit_seconds);
    status = run_prepare_part(task, call->kind);
    if (status == LODE_OK) job_end_phase(job);
    job_end_limits(job);
    lease_leave(&held);
    return job_explain(job, status, "preparing");
}

/* ---- where and how a task runs: device, engine, memory --------------------------------------- */

/* The engine that was asked for; NULL: any. */
static lode_status choose_asked(const engine_task *task, const lode_engine **out) {
    const char *name = task->request.algorithm;
    *out = NULL;
    if (!name || strcmp(name, "auto") == 0) return LODE_OK;
    *out = engine_find(task->request.kind, name);
    if (*out) return LODE_OK;
    return job_fail(task->job, LODE_INVALID, "there is no algorithm '%s'", name);
}

static lode_status choose_plan(engine_task *task, const mine_kind *kind, const lode_engine *asked,
                               backend_plan *plan) {
    engine_report *report = task->report;
    const char *spec = task->job->device;
    snprintf(report->device_why, sizeof report->device_why, "as requested");
    if (strcmp(spec, "auto") == 0) {
        spec = kind->choose_device(task, asked, report->device_why, sizeof report->device_why);
    }
    double start = os_seconds();
    lode_status status = backend_make_plan(task->job, spec, plan);
    report_add_start(report, start); /* asks the driver, which starts it */
    if (status != LODE_OK) return status;
    task->plan = plan;
    snprintf(report->device, sizeof report->device, "%s", plan->text);
    snprintf(report->note, sizeof report->note, "%s", plan->note);
    return kind->check_plan(task, asked);
}

/* An engine was asked for a target that it does not find. */
static lode_status choose_refuse_target(engine_task *task, const lode_engine *engine) {
    char list[64] = "top:K"; /* which all of them find */
    for (unsigned i = 0; i < N_TARGETS; i++) {
        if (i == LODE_TARGET_TOP || !(engine_targets(engine) >> i & 1)) continue;
        append_text(list, sizeof list, ", %s", target_words[i].name);
    }
    return job_fail(task->job, LODE_UNSUPPORTED, "%s does not find %s; its targets are: %s",
                    engine->name, target_words[task->request.target].name, list);
}

void mine_note_origin(const engine_task *task, lode_status status, bool all, uint32_t min_size,
                      uint32_t max_size) {
    sink_origin origin = {.ended = status == LODE_OK,
                          .complete = status == LODE_OK && all,
                          .target = task->request.target,
                          .min_size = min_size,
                          .max_size = max_size,
                          .threshold = job_threshold(task->job),
                          .total = task->total};
    const engine_report *r = task->report;
    if (status == LODE_OK && r->alpha > 0) {
        int n = snprintf(origin.tested, sizeof origin.tested, "%s alpha=%g level=%.6g tests=%llu",
                         r->tested_by, r->alpha, r->level, (unsigned long long)r->hypotheses);
        if (r->permutations > 0) {
            snprintf(origin.tested + n, sizeof origin.tested - (size_t)n,
                     " permutations=%llu seed=%llu", (unsigned long long)r->permutations,
                     (unsigned long long)r->permutation_seed);
        }
    }
    sink_note_job(task->sink, &origin);
}

lode_status mine_refuse(engine_task *task, const lode_engine *engine, const char *what,
                        bool (*does)(const engine_task *, const lode_engine *)) {
    char list[128] = "";
    const lode_engine *other;
    for (size_t i = 0; (other = engine_at(engine->kind, i)); i++) {
        if (!does(task, other)) continue;
        append_text(list, sizeof list, "%s%s", list[0] ? ", " : "", other->name);
    }
    return job_fail(task->job, LODE_UNSUPPORTED, "%s does not %s; algorithms that do: %s",
                    engine->name, what, list);
}

static bool choose_does_ranges(const engine_task *task, const lode_engine *engine) {
    (void)task;
    return engine->ranges;
}

static bool choose_does_divide(const engine_task *task, const lode_engine *engine) {
    bool finds = engine_targets(engine) >> task->request.target & 1;
    return finds && engine_divides(engine, task->request.target);
}

/* Whether the engine supports the request, and with how much memory. */
static lode_status choose_check(engine_task *task, const mine_kind *kind, const lode_engine *engine,
                                uint64_t *need) {
    if (!(engine->uses & ENGINE_DEVICES) && !engine_plan_is_cpu(task->plan)) {
        return job_fail(task->job, LODE_UNSUPPORTED, "%s runs on the CPU only", engine->name);
    }
    if (!(engine_targets(engine) >> task->request.target & 1)) {
        return choose_refuse_target(task, engine);
    }
    if (engine_wants_range(&task->request) && !engine->ranges) {
        char what[64];
        snprintf(what, sizeof what, "search a range of %s", kind->roots);
        return mine_refuse(task, engine, what, choose_does_ranges);
    }
    if (task->request.divided && !choose_does_divide(task, engine)) {
        return mine_refuse(task, engine, "divide its search into tasks and shares",
                           choose_does_divide);
    }
    return kind->check_engine(task, engine, need);
}

static lode_status choose_engine(engine_task *task, const mine_kind *kind, const lode_engine *asked,
                                 const lode_engine **out, uint64_t *need) {
    engine_report *report = task->report;
    snprintf(report->why, sizeof report->why, "as requested");
    *out = asked ? asked : engine_choose(task, report->why, sizeof report->why);
    if (!*out && task->request.divided && !engine_plan_is_cpu(task->plan)) {
        return job_fail(
            task->job, LODE_UNSUPPORTED,
            "no algorithm for %s divides such a search into tasks and shares; use --device cpu",
            report->device);
    }
    if (!*out) {
        return job_fail(task->job, LODE_UNSUPPORTED, "no algorithm supports this: %s",
                        kind->no_engine);
    }
    snprintf(report->algorithm, sizeof report->algorithm, "%s", (*out)->name);
    job_log(task->job, LODE_LOG_DEBUG, "algorithm %s (%s) on %s (%s)", (*out)->name, report->why,
            report->device, report->device_why);
    return choose_check(task, kind, *out, need);
}

lode_status mine_settle(engine_task *task, const mine_kind *kind, backend_plan *plan,
                        const lode_engine **engine, uint64_t *need) {
    lode_status status = LODE_OK;
    lode_job *job = task->job;
    const lode_engine *asked = NULL;
    job_begin_phase(job, task->sink ? "mine" : "prepare");
    LODE_TRY(choose_asked(task, &asked));
    LODE_TRY(choose_plan(task, kind, asked, plan));
    LODE_TRY(choose_engine(task, kind, asked, engine, need));
    if (mem_left(&job->mem) == SIZE_MAX) { /* there is no budget */
        *need = 0;
    } else {
        job->unsure = kind->unsure || engine_is_unsure(*engine, task->request.target);
        job_note_need(job, mem_used(mem_tightest(&job->mem)) + *need);
    }
done:
    return status;
}
