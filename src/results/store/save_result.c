/* save_result.c - lode_store_save(): writes itemsets or rules in memory to a store
 *
 * The columns of the file are those of the sinks that write Arrow (docs/output.md), so programs
 * that read their files also read this one. Rows are copied batch by batch: offsets are made
 * relative to the batch, and measures of rules are computed on the way.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "results/arrow/arrow_rows.h"
#include "runtime/lease.h"
#include "runtime/valid.h"
#include "write/core/sink_arrow.h"

#define SAVE_CHECK_ROWS 4096 /* rows between two looks at whether the job was cancelled */

static const arrow_column save_itemset_columns[] = {{"items", ARROW_NAMES, 0},
                                                    {"size", ARROW_U32, 0},
                                                    {"count", ARROW_U64, 0},
                                                    {"support", ARROW_F64, 0}};

#define SAVE_RULE_COUNTS 5 /* columns before the measures */

static const arrow_column save_rule_columns[] = {
    {"body", ARROW_NAMES, 0},     {"head", ARROW_NAMES, 0},     {"both", ARROW_U64, 0},
    {"body_count", ARROW_U64, 0}, {"head_count", ARROW_U64, 0}, {"support", ARROW_F64, 0},
    {"confidence", ARROW_F64, 0}, {"lift", ARROW_F64, 0},       {"leverage", ARROW_F64, 0},
    {"conviction", ARROW_F64, 0},
};

#define SAVE_N(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

typedef struct save_run {
    lode_job *job;
    lode_save_columns given;
    output out;
    arrow_feed feed;
    arrow_rows rows;
    size_t measures[SAVE_N(save_rule_columns) - SAVE_RULE_COUNTS];
} save_run;

/* ---- what is given -------------------------------------------------------------------------- */

static lode_status save_refuse(lode_job *job, const char *why) {
    return job_fail(job, LODE_INVALID, "saving a result: %s", why);
}

/* Whether offsets ascend from 0. */
static bool save_ascend(const uint64_t *offsets, uint64_t n) {
    bool fine = offsets[0] == 0;
    for (uint64_t i = 0; fine && i < n; i++) fine = offsets[i] <= offsets[i + 1];
    return fine;
}

