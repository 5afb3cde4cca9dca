/* row_options.c - see row_options.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/row_options.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/figures.h"
#include "data/transactions/select.h"
#include "read/column_names.h"
#include "read/date.h"
#include "read/line_ends.h"
#include "read/read.h"
#include "read/read_advice.h"
#include "read/row_advice.h"
#include "runtime/parallel.h"

#define ROWS_NO_WEIGHT "weight is not a whole number; expected 0 to 4294967295"

/* ---- Conditions ---- */

/* Whether a comma at `p` may be that of thousands: 1,234 and 12,345 do not tell. */
static bool rows_may_be_thousands(const char *start, const char *p, const char *end) {
    return end - p == 4 && p - start >= 1 && p - start <= 3 && *start != '0';
}

/* Reads a number such as -12.50 or 1e3. A comma is a decimal point unless the fields of the file
 * are separated by commas. `separator` is 0 for a file without fields and for an option. */
static bool rows_number(const char *p, size_t n, char separator, double *out) {
    const char *end = p + n, *start;
    double value = 0, scale = 1;
    int exponent = 0, digits = 0;
    bool negative = n > 0 && *p == '-';
    if (n > 0 && (*p == '-' || *p == '+')) p++;
    start = p;
    for (; p < end && *p >= '0' && *p <= '9'; p++, digits++) value = value * 10 + (*p - '0');
    bool comma = p < end && *p == ',' && separator != ',' &&
                 (separator == ';' || !rows_may_be_thousands(start, p, end));
    if (p < end && (*p == '.' || comma)) {
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

/* Reads a date; a double holds its seconds exactly. *is_day: there is no time of day. */
static bool rows_date(const char *p, size_t n, double *out, bool *is_day) {
    int64_t seconds;
    if (!date_parse(p, n, &seconds)) return false;
    *out = (double)seconds;
    *is_day = !memchr(p, ':', n);
    return true;
}

static void rows_trim(const char **text, size_t *n) {
    while (*n > 0 && (**text == ' ' || **text == '\t')) ++*text, --*n;
    while (*n > 0 && ((*text)[*n - 1] == ' ' || (*text)[*n - 1] == '\t')) --*n;
}

/* ---- Case ---- */

/* Writes text in lower case, which takes the same number of bytes: Latin (ASCII and accented
 * letters), Greek and Cyrillic. */
static void rows_lower(const char *text, size_t n, char *out) {
    for (size_t i = 0; i < n; i++) {
        unsigned char b = (unsigned char)text[i];
        unsigned char next = i + 1 < n ? (unsigned char)text[i + 1] : 0;
        out[i] = (char)(b >= 'A' && b <= 'Z' ? b + 32 : b);
        if (b < 0xc3 || b > 0xd0 || next < 0x80 || next > 0xbf) continue;
        if (b == 0xc3 && next <= 0x9e && next != 0x97) next = (unsigned char)(next + 0x20);
        if ((b == 0xce && next >= 0x91 && next <= 0x9f) ||
            (b == 0xd0 && next >= 0x90 && next <= 0x9f)) {
            next = (unsigned char)(next + 0x20);
        } else if ((b == 0xce || b == 0xd0) && next >= 0xa0 && next <= (b == 0xce ? 0xa9 : 0xaf)) {
            next = (unsigned char)(next - 0x20);
            out[i] = (char)(b + 1);
        }
        out[++i] = (char)next;
    }
}

/* ---- Reading conditions ---- */

/* Takes quotes off a value that stands in quotes as a whole, as in SQL. */
static bool rows_unquote(row_condition *c) {
    size_t n = c->n_value;
    if (n < 2 || (*c->value != '\'' && *c->value != '"') || c->value[n - 1] != *c->value)
        return false;
    c->value++;
    c->n_value -= 2;
    return true;
}

/* Reads one condition. Returns false if the text is not one; then out->value is where the value
 * begins, or NULL. */
static bool rows_condition(const char *line, size_t n, row_condition *out) {
    size_t at = 0;
    while (at < n && !memchr("=!<>", line[at], 4)) at++;
    *out = (row_condition){.column = line, .n_column = at};
    if (at == 0 || at == n) return false;
    out->op = line[at];
    bool equal = at + 1 < n && line[at + 1] == '=';
    bool exact = line[at] == '=';
    if (exact && equal) return false;
    if (line[at] == '!' && !equal) return false;
    if (line[at] == '<' && equal) out->op = 'l';
    if (line[at] == '>' && equal) out->op = 'g';
    size_t skip = at + 1 + (!exact && equal);
    rows_trim(&out->column, &out->n_column);
    if (out->n_column == 0) return false;
    out->value = line + skip;
    out->n_value = n - skip;
    rows_trim(&out->value, &out->n_value);
    bool quoted = rows_unquote(out);
    bool is_text = out->op == '=' || out->op == '!';
    if (!is_text && rows_number(out->value, out->n_value, 0, &out->bound)) return true;
    out->is_date = rows_date(out->value, out->n_value, &out->bound, &out->is_day);
    return out->is_date || (is_text && (quoted || !rows_is_double(out->value, out->n_value)));
}

/* Reserves room for the counts of the conditions, and for their values in lower case. */
static lode_status rows_make_room(read_task *task, rows_plan *plan, size_t lines, size_t bytes) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    LODE_TRY(mem_zalloc(m, (void **)&plan->conditions, lines * sizeof *plan->conditions));
    plan->cap = lines;
    LODE_TRY(mem_zalloc(m, (void **)&plan->lower, bytes));
    plan->lower_bytes = bytes;
    plan->n_tallies = lines * task->n_workers;
    LODE_TRY(mem_zalloc(m, (void **)&plan->tallies, plan->n_tallies * sizeof *plan->tallies));
done:
    return status;
}

static size_t rows_lines(const char *text) {
    size_t lines = text ? 1 : 0;
    for (; text && *text; text++) lines += *text == '\n';
    return lines;
}

/* Columns to ignore are columns of conditions that drop nothing. */
static void rows_parse_ignored(rows_plan *plan, const char *text) {
    for (const char *end; text && *text; text = *end ? end + 1 : end) {
        size_t n = strcspn(text, "\n");
        end = text + n;
        if (n == 0) continue;
        plan->conditions[plan->n++] = (row_condition){
            .column = text, .n_column = n, .value = end, .text = text, .n_text = n, .op = 'i'};
    }
}

static lode_status rows_parse(read_task *task, rows_plan *plan) {
    const char *text = task->options.drop_rows;
    size_t lines = rows_lines(text) + rows_lines(task->options.ignore);
    if (lines == 0) return LODE_OK;
    if (!text) text = "";
    size_t bytes = strlen(text) + 1;
    lode_status status = rows_make_room(task, plan, lines, bytes);
    if (status != LODE_OK) return status;
    rows_parse_ignored(plan, task->options.ignore);
    rows_lower(text, bytes, plan->lower);
    const char *all = text;
    for (const char *end; *text; text = *end ? end + 1 : end) {
        row_condition *c = &plan->conditions[plan->n];
        end = text + strcspn(text, "\n");
        size_t n = (size_t)(end - text);
        if (!rows_condition(text, n, c)) {
            return rows_advise(task->job, text, n, c->value, c->n_value);
        }
        c->text = text;
        c->n_text = n;
        c->lower = plan->lower + (c->value - all);
        plan->n++;
    }
    return LODE_OK;
}

lode_status rows_open(read_task *task) {
    const lode_read_options *o = &task->options;
    if (!o->weight_column && !o->drop_rows && !o->ignore && !task->census) return LODE_OK;
    lode_status status = mem_zalloc(&task->job->mem, (void **)&task->rows, sizeof *task->rows);
    if (status != LODE_OK) return status;
    task->rows->weight = o->weight_column;
    return rows_parse(task, task->rows);
}

void rows_close(read_task *task) {
    rows_plan *plan = task->rows;
    if (!plan) return;
    mem *m = &task->job->mem;
    mem_free(m, plan->conditions, plan->cap * sizeof *plan->conditions);
    mem_free(m, plan->lower, plan->lower_bytes);
    mem_free(m, plan->tallies, plan->tallies ? plan->n_tallies * sizeof *plan->tallies : 0);
    mem_free(&task->job->mem, plan, sizeof *plan);
    task->rows = NULL;
}

void rows_close_file(read_task *task, read_file *file) {
    if (!file->rows.conditions) return;
    mem_free(&task->job->mem, file->rows.conditions, task->rows->n * sizeof *file->rows.conditions);
    file->rows.conditions = NULL;
}

/* ---- Columns ---- */

#define ROWS_NAME 128 /* bytes of the longest name of a column, with a terminating zero */

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
    const csv_cursor header = c;
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
    return read_no_column(task, header, option);
}

