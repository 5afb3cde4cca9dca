/* wants.c - see wants.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/wants.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/figures.h"
#include "base/nearest.h"
#include "rules/measures/bound.h"
#include "rules/measures/measure.h"

/* ---- sides ---------------------------------------------------------------------------------- */

typedef struct wants_reader {
    lode_job *job;
    const lode_dataset *data;
    wants *w;
    uint8_t *marks; /* by id: scratch */
} wants_reader;

/* Marks the items of an option; *given: whether it is there at all. */
static lode_status wants_mark(wants_reader *r, const char *text, const char *name, bool *given) {
    select_groups groups = {0};
    memset(r->marks, 0, r->data->item_bound);
    *given = text != NULL;
    if (!text) return LODE_OK;
    lode_status status = select_parse(r->job, r->data, text, name, false, &groups);
    if (status != LODE_OK) return status;
    select_mark(&groups, r->marks, 1);
    select_clear(&groups);
    return LODE_OK;
}

/* Takes roles away: those of the items of an option or, with `others`, of all but these. */
static lode_status wants_take_away(wants_reader *r, const char *text, const char *name,
                                   unsigned role, bool others) {
    bool given;
    uint8_t *roles = (uint8_t *)(uintptr_t)r->w->roles;
    lode_status status = wants_mark(r, text, name, &given);
    for (uint32_t id = 0; id < r->data->item_bound && status == LODE_OK && given; id++) {
        if ((r->marks[id] != 0) != others) roles[id] &= (uint8_t)~role;
    }
    return status;
}

static lode_status wants_read_roles(wants_reader *r, const lode_rule_options *o) {
    lode_status status = LODE_OK;
    const unsigned both = ENGINE_ROLE_LHS | ENGINE_ROLE_RHS;
    size_t n = r->data->item_bound;
    uint8_t *roles = NULL;
    LODE_TRY(mem_keep_zero(r->w->mem, &r->w->kept, (void **)&roles, n));
    if (n > 0) memset(roles, (int)both, n);
    r->w->roles = roles;
    LODE_TRY(wants_take_away(r, o->lhs, "--lhs", ENGINE_ROLE_LHS, true));
    LODE_TRY(wants_take_away(r, o->rhs, "--rhs", ENGINE_ROLE_RHS, true));
    LODE_TRY(wants_take_away(r, o->exclude_lhs, "--exclude-lhs", ENGINE_ROLE_LHS, false));
    LODE_TRY(wants_take_away(r, o->exclude_rhs, "--exclude-rhs", ENGINE_ROLE_RHS, false));
    LODE_TRY(wants_take_away(r, o->exclude, "--exclude", both, false));
done:
    return status;
}

/* ---- groups --------------------------------------------------------------------------------- */

static lode_status wants_read_includes(wants_reader *r, const char *text, const char *name,
                                       wants_includes *out) {
    lode_status status = LODE_OK;
    select_groups groups = {.mem = &r->job->mem};
    LODE_TRY(select_parse(r->job, r->data, text, name, false, &groups));
    if (groups.n == 0) goto done;
    if (groups.n > WANTS_GROUPS) {
        status =
            job_fail(r->job, LODE_UNSUPPORTED, "%s: %u groups of items; at most %d are supported",
                     name, groups.n, WANTS_GROUPS);
        goto done;
    }
    LODE_TRY(mem_keep_zero(r->w->mem, &r->w->kept, (void **)&out->masks,
                           r->data->item_bound * sizeof *out->masks));
    for (uint32_t g = 0; g < groups.n; g++) {
        const select_group *group = &groups.groups[g];
        out->all |= (uint64_t)1 << g;
        for (uint32_t i = 0; i < group->n; i++) out->masks[group->ids[i]] |= (uint64_t)1 << g;
    }
done:
    select_clear(&groups);
    return status;
}

uint64_t wants_masks(const wants_includes *m, const uint32_t *ids, uint32_t n) {
    uint64_t mask = 0;
    for (uint32_t i = 0; i < n && m->masks; i++) mask |= m->masks[ids[i]];
    return mask;
}

