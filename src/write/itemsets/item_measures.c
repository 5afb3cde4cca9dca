/* item_measures.c - see item_measures.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/item_measures.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/reals.h"
#include "rules/measures/measure.h"
#include "runtime/job.h"

/* ---- supports of items ---------------------------------------------------------------------- */

lode_status single_supports_copy(single_supports *s, mem *m, const lode_dataset *data) {
    size_t bytes = data->item_bound * sizeof *s->of;
    lode_status status = mem_resize(m, (void **)&s->of, 0, bytes);
    if (status != LODE_OK) return status;
    if (bytes > 0) memcpy(s->of, data->item_supports, bytes);
    s->n = data->item_bound;
    s->total = data->total_weight;
    return LODE_OK;
}

void single_supports_free(single_supports *s, mem *m) {
    mem_free(m, s->of, s->n * sizeof *s->of);
    *s = (single_supports){0};
}

/* Appends the supports of items. There is room for them. */
static void supports_add(vec_u64 *gathered, const uint64_t *of, const uint32_t *ids, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) gathered->data[gathered->n++] = of[ids[i]];
}

void measure_scratch_free(measure_scratch *s, mem *m) {
    vec_u64_free(m, &s->supports);
    places_scratch_free(&s->in, m);
}

static lode_status supports_of_pattern(const uint64_t *of, mem *m, vec_u64 *gathered,
                                       const lode_batch *batch, uint32_t i) {
    gathered->n = 0;
    lode_status status = vec_u64_reserve(m, gathered, batch->n_prefix + (size_t)1);
    if (status != LODE_OK) return status;
    supports_add(gathered, of, batch->prefix, batch->n_prefix);
    supports_add(gathered, of, &batch->items[i], 1);
    return LODE_OK;
}

/* ---- names ---------------------------------------------------------------------------------- */

static bool measure_is_known(const group_contrast *classes, const char *name, bool number,
                             size_t *out) {
    bool is_number = number && (strcmp(name, "support") == 0 || strcmp(name, "count") == 0);
    size_t found = ITEM_MEASURE_NUMBER;
    if (!is_number && classes && contrast_find(classes, name, &found)) {
        found += ITEM_CONTRAST;
    } else if (!is_number && !lode_itemset_measure_find(name, &found)) {
        return false;
    }
    if (out) *out = found;
    return true;
}

/* With classes, most measures of rules are known, too. */
static lode_status measure_unknown_contrast(lode_job *job, const char *what, const char *name) {
    return job_fail(
        job, LODE_INVALID,
        "%s: there is no measure '%.60s' of groups; expected growthRate, p, a column such "
        "as oddsRatio, or a measure of rules that needs only counts (`lode measures`)",
        what, name);
}

static lode_status measure_unknown(lode_job *job, const char *what, const char *name, bool number) {
    const char *names[ITEM_MEASURES_OWN + 1];
    char hint[NEAREST_BYTES + 32];
    size_t n = 0;
    lode_measure m = LODE_INIT(lode_measure);
    for (; n < ITEM_MEASURES_OWN && lode_itemset_measure_at(n, &m); n++) names[n] = m.name;
    if (number) names[n++] = "support";
    if (!number && (strcmp(name, "support") == 0 || strcmp(name, "count") == 0)) {
        return job_fail(job, LODE_INVALID,
                        "%s: '%s' is not a measure; --min-support and --rare limit the support",
                        what, name);
    }
    if (number && name[0] == '-' && measure_is_known(NULL, name + 1, number, NULL)) {
        return job_fail(job, LODE_INVALID,
                        "%s '%s': the highest come first with --sort-by %s; for the reverse order, "
                        "write the itemsets with -o FILE.arrow and use `lode query FILE.arrow "
                        "--sort-by %s --reverse`",
                        what, name, name + 1, name + 1);
    }
    if (lode_measure_find(name, NULL)) {
        return job_fail(job, LODE_INVALID,
                        "%s: '%.60s' is a measure of rules, and itemsets have no such value; "
                        "itemsets have lift, leverage and allConfidence",
                        what, name);
    }
    return job_fail(job, LODE_INVALID,
                    "%s: itemsets have no measure '%.60s'; %sexpected lift, leverage%s", what, name,
                    nearest_hint(hint, name, names, n),
                    number ? ", allConfidence or support" : " or allConfidence");
}

