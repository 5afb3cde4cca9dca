/* report.c - see report.h; the status of a job, and fields that are derived from others
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/report/report.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/figures.h"
#include "base/sized.h"

int lode_exit_code(lode_status status) {
    switch (status) {
    case LODE_OK: return 0;
    case LODE_INVALID: return 2;
    case LODE_PARSE:
    case LODE_NOTFOUND: return 3;
    case LODE_BUDGET: return 4;
    case LODE_STOPPED: return 5;
    case LODE_CANCELLED: return 130;
    default: return 1;
    }
}

static const char *status_name(lode_status status) {
    switch (status) {
    case LODE_OK: return "done";
    case LODE_CANCELLED: return "interrupted";
    case LODE_STOPPED: return "stopped by a limit";
    default: return "failed";
    }
}

void report_clear(lode_report *r) {
    report_size *sizes = r->sizes;
    size_t room = r->room;
    memset(r, 0, sizeof *r);
    r->version = LODE_VERSION_TEXT;
    r->asked.adjective = "";
    r->sizes = sizes;
    r->room = room;
    r->start = os_seconds();
    report_settle(r);
}

/* A failure is worse than an interrupt, and that is worse than a limit. */
static int badness(lode_status status) {
    switch (status) {
    case LODE_OK: return 0;
    case LODE_STOPPED: return 1;
    case LODE_CANCELLED: return 2;
    default: return 3;
    }
}

void report_note_status(lode_report *r, lode_status status, const char *message) {
    if (badness(status) <= badness(r->status)) return;
    if (!message || !message[0]) message = lode_status_text(status);
    r->status = status;
    snprintf(r->message, sizeof r->message, "%s", message);
}

/* "3 itemsets so far" or, if not all were written, "1 of 3 itemsets written" */
static void report_say_number(const lode_report *r, char *text, size_t bytes) {
    char count[FIGURE_BYTES], written[FIGURE_BYTES];
    const report_result *result = &r->result;
    const char *noun = report_noun(r), *s = figure_s(result->patterns);
    figure_count(result->patterns, count);
    if (result->unwritten > 0) {
        figure_count(result->patterns - result->unwritten, written);
        snprintf(text, bytes, "%s of %s %s%s written", written, count, noun, s);
    } else {
        snprintf(text, bytes, "%s %s%s so far", count, noun, s);
    }
}

/* "stopped by --limit-patterns 3: the result is partial, 3 itemsets so far, in out.txt" */
static void report_say_ended(lode_report *r) {
    char by[64] = "interrupted", number[128];
    const report_asked *a = &r->asked;
    bool has_result = r->status == LODE_STOPPED || r->status == LODE_CANCELLED;
    r->ended[0] = 0;
    if (!has_result || !r->has_run) return;
    if (strcmp(r->engine.stopped_by, "limit-time") == 0) {
        snprintf(by, sizeof by, "stopped by --limit-time %.10g", a->limit_seconds);
    } else if (r->engine.stopped_by[0]) {
        snprintf(by, sizeof by, "stopped by --limit-patterns %llu",
                 (unsigned long long)a->limit_patterns);
    } else if (r->status == LODE_STOPPED) {
        snprintf(by, sizeof by, "stopped by a callback");
    }
    report_say_number(r, number, sizeof number);
    snprintf(r->ended, sizeof r->ended, "%s: the result is partial, %s%s%s", by, number,
             r->to_file ? ", in " : "", r->to_file ? r->output : "");
}

void report_settle(lode_report *r) {
    r->status_text = status_name(r->status);
    r->exit_code = (uint64_t)lode_exit_code(r->status);
    r->partial = r->status != LODE_OK;
    r->output_seconds = r->engine.times.output + r->finish_seconds;
    r->total_seconds = os_seconds() - r->start;
    r->resident_peak = os_memory_resident_peak();
    snprintf(r->hash_text, sizeof r->hash_text, "%016llx", (unsigned long long)r->result.hash);
    report_say_ended(r);
    report_advise(r);
}