bool wants_groups(const wants *w, const lode_rule *rule) {
    uint64_t any = wants_masks(&w->include, rule->lhs, rule->n_lhs) |
                   wants_masks(&w->include, rule->rhs, rule->n_rhs);
    return any == w->include.all &&
           wants_masks(&w->include_lhs, rule->lhs, rule->n_lhs) == w->include_lhs.all &&
           wants_masks(&w->include_rhs, rule->rhs, rule->n_rhs) == w->include_rhs.all;
}

/* ---- measures ------------------------------------------------------------------------------- */

static void wants_note_needs(wants *w, lode_measure_needs needs) {
    w->needs_general = w->needs_general || needs == LODE_NEEDS_GENERAL;
    w->needs_p = w->needs_p || needs == LODE_NEEDS_ADJUSTED;
    w->needs_held_out = w->needs_held_out || needs == LODE_NEEDS_HELD_OUT;
}

static lode_status wants_read_bounds(wants_reader *r, const char *text, const char *name,
                                     int direction) {
    wants *w = r->w;
    for (bool goes_on = text != NULL; goes_on;) {
        wants_bound b = {.direction = direction};
        size_t n = strcspn(text, "\n");
        lode_status status = wants_text_bound(r->job, name, text, n, &b.measure, &b.value);
        if (status != LODE_OK) return status;
        goes_on = text[n] != 0;
        text += n + goes_on;
        char why[MEASURE_WHY];
        if (measure_never_reaches(&measure_table[b.measure].shown, b.value, direction, why)) {
            job_log(r->job, LODE_LOG_INFO, "%s %s", name, why);
        }
        b.needs = measure_table[b.measure].shown.needs;
        b.prunes = b.needs == LODE_NEEDS_COUNTS && measure_can_prune(b.measure, direction);
        w->bounds[w->n_bounds++] = b;
        wants_note_needs(w, b.needs);
    }
    return LODE_OK;
}

/* An adjusted p-value is at least the p-value. So rules above the level are wanted by no method,
 * and they change none of the adjusted values below it. */
static void wants_bound_p(wants *w, double level) {
    const char *const name = "fisher";
    size_t i = 0;
    while (strcmp(measure_table[i].shown.name, name) != 0) i++;
    /* A level rules out so little that to ask before each branch takes longer than to search it. */
    w->bounds[w->n_bounds++] =
        (wants_bound){.measure = i, .direction = -1, .value = level, .needs = LODE_NEEDS_COUNTS};
}

static uint32_t wants_lines(const char *text) {
    uint32_t n = text != NULL;
    for (; text && *text; text++) n += *text == '\n';
    return n;
}

static lode_status wants_read_measures(wants_reader *r, const lode_rule_options *o) {
    lode_status status = LODE_OK;
    wants *w = r->w;
    bool tests = o->significant > 0 && !o->holdout;
    size_t n = (size_t)wants_lines(o->minima) + wants_lines(o->maxima) + tests;
    LODE_TRY(mem_keep_zero(w->mem, &w->kept, (void **)&w->bounds, n * sizeof *w->bounds));
    LODE_TRY(wants_read_bounds(r, o->minima, "--min", 1));
    LODE_TRY(wants_read_bounds(r, o->maxima, "--max", -1));
    w->knows_p = tests && o->adjust == LODE_ADJUST_NONE;
    for (uint32_t i = 0; i < w->n_bounds; i++) {
        if (w->bounds[i].needs == LODE_NEEDS_ADJUSTED) w->knows_p = false;
    }
    if (tests) wants_bound_p(w, o->significant);
    if (o->sort_by) {
        LODE_TRY(
            wants_text_measure(r->job, "--sort-by", o->sort_by, strlen(o->sort_by), &w->order));
        w->sorted = true;
        w->order_needs = measure_table[w->order].shown.needs;
        wants_note_needs(w, w->order_needs);
    }
    if (w->knows_p) w->needs_p = false;
done:
    return status;
}