lode_status item_measure_find(lode_job *job, const group_contrast *classes, const char *what,
                              const char *name, bool number, size_t *out) {
    if (measure_is_known(classes, name, number, out)) return LODE_OK;
    return classes && name[0] != '-' ? measure_unknown_contrast(job, what, name)
                                     : measure_unknown(job, what, name, number);
}

/* ---- measures that are written -------------------------------------------------------------- */

static lode_status measures_add(item_measures *s, lode_job *job, const char *name, bool again) {
    size_t measure = 0;
    lode_status status = item_measure_find(job, s->contrast, "--measure", name, false, &measure);
    if (status != LODE_OK) return status;
    if (s->n == ITEM_MEASURES_MOST) {
        return job_fail(job, LODE_INVALID, "too many measures; expected at most %d",
                        ITEM_MEASURES_MOST);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->list[i].measure != measure) continue;
        if (again || measure >= ITEM_CONTRAST) return LODE_OK; /* it has a column already */
        return job_fail(job, LODE_INVALID, "the measure '%s' is listed twice", name);
    }
    s->list[s->n].measure = measure;
    snprintf(s->list[s->n].name, sizeof s->list[s->n].name, "%s", name);
    s->n++;
    return LODE_OK;
}

/* Copies the first name of a list, without blanks around it. A + before it says that it is one
 * measure more, as all of them are. Returns how much of the list was read. */
static size_t measures_name(const char *names, char name[ITEM_MEASURE_NAME]) {
    size_t n = strcspn(names, ",\n"), first = strspn(names, "+ \t"), last = n;
    while (last > first && (names[last - 1] == ' ' || names[last - 1] == '\t')) last--;
    if (first > last) first = last;
    snprintf(name, ITEM_MEASURE_NAME, "%.*s", (int)(last - first), names + first);
    return n;
}

/* The columns of the classes come first. */
static void measures_add_columns(item_measures *s) {
    for (; s->contrast && s->n < s->contrast->n_columns; s->n++) {
        s->list[s->n].measure = ITEM_CONTRAST + s->n;
        snprintf(s->list[s->n].name, sizeof s->list[s->n].name, "%s", s->contrast->names[s->n]);
    }
}

lode_status item_measures_choose(item_measures *s, lode_job *job, const lode_dataset *data,
                                 group_contrast *classes, const lode_write_options *o) {
    lode_status status = LODE_OK;
    const char *names = o->measures;
    char name[ITEM_MEASURE_NAME];
    size_t order = ITEM_MEASURE_NUMBER;
    s->contrast = classes;
    if (o->classes) measures_add_columns(s);
    for (bool goes_on = names != NULL; goes_on;) {
        names += measures_name(names, name);
        LODE_TRY(measures_add(s, job, name, false));
        goes_on = *names != 0; /* after a comma, a name must come */
        names += goes_on;
    }
    if (o->sort_by)
        LODE_TRY(item_measure_find(job, classes, "--sort-by", o->sort_by, true, &order));
    if (order != ITEM_MEASURE_NUMBER) LODE_TRY(measures_add(s, job, o->sort_by, true));
    if (s->n > 0) LODE_TRY(single_supports_copy(&s->supports, &job->mem, data));
done:
    return status;
}

void item_measures_free(item_measures *s, mem *m) {
    single_supports_free(&s->supports, m);
    *s = (item_measures){0};
}

bool item_measures_fall(const item_measures *s) {
    return s->n > 0 && s->list[0].measure >= ITEM_CONTRAST &&
           contrast_falls(s->contrast, s->list[0].measure - ITEM_CONTRAST);
}

static lode_status measures_count(group_contrast *c, mem *m, measure_scratch *scratch,
                                  const lode_batch *batch, uint32_t i, contrast_counts *out) {
    item_set set = {batch->prefix, batch->n_prefix, batch->items[i]};
    return c ? contrast_count(c, m, &scratch->in, set, out) : LODE_OK;
}