/* ---- figures by name: what report_rows.def lists, taken from the fields of a report ---------- */

enum { REPORT_OF_ITEMSETS = 1, REPORT_OF_GRAPHS = 2, REPORT_OF_BOTH = 3, REPORT_OF_RULES = 4 };
enum { REPORT_WHEN_ALWAYS, REPORT_WHEN_INPUT, REPORT_WHEN_RUN, REPORT_WHEN_HASH };

/* ---- tables --------------------------------------------------------------------------------- */

#define COLUMN(name, unit, type, of, field, help)                                                  \
    { name, LODE_UNIT_##unit, REPORT_##type, offsetof(of, field), help }

static const report_field level_fields[] = {
    COLUMN("size", COUNT, U32, engine_level, size, "number of items in a candidate"),
    COLUMN("generated", COUNT, U64, engine_level, generated, "candidates generated"),
    COLUMN("pruned", COUNT, U64, engine_level, pruned, "candidates dropped by the subset test"),
    COLUMN("counted", COUNT, U64, engine_level, counted, "candidates counted"),
    COLUMN("frequent", COUNT, U64, engine_level, frequent, "candidates that reach the threshold"),
    COLUMN("bytes", BYTES, U64, engine_level, candidate_bytes, "bytes of the candidates"),
    COLUMN("candidate", SECONDS, REAL, engine_level, candidate, "time for making the candidates"),
    COLUMN("counting", SECONDS, REAL, engine_level, counting, "time for counting the candidates"),
    COLUMN("bytes_up", BYTES, U64, engine_level, bytes_up, "bytes sent to the devices"),
    COLUMN("bytes_down", BYTES, U64, engine_level, bytes_down, "bytes read back from the devices"),
};

static const report_field depth_fields[] = {
    {"depth", LODE_UNIT_COUNT, REPORT_INDEX, 0, "number of items in the prefix"},
    COLUMN("classes", COUNT, U64, engine_depth, classes, "equivalence classes counted"),
    COLUMN("rows", COUNT, U64, engine_depth, rows,
           "rows counted; a row is the prefix of a class and one more item"),
    COLUMN("pairs", COUNT, U64, engine_depth, pairs, "pairs of rows counted"),
    COLUMN("pair_bits", NUMBER, REAL, engine_depth, pair_bits, "bits compared for pairs of rows"),
    COLUMN("cubes", COUNT, U64, engine_depth, cubes,
           "subset lattices: rows whose extensions were all counted together"),
    COLUMN("cube_sets", COUNT, U64, engine_depth, cube_sets, "itemsets in all subset lattices"),
    COLUMN("cube_bits", NUMBER, REAL, engine_depth, cube_bits, "bits read for subset lattices"),
};

static const report_field size_fields[] = {
    COLUMN("size", COUNT, U64, report_size, size, "number of items"),
    COLUMN("count", COUNT, U64, report_size, count, "number of itemsets or rules"),
};

static const report_field edge_fields[] = {
    COLUMN("edges", COUNT, U64, report_size, size, "number of edges"),
    COLUMN("count", COUNT, U64, report_size, count, "number of subgraphs"),
};

static const report_field thread_fields[] = {
    {"", LODE_UNIT_SECONDS, REPORT_REAL, 0, "CPU seconds of a thread"},
};

static const report_field next_fields[] = {
    COLUMN("rule", TEXT, TEXT, report_advice, rule, "the topic, in one word"),
    COLUMN("text", TEXT, CHARS, report_advice, text, "a sentence"),
};

static const void *level_rows(const lode_report *r, size_t *n) {
    *n = r->engine.n_levels;
    return r->engine.levels;
}

static const void *depth_rows(const lode_report *r, size_t *n) {
    *n = r->engine.n_depths;
    return r->engine.depths;
}

static const void *size_rows(const lode_report *r, size_t *n) {
    *n = r->n_sizes;
    return r->sizes;
}

static const void *thread_rows(const lode_report *r, size_t *n) {
    *n = r->n_thread_seconds;
    return r->thread_seconds;
}

static const void *next_rows(const lode_report *r, size_t *n) {
    *n = r->n_advice;
    return r->advice;
}

#define COLUMNS(fields, type, rows)                                                                \
    { fields, sizeof(fields) / sizeof *(fields), sizeof(type), rows }

static const report_columns levels = COLUMNS(level_fields, engine_level, level_rows);
static const report_columns depths = COLUMNS(depth_fields, engine_depth, depth_rows);
static const report_columns by_size = COLUMNS(size_fields, report_size, size_rows);
static const report_columns by_edges = COLUMNS(edge_fields, report_size, size_rows);
static const report_columns threads = COLUMNS(thread_fields, double, thread_rows);
static const report_columns next = COLUMNS(next_fields, report_advice, next_rows);

/* ---- rows ----------------------------------------------------------------------------------- */

static const report_row report_rows[] = {
#define SAID false
#define MORE true
#define VALUE(name, of, when, shown, unit, type, field, help)                                      \
    {{name, LODE_UNIT_##unit, REPORT_##type, offsetof(lode_report, field), help},                  \
     REPORT_OF_##of,                                                                               \
     REPORT_WHEN_##when,                                                                           \
     shown,                                                                                        \
     NULL},
#define TABLE(name, of, when, columns, help)                                                       \
    {{name, LODE_UNIT_TEXT, REPORT_TEXT, 0, help},                                                 \
     REPORT_OF_##of,                                                                               \
     REPORT_WHEN_##when,                                                                           \
     true,                                                                                         \
     &(columns)},
#include "runtime/report/report_rows.def"
#undef SAID
#undef MORE
#undef VALUE
#undef TABLE
};

#define N_REPORT_ROWS (sizeof report_rows / sizeof *report_rows)

static bool has_row(const lode_report *r, const report_row *row) {
    if (!r) return true;
    bool has[] = {[REPORT_WHEN_ALWAYS] = true,
                  [REPORT_WHEN_INPUT] = r->has_input,
                  [REPORT_WHEN_RUN] = r->has_run,
                  [REPORT_WHEN_HASH] = r->has_run && r->result.hashed};
    unsigned of = r->graphs ? REPORT_OF_GRAPHS : REPORT_OF_ITEMSETS;
    if (r->rules) of |= REPORT_OF_RULES;
    return has[row->when] && row->of & of;
}

const report_row *report_row_at(const lode_report *r, size_t i) {
    for (size_t k = 0; k < N_REPORT_ROWS; k++) {
        if (has_row(r, &report_rows[k]) && i-- == 0) return &report_rows[k];
    }
    return NULL;
}

/* The i-th value, or the i-th table. */
static const report_row *row_of_kind(const lode_report *r, size_t i, bool table) {
    for (size_t k = 0; k < N_REPORT_ROWS; k++) {
        const report_row *row = &report_rows[k];
        if (has_row(r, row) && (row->table != NULL) == table && i-- == 0) return row;
    }
    return NULL;
}

static const report_row *find_row(const lode_report *r, const char *name, bool table) {
    for (size_t k = 0; r && name && k < N_REPORT_ROWS; k++) {
        const report_row *row = &report_rows[k];
        if ((row->table != NULL) != table || strcmp(row->field.name, name) != 0) continue;
        if (has_row(r, row)) return row;
    }
    return NULL;
}

lode_counter report_value(const report_field *field, const void *from, size_t index) {
    lode_counter c = {
        .size = sizeof c, .name = field->name, .help = field->help, .unit = field->unit};
    const char *at = (const char *)from + field->offset;
    unsigned number;
    switch (field->type) {
    case REPORT_U64: memcpy(&c.count, at, sizeof c.count); break;
    case REPORT_U32: memcpy(&number, at, sizeof number), c.count = number; break;
    case REPORT_FLAG: c.count = *(const bool *)at; break;
    case REPORT_INDEX: c.count = index; break;
    case REPORT_REAL: memcpy(&c.number, at, sizeof c.number); return c;
    case REPORT_CHARS: c.text = at; return c;
    case REPORT_TEXT:
        memcpy(&c.text, at, sizeof c.text);
        if (!c.text) c.text = "";
        return c;
    }
    c.number = (double)c.count;
    return c;
}

lode_counter report_cell(const lode_report *r, const report_columns *t, size_t row, size_t column) {
    size_t n;
    const char *rows = t->rows(r, &n);
    return report_value(&t->fields[column], rows + row * t->row_bytes, row);
}

/* ---- public --------------------------------------------------------------------------------- */

static bool hand_counter(const lode_report *r, const report_row *row, lode_counter *out) {
    if (!row) return sized_fill(out, NULL);
    lode_counter c = report_value(&row->field, r, 0);
    return sized_fill(out, &c);
}

static bool hand_table(const lode_report *r, const report_row *row, lode_table *out) {
    if (!row) return sized_fill(out, NULL);
    lode_table t = {.size = sizeof t,
                    .name = row->field.name,
                    .help = row->field.help,
                    .n_columns = row->table->n};
    row->table->rows(r, &t.n_rows);
    return sized_fill(out, &t);
}

bool lode_report_counter_at(const lode_report *report, size_t i, lode_counter *out) {
    return hand_counter(report, report ? row_of_kind(report, i, false) : NULL, out);
}

bool lode_report_find(const lode_report *report, const char *name, lode_counter *out) {
    return hand_counter(report, find_row(report, name, false), out);
}

bool lode_counter_at(size_t i, lode_counter *out) {
    const report_row *row = row_of_kind(NULL, i, false);
    if (!row) return sized_fill(out, NULL);
    lode_counter c = {.size = sizeof c,
                      .name = row->field.name,
                      .help = row->field.help,
                      .unit = row->field.unit};
    return sized_fill(out, &c);
}

bool lode_report_table_at(const lode_report *report, size_t i, lode_table *out) {
    return hand_table(report, report ? row_of_kind(report, i, true) : NULL, out);
}

bool lode_report_find_table(const lode_report *report, const char *name, lode_table *out) {
    return hand_table(report, find_row(report, name, true), out);
}

bool lode_report_cell(const lode_report *report, const char *table, size_t row, size_t column,
                      lode_counter *out) {
    size_t n;
    const report_row *found = find_row(report, table, true);
    if (!found || column >= found->table->n) return sized_fill(out, NULL);
    found->table->rows(report, &n);
    if (row >= n) return sized_fill(out, NULL);
    lode_counter c = report_cell(report, found->table, row, column);
    return sized_fill(out, &c);
}

bool lode_report_get_head(const lode_report *report, lode_report_head *out) {
    if (!report) return sized_fill(out, NULL);
    const engine_report *e = &report->engine;
    double within = e->times.preprocess + e->times.output; /* everything but the search itself */
    lode_report_head head = {
        .size = sizeof head,
        .status = report->status,
        .graphs = report->graphs,
        .partial = report->partial,
        .message = report->message,
        .ended = report->ended,
        .stopped_by = e->stopped_by,
        .algorithm = e->algorithm,
        .why = e->why,
        .device = e->device,
        .device_why = e->device_why,
        .note = e->note,
        .patterns = report->result.patterns,
        .largest = (uint32_t)report->result.largest,
        .min_count = e->min_count,
        .final_min_count = e->final_min_count,
        .n_transactions = report->input.n,
        .total_weight = report->input.total_weight,
        .read_seconds = report->read_seconds,
        .prepare_seconds = e->times.preprocess,
        .search_seconds = e->times.total > within ? e->times.total - within : 0,
        .output_seconds = report->output_seconds,
        .total_seconds = report->total_seconds,
        .threads = e->n_threads,
        .memory_peak = report->memory_peak,
    };
    return sized_fill(out, &head);
}