bool wants_measures(const wants *w, const lode_rule *rule, lode_measure_needs needs) {
    for (uint32_t i = 0; i < w->n_bounds; i++) {
        const wants_bound *b = &w->bounds[i];
        if (b->needs != needs) continue;
        double value = needs == LODE_NEEDS_COUNTS ? measure_value(b->measure, &rule->counts)
                                                  : measure_of_rule(b->measure, rule);
        bool reaches = !measure_is_share(b->measure)
                           ? measure_reaches(value, b->value, b->direction)
                       : b->direction > 0 ? value >= b->value
                                          : value <= b->value;
        if (!reaches) return false;
    }
    return true;
}

bool wants_can_prune(const wants *w) {
    for (uint32_t i = 0; i < w->n_bounds; i++) {
        if (w->bounds[i].prunes) return true;
    }
    return false;
}

bool wants_may_reach(const wants *w, const lode_counts *here, uint64_t least) {
    bound_region region = {.rhs = here->rhs,
                           .total = here->total,
                           .least = least,
                           .both = here->both,
                           .lhs = here->lhs};
    for (uint32_t i = 0; i < w->n_bounds; i++) {
        const wants_bound *b = &w->bounds[i];
        if (b->prunes && !measure_may_reach(b->measure, &region, b->direction, b->value)) {
            return false;
        }
    }
    return true;
}

