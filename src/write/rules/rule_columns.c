/* rule_columns.c - see rule_columns.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/rules/rule_columns.h"

#include <math.h>

static const size_t extra_bytes[N_RULE_EXTRAS] = {
    [EXTRA_CONFIDENCE] = sizeof(double),
    [EXTRA_LIFT] = sizeof(double),
    [EXTRA_ADJUSTED] = sizeof(double),
    [EXTRA_HELD_OUT] = sizeof(lode_counts),
};

void rule_columns_free(mem *m, rule_columns *c) {
    vec_u64_free(m, &c->both);
    vec_u64_free(m, &c->lhs);
    vec_u64_free(m, &c->rhs);
    vec_u64_free(m, &c->offsets);
    vec_u32_free(m, &c->items);
    for (int e = 0; e < N_RULE_EXTRAS; e++) {
        mem_free(m, c->extras[e].data, c->extras[e].cap * extra_bytes[e]);
    }
    *c = (rule_columns){0};
}

lode_status rule_total_check(lode_job *job, _Atomic uint64_t *kept, uint64_t total) {
    uint64_t first = 0;
    if (atomic_load_explicit(kept, memory_order_relaxed) == total) return LODE_OK;
    if (atomic_compare_exchange_strong(kept, &first, total) || first == total) return LODE_OK;
    return job_fail(job, LODE_INVALID,
                    "the sink has rules from %llu transactions and cannot take rules from %llu: "
                    "all rules of a sink must come from one data set",
                    (unsigned long long)first, (unsigned long long)total);
}

/* ---- extras --------------------------------------------------------------------------------- */

static double extra_number(const lode_rule *rule, rule_extra which) {
    return which == EXTRA_CONFIDENCE ? rule->best_confidence
           : which == EXTRA_LIFT     ? rule->best_lift
                                     : rule->adjusted_p;
}

static bool extra_is_there(const lode_rule *rule, rule_extra which) {
    return which == EXTRA_HELD_OUT ? rule->held_out.total > 0 : !isnan(extra_number(rule, which));
}

static void extra_set(rule_columns *c, rule_extra which, size_t i, const lode_rule *rule) {
    void *data = c->extras[which].data;
    if (which == EXTRA_HELD_OUT) {
        ((lode_counts *)data)[i] = rule->held_out;
    } else {
        ((double *)data)[i] = extra_number(rule, which);
    }
}

/* Makes room for n more rules in a column that exists or that begins with this rule; earlier rules
 * have no value in it. */
static lode_status extra_reserve(mem *m, rule_columns *c, rule_extra which, size_t n, bool begins) {
    static const lode_rule without = {.best_confidence = NAN, .best_lift = NAN, .adjusted_p = NAN};
    struct rule_extra_column *column = &c->extras[which];
    bool is_new = !column->data;
    size_t before = c->both.n;
    if (is_new ? !begins : column->cap - before >= n) return LODE_OK;
    size_t extra = is_new ? before + n : n;
    lode_status status =
        vec_grow(m, &column->data, is_new ? 0 : before, &column->cap, extra, extra_bytes[which]);
    if (status != LODE_OK) return status;
    for (size_t i = 0; is_new && i < before; i++) extra_set(c, which, i, &without);
    return LODE_OK;
}

/* ---- appending ------------------------------------------------------------------------------ */

static lode_status rule_columns_reserve(mem *m, rule_columns *c, size_t rules, size_t items) {
    lode_status status = LODE_OK;
    LODE_TRY(vec_u64_reserve(m, &c->both, rules));
    LODE_TRY(vec_u64_reserve(m, &c->lhs, rules));
    LODE_TRY(vec_u64_reserve(m, &c->rhs, rules));
    LODE_TRY(vec_u64_reserve(m, &c->offsets, 2 * rules + 1));
    LODE_TRY(vec_u32_reserve(m, &c->items, items));
    if (c->offsets.n == 0) c->offsets.data[c->offsets.n++] = 0;
done:
    return status;
}

