/* rule_arrow.c - rules as an Arrow file, as .xlsx or as Parquet: antecedent, consequent, their
 * counts, and measures
 *
 *     body           items of the antecedent; one dictionary for both sides
 *     head           items of the consequent
 *     both           transactions with antecedent and consequent
 *     body_count     … with the antecedent
 *     head_count     … with the consequent
 *     (measures)     one column for each chosen measure; NaN where it is not defined
 *
 * The fourth count, of all transactions, is the same for all rules. It is in the metadata of the
 * file (lode.total).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/item_order.h"
#include "results/arrow/arrow_rows.h"
#include "write/core/sink_arrow.h"
#include "write/rules/rule_text.h"

enum { RULE_LHS, RULE_RHS, RULE_BOTH, RULE_LHS_COUNT, RULE_RHS_COUNT, N_RULE_ARROW };

typedef struct rule_arrow {
    mem *mem;
    codes codes;
    const rule_values *values;
    arrow_column *columns;
    uint32_t n_columns;
    arrow_feed feed;
} rule_arrow;

typedef struct rule_arrow_worker {
    arrow_rows rows;
    vec_u32 side; /* scratch: codes of a side */
} rule_arrow_worker;

extern const rule_format rule_format_xlsx, rule_format_parquet;

/* ---- the beginning -------------------------------------------------------------------------- */

static lode_status rule_arrow_columns(rule_arrow *a) {
    static const arrow_column fixed[N_RULE_ARROW] = {
        [RULE_LHS] = {"body", ARROW_NAMES, 0},
        [RULE_RHS] = {"head", ARROW_NAMES, 0},
        [RULE_BOTH] = {"both", ARROW_U64, 0},
        [RULE_LHS_COUNT] = {"body_count", ARROW_U64, 0},
        [RULE_RHS_COUNT] = {"head_count", ARROW_U64, 0},
    };
    uint32_t n = N_RULE_ARROW + (uint32_t)a->values->n;
    lode_status status = mem_zalloc(a->mem, (void **)&a->columns, n * sizeof *a->columns);
    if (status != LODE_OK) return status;
    a->n_columns = n;
    memcpy(a->columns, fixed, sizeof fixed);
    for (size_t i = 0; i < a->values->n; i++) {
        a->columns[N_RULE_ARROW + i] = (arrow_column){a->values->list[i].name, ARROW_F64, 0};
    }
    return LODE_OK;
}

static lode_status rule_arrow_begin(text_sink *sink, void *own, const rule_lines *l) {
    lode_status status = LODE_OK;
    rule_arrow *a = own;
    sink_keys keys;
    a->mem = &sink->base.job->mem;
    a->values = &l->values;
    LODE_TRY(rule_arrow_columns(a));
    LODE_TRY(codes_of_items(&a->codes, a->mem, l->data));
    sink_keys_first(&keys, "rules");
    arrow_dictionary names = {a->codes.n, a->codes.offsets.data, a->codes.text.data};
    arrow_table table = {a->columns,
                         a->n_columns,
                         &names,
                         1,
                         keys.keys,
                         SINK_KEYS_FIRST,
                         l->format == &rule_format_xlsx      ? ARROW_SHEET
                         : l->format == &rule_format_parquet ? ARROW_PARQUET
                                                             : ARROW_PLAIN};
    LODE_TRY(arrow_feed_begin(&a->feed, sink->base.job, &sink->out, &table));
    atomic_store(&sink->base.bytes, sink->out.bytes);
done:
    return status;
}

/* ---- rules ---------------------------------------------------------------------------------- */

static lode_status rule_arrow_put_side(const rule_arrow *a, rule_arrow_worker *w, uint32_t column,
                                       const uint32_t *ids, uint32_t n) {
    if (!a->codes.of) return arrow_rows_list(&w->rows, column, ids, n);
    w->side.n = 0;
    lode_status status = vec_u32_reserve(a->mem, &w->side, n);
    if (status != LODE_OK) return status;
    for (uint32_t i = 0; i < n; i++) w->side.data[i] = a->codes.of[ids[i]];
    return arrow_rows_list(&w->rows, column, w->side.data, n);
}

