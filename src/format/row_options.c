/* row_options.c - see row_options.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "format/row_options.h"

#include <inttypes.h>

#include "data/select.h"
#include "format/column_names.h"
#include "format/read.h"

#define ROWS_NO_WEIGHT "no whole number as a weight; expected 0 to 4294967295"

/* ---- Conditions ---- */

/* Reads a number such as -12.50 or 1e3, without regard to the habits of a country. */
static bool rows_number(const char *p, size_t n, double *out) {
    const char *end = p + n;
    double value = 0, scale = 1;
    int exponent = 0, digits = 0;
    bool negative = n > 0 && *p == '-';
    if (n > 0 && (*p == '-' || *p == '+')) p++;
    for (; p < end && *p >= '0' && *p <= '9'; p++, digits++) value = value * 10 + (*p - '0');
    if (p < end && *p == '.') {
        for (p++; p < end && *p >= '0' && *p <= '9'; p++, digits++) {
            value = value * 10 + (*p - '0');
            scale *= 10;
        }
    }
    if (digits > 0 && p < end && (*p == 'e' || *p == 'E')) {
        p++;
        bool small = p < end && *p == '-';
        if (p < end && (*p == '-' || *p == '+')) p++;
        if (p == end) return false;
        for (; p < end && *p >= '0' && *p <= '9' && exponent < 400; p++) {
            exponent = exponent * 10 + (*p - '0');
        }
        for (; exponent > 0; exponent--) value = small ? value / 10 : value * 10;
    }
    *out = (negative ? -value : value) / scale;
    return digits > 0 && p == end;
}

static void rows_trim(const char **text, size_t *n) {
    while (*n > 0 && (**text == ' ' || **text == '\t')) ++*text, --*n;
    while (*n > 0 && ((*text)[*n - 1] == ' ' || (*text)[*n - 1] == '\t')) --*n;
}

/* Reads one condition. False: it is none. */
static bool rows_condition(const char *line, size_t n, row_condition *out) {
    size_t at = 0;
    while (at < n && !memchr("=!<>", line[at], 4)) at++;
    if (at == 0 || at == n) return false;
    bool equal = at + 1 < n && line[at + 1] == '=';
    bool exact = line[at] == '=';
    *out = (row_condition){.column = line, .n_column = at, .op = line[at]};
    if (line[at] == '!' && !equal) return false;
    if (line[at] == '<' && equal) out->op = 'l';
    if (line[at] == '>' && equal) out->op = 'g';
    size_t skip = at + 1 + (!exact && equal);
    out->value = line + skip;
    out->n_value = n - skip;
    rows_trim(&out->column, &out->n_column);
    rows_trim(&out->value, &out->n_value);
    if (out->n_column == 0) return false;
    return out->op == '=' || out->op == '!' || rows_number(out->value, out->n_value, &out->bound);
}

static lode_status rows_parse(read_task *task, rows_plan *plan) {
    const char *text = task->options.drop_rows;
    size_t lines = 1;
    if (!text) return LODE_OK;
    for (const char *p = text; *p; p++) lines += *p == '\n';
    lode_status status =
        mem_zalloc(&task->job->mem, (void **)&plan->conditions, lines * sizeof *plan->conditions);
    if (status != LODE_OK) return status;
    plan->cap = lines;
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = text + strcspn(text, "\n");
        if (rows_condition(text, (size_t)(end - text), &plan->conditions[plan->n])) {
            plan->n++;
            continue;
        }
        return job_fail(task->job, LODE_INVALID,
                        "drop-rows: '%.*s': expected a condition on a column, such as "
                        "Status=cancelled, Invoice=C* or Quantity<=0",
                        (int)(end - text), text);
    }
    return LODE_OK;
}

lode_status rows_open(read_task *task) {
    const lode_read_options *o = &task->options;
    if (!o->weight_column && !o->drop_rows) return LODE_OK;
    lode_status status = mem_zalloc(&task->job->mem, (void **)&task->rows, sizeof *task->rows);
    if (status != LODE_OK) return status;
    task->rows->weight = o->weight_column;
    return rows_parse(task, task->rows);
}

void rows_close(read_task *task) {
    rows_plan *plan = task->rows;
    if (!plan) return;
    mem_free(&task->job->mem, plan->conditions, plan->cap * sizeof *plan->conditions);
    mem_free(&task->job->mem, plan, sizeof *plan);
    task->rows = NULL;
}

void rows_close_file(read_task *task, read_file *file) {
    if (!file->rows.conditions) return;
    mem_free(&task->job->mem, file->rows.conditions, task->rows->n * sizeof *file->rows.conditions);
    file->rows.conditions = NULL;
}

/* ---- Columns ---- */

#define ROWS_NAME 128 /* bytes of the longest name of a column, with a closing zero */

/* The column of a condition as a text with an end. */
static const char *rows_column(const row_condition *c, char name[ROWS_NAME]) {
    size_t n = c->n_column < ROWS_NAME - 1 ? c->n_column : ROWS_NAME - 1;
    memcpy(name, c->column, n);
    name[n] = 0;
    return name;
}

bool rows_need_header(const read_task *task) {
    const rows_plan *plan = task->rows;
    char name[ROWS_NAME];
    if (!plan) return false;
    if (plan->weight && columns_number(plan->weight) == 0) return true;
    for (size_t i = 0; i < plan->n; i++) {
        if (columns_number(rows_column(&plan->conditions[i], name)) == 0) return true;
    }
    return false;
}

