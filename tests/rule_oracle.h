/* rule_oracle.h - for tests of rules: all rules by brute force, over at most 12 items
 *
 * A `scene` is a small data set and a request. The oracle counts every set of items, tries every
 * pair of an antecedent and a consequent, and tests every option exactly as it is documented. From
 * src/rules it uses only the choice of held-out transactions, the measures, and the adjustment of
 * p-values.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_RULE_ORACLE_H
#define LODE_TESTS_RULE_ORACLE_H

#include <math.h>

#include "mining.h"
#include "rules/holdout.h"
#include "rules/measures/adjust.h"

#define ORACLE_ITEMS  12
#define ORACLE_BOUNDS 3

/* A bound of a measure, by name. */
typedef struct scene_bound {
    const char *measure;
    double value;
    bool most;
} scene_bound;

/* Items are bits. The groups of an option are masks; a mask 0 ends the list. */
typedef struct scene {
    uint64_t seed;
    table t;
    uint32_t *weights; /* or NULL */
    uint32_t n_items;
    unsigned naming; /* 0 = numbers from 0, 1 = large numbers, 2 = names */
    uint64_t min_count;
    lode_threshold confidence;
    uint32_t max_rhs, max_lhs, min_size, max_size;
    uint32_t lhs, rhs, exclude, exclude_lhs, exclude_rhs; /* masks; 0 = not given */
    uint32_t include[3], include_lhs[3], include_rhs[3];
    scene_bound bounds[ORACLE_BOUNDS];
    unsigned n_bounds;
    bool productive;
    const char *sort_by;
    uint64_t top;
    lode_adjust adjust;
    double significant;
    unsigned holdout; /* percent of the transactions; 0 = none */
    uint64_t holdout_seed;
} scene;

typedef struct found_rule {
    uint32_t lhs, rhs; /* masks */
    lode_counts counts, held;
    double best, adjusted;
    double key;
} found_rule;

typedef struct found_rules {
    found_rule *rules;
    size_t n, cap;
} found_rules;

static inline void found_add(found_rules *f, const found_rule *rule) {
    f->rules = mining_grow(f->rules, &f->cap, f->n + 1, sizeof *f->rules);
    f->rules[f->n++] = *rule;
}

static inline void found_free(found_rules *f) {
    free(f->rules);
    *f = (found_rules){0};
}

/* ---- counts --------------------------------------------------------------------------------- */

static inline uint32_t scene_mask(const scene *s, uint64_t row) {
    size_t n;
    const uint32_t *items = table_row(&s->t, row, &n);
    uint32_t mask = 0;
    for (size_t i = 0; i < n; i++) mask |= 1u << items[i];
    return mask;
}

static inline bool scene_holds_out(const scene *s, uint64_t row) {
    lode_threshold share = {s->holdout, 100};
    return s->holdout > 0 && holdout_holds(share, s->holdout_seed, row);
}

/* Sets supports[mask] to the support of each set, among the held-out rows (`held`) or the others.
 */
static inline void scene_count(const scene *s, bool held, uint64_t *supports) {
    uint32_t n = 1u << s->n_items;
    for (uint32_t m = 0; m < n; m++) supports[m] = 0;
    for (uint64_t row = 0; row < s->t.n; row++) {
        uint32_t mask = scene_mask(s, row);
        if (scene_holds_out(s, row) != held) continue;
        for (uint32_t m = 0; m < n; m++) {
            if ((m & mask) == m) supports[m] += s->weights ? s->weights[row] : 1;
        }
    }
}

/* ---- conditions ----------------------------------------------------------------------------- */

static inline uint32_t scene_antecedents(const scene *s) { /* items that antecedents may have */
    uint32_t all = (1u << s->n_items) - 1;
    return (s->lhs ? s->lhs : all) & ~s->exclude & ~s->exclude_lhs;
}
static inline uint32_t scene_consequents(const scene *s) {
    uint32_t all = (1u << s->n_items) - 1;
    return (s->rhs ? s->rhs : all) & ~s->exclude & ~s->exclude_rhs;
}

static inline bool scene_has_groups(const uint32_t *groups, uint32_t mask) {
    for (int i = 0; i < 3 && groups[i]; i++) {
        if (!(groups[i] & mask)) return false;
    }
    return true;
}

