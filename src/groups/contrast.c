/* contrast.c - see contrast.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "groups/contrast.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CONTRAST_LEVEL 0.95 /* of the interval of the odds ratio */
#define RULE_MEASURES  1000 /* ids from here on are measures of rules */

/* Columns after the counts and shares. */
enum {
    COLUMN_CLASS,
    COLUMN_GROWTH,
    COLUMN_ODDS,
    COLUMN_LOW,
    COLUMN_HIGH,
    COLUMN_P,
    COLUMN_ADJUSTED
};

static const char *const column_names[] = {
    [COLUMN_CLASS] = "class",        [COLUMN_GROWTH] = "growthRate",  [COLUMN_ODDS] = "oddsRatio",
    [COLUMN_LOW] = "oddsRatioLow",   [COLUMN_HIGH] = "oddsRatioHigh", [COLUMN_P] = "p",
    [COLUMN_ADJUSTED] = "adjustedP",
};

/* ---- names of columns ------------------------------------------------------------------------ */

/* Names are written to CSV and JSON as they are. */
static void contrast_name(group_contrast *c, const char *head, const char *class_name) {
    char *to = c->names[c->n_columns++];
    snprintf(to, CONTRAST_NAME_BYTES, "%s_%s", head, class_name);
    for (; *to; to++) {
        if ((unsigned char)*to < ' ' || strchr("\",;\\\t|", *to)) *to = '_';
    }
}

/* Labels may differ only in characters that names cannot have. */
static lode_status contrast_check_names(const group_contrast *c) {
    const char(*names)[CLASSES_NAME_BYTES] = c->classes.names;
    for (uint32_t k = 0; k < c->classes.n_classes; k++) {
        for (uint32_t i = 0; i < k; i++) {
            if (strcmp(c->names[2 * i], c->names[2 * k]) != 0) continue;
            return job_fail(c->job, LODE_INVALID,
                            "--class: the groups '%s' and '%s' would both get the column %s; "
                            "rename one of them",
                            names[i], names[k], c->names[2 * k]);
        }
    }
    return LODE_OK;
}

static void contrast_name_all(group_contrast *c, bool tested) {
    uint32_t n = c->classes.n_classes;
    for (uint32_t k = 0; k < n; k++) {
        contrast_name(c, "count", c->classes.names[k]);
        contrast_name(c, "share", c->classes.names[k]);
    }
    for (unsigned i = n > 2 ? COLUMN_CLASS : COLUMN_GROWTH; i <= (unsigned)COLUMN_P + tested; i++) {
        snprintf(c->names[c->n_columns++], CONTRAST_NAME_BYTES, "%s", column_names[i]);
    }
}

/* ---- opening and closing --------------------------------------------------------------------- */

lode_status contrast_open(group_contrast **out, lode_job *job, const lode_dataset *data,
                          const lode_class_options *o) {
    lode_status status = LODE_OK;
    mem *m = &job->mem;
    group_contrast *c = NULL;
    LODE_TRY(mem_zalloc(m, (void **)&c, sizeof *c));
    c->job = job;
    LODE_TRY(classes_of_items(&c->classes, job, data, o));
    LODE_TRY(item_places_make(&c->in, job, data, &c->classes));
    LODE_TRY(fisher_logs(m, c->classes.n_rows, &c->logs));
    for (uint32_t k = 0; k < classes_tests(&c->classes); k++) {
        LODE_TRY(fisher_open(&c->fishers[k], m, c->logs, c->classes.n_rows,
                             (uint32_t)c->classes.sizes[k], o->alternative));
    }
    contrast_name_all(c, o->significant > 0);
    LODE_TRY(contrast_check_names(c));
    *out = c;
    c = NULL;
done:
    contrast_close(c);
    return status;
}

void contrast_close(group_contrast *c) {
    if (!c) return;
    mem *m = &c->job->mem;
    for (uint32_t k = 0; k < CLASSES_MOST; k++) fisher_close(&c->fishers[k]);
    if (c->logs) mem_free(m, c->logs, (c->classes.n_rows + (size_t)1) * sizeof *c->logs);
    item_places_free(&c->in);
    classes_free(&c->classes);
    verdict_free(m, c->verdict);
    mem_free(m, c, sizeof *c);
}

