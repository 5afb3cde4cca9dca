/* write_baskets.c - lode_dataset_write(): transactions as text that lode reads, or for people
 *
 * Names that contain the separator, a quote, a line end, or blanks at their ends are quoted, so
 * that reading gives the same names. The beginning of the text is kept, and format recognition
 * (sniff.h) is run on it at the end. If it recognises another format, a warning says what to do.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "base/utf8.h"
#include "extras/clean/clean_state.h"
#include "extras/clean/matching.h"
#include "read/sniff.h"
#include "runtime/output.h"
#include "runtime/valid.h"

#define WRITE_PIECE ((size_t)64 << 10) /* text is written in pieces of about this size */
#define WRITE_HEAD  ((size_t)64 << 10) /* of the text are recognised again */

typedef struct basket_writer {
    lode_job *job;
    const lode_dataset *data;
    lode_basket_format format;
    output out;
    vec_char text, name, head;
    bool numbers;  /* jsonl: items are numbers */
    bool csv_safe; /* names and ids are no formulas */
} basket_writer;

/* ---- names ---- */

/* Whether a field must be quoted to be read as it is. */
static bool write_needs_quotes(const char *name, size_t n, char separator) {
    if (n == 0 || name[0] == '"' || strchr(" \t", name[0]) || strchr(" \t", name[n - 1])) {
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        if (name[i] == separator || name[i] == '\n' || name[i] == '\r' || name[i] == '"') {
            return true;
        }
    }
    return false;
}

static lode_status write_quoted(mem *m, vec_char *to, const char *name, size_t n) {
    lode_status status = LODE_OK;
    LODE_TRY(vec_char_append(m, to, "\"", 1));
    for (size_t i = 0; i < n; i++) {
        if (name[i] == '"') LODE_TRY(vec_char_append(m, to, "\"", 1));
        LODE_TRY(vec_char_append(m, to, name + i, 1));
    }
    LODE_TRY(vec_char_append(m, to, "\"", 1));
done:
    return status;
}

static lode_status write_field(basket_writer *w, const char *text, size_t n, char separator) {
    mem *m = &w->job->mem;
    if (write_needs_quotes(text, n, separator)) return write_quoted(m, &w->text, text, n);
    return vec_char_append(m, &w->text, text, n);
}

/* Line ends in quotes are read within limits (csv.h). */
static lode_status write_check_name(basket_writer *w) {
    size_t lines = 0;
    for (size_t i = 0; i < w->name.n; i++) {
        lines += w->name.data[i] == '\n' || w->name.data[i] == '\r';
    }
    if (lines == 0 || (lines < CSV_QUOTE_LINES && w->name.n < CSV_QUOTE_BYTES / 2)) return LODE_OK;
    return job_fail(
        w->job, LODE_INVALID,
        "a name of %zu bytes has %zu line ends, which text formats cannot hold; write jsonl",
        w->name.n, lines);
}

static lode_status write_name(basket_writer *w, uint32_t id) {
    lode_status status = clean_name_of(&w->job->mem, w->data, id, &w->name);
    if (status == LODE_OK && w->csv_safe) status = utf8_mark_formula(&w->job->mem, &w->name);
    return status == LODE_OK ? write_check_name(w) : status;
}

static lode_status write_text(basket_writer *w, const char *text) {
    return vec_char_append(&w->job->mem, &w->text, text, strlen(text));
}

static lode_status write_count(basket_writer *w, uint64_t value) {
    return vec_char_printf(&w->job->mem, &w->text, "%" PRIu64, value);
}

/* ---- formats ---- */

/* Items as fields. */
static lode_status write_items(basket_writer *w, const uint32_t *ids, uint32_t n, char separator) {
    lode_status status = LODE_OK;
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) LODE_TRY(vec_char_append(&w->job->mem, &w->text, &separator, 1));
        LODE_TRY(write_name(w, ids[i]));
        LODE_TRY(write_field(w, w->name.data, w->name.n, separator));
    }
done:
    return status;
}

static lode_status write_basket(basket_writer *w, uint64_t t, const uint32_t *ids, uint32_t n) {
    lode_status status = LODE_OK;
    const uint32_t *weights = w->data->weights;
    if (weights) LODE_TRY(write_count(w, weights[t]));
    if (weights && n > 0) LODE_TRY(write_text(w, ","));
    LODE_TRY(write_items(w, ids, n, ','));
    LODE_TRY(write_text(w, "\n"));
done:
    return status;
}

