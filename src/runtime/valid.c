/* valid.c - see valid.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/valid.h"

#include <stddef.h>
#include <string.h>

typedef enum valid_kind {
    VALID_ENUM,       /* 0 … most */
    VALID_COUNT,      /* an unsigned: 0 … most */
    VALID_SECONDS,    /* at least 0, and not NaN */
    VALID_SUPPORT,    /* a count, or a ratio of at most 1 */
    VALID_PAPERS_AT,  /* a pointer to a lode_paper_options, or NULL */
    VALID_CLASSES_AT, /* a pointer to a lode_class_options, or NULL */
    VALID_LEVEL,      /* from 0 to below 1 */
    VALID_RESERVED    /* bytes that only later versions use */
} valid_kind;

typedef struct valid_row {
    valid_struct which;
    valid_kind kind;
    size_t offset;
    unsigned most;
    const char *name;
} valid_row;

#define VALID_MOST_THREADS 1024

static const valid_row valid_rows[] = {
#define ROW(which, type, field, kind, most)                                                        \
    { which, kind, offsetof(type, field), most, #field }
    ROW(VALID_CTX, lode_ctx_options, threads, VALID_COUNT, VALID_MOST_THREADS),
    ROW(VALID_JOB, lode_job_options, threads, VALID_COUNT, VALID_MOST_THREADS),
    ROW(VALID_READ, lode_read_options, format, VALID_ENUM, LODE_FORMAT_ATTRIBUTES),
    ROW(VALID_MINE, lode_mine_options, min_support, VALID_SUPPORT, 0),
    ROW(VALID_MINE, lode_mine_options, target, VALID_ENUM, LODE_TARGET_GENERATORS),
    ROW(VALID_MINE, lode_mine_options, product, VALID_ENUM, LODE_PRODUCT_WGMMA),
    ROW(VALID_MINE, lode_mine_options, papers, VALID_PAPERS_AT, 0),
    ROW(VALID_MINE, lode_mine_options, limit_seconds, VALID_SECONDS, 0),
    ROW(VALID_WRITE, lode_write_options, csv_items, VALID_ENUM, LODE_CSV_COLUMNS),
    ROW(VALID_GRAPH, lode_graph_options, min_support, VALID_SUPPORT, 0),
    ROW(VALID_GRAPH, lode_graph_options, target, VALID_ENUM, LODE_TARGET_GENERATORS),
    ROW(VALID_GRAPH, lode_graph_options, limit_seconds, VALID_SECONDS, 0),
    ROW(VALID_GRAPH, lode_graph_options, papers, VALID_PAPERS_AT, 0),
    ROW(VALID_MINE, lode_mine_options, max_support, VALID_SUPPORT, 0),
    ROW(VALID_RULE, lode_rule_options, min_support, VALID_SUPPORT, 0),
    ROW(VALID_RULE, lode_rule_options, adjust, VALID_ENUM, LODE_ADJUST_BY),
    ROW(VALID_RULE, lode_rule_options, limit_seconds, VALID_SECONDS, 0),
    ROW(VALID_SUGGEST, lode_suggest_options, min_confidence, VALID_SUPPORT, 0),
    ROW(VALID_SUGGEST, lode_suggest_options, limit_seconds, VALID_SECONDS, 0),
    ROW(VALID_SUGGEST, lode_suggest_options, min_size, VALID_COUNT, 2),
    ROW(VALID_PAPERS, lode_paper_options, popcount, VALID_ENUM, LODE_POPCOUNT_CONSTANT16),
    ROW(VALID_PAPERS, lode_paper_options, reduce, VALID_ENUM, LODE_REDUCE_POW2),
    ROW(VALID_PAPERS, lode_paper_options, grid, VALID_ENUM, LODE_GRID_SQUARE),
    ROW(VALID_PAPERS, lode_paper_options, records, VALID_ENUM, LODE_GRAPH_RECORDS_COLUMNS),
    ROW(VALID_PAPERS, lode_paper_options, loads, VALID_ENUM, LODE_GRAPH_LOADS_PLAIN),
    ROW(VALID_CLEAN, lode_clean_options, min_item_support, VALID_SUPPORT, 0),
    ROW(VALID_CLEAN, lode_clean_options, max_item_support, VALID_SUPPORT, 0),
    ROW(VALID_BASKET_WRITE, lode_basket_write_options, format, VALID_ENUM, LODE_BASKET_CSV),
    ROW(VALID_APPLY, lode_apply_options, format, VALID_ENUM, LODE_STORE_JSONL),
    ROW(VALID_SAVE, lode_save_columns, kind, VALID_ENUM, LODE_RULES),
    ROW(VALID_QUERY, lode_query_options, match_seconds, VALID_SECONDS, 0),
    ROW(VALID_QUERY_WRITE, lode_query_write_options, format, VALID_ENUM, LODE_STORE_SMARTS),
    ROW(VALID_MINE, lode_mine_options, classes, VALID_CLASSES_AT, 0),
    ROW(VALID_WRITE, lode_write_options, classes, VALID_CLASSES_AT, 0),
    ROW(VALID_GRAPH, lode_graph_options, classes, VALID_CLASSES_AT, 0),
    ROW(VALID_GRAPH_WRITE, lode_graph_write_options, classes, VALID_CLASSES_AT, 0),
    ROW(VALID_CLASSES, lode_class_options, significant, VALID_LEVEL, 0),
    ROW(VALID_CLASSES, lode_class_options, by, VALID_ENUM, LODE_BY_FDR),
    ROW(VALID_CLASSES, lode_class_options, alternative, VALID_ENUM, LODE_LESS),
    ROW(VALID_QUEST, lode_quest_options, like, VALID_ENUM, LODE_QUEST_LIKE_IBM),
    ROW(VALID_GRAPHGEN, lode_graphgen_options, model, VALID_ENUM, LODE_GRAPHS_MOLECULES),
    ROW(VALID_GRAPHGEN, lode_graphgen_options, label_weights, VALID_ENUM, LODE_LABELS_EVEN),
#undef ROW
#define RESERVED(which, type)                                                                      \
    { which, VALID_RESERVED, offsetof(type, reserved), sizeof(((type *)0)->reserved), "reserved" }
    RESERVED(VALID_MINE, lode_mine_options),
    RESERVED(VALID_READ, lode_read_options),
    RESERVED(VALID_WRITE, lode_write_options),
    RESERVED(VALID_GRAPH_READ, lode_graph_read_options),
    RESERVED(VALID_GRAPH_WRITE, lode_graph_write_options),
    RESERVED(VALID_RULE_WRITE, lode_rule_write_options),
    RESERVED(VALID_QUEST, lode_quest_options),
    RESERVED(VALID_GRAPHGEN, lode_graphgen_options),
    RESERVED(VALID_GRAPH_ARRAYS, lode_graph_arrays),
    RESERVED(VALID_PAPERS, lode_paper_options),
    RESERVED(VALID_RULE, lode_rule_options),
    RESERVED(VALID_CLEAN, lode_clean_options),
    RESERVED(VALID_SELECT, lode_select_options),
    RESERVED(VALID_BASKET_WRITE, lode_basket_write_options),
    RESERVED(VALID_QUERY, lode_query_options),
    RESERVED(VALID_QUERY_WRITE, lode_query_write_options),
    RESERVED(VALID_SAVE, lode_save_columns),
    RESERVED(VALID_HISTOGRAM, lode_histogram_options),
    RESERVED(VALID_APPLY, lode_apply_options),
    RESERVED(VALID_TASK, lode_task),
#undef RESERVED
};

#define N_VALID_ROWS (sizeof valid_rows / sizeof *valid_rows)

typedef struct valid_shape {
    const char *name;
    size_t bytes;
} valid_shape;

static const valid_shape valid_shapes[] = {
#define SHAPE(type)                                                                                \
    { #type, sizeof(type) }
    [VALID_CTX] = SHAPE(lode_ctx_options),
    [VALID_JOB] = SHAPE(lode_job_options),
    [VALID_READ] = SHAPE(lode_read_options),
    [VALID_MINE] = SHAPE(lode_mine_options),
    [VALID_WRITE] = SHAPE(lode_write_options),
    [VALID_GRAPH_READ] = SHAPE(lode_graph_read_options),
    [VALID_GRAPH] = SHAPE(lode_graph_options),
    [VALID_GRAPH_WRITE] = SHAPE(lode_graph_write_options),
    [VALID_QUEST] = SHAPE(lode_quest_options),
    [VALID_MUTATE] = SHAPE(lode_mutate_options),
    [VALID_GRAPHGEN] = SHAPE(lode_graphgen_options),
    [VALID_GRAPH_COLUMNS] = SHAPE(lode_graph),
    [VALID_GRAPH_ARRAYS] = SHAPE(lode_graph_arrays),
    [VALID_PAPERS] = SHAPE(lode_paper_options),
    [VALID_RULE] = SHAPE(lode_rule_options),
    [VALID_RULE_WRITE] = SHAPE(lode_rule_write_options),
    [VALID_CLEAN] = SHAPE(lode_clean_options),
    [VALID_SELECT] = SHAPE(lode_select_options),
    [VALID_BASKET_WRITE] = SHAPE(lode_basket_write_options),
    [VALID_QUERY] = SHAPE(lode_query_options),
    [VALID_QUERY_WRITE] = SHAPE(lode_query_write_options),
    [VALID_SAVE] = SHAPE(lode_save_columns),
    [VALID_HISTOGRAM] = SHAPE(lode_histogram_options),
    [VALID_APPLY] = SHAPE(lode_apply_options),
    [VALID_SUGGEST] = SHAPE(lode_suggest_options),
    [VALID_TASK] = SHAPE(lode_task),
    [VALID_TASK_SEARCH] = SHAPE(lode_task_search),
    [VALID_JOURNAL_SEARCH] = SHAPE(lode_journal_search),
    [VALID_JOURNAL_RECORD] = SHAPE(lode_journal_record),
    [VALID_PEERS] = SHAPE(lode_peers),
    [VALID_CLASSES] = SHAPE(lode_class_options),
#undef SHAPE
};

_Static_assert(sizeof(lode_target) == sizeof(unsigned), "enums are read as unsigned");

lode_status valid_call(lode_job *job, const valid_argument *arguments, size_t n) {
    if (!job) return LODE_INVALID;
    job_clear_message(job);
    for (size_t i = 0; i < n; i++) {
        if (arguments[i].given) continue;
        return job_fail(job, LODE_INVALID, "%s is NULL", arguments[i].name);
    }
    return LODE_OK;
}

static lode_status valid_refuse_unknown(lode_job *job, valid_struct which) {
    return job_fail(
        job, LODE_INVALID,
        "the calling program is newer than lode %s and sets fields of a %s that this version of "
        "lode does not know",
        LODE_VERSION_TEXT, valid_shapes[which].name);
}

/* ---- ranges --------------------------------------------------------------------------------- */

static lode_status valid_range(lode_job *job, const char *name, unsigned value, unsigned most) {
    if (value <= most) return LODE_OK;
    return job_fail(job, LODE_INVALID, "%s is %d; expected 0 to %u", name, (int)value, most);
}

lode_status valid_choice(lode_job *job, const char *name, unsigned value, unsigned n) {
    return valid_range(job, name, value, n - 1);
}

static lode_status valid_number(lode_job *job, const valid_row *row, const void *field) {
    unsigned value;
    memcpy(&value, field, sizeof value); /* an enum may hold a value that it does not have */
    return valid_range(job, row->name, value, row->most);
}

static lode_status valid_support(lode_job *job, const lode_threshold *t) {
    if (t->denominator == 0 || t->numerator <= t->denominator) return LODE_OK;
    return job_fail(job, LODE_INVALID,
                    "the minimum support is above 100%%, which no pattern can reach");
}

static bool valid_is_zero(const void *bytes, size_t n) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++) {
        if (at[i] != 0) return false;
    }
    return true;
}