lode_status rows_find(read_task *task, csv_cursor header, bool has_names) {
    lode_status status = LODE_OK;
    const rows_plan *plan = task->rows;
    rows_columns *out = &task->file->rows;
    char name[ROWS_NAME];
    if (!plan) return LODE_OK;
    out->weight = SIZE_MAX;
    if (task->census) LODE_TRY(census_take_header(task->census, header, has_names));
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

bool rows_is_ignored(const read_task *task, const read_file *file, size_t column) {
    const rows_plan *plan = task->rows;
    if (!plan) return false;
    for (size_t i = 0; i < plan->n; i++) {
        if (plan->conditions[i].op == 'i' && file->rows.conditions[i] == column) return true;
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

/* Reads a cell with a date for a condition; a condition without a time is about the whole day. */
static bool rows_date_cell(const row_condition *c, const char *cell, size_t n, double *out) {
    bool is_day;
    if (!rows_date(cell, n, out, &is_day)) return false;
    if (c->is_day && !is_day) *out -= (double)((int64_t)*out % DATE_DAY_SECONDS);
    return true;
}

/* Whether a cell compares so with the bound. */
static bool rows_compare(char op, double cell, double bound) {
    if (op == '<') return cell < bound;
    if (op == 'l') return cell <= bound;
    return op == '>' ? cell > bound : cell >= bound;
}

/* Keeps a value that a condition was compared with, among the first that differ. */
static void rows_keep_value(const read_worker *w, rows_tally *t, const char *cell, size_t n) {
    if (t->n_values == ROWS_VALUES) return;
    size_t kept = n < ROWS_VALUE_BYTES - 1 ? n : ROWS_VALUE_BYTES - 1;
    while (kept < n && kept > 0 && ((unsigned char)cell[kept] & 0xc0) == 0x80) kept--;
    for (size_t i = 0; i < t->n_values; i++) {
        if (t->values[i].n == n && memcmp(t->values[i].text, cell, kept) == 0) return;
    }
    rows_value *value = &t->values[t->n_values++];
    value->sequence = w->block.sequence;
    value->n = n;
    memcpy(value->text, cell, kept);
    value->text[kept] = 0;
}

/* Where `at` stands in the block, from 1; of JSON in one list, in the file. */
static void rows_locate(const read_worker *w, const char *at, uint64_t *line, uint64_t *column) {
    const char *start;
    *line = line_number(w->block.text.data, at, &start);
    *column = (uint64_t)(at - start) + 1;
    if (!w->file->found.json.document) return;
    if (*line == 1) *column += w->from_column;
    *line += w->from_line;
}

/* Keeps the first cell that is compared with a number or a date, and is none. */
static void rows_keep_odd(read_worker *w, const char *cell, size_t n, const char *at) {
    rows_state *s = &w->rows;
    if (s->n_odd++ > 0) return;
    s->odd_file = w->file;
    s->odd.sequence = w->block.sequence;
    s->odd.n = n;
    rows_locate(w, at, &s->odd_line, &s->odd_column);
    size_t kept = n < ROWS_VALUE_BYTES - 1 ? n : ROWS_VALUE_BYTES - 1;
    memcpy(s->odd.text, cell, kept);
    s->odd.text[kept] = 0;
}

/* Whether a cell is the value of a condition, or matches it as a glob; case does not matter. Dates
 * are equal however they are written. */
static bool rows_equals(const row_condition *c, const char *cell, size_t n) {
    char lower[ROWS_LONGEST];
    double date;
    if (c->is_date && rows_date_cell(c, cell, n, &date)) return date == c->bound;
    if (n > sizeof lower) return select_matches(c->value, c->n_value, cell, n);
    rows_lower(cell, n, lower);
    return select_matches(c->lower, c->n_value, lower, n);
}

/* Keeps which marks a number has; 1.000 may be a thousand if other cells have decimal commas. */
static void rows_keep_marks(rows_tally *t, const char *cell, size_t n) {
    const char *point = memchr(cell, '.', n), *start = cell + (*cell == '-' || *cell == '+');
    t->has_comma |= memchr(cell, ',', n) != NULL;
    t->has_point |= point && rows_may_be_thousands(start, point, cell + n);
}

void rows_test(read_worker *w, size_t i, const char *cell, size_t n, const char *at) {
    const rows_plan *plan = w->task->rows;
    const row_condition *c = &plan->conditions[i];
    rows_tally *tally = &plan->tallies[w->index * plan->n + i];
    const char separator = w->file->found.separator;
    double number = 0;
    bool holds = false;
    if (c->op == 'i') return;
    if (c->op == '=' || c->op == '!') {
        holds = rows_equals(c, cell, n) == (c->op == '=');
    } else if (c->is_date ? rows_date_cell(c, cell, n, &number)
                          : rows_number(cell, n, separator, &number)) {
        if (!c->is_date && separator != ',') rows_keep_marks(tally, cell, n);
        holds = rows_compare(c->op, number, c->bound);
    } else {
        rows_keep_odd(w, cell, n, at);
    }
    w->rows.drop |= holds;
    tally->n_held += holds;
    if (tally->n_held == 0) rows_keep_value(w, tally, cell, n);
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
        if (columns->conditions[i] == column) rows_test(w, i, cell, n, at);
    }
    if (column == columns->weight) rows_weigh(w, cell, n, at);
    if (w->task->census) {
        double number;
        bool is_number = rows_number(cell, n, w->file->found.separator, &number);
        census_look(w->task->census, w->index, column, cell, n, is_number ? &number : NULL);
    }
}

bool rows_drops(read_worker *w) {
    if (!w->task->rows) return false;
    w->rows.n_rows++;
    w->rows.n_dropped += w->rows.drop;
    w->rows.n_lost += w->rows.drop;
    return w->rows.drop;
}

const char *rows_wrong_weight(const read_worker *w) {
    if (!w->task->rows || !w->task->rows->weight) return NULL;
    return w->rows.weighted ? w->rows.bad_weight : "no weight; expected a whole number";
}

lode_status read_end_noted(read_worker *w, csv_cursor *c, builder_note *note) {
    const char *wrong = rows_wrong_weight(w);
    if (rows_drops(w)) {
        worker_drop_transaction(w->out);
        return LODE_OK;
    }
    if (wrong) return csv_malformed(c, w->rows.weight_at ? w->rows.weight_at : c->record, wrong);
    note->weighted = w->rows.weighted;
    note->weight = w->rows.weight;
    if (note->named) {
        note->id = w->kept.data;
        note->id_bytes = w->kept.n;
    }
    return worker_end_noted(w->out, note);
}

/* ---- Telling ---- */

/* The next value in the order of the files: of all threads, the one of the earliest block. */
static const rows_value *rows_next_value(const read_task *task, size_t i, size_t *taken) {
    const rows_plan *plan = task->rows;
    const rows_value *first = NULL;
    unsigned from = 0;
    for (unsigned k = 0; k < task->n_workers; k++) {
        const rows_tally *t = &plan->tallies[k * plan->n + i];
        if (taken[k] == t->n_values) continue;
        if (first && first->sequence <= t->values[taken[k]].sequence) continue;
        first = &t->values[taken[k]];
        from = k;
    }
    if (first) taken[from]++;
    return first;
}

/* Writes the first values that a condition was compared with: "shipped, Cancelled, …". */
static void rows_list_values(const read_task *task, size_t i, char out[ROWS_LIST_BYTES]) {
    const rows_value *listed[ROWS_VALUES], *v;
    size_t taken[PARALLEL_MAX] = {0}, n = 0;
    out[0] = 0;
    while (n < ROWS_VALUES && (v = rows_next_value(task, i, taken)) != NULL) {
        bool known = false;
        for (size_t k = 0; k < n; k++) {
            known |= listed[k]->n == v->n && strcmp(listed[k]->text, v->text) == 0;
        }
        if (known) continue;
        const char *comma = n > 0 ? ", " : "";
        if (n + 1 == ROWS_VALUES) {
            append_text(out, ROWS_LIST_BYTES, "%s…", comma);
        } else {
            const char *quote = strchr(v->text, ',') ? "'" : "";
            append_text(out, ROWS_LIST_BYTES, "%s%s%s%s%s", comma, quote,
                        v->n > 0 ? v->text : "(empty)", v->n >= ROWS_VALUE_BYTES ? "…" : "", quote);
        }
        listed[n++] = v;
    }
    for (char *p = out; *p; p++) { /* a quoted cell may hold line ends */
        if ((unsigned char)*p < ' ') *p = ' ';
    }
}

/* Says which conditions hold for no row: the value may be misspelt. */
static void rows_tell_unmet(read_task *task) {
    const rows_plan *plan = task->rows;
    char values[ROWS_LIST_BYTES];
    for (size_t i = 0; i < plan->n; i++) {
        const row_condition *c = &plan->conditions[i];
        uint64_t held = 0;
        for (unsigned k = 0; k < task->n_workers; k++)
            held += plan->tallies[k * plan->n + i].n_held;
        if (held > 0 || c->op == 'i') continue;
        rows_list_values(task, i, values);
        bool several = c->op == '=' &&
                       (memchr(c->value, '|', c->n_value) || memchr(c->value, ',', c->n_value));
        job_log(task->job, c->op == '=' ? LODE_LOG_WARNING : LODE_LOG_INFO,
                "%s: no row matches %.*s%s%s%s", task->name.data, (int)c->n_text, c->text,
                values[0] ? "; the column has values such as " : "", values,
                several ? "; to give several values, repeat --drop-rows" : "");
    }
}

/* Says which columns have numbers such as 2,5 and such as 1.000, one of which is misread. */
static void rows_tell_marks(read_task *task) {
    const rows_plan *plan = task->rows;
    for (size_t i = 0; i < plan->n; i++) {
        const row_condition *c = &plan->conditions[i];
        bool comma = false, point = false;
        for (unsigned k = 0; k < task->n_workers; k++) {
            comma |= plan->tallies[k * plan->n + i].has_comma;
            point |= plan->tallies[k * plan->n + i].has_point;
        }
        if (!comma || !point) continue;
        job_log(task->job, LODE_LOG_WARNING,
                "%s: column %.*s has numbers with a comma, such as 2,5, and with a point, such as "
                "1.000; --drop-rows reads both as decimal marks, so 1.000 is 1; if it is a "
                "thousand, write 1000 in the file",
                task->name.data, (int)c->n_column, c->column);
    }
}

/* What the cells of conditions should have been. */
static const char *rows_kinds(const rows_plan *plan) {
    bool dates = false, numbers = false;
    for (size_t i = 0; i < plan->n; i++) {
        const row_condition *c = &plan->conditions[i];
        if (c->op == '=' || c->op == '!' || c->op == 'i') continue;
        dates |= c->is_date;
        numbers |= !c->is_date;
    }
    return !dates     ? "numeric"
           : !numbers ? "dates such as 2011-06-01"
                      : "numeric or dates such as 2011-06-01";
}

/* Whether a cell looks like 12/1/2010 8:00. */
static bool rows_is_unclear_date(const rows_value *v) {
    int first, second, year;
    return sscanf(v->text, "%2d/%2d/%4d", &first, &second, &year) == 3 ||
           sscanf(v->text, "%2d-%2d-%4d", &first, &second, &year) == 3;
}

static lode_status rows_tell_odd(read_task *task) {
    const rows_state *first = NULL;
    uint64_t odd = 0, line;
    for (unsigned i = 0; i < task->n_workers; i++) {
        const rows_state *s = &task->workers[i].rows;
        odd += s->n_odd;
        if (s->n_odd == 0 || (first && first->odd.sequence <= s->odd.sequence)) continue;
        first = s;
    }
    if (!first) return LODE_OK;
    lode_status status =
        read_absolute_line(task, first->odd_file, first->odd.sequence, first->odd_line, &line);
    if (status != LODE_OK) return status;
    job_log(task->job, LODE_LOG_WARNING,
            "%s: --drop-rows found %" PRIu64
            " cell%s that %s not %s, and kept %s; the first: %s:%" PRIu64 ":%" PRIu64 ": '%s'%s",
            task->name.data, odd, odd == 1 ? "" : "s", odd == 1 ? "is" : "are",
            rows_kinds(task->rows), odd == 1 ? "its row" : "their rows", first->odd_file->name,
            line, first->odd_column, first->odd.text,
            rows_is_unclear_date(&first->odd)
                ? "; write dates as YYYY-MM-DD or DD.MM.YYYY in the file (in a spreadsheet, change "
                  "the format of these cells)"
                : "");
    return LODE_OK;
}

lode_status rows_tell(read_task *task, lode_profile *profile) {
    if (!task->rows) return LODE_OK;
    for (unsigned i = 0; i < task->n_workers; i++) {
        profile->n_rows += task->workers[i].rows.n_rows;
        profile->n_dropped += task->workers[i].rows.n_dropped;
        profile->n_lost += task->workers[i].rows.n_lost;
    }
    if (task->format->joins) profile->n_lost = task->n_lost;
    uint64_t dropped = profile->n_dropped;
    if (dropped > 0) {
        job_log(task->job, LODE_LOG_INFO, "%s: left out %" PRIu64 " row%s because of --drop-rows",
                task->name.data, dropped, dropped == 1 ? "" : "s");
    }
    rows_tell_unmet(task);
    rows_tell_marks(task);
    return rows_tell_odd(task);
}
