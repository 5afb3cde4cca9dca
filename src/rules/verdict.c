/* verdict.c - see verdict.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/verdict.h"

#include <math.h>
#include <stdio.h>

#include "rules/measures/adjust.h"
#include "rules/measures/measure.h"
#include "runtime/parallel.h"

#define VERDICT_STEP 256 /* rules that a thread takes at a time */

/* ---- each rule, with all threads ------------------------------------------------------------- */

typedef struct verdict_pass {
    rule_list *list;
    void (*step)(rule_list *list, size_t i);
    bool to_the_end; /* also after a limit has ended the search */
    _Atomic size_t next;
} verdict_pass;

static lode_status verdict_ask(const verdict_pass *p, unsigned worker, size_t done) {
    lode_job *job = p->list->job;
    if (p->to_the_end) return job_is_cancelled(job) ? LODE_CANCELLED : LODE_OK;
    return worker == 0 ? job_tick(job, done, p->list->rows.n) : job_check(job);
}

static lode_status verdict_work(void *arg, unsigned worker) {
    verdict_pass *p = arg;
    for (;;) {
        size_t i = atomic_fetch_add(&p->next, VERDICT_STEP), end = i + VERDICT_STEP;
        if (i >= p->list->rows.n) return LODE_OK;
        if (end > p->list->rows.n) end = p->list->rows.n;
        lode_status status = verdict_ask(p, worker, i);
        if (status != LODE_OK) return status;
        for (; i < end; i++) p->step(p->list, i);
    }
}

static lode_status verdict_each(rule_list *list, void (*step)(rule_list *list, size_t i),
                                bool to_the_end) {
    verdict_pass p = {.list = list, .step = step, .to_the_end = to_the_end};
    return parallel_run(list->job, list->job->threads, false, verdict_work, &p);
}

/* ---- p-values ------------------------------------------------------------------------------- */

static void verdict_test_rule(rule_list *list, size_t i) {
    lode_rule rule = rule_list_at(list, i);
    const lode_counts *c = list->held_total > 0 ? &rule.held_out : &rule.counts;
    list->rows.data[i].log_p = measure_log_fisher(c);
}

static lode_status verdict_adjust(const wants *w, rule_list *list, family_size tests) {
    lode_status status = LODE_OK;
    mem *m = &list->job->mem;
    size_t n = list->rows.n, bytes = n * sizeof(double);
    sort_stop stop = job_sort_stop(list->job);
    double *values = NULL;
    LODE_TRY(mem_resize(m, (void **)&values, 0, bytes));
    for (size_t i = 0; i < n; i++) values[i] = list->rows.data[i].log_p;
    status = adjust_p_values(m, w->adjust, (double)tests, values, n, &stop);
    if (status == LODE_CANCELLED) {
        status = job_check(list->job); /* or a limit has ended it */
        if (status == LODE_OK) status = LODE_CANCELLED;
    }
    for (size_t i = 0; i < n && status == LODE_OK; i++) {
        list->rows.data[i].adjusted_p = values[i];
    }
done:
    mem_free(m, values, values ? bytes : 0);
    return status;
}

/* Drops what a threshold that was raised meanwhile excludes: it is in no family. */
static bool verdict_is_frequent(void *user, const lode_rule *rule) {
    return rule->counts.both >= job_threshold(user);
}

/* Determines the number of tests, and tests the rules. With a held-out part, only the rules found
 * are tested there; otherwise the number of tests is the size of the family. */
static lode_status verdict_test(const verdict *v, engine_task *task, const lode_engine *engine,
                                rule_list *list) {
    lode_status status = LODE_OK;
    family_size tests = 0;
    bool of_family = !v->held->given && v->wants->adjust != LODE_ADJUST_NONE;
    if (of_family) LODE_TRY(family_count(&v->family, task, engine, &tests));
    LODE_TRY(rule_list_filter(list, verdict_is_frequent, list->job));
    if (!of_family) tests = list->rows.n;
    LODE_REQUIRE(list->job, tests >= list->rows.n, "there are fewer tests than rules");
    if (v->wants->adjust != LODE_ADJUST_NONE) {
        family_text(tests, task->report->tests, sizeof task->report->tests);
    }
    LODE_TRY(verdict_each(list, verdict_test_rule, false));
    status = verdict_adjust(v->wants, list, tests);
done:
    return status;
}

/* ---- filters and order ----------------------------------------------------------------------- */

static bool verdict_keeps(void *user, const lode_rule *rule) {
    const wants *w = user;
    bool tested = w->needs_p && w->significant > 0;
    if (tested && !measure_reaches(rule->adjusted_p, w->significant, -1)) return false;
    return wants_measures(w, rule, LODE_NEEDS_ADJUSTED) &&
           wants_measures(w, rule, LODE_NEEDS_HELD_OUT);
}

static void verdict_place(rule_list *list, size_t i) {
    lode_rule rule = rule_list_at(list, i);
    list->rows.data[i].key = wants_key(list->wants, &rule);
}

/* Of how many rules these are the best. */
static void verdict_report_best(const wants *w, const rule_list *list, engine_report *report) {
    uint64_t cut = atomic_load(&list->cut);
    if (cut == 0) return;
    report->rules_ranked = list->rows.n + cut;
    report->rules_top = w->top;
    snprintf(report->rules_order, sizeof report->rules_order, "%s",
             measure_table[w->order].shown.name);
}

lode_status verdict_give(const verdict *v, engine_task *task, const lode_engine *engine,
                         rule_list *list) {
    lode_status status = LODE_OK;
    const wants *w = v->wants;
    LODE_TRY(holdout_count(v->held, v->data, list));
    if (w->needs_p) LODE_TRY(verdict_test(v, task, engine, list));
    size_t before = list->rows.n;
    LODE_TRY(rule_list_filter(list, verdict_keeps, (void *)(uintptr_t)w));
    task->report->rules_filtered += before - list->rows.n;
    if (w->sorted && !list->cuts) LODE_TRY(verdict_each(list, verdict_place, true));
    sort_stop stop = sink_sort_stop(list->job);
    status = rule_list_sort(list, &stop);
    if (status == LODE_OK) verdict_report_best(w, list, task->report);
done:
    return status;
}