void contrast_take_verdict(group_contrast *c, group_verdict *verdict) {
    verdict_free(&c->job->mem, c->verdict);
    c->verdict = verdict;
}

/* ---- values ---------------------------------------------------------------------------------- */

bool contrast_find(const group_contrast *c, const char *name, size_t *id) {
    size_t i = 0;
    for (; i < c->n_columns; i++) {
        if (strcmp(c->names[i], name) != 0) continue;
        *id = i;
        return true;
    }
    lode_measure measure = LODE_INIT(lode_measure);
    if (!lode_measure_find(name, &i) || !lode_measure_at(i, &measure)) return false;
    *id = RULE_MEASURES + i;
    return measure.needs == LODE_NEEDS_COUNTS;
}

bool contrast_falls(const group_contrast *c, size_t id) {
    size_t n = c->classes.n_classes, tail = 2 * n + (n > 2);
    lode_measure m = LODE_INIT(lode_measure);
    if (id >= RULE_MEASURES) return lode_measure_at(id - RULE_MEASURES, &m) && m.better < 0;
    return id >= tail + COLUMN_P - COLUMN_GROWTH;
}

lode_status contrast_count(group_contrast *c, mem *m, places_scratch *s, item_set set,
                           contrast_counts *out) {
    lode_status status = item_places_count(&c->in, m, s, set, out->of);
    const row_classes *k = &c->classes;
    fisher_p least = FISHER_ONE + 1;
    uint64_t x = 0;
    if (status != LODE_OK) return status;
    for (uint32_t i = 0; i < k->n_classes; i++) x += out->of[i];
    out->best = 0;
    for (uint32_t i = 0; i < classes_tests(k) && k->n_classes > 2; i++) {
        fisher_p key = fisher_key(&c->fishers[i], (uint32_t)x, (uint32_t)out->of[i]);
        if (key < least) out->best = i;
        if (key < least) least = key;
    }
    out->rule = (lode_counts){out->of[out->best], x, k->sizes[out->best], k->n_rows};
    return LODE_OK;
}

static double contrast_growth(const lode_counts *c) {
    double with = (double)c->both / (double)c->rhs;
    double without = (double)(c->lhs - c->both) / (double)(c->total - c->rhs);
    return with / without; /* 0 / 0: NaN, which no pattern has */
}

static double contrast_column(group_contrast *c, const contrast_counts *counts, unsigned column) {
    const lode_counts *rule = &counts->rule;
    fisher_test *f = &c->fishers[counts->best];
    uint32_t x = (uint32_t)rule->lhs, a = (uint32_t)rule->both;
    double low, high;
    size_t odds;
    lode_rule as_rule = {.size = sizeof as_rule, .counts = *rule};
    switch (column) {
    case COLUMN_CLASS: return counts->best + 1;
    case COLUMN_GROWTH: return contrast_growth(rule);
    case COLUMN_ODDS:
        return lode_measure_find("oddsRatio", &odds) ? lode_measure_value(odds, &as_rule) : NAN;
    case COLUMN_LOW:
    case COLUMN_HIGH:
        lode_measure_interval(LODE_INTERVAL_ODDS_RATIO, rule, CONTRAST_LEVEL, &low, &high);
        return column == COLUMN_LOW ? low : high;
    case COLUMN_P: return exp(fisher_log(f, x, a));
    default: return c->verdict ? verdict_adjusted(c->verdict, fisher_key(f, x, a)) : NAN;
    }
}

double contrast_value(group_contrast *c, const contrast_counts *counts, size_t id) {
    size_t n = c->classes.n_classes;
    if (id >= RULE_MEASURES) {
        lode_rule rule = {.size = sizeof rule, .counts = counts->rule};
        return lode_measure_value(id - RULE_MEASURES, &rule);
    }
    if (id < 2 * n) {
        double count = (double)counts->of[id / 2];
        return id % 2 == 0 ? count : count / (double)c->classes.sizes[id / 2];
    }
    return contrast_column(c, counts,
                           (unsigned)(id - 2 * n) + (n > 2 ? COLUMN_CLASS : COLUMN_GROWTH));
}