static inline bool scene_allows(const scene *s, uint32_t lhs, uint32_t rhs) {
    uint32_t n_lhs = (uint32_t)__builtin_popcount(lhs), n_rhs = (uint32_t)__builtin_popcount(rhs);
    uint32_t max_rhs = s->max_rhs ? s->max_rhs : 1;
    return lhs && rhs && !(lhs & rhs) && !(lhs & ~scene_antecedents(s)) &&
           !(rhs & ~scene_consequents(s)) && n_rhs <= max_rhs &&
           (s->max_lhs == 0 || n_lhs <= s->max_lhs) && n_lhs + n_rhs >= s->min_size &&
           (s->max_size == 0 || n_lhs + n_rhs <= s->max_size) &&
           scene_has_groups(s->include, lhs | rhs) && scene_has_groups(s->include_lhs, lhs) &&
           scene_has_groups(s->include_rhs, rhs);
}

/* The number of tests: pairs of a frequent antecedent and a consequent of frequent items. */
static inline uint64_t scene_family(const scene *s, const uint64_t *supports) {
    uint64_t n = 0;
    uint32_t all = 1u << s->n_items, frequent = 0;
    for (uint32_t i = 0; i < s->n_items; i++) {
        if (supports[1u << i] >= s->min_count) frequent |= 1u << i;
    }
    for (uint32_t lhs = 1; lhs < all; lhs++) {
        if (supports[lhs] < s->min_count) continue;
        for (uint32_t rhs = 1; rhs < all; rhs++) {
            n += !(rhs & ~frequent) && scene_allows(s, lhs, rhs);
        }
    }
    return n;
}

static inline lode_rule found_as_rule(const found_rule *f, bool general) {
    return (lode_rule){
        .size = sizeof(lode_rule),
        .counts = f->counts,
        .held_out = f->held,
        .best_confidence = general ? f->best : NAN,
        .best_lift = general ? f->best * (double)f->counts.total / (double)f->counts.rhs : NAN,
        .adjusted_p = f->adjusted};
}

static inline double found_value(const found_rule *f, const char *measure) {
    size_t i = 0;
    lode_rule rule = found_as_rule(f, true);
    if (!lode_measure_find(measure, &i)) exit(2);
    if (strcmp(measure, "fisher") == 0 && f->counts.lhs > f->counts.rhs) { /* the same table */
        rule.counts.lhs = f->counts.rhs;
        rule.counts.rhs = f->counts.lhs;
    }
    return lode_measure_value(i, &rule);
}

static inline bool scene_is_late(const char *measure) {
    return strncmp(measure, "heldOut", 7) == 0 || strcmp(measure, "adjustedP") == 0;
}

static inline bool scene_keeps_bounds(const scene *s, const found_rule *f, bool late) {
    for (unsigned i = 0; i < s->n_bounds; i++) {
        const scene_bound *b = &s->bounds[i];
        if (scene_is_late(b->measure) != late) continue;
        double value = found_value(f, b->measure), slack = 1e-9 * fabs(b->value) + 1e-14;
        if (!(b->most ? value <= b->value + slack : value >= b->value - slack)) return false;
    }
    return true;
}

/* The best confidence of all more general rules, exactly: best[0] / best[1]. */
static inline void scene_best(const uint64_t *supports, uint32_t lhs, uint32_t rhs,
                              uint64_t best[2]) {
    best[0] = 0;
    best[1] = 1;
    for (uint32_t part = lhs; part > 0;) {
        part = (part - 1) & lhs; /* every proper part, the last is empty */
        uint64_t both = supports[part | rhs], of = supports[part];
        if ((unsigned __int128)both * best[1] > (unsigned __int128)best[0] * of) {
            best[0] = both;
            best[1] = of;
        }
    }
}

/* ---- all rules ------------------------------------------------------------------------------ */

static inline bool scene_wants(const scene *s, const uint64_t *supports, found_rule *f) {
    lode_counts *c = &f->counts;
    uint64_t best[2];
    if (c->both < s->min_count || !scene_allows(s, f->lhs, f->rhs)) return false;
    if ((unsigned __int128)c->both * s->confidence.denominator <
        (unsigned __int128)c->lhs * s->confidence.numerator) {
        return false;
    }
    scene_best(supports, f->lhs, f->rhs, best);
    f->best = (double)best[0] / (double)best[1];
    if (s->productive &&
        (unsigned __int128)c->both * best[1] <= (unsigned __int128)best[0] * c->lhs) {
        return false;
    }
    return scene_keeps_bounds(s, f, false);
}