static lode_status write_fimi(basket_writer *w, uint64_t t, const uint32_t *ids, uint32_t n) {
    (void)t;
    lode_status status = write_items(w, ids, n, ' ');
    return status == LODE_OK ? write_text(w, "\n") : status;
}

/* The id of a transaction, or its number from 1. */
static lode_status write_id(basket_writer *w, uint64_t t) {
    size_t n;
    const char *id = dataset_transaction_id(w->data, t, &n);
    return id && n > 0 ? write_field(w, id, n, ',') : write_count(w, t + 1);
}

static lode_status write_table(basket_writer *w, uint64_t t, const uint32_t *ids, uint32_t n) {
    lode_status status = LODE_OK;
    for (uint32_t i = 0; i < n || i == 0; i++) { /* without an item, it is a line as well */
        LODE_TRY(write_id(w, t));
        LODE_TRY(write_text(w, ","));
        if (n > 0) LODE_TRY(write_name(w, ids[i]));
        if (n > 0) LODE_TRY(write_field(w, w->name.data, w->name.n, ','));
        if (w->data->weights) LODE_TRY(write_text(w, ","));
        if (w->data->weights) LODE_TRY(write_count(w, w->data->weights[t]));
        LODE_TRY(write_text(w, "\n"));
    }
done:
    return status;
}

static lode_status write_json_items(basket_writer *w, const uint32_t *ids, uint32_t n) {
    lode_status status = LODE_OK;
    mem *m = &w->job->mem;
    LODE_TRY(write_text(w, "["));
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) LODE_TRY(write_text(w, ","));
        LODE_TRY(clean_name_of(m, w->data, ids[i], &w->name));
        LODE_TRY(w->numbers ? vec_char_append(m, &w->text, w->name.data, w->name.n)
                            : utf8_put_json(m, &w->text, w->name.data, w->name.n));
    }
    LODE_TRY(write_text(w, "]"));
done:
    return status;
}

static lode_status write_jsonl(basket_writer *w, uint64_t t, const uint32_t *ids, uint32_t n) {
    lode_status status = LODE_OK;
    const lode_dataset *data = w->data;
    bool fields = data->weights || data->ids.ends;
    size_t n_id;
    const char *id = dataset_transaction_id(data, t, &n_id);
    if (fields) LODE_TRY(write_text(w, "{"));
    if (id) LODE_TRY(write_text(w, "\"id\":"));
    if (id) LODE_TRY(utf8_put_json(&w->job->mem, &w->text, id, n_id));
    if (fields) LODE_TRY(write_text(w, id ? ",\"items\":" : "\"items\":"));
    LODE_TRY(write_json_items(w, ids, n));
    if (data->weights) LODE_TRY(write_text(w, ",\"weight\":"));
    if (data->weights) LODE_TRY(write_count(w, data->weights[t]));
    LODE_TRY(write_text(w, fields ? "}\n" : "\n"));
done:
    return status;
}

/* For people: "17 (order A3): milk, bread". */
static lode_status put_basket_line(basket_writer *w, uint64_t t, const uint32_t *ids, uint32_t n) {
    lode_status status = LODE_OK;
    mem *m = &w->job->mem;
    size_t n_id;
    const char *id = dataset_transaction_id(w->data, t, &n_id);
    LODE_TRY(write_count(w, t + 1));
    if (id) LODE_TRY(vec_char_printf(m, &w->text, " (%.*s)", (int)n_id, id));
    if (w->data->weights) LODE_TRY(vec_char_printf(m, &w->text, " x%u", w->data->weights[t]));
    LODE_TRY(write_text(w, ":"));
    for (uint32_t i = 0; i < n; i++) {
        LODE_TRY(write_text(w, i > 0 ? ", " : " "));
        LODE_TRY(write_name(w, ids[i]));
        LODE_TRY(write_field(w, w->name.data, w->name.n, ','));
    }
    LODE_TRY(write_text(w, "\n"));
done:
    return status;
}