static lode_status rule_arrow_put(const rule_arrow *a, rule_arrow_worker *w,
                                  const lode_rule *rule) {
    lode_status status = LODE_OK;
    arrow_rows *r = &w->rows;
    double values[RULE_VALUES_MOST];
    rule_values_of(a->values, rule, values);
    LODE_TRY(rule_arrow_put_side(a, w, RULE_LHS, rule->lhs, rule->n_lhs));
    LODE_TRY(rule_arrow_put_side(a, w, RULE_RHS, rule->rhs, rule->n_rhs));
    LODE_TRY(arrow_rows_u64(r, RULE_BOTH, rule->counts.both));
    LODE_TRY(arrow_rows_u64(r, RULE_LHS_COUNT, rule->counts.lhs));
    LODE_TRY(arrow_rows_u64(r, RULE_RHS_COUNT, rule->counts.rhs));
    for (uint32_t i = N_RULE_ARROW; i < a->n_columns; i++) {
        LODE_TRY(arrow_rows_f64(r, i, values[i - N_RULE_ARROW]));
    }
    arrow_rows_next(r);
done:
    if (status != LODE_OK) arrow_rows_cut(r); /* no half rule */
    return status;
}

static lode_status rule_arrow_write(text_sink *sink, void *own, void *worker,
                                    const lode_rule *rule) {
    lode_status status = LODE_OK;
    rule_arrow *a = own;
    rule_arrow_worker *w = worker;
    if (!w->rows.mem) LODE_TRY(arrow_rows_init(&w->rows, a->mem, a->columns, a->n_columns));
    LODE_TRY(rule_arrow_put(a, w, rule));
    if (!arrow_feed_is_full(&a->feed, &w->rows)) return LODE_OK;
    pthread_mutex_lock(&sink->base.lock);
    status = arrow_feed_write(&a->feed, &w->rows);
    atomic_store(&sink->base.bytes, sink->out.bytes);
    pthread_mutex_unlock(&sink->base.lock);
done:
    return status;
}

static lode_status rule_arrow_flush(text_sink *sink, void *own, void *worker) {
    rule_arrow_worker *w = worker;
    if (w->rows.n == 0) return LODE_OK;
    pthread_mutex_lock(&sink->base.lock);
    lode_status status = arrow_feed_leave(&((rule_arrow *)own)->feed, &w->rows);
    atomic_store(&sink->base.bytes, sink->out.bytes);
    pthread_mutex_unlock(&sink->base.lock);
    return status;
}

static void rule_arrow_drop(void *worker) {
    rule_arrow_worker *w = worker;
    if (w->rows.mem) vec_u32_free(w->rows.mem, &w->side);
    arrow_rows_free(&w->rows);
}

/* ---- the end -------------------------------------------------------------------------------- */

static lode_status rule_arrow_end(text_sink *sink, void *own, bool partial, const char *order) {
    sink_keys keys;
    uint64_t total = ((const lode_dataset *)sink->base.data)->total_weight;
    sink_keys_last(&keys, &sink->base, total, partial, order);
    lode_status status = arrow_feed_end(&((rule_arrow *)own)->feed, keys.keys, SINK_KEYS_LAST);
    atomic_store(&sink->base.bytes, sink->out.bytes);
    return status;
}

static void rule_arrow_empty(void *own) {
    arrow_feed_restart(&((rule_arrow *)own)->feed);
}

static void rule_arrow_free(void *own) {
    rule_arrow *a = own;
    if (!a->mem) return;
    arrow_feed_free(&a->feed);
    codes_free(&a->codes);
    mem_free(a->mem, a->columns, a->n_columns * sizeof *a->columns);
}

static const rule_writer rule_writer_arrow = {
    .sink_bytes = sizeof(rule_arrow),
    .worker_bytes = sizeof(rule_arrow_worker),
    .begin = rule_arrow_begin,
    .write = rule_arrow_write,
    .flush = rule_arrow_flush,
    .drop = rule_arrow_drop,
    .end = rule_arrow_end,
    .empty = rule_arrow_empty,
    .free = rule_arrow_free,
};

static const rule_value_name arrow_values[] = {
    {"support", "support"},   {"confidence", "confidence"}, {"lift", "lift"},
    {"leverage", "leverage"}, {"conviction", "conviction"},
};

const rule_format rule_format_arrow = {
    .style = {' ', " "},
    .has_intervals = true,
    .has_measures = true,
    .usual = arrow_values,
    .n_usual = sizeof arrow_values / sizeof *arrow_values,
    .title = "",
    .writer = &rule_writer_arrow,
};

const rule_format rule_format_xlsx = {
    .style = {' ', " "},
    .has_intervals = true,
    .has_measures = true,
    .usual = arrow_values,
    .n_usual = sizeof arrow_values / sizeof *arrow_values,
    .title = "",
    .writer = &rule_writer_arrow,
};

const rule_format rule_format_parquet = {
    .style = {' ', " "},
    .has_intervals = true,
    .has_measures = true,
    .usual = arrow_values,
    .n_usual = sizeof arrow_values / sizeof *arrow_values,
    .title = "",
    .writer = &rule_writer_arrow,
};