static void columns_put_side(rule_columns *c, const uint32_t *items, uint32_t n) {
    if (n > 0) memcpy(c->items.data + c->items.n, items, n * sizeof *items);
    c->items.n += n;
    c->offsets.data[c->offsets.n++] = c->items.n;
}

/* There is room for all of it. */
static void columns_put(rule_columns *c, const lode_rule *rule) {
    size_t i = c->both.n;
    columns_put_side(c, rule->lhs, rule->n_lhs);
    columns_put_side(c, rule->rhs, rule->n_rhs);
    c->both.data[c->both.n++] = rule->counts.both;
    c->lhs.data[c->lhs.n++] = rule->counts.lhs;
    c->rhs.data[c->rhs.n++] = rule->counts.rhs;
    c->total = rule->counts.total;
    for (int e = 0; e < N_RULE_EXTRAS; e++) {
        if (c->extras[e].data) extra_set(c, e, i, rule);
    }
}

lode_status rule_columns_append(mem *m, rule_columns *c, const lode_rule *rule) {
    lode_status status = LODE_OK;
    LODE_TRY(rule_columns_reserve(m, c, 1, (size_t)rule->n_lhs + rule->n_rhs));
    for (int e = 0; e < N_RULE_EXTRAS; e++) {
        LODE_TRY(extra_reserve(m, c, e, 1, extra_is_there(rule, e)));
    }
    columns_put(c, rule);
done:
    return status;
}

lode_status rule_columns_append_batch(mem *m, rule_columns *c, const rule_batch *batch,
                                      uint64_t total) {
    lode_status status = LODE_OK;
    LODE_TRY(rule_columns_reserve(m, c, batch->n, batch->n * ((size_t)batch->n_lhs + 1)));
    for (int e = 0; e < N_RULE_EXTRAS; e++) LODE_TRY(extra_reserve(m, c, e, batch->n, false));
    for (uint32_t i = 0; i < batch->n; i++) {
        lode_rule rule = rule_batch_at(batch, i, total);
        columns_put(c, &rule);
    }
done:
    return status;
}

lode_status rule_columns_join(mem *m, rule_columns *c, rule_columns *from) {
    lode_status status = LODE_OK;
    size_t n = from->both.n;
    if (n == 0) return LODE_OK;
    if (c->both.n == 0) { /* nothing to copy */
        rule_columns none = *c;
        *c = *from;
        *from = none;
        return LODE_OK;
    }
    LODE_TRY(rule_columns_reserve(m, c, n, from->items.n));
    for (int e = 0; e < N_RULE_EXTRAS; e++) {
        LODE_TRY(extra_reserve(m, c, e, n, from->extras[e].data != NULL));
    }
    for (size_t i = 0; i < n; i++) {
        lode_rule rule = rule_columns_at(from, i);
        columns_put(c, &rule);
    }
done:
    return status;
}

/* ---- looking -------------------------------------------------------------------------------- */

static double extra_at(const rule_columns *c, rule_extra which, uint64_t i) {
    const double *data = c->extras[which].data;
    return data ? data[i] : NAN;
}

lode_rule rule_columns_at(const rule_columns *c, uint64_t i) {
    const uint64_t *at = c->offsets.data + 2 * i;
    const lode_counts *held_out = c->extras[EXTRA_HELD_OUT].data;
    lode_rule rule = {
        .size = sizeof rule,
        .lhs = c->items.data + at[0],
        .rhs = c->items.data + at[1],
        .n_lhs = (uint32_t)(at[1] - at[0]),
        .n_rhs = (uint32_t)(at[2] - at[1]),
        .counts = {c->both.data[i], c->lhs.data[i], c->rhs.data[i], c->total},
        .best_confidence = extra_at(c, EXTRA_CONFIDENCE, i),
        .best_lift = extra_at(c, EXTRA_LIFT, i),
        .adjusted_p = extra_at(c, EXTRA_ADJUSTED, i),
    };
    if (held_out) rule.held_out = held_out[i];
    return rule;
}