static lode_status valid_papers_at(lode_job *job, const lode_paper_options *given) {
    lode_paper_options copy;
    return valid_take(job, VALID_PAPERS, given, &copy);
}

static lode_status valid_classes_at(lode_job *job, const lode_class_options *given) {
    lode_class_options copy;
    return valid_take(job, VALID_CLASSES, given, &copy);
}

static lode_status valid_level(lode_job *job, const char *name, double level) {
    if (level >= 0 && level < 1) return LODE_OK;
    return job_fail(job, LODE_INVALID, "%s is %g; expected a level from 0 to below 1", name, level);
}

static lode_status valid_field(lode_job *job, const valid_row *row, const void *options) {
    const void *field = (const char *)options + row->offset;
    switch (row->kind) {
    case VALID_ENUM:
    case VALID_COUNT: return valid_number(job, row, field);
    case VALID_SUPPORT: return valid_support(job, field);
    case VALID_SECONDS:
        if (*(const double *)field >= 0) return LODE_OK;
        return job_fail(job, LODE_INVALID, "the time limit must not be negative");
    case VALID_PAPERS_AT: return valid_papers_at(job, *(const lode_paper_options *const *)field);
    case VALID_CLASSES_AT: return valid_classes_at(job, *(const lode_class_options *const *)field);
    case VALID_LEVEL: return valid_level(job, row->name, *(const double *)field);
    case VALID_RESERVED:
        if (valid_is_zero(field, row->most)) return LODE_OK;
        return valid_refuse_unknown(job, row->which);
    }
    return LODE_INTERNAL;
}

