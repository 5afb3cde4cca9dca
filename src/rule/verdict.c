/* verdict.c - see verdict.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rule/verdict.h"

#include <math.h>

#include "measure/adjust.h"
#include "measure/measure.h"
#include "runtime/parallel.h"

#define VERDICT_STEP 256 /* rules that a thread takes at a time */

/* ---- p-values ------------------------------------------------------------------------------- */

typedef struct verdict_tests {
    rule_list *list;
    _Atomic size_t next;
} verdict_tests;

static lode_status verdict_work(void *arg, unsigned worker) {
    verdict_tests *t = arg;
    rule_list *list = t->list;
    for (;;) {
        size_t i = atomic_fetch_add(&t->next, VERDICT_STEP), end = i + VERDICT_STEP;
        if (i >= list->rows.n) return LODE_OK;
        if (end > list->rows.n) end = list->rows.n;
        lode_status status =
            worker == 0 ? job_tick(list->job, i, list->rows.n) : job_check(list->job);
        if (status != LODE_OK) return status;
        for (; i < end; i++) {
            lode_rule rule = rule_list_at(list, i);
            const lode_counts *c = list->held_total > 0 ? &rule.held_out : &rule.counts;
            list->rows.data[i].log_p = measure_log_fisher(c);
        }
    }
}

/* The number of tests: with a part held out, the rules found, which are tested there for the first
 * time; else the family. */
static lode_status verdict_family(const verdict *v, engine_task *task, const lode_engine *engine,
                                  const rule_list *list, family_size *tests) {
    *tests = list->rows.n;
    if (v->held->given || v->wants->adjust == LODE_ADJUST_NONE) return LODE_OK;
    return family_count(&v->family, task, engine, tests);
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

static lode_status verdict_test(const verdict *v, engine_task *task, const lode_engine *engine,
                                rule_list *list) {
    lode_status status = LODE_OK;
    family_size tests = 0;
    verdict_tests t = {.list = list};
    rule_list_filter(list, verdict_is_frequent, list->job);
    LODE_TRY(verdict_family(v, task, engine, list, &tests));
    LODE_REQUIRE(list->job, tests >= list->rows.n, "there are fewer tests than rules");
    if (v->wants->adjust != LODE_ADJUST_NONE) {
        family_text(tests, task->report->tests, sizeof task->report->tests);
    }
    LODE_TRY(parallel_run(list->job, list->job->threads, false, verdict_work, &t));
    status = verdict_adjust(v->wants, list, tests);
done:
    return status;
}

/* ---- filters and order ----------------------------------------------------------------------- */

static bool verdict_keeps(void *user, const lode_rule *rule) {
    const wants *w = user;
    if (w->significant > 0 && !measure_reaches(rule->adjusted_p, w->significant, -1)) return false;
    return wants_measures(w, rule, LODE_NEEDS_ADJUSTED) &&
           wants_measures(w, rule, LODE_NEEDS_HELD_OUT);
}

lode_status verdict_give(const verdict *v, engine_task *task, const lode_engine *engine,
                         rule_list *list) {
    lode_status status = LODE_OK;
    const wants *w = v->wants;
    LODE_TRY(holdout_count(v->held, v->data, list));
    if (w->needs_p) LODE_TRY(verdict_test(v, task, engine, list));
    rule_list_filter(list, verdict_keeps, (void *)(uintptr_t)w);
    for (size_t i = 0; i < list->rows.n && !list->cuts; i++) {
        lode_rule rule = rule_list_at(list, i);
        list->rows.data[i].key = wants_key(w, &rule);
    }
    status = rule_list_sort(list);
done:
    return status;
}