/* number,id,items, with | between items: their cell is a line of fields itself. */
static lode_status write_csv(basket_writer *w, uint64_t t, const uint32_t *ids, uint32_t n) {
    lode_status status = LODE_OK;
    mem *m = &w->job->mem;
    size_t n_id, start;
    vec_char cell = {0};
    const char *id = dataset_transaction_id(w->data, t, &n_id);
    LODE_TRY(write_count(w, t + 1));
    LODE_TRY(write_text(w, ","));
    if (id) LODE_TRY(vec_char_append(m, &cell, id, n_id));
    if (w->csv_safe) LODE_TRY(utf8_mark_formula(m, &cell));
    if (cell.n > 0) LODE_TRY(write_field(w, cell.data, cell.n, ','));
    cell.n = 0;
    LODE_TRY(write_text(w, ","));
    if (w->data->weights) LODE_TRY(write_count(w, w->data->weights[t]));
    if (w->data->weights) LODE_TRY(write_text(w, ","));
    start = w->text.n;
    LODE_TRY(write_items(w, ids, n, '|'));
    LODE_TRY(vec_char_append(m, &cell, w->text.data + start, w->text.n - start));
    w->text.n = start;
    if (n > 0) LODE_TRY(write_field(w, cell.data, cell.n, ','));
    LODE_TRY(write_text(w, "\n"));
done:
    vec_char_free(m, &cell);
    return status;
}

/* ---- the file ---- */

typedef lode_status (*write_one_fn)(basket_writer *w, uint64_t t, const uint32_t *ids, uint32_t n);

static const write_one_fn write_formats[] = {
    [LODE_BASKET_BASKET] = write_basket,  [LODE_BASKET_FIMI] = write_fimi,
    [LODE_BASKET_TABLE] = write_table,    [LODE_BASKET_JSONL] = write_jsonl,
    [LODE_BASKET_TEXT] = put_basket_line, [LODE_BASKET_CSV] = write_csv,
};

static lode_status write_flush(basket_writer *w, size_t least) {
    lode_status status = LODE_OK;
    if (w->text.n < least) return LODE_OK;
    if (w->head.n < WRITE_HEAD) {
        LODE_TRY(vec_char_append(&w->job->mem, &w->head, w->text.data, w->text.n));
    }
    LODE_TRY(output_write(&w->out, w->text.data, w->text.n));
    w->text.n = 0;
done:
    return status;
}

static lode_status write_one(void *user, uint64_t t, const uint32_t *ids, uint32_t n) {
    basket_writer *w = user;
    lode_status status = write_formats[w->format](w, t, ids, n);
    return status == LODE_OK ? write_flush(w, WRITE_PIECE) : status;
}

static lode_status write_title(basket_writer *w) {
    bool weights = w->data->weights != NULL;
    if (w->format == LODE_BASKET_TABLE) {
        return write_text(w, weights ? "transaction,item,weight\n" : "transaction,item\n");
    }
    if (w->format != LODE_BASKET_CSV) return LODE_OK;
    return write_text(w, weights ? "number,id,weight,items\n" : "number,id,items\n");
}

/* Whether a name is a number that fimi and JSON have. */
static bool write_is_number(const char *name, size_t n, bool json) {
    if (n == 0 || (json && (n > 15 || (n > 1 && name[0] == '0')))) return false;
    for (size_t i = 0; i < n; i++) {
        if (name[i] < '0' || name[i] > '9') return false;
    }
    return true;
}

/* Looks at all names: *numbers, if all are numbers of a kind. */
static lode_status write_look(basket_writer *w, bool json, bool *numbers) {
    lode_status status = LODE_OK;
    *numbers = true;
    for (uint32_t id = 0; id < w->data->item_bound && *numbers; id++) {
        if (w->data->item_supports[id] == 0) continue;
        if (id % 16384 == 0) LODE_TRY(job_check(w->job));
        LODE_TRY(clean_name_of(&w->job->mem, w->data, id, &w->name));
        *numbers = write_is_number(w->name.data, w->name.n, json);
    }
done:
    return status;
}

static lode_status write_check(basket_writer *w) {
    lode_status status = LODE_OK;
    bool numbers;
    if (w->format == LODE_BASKET_JSONL) LODE_TRY(write_look(w, true, &w->numbers));
    if (w->format != LODE_BASKET_FIMI) goto done;
    LODE_TRY(write_look(w, false, &numbers));
    if (!numbers) {
        LODE_LEAVE(job_fail(
            w->job, LODE_INVALID,
            "fimi can hold only numbers, but the item '%.*s' is a name; write basket or jsonl",
            (int)(w->name.n < 60 ? w->name.n : 60), w->name.data));
    }
    if (w->data->weights) {
        LODE_LEAVE(job_fail(w->job, LODE_INVALID,
                            "fimi cannot hold weights; write basket, table or jsonl"));
    }
done:
    return status;
}

/* ---- will it be read as it is meant? ---- */