uint64_t rule_columns_bytes(const rule_columns *c) {
    uint64_t bytes = (3 * c->both.n + c->offsets.n) * sizeof(uint64_t);
    for (int e = 0; e < N_RULE_EXTRAS; e++) {
        if (c->extras[e].data) bytes += c->both.n * extra_bytes[e];
    }
    return bytes + c->items.n * sizeof(uint32_t);
}

/* ---- sorting -------------------------------------------------------------------------------- */

/* A rule where it lies; sorting moves these 40 bytes. */
typedef struct rule_ref {
    uint64_t i;
    const uint32_t *items; /* of the antecedent, then of the consequent */
    uint32_t n_lhs, n_rhs;
    uint64_t both, lhs;
} rule_ref;

static int compare_sides(const uint32_t *a, uint32_t n, const uint32_t *b, uint32_t m) {
    for (uint32_t i = 0; i < n && i < m; i++) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return n == m ? 0 : n < m ? -1 : 1;
}

static bool refs_smaller_first(const rule_ref *a, const rule_ref *b) {
    uint64_t size = (uint64_t)a->n_lhs + a->n_rhs, other = (uint64_t)b->n_lhs + b->n_rhs;
    if (size != other) return size < other;
    int order = compare_sides(a->items, a->n_lhs, b->items, b->n_lhs);
    if (order != 0) return order < 0;
    return compare_sides(a->items + a->n_lhs, a->n_rhs, b->items + b->n_lhs, b->n_rhs) < 0;
}

#define SORT_NAME   refs_sort_by_size
#define SORT_TYPE   rule_ref
#define SORT_BEFORE refs_smaller_first
#include "base/sort_body.h"

/* Confidences are compared as fractions, which are exact. */
static bool refs_surer_first(const rule_ref *a, const rule_ref *b) {
    unsigned __int128 left = (unsigned __int128)a->both * b->lhs;
    unsigned __int128 right = (unsigned __int128)b->both * a->lhs;
    if (left != right) return left > right;
    return a->both != b->both ? a->both > b->both : refs_smaller_first(a, b);
}

#define SORT_NAME   refs_sort_by_confidence
#define SORT_TYPE   rule_ref
#define SORT_BEFORE refs_surer_first
#include "base/sort_body.h"

static lode_status columns_reorder(mem *m, rule_columns *c, const rule_ref *refs) {
    lode_status status = LODE_OK;
    rule_columns sorted = {0};
    size_t n = c->both.n;
    LODE_TRY(rule_columns_reserve(m, &sorted, n, c->items.n));
    for (int e = 0; e < N_RULE_EXTRAS; e++) {
        LODE_TRY(extra_reserve(m, &sorted, e, n, c->extras[e].data != NULL));
    }
    for (size_t i = 0; i < n; i++) {
        lode_rule rule = rule_columns_at(c, refs[i].i);
        columns_put(&sorted, &rule);
    }
    rule_columns old = *c;
    *c = sorted;
    sorted = old;
done:
    rule_columns_free(m, &sorted);
    return status;
}

lode_status rule_columns_sort(mem *m, rule_columns *c, rule_order order, const sort_stop *stop) {
    lode_status status = LODE_OK;
    size_t n = c->both.n;
    rule_ref *refs = NULL;
    if (n < 2) return LODE_OK;
    LODE_TRY(mem_resize(m, (void **)&refs, 0, n * sizeof *refs));
    for (size_t i = 0; i < n; i++) {
        lode_rule rule = rule_columns_at(c, i);
        refs[i] =
            (rule_ref){i, rule.lhs, rule.n_lhs, rule.n_rhs, rule.counts.both, rule.counts.lhs};
    }
    bool done = order == RULES_BY_SIZE ? refs_sort_by_size(refs, n, stop)
                                       : refs_sort_by_confidence(refs, n, stop);
    if (!done) LODE_LEAVE(LODE_CANCELLED);
    status = columns_reorder(m, c, refs);
done:
    mem_free(m, refs, refs ? n * sizeof *refs : 0);
    return status;
}