double wants_key(const wants *w, const lode_rule *rule) {
    const measure_row *row = &measure_table[w->order];
    if (!w->sorted) return 0;
    if (row->log_p) return -row->log_p(&rule->counts); /* does not become 0 */
    double value = measure_of_rule(w->order, rule);
    if (isnan(value)) return -INFINITY;
    return row->shown.better < 0 ? -value : value;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* What fields of the options do not go together. */
static lode_status wants_check(lode_job *job, const lode_rule_options *o) {
    const lode_threshold *c = &o->min_confidence;
    if (c->numerator > 0 && (c->denominator == 0 || c->numerator > c->denominator)) {
        return job_fail(job, LODE_INVALID,
                        "--min-confidence: expected a share from 0 to 1, such as 0.6 or 60%%");
    }
    if (!(o->significant >= 0 && o->significant <= 1)) {
        return job_fail(job, LODE_INVALID, "--significant: expected a level from 0 to 1");
    }
    if (o->top > 0 && !o->sort_by) {
        return job_fail(job, LODE_INVALID, "--top requires --sort-by, such as --sort-by lift");
    }
    if (o->max_size > 0 && o->max_size < o->min_size) {
        return job_fail(job, LODE_INVALID, "the maximum size %u is below the minimum size %u",
                        o->max_size, o->min_size);
    }
    return LODE_OK;
}

/* Whether some item of every group may be on one of these sides. */
static bool wants_groups_fit(const wants *w, const wants_includes *m, uint32_t bound,
                             unsigned sides) {
    uint64_t some = 0;
    for (uint32_t id = 0; id < bound && m->masks; id++) {
        if (w->roles[id] & sides) some |= m->masks[id];
    }
    return some == m->all;
}

static bool wants_side_is_empty(const wants *w, uint32_t bound, unsigned side) {
    for (uint32_t id = 0; id < bound; id++) {
        if (w->roles[id] & side) return false;
    }
    return bound > 0;
}

/* The number of items that may be on either side. */
static uint32_t wants_count_allowed(const wants *w, uint32_t bound) {
    uint32_t n = 0;
    for (uint32_t id = 0; id < bound; id++) n += w->roles[id] != 0;
    return n;
}

const char *wants_contradiction(const wants *w, uint32_t item_bound) {
    const unsigned both = ENGINE_ROLE_LHS | ENGINE_ROLE_RHS;
    uint64_t most = (uint64_t)w->max_lhs + w->max_rhs;
    if (w->max_size < 2) return "a rule has at least two items; --max-size 1 leaves none";
    if (w->min_size > most)
        return "no rule has that many items: --min-size is greater than --max-lhs and --max-rhs "
               "together";
    if (wants_side_is_empty(w, item_bound, ENGINE_ROLE_LHS))
        return "no item is left for the antecedent: --lhs allows only items that are excluded";
    if (wants_side_is_empty(w, item_bound, ENGINE_ROLE_RHS))
        return "no item is left for the consequent: --rhs allows only items that are excluded";
    if (wants_count_allowed(w, item_bound) == 1 && item_bound > 1)
        return "a rule has at least two items, and the options allow only one";
    if (!wants_groups_fit(w, &w->include_lhs, item_bound, ENGINE_ROLE_LHS))
        return "no antecedent can contain the items of --include-lhs: they are excluded, or not in "
               "--lhs";
    if (!wants_groups_fit(w, &w->include_rhs, item_bound, ENGINE_ROLE_RHS))
        return "no consequent can contain the items of --include-rhs: they are excluded, or not in "
               "--rhs";
    if (!wants_groups_fit(w, &w->include, item_bound, both))
        return "no rule can contain the items of --include: they are excluded, or allowed on "
               "neither side";
    return NULL;
}

static uint32_t wants_limit(uint32_t most) {
    return most > 0 ? most : UINT32_MAX;
}

lode_status wants_read(lode_job *job, const lode_dataset *data, const lode_rule_options *o,
                       wants *out) {
    lode_status status = LODE_OK;
    wants_reader r = {.job = job, .data = data, .w = out};
    size_t marks_bytes = (size_t)data->item_bound + 1;
    *out = (wants){
        .mem = &job->mem,
        .confidence = o->min_confidence.numerator > 0 ? o->min_confidence : (lode_threshold){0, 1},
        .max_rhs = o->max_rhs > 0 ? o->max_rhs : 1,
        .max_lhs = wants_limit(o->max_lhs),
        .min_size = o->min_size,
        .max_size = wants_limit(o->max_size),
        .top = o->top,
        .productive = o->productive,
        .needs_general = o->productive,
        .adjust = o->adjust,
        .significant = o->significant,
        .needs_p = o->adjust != LODE_ADJUST_NONE || o->significant > 0,
    };
    LODE_TRY(wants_check(job, o));
    if (out->max_lhs > out->max_size - 1) out->max_lhs = out->max_size - 1;
    if (out->max_rhs > out->max_size - 1 && out->max_size > 1) out->max_rhs = out->max_size - 1;
    LODE_TRY(mem_zalloc(&job->mem, (void **)&r.marks, marks_bytes));
    LODE_TRY(wants_read_roles(&r, o));
    LODE_TRY(wants_read_includes(&r, o->include, "--include", &out->include));
    LODE_TRY(wants_read_includes(&r, o->include_lhs, "--include-lhs", &out->include_lhs));
    LODE_TRY(wants_read_includes(&r, o->include_rhs, "--include-rhs", &out->include_rhs));
    LODE_TRY(wants_read_measures(&r, o));
done:
    mem_free(&job->mem, r.marks, r.marks ? marks_bytes : 0);
    if (status != LODE_OK) wants_clear(out);
    return status;
}

void wants_clear(wants *w) {
    if (w->mem) mem_drop(w->mem, &w->kept);
    *w = (wants){0};
}

/* ---- measures and bounds of measures from text: "lift=1.5", "phi=-0.2", "fisher=1e-6" -------- */

#define TEXT_NAME_BYTES 64
#define TEXT_MEASURES   128 /* more than there are */
#define TEXT_DIGITS     18
#define TEXT_EXPONENT   400

/* ---- names ---------------------------------------------------------------------------------- */

static lode_status text_unknown(lode_job *job, const char *option, const char *name) {
    const char *names[TEXT_MEASURES];
    char list[JOB_MESSAGE_BYTES - 200] = "", hint[NEAREST_BYTES + 32];
    size_t n = 0;
    if (strcmp(option, "--sort-by") == 0 && name[0] == '-' && lode_measure_find(name + 1, NULL)) {
        return job_fail(job, LODE_INVALID,
                        "%s '%s': the best rules come first with --sort-by %s; for the reverse "
                        "order, write the rules with -o FILE.arrow and use `lode query FILE.arrow "
                        "--sort-by %s --reverse`",
                        option, name, name + 1, name + 1);
    }
    lode_measure m = {.size = sizeof m};
    for (; n < TEXT_MEASURES && lode_measure_at(n, &m); n++) {
        names[n] = m.name;
        append_text(list, sizeof list, "%s%s", n ? ", " : "", m.name);
    }
    return job_fail(job, LODE_INVALID, "%s: there is no measure '%s'; %sexpected one of %s", option,
                    name, nearest_hint(hint, name, names, n), list);
}

lode_status wants_text_measure(lode_job *job, const char *option, const char *text, size_t n,
                               size_t *measure) {
    char name[TEXT_NAME_BYTES];
    size_t kept = n < sizeof name - 1 ? n : sizeof name - 1;
    memcpy(name, text, kept);
    name[kept] = 0;
    if (kept == n && lode_measure_find(name, measure)) return LODE_OK;
    return text_unknown(job, option, name);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static bool text_is(const char *p, const char *end, const char *word) {
    size_t n = strlen(word);
    return (size_t)(end - p) == n && strncmp(p, word, n) == 0;
}

static bool text_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Digits and a point; digits beyond what a number holds only count for its size. */
static const char *text_digits(const char *p, const char *end, uint64_t *digits, int *scale) {
    bool point = false, any = false;
    unsigned used = 0;
    for (; p < end && (text_digit(*p) || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        any = true;
        if (used < TEXT_DIGITS) {
            *digits = *digits * 10 + (uint64_t)(*p - '0');
            used += *digits > 0;
            *scale -= point;
        } else {
            *scale += !point;
        }
    }
    return any ? p : NULL;
}

static const char *text_exponent(const char *p, const char *end, int *scale) {
    int exponent = 0;
    if (p == end || (*p != 'e' && *p != 'E')) return p;
    bool negative = ++p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (p == end || !text_digit(*p)) return NULL;
    for (; p < end && text_digit(*p); p++) {
        if (exponent < TEXT_EXPONENT) exponent = exponent * 10 + (*p - '0');
    }
    *scale += negative ? -exponent : exponent;
    return p;
}

/* Exact for what people write: a few digits, and a power of ten that a double holds. */
static double text_scale(uint64_t digits, int scale) {
    long double value = (long double)digits, ten = 1;
    for (int i = scale < 0 ? -scale : scale; i > 0; i--) ten *= 10;
    return (double)(scale < 0 ? value / ten : value * ten);
}

bool wants_text_number(const char *text, size_t n, double *value) {
    const char *p = text, *end = text + n;
    uint64_t digits = 0;
    int scale = 0;
    bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (text_is(p, end, "inf")) {
        *value = negative ? -INFINITY : INFINITY;
        return true;
    }
    p = text_digits(p, end, &digits, &scale);
    if (p) p = text_exponent(p, end, &scale);
    if (p && p + 1 == end && *p == '%') {
        scale -= 2;
        p++;
    }
    if (p != end || !p) return false;
    double read = text_scale(digits, scale);
    *value = negative ? -read : read;
    return true;
}

lode_status wants_text_bound(lode_job *job, const char *option, const char *text, size_t n,
                             size_t *measure, double *value) {
    const char *end = text + n, *sign = memchr(text, '=', n);
    if (!sign) {
        return job_fail(job, LODE_INVALID,
                        "%s: '%.*s': expected a measure and a value, such as lift=1.5", option,
                        (int)n, text);
    }
    const char *name_end = sign, *number = sign + 1;
    while (name_end > text && name_end[-1] == ' ') name_end--;
    while (number < end && *number == ' ') number++;
    while (end > number && end[-1] == ' ') end--;
    lode_status status = wants_text_measure(job, option, text, (size_t)(name_end - text), measure);
    if (status != LODE_OK) return status;
    if (wants_text_number(number, (size_t)(end - number), value)) return LODE_OK;
    return job_fail(job, LODE_INVALID,
                    "%s: '%.*s': expected a number after the =, such as lift=1.5", option, (int)n,
                    text);
}