static lode_status write_recognise(basket_writer *w) {
    static const lode_format meant[] = {
        [LODE_BASKET_BASKET] = LODE_FORMAT_BASKET,
        [LODE_BASKET_FIMI] = LODE_FORMAT_FIMI,
        [LODE_BASKET_TABLE] = LODE_FORMAT_TABLE,
        [LODE_BASKET_JSONL] = LODE_FORMAT_JSON,
    };
    static const char *const say[] = {"--format basket --separator ,", "--format fimi",
                                      "--format table --separator ,", "--format json"};
    lode_status status = LODE_OK;
    input *in = NULL;
    sniff_result found;
    lode_read_options o = {.size = sizeof o};
    if (w->format > LODE_BASKET_JSONL || w->head.n == 0 || w->data->weights) return LODE_OK;
    LODE_TRY(input_open_memory(w->job, &in, w->head.data, w->head.n, "the text"));
    lode_log_fn log = w->job->log;
    w->job->log = NULL; /* its guesses are of no interest here */
    status = sniff(w->job, in, &o, NULL, &found);
    w->job->log = log;
    bool alike = status == LODE_OK && !found.graphs &&
                 (found.format == meant[w->format] ||
                  (w->format == LODE_BASKET_BASKET && found.format == LODE_FORMAT_FIMI)) &&
                 (w->format != LODE_BASKET_BASKET || found.format == LODE_FORMAT_FIMI ||
                  found.separator == ',' || !memchr(w->head.data, ',', w->head.n));
    if (status == LODE_PARSE || status == LODE_INVALID) {
        job_clear_message(w->job);
        status = LODE_OK;
    }
    LODE_TRY(status);
    if (alike) goto done;
    job_log(w->job, LODE_LOG_WARNING,
            "lode may mistake the written file for another format; to read it, use %s",
            say[w->format]);
done:
    input_close(in);
    return status;
}

static lode_status write_all(basket_writer *w, const lode_select_options *which) {
    lode_status status = LODE_OK;
    matching m = {0};
    uint64_t n;
    LODE_TRY(write_check(w));
    LODE_TRY(matching_create(w->job, w->data, which, &m));
    LODE_TRY(write_title(w));
    LODE_TRY(matching_walk(w->job, &m, which->limit, write_one, w, &n));
    LODE_TRY(write_flush(w, 0));
    LODE_TRY(write_recognise(w));
done:
    matching_clear(&m);
    vec_char_free(&w->job->mem, &w->text);
    vec_char_free(&w->job->mem, &w->name);
    vec_char_free(&w->job->mem, &w->head);
    return status;
}

static lode_status write_begin(basket_writer *w, const lode_select_options *which,
                               const lode_basket_write_options *options, lode_select_options *o) {
    lode_basket_write_options checked;
    lode_status status = valid_take(w->job, VALID_SELECT, which, o);
    if (status == LODE_OK) status = valid_take(w->job, VALID_BASKET_WRITE, options, &checked);
    if (status != LODE_OK) return status;
    w->format = checked.format;
    w->csv_safe = checked.csv_safe;
    if (!w->csv_safe || w->format == LODE_BASKET_CSV) return LODE_OK;
    return job_fail(w->job, LODE_INVALID, "--csv-safe is for csv only");
}

lode_status lode_dataset_write(lode_job *job, const lode_dataset *data,
                               const lode_select_options *which, const char *path,
                               const lode_basket_write_options *options) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    lode_select_options o;
    basket_writer w = {.job = job, .data = data};
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(path));
    LODE_TRY(write_begin(&w, which, options, &o));
    LODE_TRY(dataset_in_memory(job, data));
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    LODE_TRY(output_open(&w.out, job, path));
    LODE_TRY(write_all(&w, &o));
    LODE_TRY(output_finish(&w.out, false));
done:
    output_discard(&w.out);
    lease_leave(&call);
    return job_explain(job, status, "writing the transactions");
}

lode_status lode_dataset_write_call(lode_job *job, const lode_dataset *data,
                                    const lode_select_options *which, lode_write_fn write,
                                    void *user, const lode_basket_write_options *options) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    lode_select_options o;
    basket_writer w = {.job = job, .data = data};
    VALID_CALL(job, VALID_NEEDS(data), {write != NULL, "write"});
    LODE_TRY(write_begin(&w, which, options, &o));
    LODE_TRY(dataset_in_memory(job, data));
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    output_call(&w.out, job, write, user);
    LODE_TRY(write_all(&w, &o));
    LODE_TRY(output_finish(&w.out, false));
done:
    status = output_settle(job, status);
    output_discard(&w.out);
    lease_leave(&call);
    return job_explain(job, status, "writing the transactions");
}
