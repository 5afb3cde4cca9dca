/* choose.c - where and how a task runs: device, engine, memory
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/append.h"
#include "pipeline/engine/targets.h"
#include "pipeline/run.h"

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
    snprintf(report->device_why, sizeof report->device_why, "asked for");
    if (strcmp(spec, "auto") == 0) {
        spec = kind->choose_device(task, asked, report->device_why, sizeof report->device_why);
    }
    lode_status status = backend_make_plan(task->job, spec, plan);
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

lode_status mine_refuse(engine_task *task, const lode_engine *engine, const char *what,
                        bool (*does)(const engine_task *, const lode_engine *)) {
    char list[128] = "";
    const lode_engine *other;
    for (size_t i = 0; (other = engine_at(engine->kind, i)); i++) {
        if (!does(task, other)) continue;
        append_text(list, sizeof list, "%s%s", list[0] ? ", " : "", other->name);
    }
    return job_fail(task->job, LODE_UNSUPPORTED, "%s does not %s; those that do: %s", engine->name,
                    what, list);
}

static bool choose_does_ranges(const engine_task *task, const lode_engine *engine) {
    (void)task;
    return engine->ranges;
}

static bool choose_does_divide(const engine_task *task, const lode_engine *engine) {
    bool finds = engine_targets(engine) >> task->request.target & 1;
    return finds && engine_divides(engine, task->request.target);
}

/* Whether the engine can do what is asked for, and with how much memory. */
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
    snprintf(report->why, sizeof report->why, "asked for");
    *out = asked ? asked : engine_choose(task, report->why, sizeof report->why);
    if (!*out && task->request.divided && !engine_plan_is_cpu(task->plan)) {
        return job_fail(task->job, LODE_UNSUPPORTED,
                        "no algorithm for %s divides such a search into tasks and shares; --device "
                        "cpu does",
                        report->device);
    }
    if (!*out) {
        return job_fail(task->job, LODE_UNSUPPORTED, "no algorithm does that: %s", kind->no_engine);
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