/* The column of a name or number; a name that is equal counts more than one that is alike. */
static lode_status rows_find_one(read_task *task, csv_cursor c, bool has_names, const char *option,
                                 size_t *out) {
    size_t number = columns_number(option), alike = SIZE_MAX, column = 0;
    csv_field f = {0};
    *out = SIZE_MAX;
    for (csv_begin(&c); !f.last && *out == SIZE_MAX; column++) {
        lode_status status = csv_next(&c, &f);
        if (status != LODE_OK) return status;
        if (number > 0 ? column == number - 1 : has_names && columns_same(f.text, f.n, option)) {
            *out = column;
        } else if (number == 0 && has_names && alike == SIZE_MAX &&
                   columns_alike(f.text, f.n, option)) {
            alike = column;
        }
    }
    if (*out == SIZE_MAX) *out = alike;
    /* Lines of a basket file may be longer than the first. */
    if (*out == SIZE_MAX && number > 0 && task->format->format == LODE_FORMAT_BASKET) {
        *out = number - 1;
    }
    if (*out != SIZE_MAX) return LODE_OK;
    return job_fail(task->job, LODE_INVALID, "%s has no column '%s'", task->file->name, option);
}

lode_status rows_find(read_task *task, csv_cursor header, bool has_names) {
    lode_status status = LODE_OK;
    const rows_plan *plan = task->rows;
    rows_columns *out = &task->file->rows;
    char name[ROWS_NAME];
    if (!plan) return LODE_OK;
    out->weight = SIZE_MAX;
    if (plan->weight) {
        LODE_TRY(rows_find_one(task, header, has_names, plan->weight, &out->weight));
    }
    if (plan->n == 0) goto done;
    if (!out->conditions) {
        LODE_TRY(mem_zalloc(&task->job->mem, (void **)&out->conditions,
                            plan->n * sizeof *out->conditions));
    }
    for (size_t i = 0; i < plan->n; i++) {
        LODE_TRY(rows_find_one(task, header, has_names, rows_column(&plan->conditions[i], name),
                               &out->conditions[i]));
    }
done:
    return status;
}

bool rows_is_taken(const read_task *task, const read_file *file, size_t column) {
    const rows_plan *plan = task->rows;
    if (!plan) return false;
    for (size_t i = 0; i < plan->n; i++) {
        if (file->rows.conditions[i] == column) return true;
    }
    return column == file->rows.weight;
}

/* ---- Records ---- */

void rows_begin(read_worker *w) {
    rows_state *s = &w->rows;
    s->drop = s->weighted = false;
    s->weight = 0;
    s->weight_at = s->bad_weight = NULL;
}

/* Whether a cell compares so with the bound. */
static bool rows_compare(char op, double cell, double bound) {
    if (op == '<') return cell < bound;
    if (op == 'l') return cell <= bound;
    return op == '>' ? cell > bound : cell >= bound;
}

void rows_test(read_worker *w, size_t i, const char *cell, size_t n) {
    const row_condition *c = &w->task->rows->conditions[i];
    double number;
    if (c->op == '=' || c->op == '!') {
        w->rows.drop |= select_matches(c->value, c->n_value, cell, n) == (c->op == '=');
    } else if (rows_number(cell, n, &number)) {
        w->rows.drop |= rows_compare(c->op, number, c->bound);
    } else {
        w->rows.n_odd++;
    }
}

void rows_weigh(read_worker *w, const char *cell, size_t n, const char *at) {
    rows_state *s = &w->rows;
    uint64_t value = 0;
    size_t i = 0;
    for (; i < n && i < 11 && cell[i] >= '0' && cell[i] <= '9'; i++) {
        value = value * 10 + (uint64_t)(cell[i] - '0');
    }
    s->weighted = true;
    s->weight_at = at;
    s->weight = (uint32_t)value;
    if (n == 0 || i < n || value > UINT32_MAX) s->bad_weight = ROWS_NO_WEIGHT;
}

void rows_look(read_worker *w, size_t column, const char *cell, size_t n, const char *at) {
    const rows_plan *plan = w->task->rows;
    const rows_columns *columns = &w->file->rows;
    for (size_t i = 0; i < plan->n; i++) {
        if (columns->conditions[i] == column) rows_test(w, i, cell, n);
    }
    if (column == columns->weight) rows_weigh(w, cell, n, at);
}

bool rows_drops(read_worker *w) {
    if (!w->task->rows || !w->rows.drop) return false;
    w->rows.n_dropped++;
    return true;
}

const char *rows_wrong_weight(const read_worker *w) {
    if (!w->task->rows || !w->task->rows->weight) return NULL;
    return w->rows.weighted ? w->rows.bad_weight : "no weight; expected a whole number";
}

uint64_t rows_tell(read_task *task) {
    uint64_t dropped = 0, odd = 0;
    for (unsigned i = 0; i < task->n_workers; i++) {
        dropped += task->workers[i].rows.n_dropped;
        odd += task->workers[i].rows.n_odd;
    }
    if (dropped > 0) {
        job_log(task->job, LODE_LOG_INFO, "%s: left out %" PRIu64 " row%s as drop-rows says",
                task->name.data, dropped, dropped == 1 ? "" : "s");
    }
    if (odd > 0) {
        job_log(task->job, LODE_LOG_WARNING,
                "%s: %" PRIu64 " cell%s that drop-rows compares with a number %s not one; such "
                "rows stay",
                task->name.data, odd, odd == 1 ? "" : "s", odd == 1 ? "is" : "are");
    }
    return dropped;
}