lode_status item_measures_of(const item_measures *s, mem *m, measure_scratch *scratch,
                             const lode_batch *batch, uint32_t i, double *values) {
    const vec_u64 *supports = &scratch->supports;
    contrast_counts counts;
    lode_status status = supports_of_pattern(s->supports.of, m, &scratch->supports, batch, i);
    if (status == LODE_OK) status = measures_count(s->contrast, m, scratch, batch, i, &counts);
    for (uint32_t k = 0; k < s->n && status == LODE_OK; k++) {
        size_t measure = s->list[k].measure;
        values[k] = measure >= ITEM_CONTRAST
                        ? contrast_value(s->contrast, &counts, measure - ITEM_CONTRAST)
                        : lode_itemset_measure_value(measure, supports->data, supports->n,
                                                     batch->supports[i], s->supports.total);
    }
    return status;
}

/* ---- bounds --------------------------------------------------------------------------------- */

static uint32_t bounds_lines(const char *text) {
    uint32_t n = text != NULL;
    for (; text && *text; text++) n += *text == '\n';
    return n;
}

/* One line, "lift=1.5". */
static lode_status bounds_read_line(measure_bound *b, lode_job *job, const group_contrast *classes,
                                    const char *what, const char *text, size_t n) {
    char name[ITEM_MEASURE_NAME];
    const char *sign = memchr(text, '=', n);
    size_t bytes = sign ? (size_t)(sign - text) : 0;
    if (!sign || !reals_read(sign + 1, n - bytes - 1, &b->value)) {
        return job_fail(job, LODE_INVALID,
                        "%s '%.*s': expected a measure and a number, such as lift=1.5", what,
                        (int)(n < 200 ? n : 200), text);
    }
    snprintf(name, sizeof name, "%.*s", (int)(bytes < sizeof name ? bytes : sizeof name - 1), text);
    return item_measure_find(job, classes, what, name, false, &b->measure);
}

static lode_status bounds_read_list(item_bounds *b, lode_job *job, const char *what,
                                    const char *text, int direction) {
    for (bool goes_on = text != NULL; goes_on;) {
        measure_bound *bound = &b->list[b->n++];
        size_t n = strcspn(text, "\n");
        lode_status status = bounds_read_line(bound, job, b->contrast, what, text, n);
        if (status != LODE_OK) return status;
        bound->direction = direction;
        goes_on = text[n] != 0;
        text += n + goes_on;
    }
    return LODE_OK;
}

lode_status item_bounds_read(item_bounds *b, lode_job *job, mem_kept *kept, const char *minima,
                             const char *maxima) {
    lode_status status = LODE_OK;
    size_t n = (size_t)bounds_lines(minima) + bounds_lines(maxima);
    LODE_TRY(mem_keep_zero(&job->mem, kept, (void **)&b->list, n * sizeof *b->list));
    LODE_TRY(bounds_read_list(b, job, "--min", minima, 1));
    LODE_TRY(bounds_read_list(b, job, "--max", maxima, -1));
done:
    return status;
}

lode_status item_bounds_met(const item_bounds *b, mem *m, measure_scratch *scratch,
                            const lode_batch *batch, uint32_t i, bool *met) {
    const lode_dataset *data = b->data;
    const vec_u64 *supports = &scratch->supports;
    contrast_counts counts;
    lode_status status = supports_of_pattern(data->item_supports, m, &scratch->supports, batch, i);
    if (status == LODE_OK) status = measures_count(b->contrast, m, scratch, batch, i, &counts);
    *met = status == LODE_OK;
    for (uint32_t k = 0; k < b->n && *met; k++) {
        const measure_bound *bound = &b->list[k];
        double value = bound->measure >= ITEM_CONTRAST
                           ? contrast_value(b->contrast, &counts, bound->measure - ITEM_CONTRAST)
                           : lode_itemset_measure_value(bound->measure, supports->data, supports->n,
                                                        batch->supports[i], data->total_weight);
        *met = measure_reaches(value, bound->value, bound->direction);
    }
    return status;
}