/* ---- structs -------------------------------------------------------------------------------- */

lode_status valid_take_bytes(lode_job *job, valid_struct which, const void *given, void *copy,
                             size_t bytes) {
    memset(copy, 0, bytes);
    memcpy(copy, &bytes, sizeof bytes);
    if (bytes != valid_shapes[which].bytes) return LODE_INTERNAL;
    if (!given) return LODE_OK;
    size_t size = sized_told(given, bytes);
    if (size == 0) {
        return job_fail(job, LODE_INVALID,
                        "the size of a %s is not set; initialise it with LODE_INIT(%s)",
                        valid_shapes[which].name, valid_shapes[which].name);
    }
    sized_copy(copy, bytes, given, size);
    if (size > bytes && !valid_is_zero((const char *)given + bytes, size - bytes)) {
        return valid_refuse_unknown(job, which);
    }
    for (size_t i = 0; i < N_VALID_ROWS; i++) {
        if (valid_rows[i].which != which) continue;
        lode_status status = valid_field(job, &valid_rows[i], copy);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

lode_paper_options valid_papers(const lode_paper_options *checked) {
    lode_paper_options copy = {0};
    if (checked) sized_copy(&copy, sizeof copy, checked, sized_told(checked, sizeof copy));
    copy.size = sizeof copy;
    return copy;
}

lode_class_options valid_classes(const lode_class_options *checked) {
    lode_class_options copy = {0};
    if (checked) sized_copy(&copy, sizeof copy, checked, sized_told(checked, sizeof copy));
    copy.size = sizeof copy;
    return copy;
}