static inline void scene_adjust(const scene *s, found_rules *all, uint64_t tests) {
    mem m;
    double *values = malloc((all->n + 1) * sizeof *values);
    size_t fisher = 0;
    if (!values || !lode_measure_find("fisher", &fisher)) exit(2);
    mem_init(&m, NULL, NULL, 0);
    for (size_t i = 0; i < all->n; i++) {
        lode_rule rule = found_as_rule(&all->rules[i], false);
        if (s->holdout) rule.counts = rule.held_out;
        values[i] = log(lode_measure_value(fisher, &rule));
    }
    if (s->holdout) tests = all->n;
    if (adjust_p_values(&m, s->adjust, (double)tests, values, all->n, NULL) != LODE_OK) exit(2);
    for (size_t i = 0; i < all->n; i++) all->rules[i].adjusted = values[i];
    free(values);
}

static inline void scene_judge(const scene *s, found_rules *all, uint64_t tests) {
    size_t n = 0;
    if (s->adjust != LODE_ADJUST_NONE || s->significant > 0) scene_adjust(s, all, tests);
    for (size_t i = 0; i < all->n; i++) {
        const found_rule *f = &all->rules[i];
        bool kept = s->significant == 0 || f->adjusted <= s->significant * (1 + 1e-9);
        if (kept && scene_keeps_bounds(s, f, true)) all->rules[n++] = *f;
    }
    all->n = n;
}

/* All rules that the scene requests, in any order. *tests receives the number of tests. */
static inline found_rules scene_rules(const scene *s, uint64_t *tests) {
    static uint64_t supports[1u << ORACLE_ITEMS], held[1u << ORACLE_ITEMS];
    uint32_t n = 1u << s->n_items;
    found_rules all = {0};
    scene_count(s, false, supports);
    scene_count(s, true, held);
    for (uint32_t lhs = 1; lhs < n; lhs++) {
        if (supports[lhs] < s->min_count) continue;
        uint32_t rest = (n - 1) & ~lhs;
        for (uint32_t rhs = rest; rhs > 0; rhs = (rhs - 1) & rest) {
            found_rule f = {.lhs = lhs, .rhs = rhs, .adjusted = NAN};
            f.counts =
                (lode_counts){supports[lhs | rhs], supports[lhs], supports[rhs], supports[0]};
            if (s->holdout) {
                f.held = (lode_counts){held[lhs | rhs], held[lhs], held[rhs], held[0]};
            }
            if (scene_wants(s, supports, &f)) found_add(&all, &f);
        }
    }
    *tests = scene_family(s, supports);
    scene_judge(s, &all, *tests);
    return all;
}

/* ---- orders --------------------------------------------------------------------------------- */

static inline int found_compare_items(uint32_t a, uint32_t b) { /* as ascending lists of items */
    while (a && b) {
        int x = __builtin_ctz(a), y = __builtin_ctz(b);
        if (x != y) return x < y ? -1 : 1;
        a &= a - 1;
        b &= b - 1;
    }
    return a ? 1 : b ? -1 : 0;
}

static inline int found_compare(const void *left, const void *right) {
    const found_rule *a = left, *b = right;
    int n_a = __builtin_popcount(a->lhs | a->rhs), n_b = __builtin_popcount(b->lhs | b->rhs);
    if (a->key != b->key) return a->key > b->key ? -1 : 1;
    if (a->counts.both != b->counts.both) return a->counts.both > b->counts.both ? -1 : 1;
    if (n_a != n_b) return n_a < n_b ? -1 : 1;
    int lhs = found_compare_items(a->lhs, b->lhs);
    return lhs ? lhs : found_compare_items(a->rhs, b->rhs);
}

/* Sorts the rules as requested (without sort_by, in a fixed order), and keeps only the best. */
static inline void scene_order(const scene *s, found_rules *all) {
    size_t i = 0;
    lode_measure m = {.size = sizeof m};
    if (s->sort_by && (!lode_measure_find(s->sort_by, &i) || !lode_measure_at(i, &m))) exit(2);
    for (size_t k = 0; k < all->n; k++) {
        double value = s->sort_by ? found_value(&all->rules[k], s->sort_by) : 0;
        all->rules[k].key = isnan(value) ? -INFINITY : m.better < 0 ? -value : value;
    }
    if (all->n > 0) qsort(all->rules, all->n, sizeof *all->rules, found_compare);
    if (s->top == 0 || s->top >= all->n) return;
    size_t n = (size_t)s->top;
    while (n < all->n && all->rules[n].key == all->rules[n - 1].key) n++;
    all->n = n;
}

#endif