static lode_status save_check(lode_job *job, const lode_save_columns *c) {
    uint64_t n_lists = c->kind == LODE_RULES ? 2 * c->n : c->n;
    if (c->kind == LODE_GRAPHS) return save_refuse(job, "expected itemsets or rules, not graphs");
    if (!c->offsets || !c->name_offsets) return save_refuse(job, "offsets is NULL");
    if (c->n > 0 && !c->counts) return save_refuse(job, "counts is NULL");
    if (c->n > 0 && c->kind == LODE_RULES && !(c->lhs && c->rhs)) {
        return save_refuse(job, "lhs or rhs is NULL");
    }
    if (c->n > 0 && c->total == 0) return save_refuse(job, "total is 0");
    if (c->n_names > INT32_MAX) return save_refuse(job, "more than 2^31 names");
    if (!save_ascend(c->offsets, n_lists) || !save_ascend(c->name_offsets, c->n_names)) {
        return save_refuse(job, "offsets must start at 0 and not decrease");
    }
    if (c->name_offsets[c->n_names] > 0 && !c->names) return save_refuse(job, "names is NULL");
    uint64_t n_items = c->offsets[n_lists];
    if (n_items > 0 && !c->items) return save_refuse(job, "items is NULL");
    for (uint64_t i = 0; i < n_items; i++) {
        if (c->items[i] >= c->n_names) return save_refuse(job, "an item has no name");
    }
    return LODE_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static lode_status save_list(save_run *s, uint32_t column, uint64_t list) {
    const uint64_t *at = s->given.offsets + list;
    return arrow_rows_list(&s->rows, column, s->given.items + at[0], at[1] - at[0]);
}

static lode_status save_itemset(save_run *s, uint64_t i) {
    lode_status status = LODE_OK;
    const lode_save_columns *c = &s->given;
    LODE_TRY(save_list(s, 0, i));
    LODE_TRY(arrow_rows_u32(&s->rows, 1, (uint32_t)(c->offsets[i + 1] - c->offsets[i])));
    LODE_TRY(arrow_rows_u64(&s->rows, 2, c->counts[i]));
    LODE_TRY(arrow_rows_f64(&s->rows, 3, (double)c->counts[i] / (double)c->total));
done:
    return status;
}

static lode_status save_rule(save_run *s, uint64_t i) {
    lode_status status = LODE_OK;
    const lode_save_columns *c = &s->given;
    lode_rule rule = {.size = sizeof rule,
                      .counts = {c->counts[i], c->lhs[i], c->rhs[i], c->total},
                      .best_confidence = NAN,
                      .best_lift = NAN,
                      .adjusted_p = NAN};
    LODE_TRY(save_list(s, 0, 2 * i));
    LODE_TRY(save_list(s, 1, 2 * i + 1));
    LODE_TRY(arrow_rows_u64(&s->rows, 2, c->counts[i]));
    LODE_TRY(arrow_rows_u64(&s->rows, 3, c->lhs[i]));
    LODE_TRY(arrow_rows_u64(&s->rows, 4, c->rhs[i]));
    for (uint32_t k = 0; k < SAVE_N(s->measures); k++) {
        double value = lode_measure_value(s->measures[k], &rule);
        LODE_TRY(arrow_rows_f64(&s->rows, SAVE_RULE_COUNTS + k, value));
    }
done:
    return status;
}

static lode_status save_rows(save_run *s) {
    lode_status status = LODE_OK;
    bool rules = s->given.kind == LODE_RULES;
    for (uint64_t i = 0; i < s->given.n; i++) {
        if (i % SAVE_CHECK_ROWS == 0) LODE_TRY(job_check(s->job));
        LODE_TRY(rules ? save_rule(s, i) : save_itemset(s, i));
        arrow_rows_next(&s->rows);
        if (arrow_feed_is_full(&s->feed, &s->rows)) LODE_TRY(arrow_feed_write(&s->feed, &s->rows));
    }
    status = arrow_feed_leave(&s->feed, &s->rows);
done:
    return status;
}

/* ---- the file ------------------------------------------------------------------------------- */

static lode_status save_begin(save_run *s, const char *path) {
    lode_status status = LODE_OK;
    const lode_save_columns *c = &s->given;
    bool rules = c->kind == LODE_RULES;
    const arrow_column *columns = rules ? save_rule_columns : save_itemset_columns;
    uint32_t n = rules ? SAVE_N(save_rule_columns) : SAVE_N(save_itemset_columns);
    arrow_dictionary names = {c->n_names, c->name_offsets, c->names ? c->names : ""};
    sink_keys keys;
    sink_keys_first(&keys, rules ? "rules" : "itemsets");
    arrow_table table = {columns, n, &names, 1, keys.keys, SINK_KEYS_FIRST, ARROW_PLAIN};
    for (uint32_t k = 0; k < SAVE_N(s->measures); k++) {
        const char *name = save_rule_columns[SAVE_RULE_COUNTS + k].name;
        LODE_REQUIRE(s->job, lode_measure_find(name, &s->measures[k]), "a measure is missing");
    }
    LODE_TRY(output_open(&s->out, s->job, path));
    LODE_TRY(arrow_rows_init(&s->rows, &s->job->mem, columns, n));
    LODE_TRY(arrow_feed_begin(&s->feed, s->job, &s->out, &table));
done:
    return status;
}

static lode_status save_end(save_run *s) {
    lode_status status = LODE_OK;
    sink_keys keys;
    /* The rows may be a selection, so nothing is known about sets that are not among them. */
    sink_origin origin = {.n_jobs = 1,
                          .ended = s->given.ended,
                          .threshold = s->given.min_count,
                          .max_size = UINT32_MAX,
                          .total = s->given.total};
    sink_keys_origin(&keys, &origin, s->given.total, false, "given");
    LODE_TRY(arrow_feed_end(&s->feed, keys.keys, SINK_KEYS_LAST));
    LODE_TRY(output_finish(&s->out, false));
done:
    return status;
}

static lode_status save_all(save_run *s, const char *path) {
    lode_status status = LODE_OK;
    LODE_TRY(save_check(s->job, &s->given));
    LODE_TRY(save_begin(s, path));
    LODE_TRY(save_rows(s));
    status = save_end(s);
done:
    output_discard(&s->out);
    arrow_rows_free(&s->rows);
    arrow_feed_free(&s->feed);
    return output_settle(s->job, status);
}

lode_status lode_store_save(lode_job *job, const char *path, const lode_save_columns *columns) {
    VALID_CALL(job, VALID_NEEDS(path), VALID_NEEDS(columns));
    save_run s = {.job = job};
    lease_call call = {0};
    lode_status status = valid_take(job, VALID_SAVE, columns, &s.given);
    if (status != LODE_OK) return status;
    status = lease_enter(job, 1, &call);
    if (status == LODE_OK) status = save_all(&s, path);
    lease_leave(&call);
    return job_explain(job, status, "saving a result");
}
