/* json.c - JSON: records are lists of items, or objects; one per line, or all in one list
 *
 *     ["milk","bread"]                       a list is a transaction, even if it is empty
 *     {"id":17,"items":["milk",7,null]}      an object has its items in a field; null and "" are
 *                                            not items
 *     {"id":18}                              an object without the field has no items
 *
 * Or each record is one pair of transaction and item, as in a long table:
 *
 *     {"order":17,"product":"milk"}
 *
 * json_look.h says how the fields are found. Lines are parsed by all threads. A file that is one
 * list is cut between its elements, which requires one pass over all bytes, and is then parsed by
 * all threads, too; its blocks may begin anywhere in a line (read_file.at_line).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "read/column_names.h"
#include "read/json_look.h"
#include "read/json_scan.h"
#include "read/line_ends.h"
#include "read/pairs.h"

#define JSON_LOOK_BYTES ((size_t)64 << 10)
#define JSON_CONDITIONS 64 /* the most conditions on fields: a bit of a word each */

typedef char json_name[JSON_NAME];

/* Properties of a file. */
typedef struct json_file {
    const json_shape *shape;
    json_name *conditions; /* the fields of task->rows */
    size_t n_conditions;
    uint64_t inner; /* bits of the conditions on fields of the objects that are items */
    char no_tid[READ_WHAT_BYTES];
    _Atomic bool closed; /* one list: its end was met */
} json_file;

/* What a thread keeps. */
typedef struct json_worker {
    pairs_worker pairs; /* must be the first */
    json_cursor cursor;
    vec_char scratch, key, tid;
    uint32_t item;                 /* of a pair */
    uint32_t seen;                 /* fields of the record that were met: SEEN_… */
    uint64_t tested;               /* conditions whose field was met */
    uint64_t n_left, n_left_out;   /* objects of the record that stay as items, or do not */
    uint64_t n_missing, n_nothing; /* records without the field; items that are null or "" */
} json_worker;

enum { SEEN_ITEM = 1, SEEN_TID = 2, SEEN_WEIGHT = 4 };

/* ---- Cutting one list ---- */

/* Where the text in quotes that begins at p ends: its closing quote, or `end`. */
static const char *json_cut_string(const char *p, const char *end) {
    for (p++; p < end && *p != '"'; p++) p += *p == '\\' && p + 1 < end;
    return p;
}

/* An input_cut_fn: elements of a list end after their comma. Text after the closing bracket belongs
 * to the last element. */
static size_t json_cut(const char *text, size_t n, char separator, cut_what what) {
    const char *end = text + n, *cut = text;
    size_t depth = 0;
    (void)separator;
    for (const char *p = text; p < end; p++) {
        if (*p == '"') {
            p = json_cut_string(p, end);
        } else if (*p == '[' || *p == '{') {
            depth++;
        } else if (*p == ']' || *p == '}') {
            if (depth == 0) break;
            depth--;
        } else if (*p == ',' && depth == 0) {
            cut = p + 1;
            if (what != CUT_ALL) break;
        }
    }
    return (size_t)(cut - text);
}

/* The text up to the bracket that opens the list. */
static size_t json_cut_open(const char *text, size_t n, char separator, cut_what what) {
    (void)separator, (void)what;
    const char *open = memchr(text, '[', n);
    return open ? (size_t)(open + 1 - text) : 0;
}

/* ---- The beginning ---- */

static lode_status json_find_conditions(read_task *task, json_file *file) {
    lode_status status = LODE_OK;
    const rows_plan *plan = task->rows;
    sniff_text s = {.job = task->job, .name = task->file->name};
    json_name name;
    bool complete, found;
    if (!plan || plan->n == 0) return LODE_OK;
    if (plan->n > JSON_CONDITIONS) {
        return job_fail(task->job, LODE_INVALID, "--drop-rows: more than %d conditions",
                        JSON_CONDITIONS);
    }
    LODE_TRY(input_peek(task->in, JSON_LOOK_BYTES, &s.text, &s.n, &complete));
    LODE_TRY(mem_zalloc(&task->job->mem, (void **)&file->conditions, plan->n * sizeof(json_name)));
    file->n_conditions = plan->n;
    for (size_t i = 0; i < plan->n; i++) {
        const row_condition *c = &plan->conditions[i];
        size_t n = c->n_column < JSON_NAME - 1 ? c->n_column : JSON_NAME - 1;
        memcpy(name, c->column, n);
        name[n] = 0;
        bool inner = false;
        LODE_TRY(json_look_for(&s, file->shape, name, file->conditions[i], &found));
        if (!found) {
            LODE_TRY(json_look_within(&s, file->shape, name, file->conditions[i], &inner));
        }
        file->inner |= (uint64_t)inner << i;
        if (found || inner) continue;
        LODE_LEAVE(
            job_fail(task->job, LODE_INVALID,
                     "%s has no field '%s' for --drop-rows; expected a field of the records, or a "
                     "field of the objects in their list of items, such as items.price",
                     s.name, name));
    }
done:
    return status;
}

static void json_note_columns(read_task *task, const json_shape *shape) {
    if (shape->tid[0]) read_note_column(task, 0, shape->tid, strlen(shape->tid));
    if (!shape->item[0]) return;
    char item[2 * JSON_NAME + 1];
    snprintf(item, sizeof item, "%s%s%s", shape->item, shape->inner[0] ? "." : "", shape->inner);
    read_note_column(task, 0, item, strlen(item));
}

/* Takes the bracket that opens one list of records. */
static lode_status json_enter(read_task *task) {
    read_file *file = task->file;
    const char *text, *p;
    size_t n;
    input_set_cut(task->in, json_cut_open, 0);
    lode_status status = input_take_record(task->in, &text, &n);
    if (status != LODE_OK) return status;
    p = text;
    for (const char *end = text + n; (text = line_find(p, end)) < end; file->at_line++) {
        p = text + line_end_bytes(text, end);
    }
    file->at_column = (uint64_t)(text - p);
    input_set_cut(task->in, json_cut, 0);
    return LODE_OK;
}

static lode_status json_prepare(read_task *task) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    json_file *file = NULL;
    if (!task->own) {
        LODE_TRY(mem_zalloc(m, &task->own, sizeof(pairs_state)));
        for (unsigned i = 0; i < task->n_workers; i++) {
            LODE_TRY(mem_zalloc(m, &task->workers[i].own, sizeof(json_worker)));
        }
    }
    LODE_TRY(mem_zalloc(m, &task->file->own, sizeof *file));
    file = task->file->own;
    file->shape = &task->file->found.json;
    if (read_is_later(task) && file->shape->pairs != task->kind->found.json.pairs) {
        LODE_LEAVE(read_differs(task, "in one file, each record is a single item; in the other, "
                                      "each record is a whole transaction"));
    }
    LODE_TRY(json_find_conditions(task, file));
    snprintf(file->no_tid, sizeof file->no_tid, READ_NO_TID, 40, file->shape->tid);
    json_note_columns(task, file->shape);
    if (file->shape->document) LODE_TRY(json_enter(task));
done:
    return status;
}

static void json_clear_file(read_task *task, read_file *file) {
    mem *m = &task->job->mem;
    json_file *own = file->own;
    if (own->conditions) mem_free(m, own->conditions, own->n_conditions * sizeof(json_name));
    mem_free(m, own, sizeof *own);
}

static void json_clear(read_task *task) {
    mem *m = &task->job->mem;
    pairs_clear(task);
    for (unsigned i = 0; i < task->n_workers; i++) {
        json_worker *own = task->workers[i].own;
        if (!own) continue;
        vec_char_free(m, &own->scratch);
        vec_char_free(m, &own->key);
        vec_char_free(m, &own->tid);
        mem_free(m, own, sizeof *own);
    }
    mem_free(m, task->own, task->own ? sizeof(pairs_state) : 0);
}

/* ---- Items ---- */

static lode_status json_repeated(json_cursor *c, const json_value *v) {
    return json_malformed(c, v->at, "duplicate field; expected it once");
}

/* The code of a text or a number; *code stays for null and "", which are counted. */
static lode_status json_code(read_worker *w, const json_value *v, uint32_t *code) {
    json_worker *own = w->own;
    if (v->kind == JSON_NULL || (v->kind == JSON_STRING && v->n == 0)) {
        own->n_nothing++;
        return LODE_OK;
    }
    if (v->kind != JSON_STRING && v->kind != JSON_NUMBER) {
        return json_malformed(
            &own->cursor, v->at,
            v->kind == JSON_OBJECT ? "the item is an object; expected a string or a number (use "
                                     "--item LIST.FIELD to select a field of it)"
            : v->kind == JSON_LIST ? "the item is a list; expected a string or a number"
                                   : "the item is true or false; expected a string or a number");
    }
    return worker_code(w->out, v->text, v->n, code);
}

static bool json_is_plain(const json_value *v) {
    return v->kind != JSON_LIST && v->kind != JSON_OBJECT;
}

/* Texts of values; null is "". */
static size_t json_length(const json_value *v) {
    return v->kind == JSON_NULL ? 0 : v->n;
}

/* The conditions on a field of the objects that are items: their bits. */
static uint64_t json_conditions(const json_file *file, const json_value *key) {
    uint64_t which = 0;
    for (size_t i = 0; file->inner >> i && i < file->n_conditions; i++) {
        if (file->inner >> i & 1 && json_is(key, file->conditions[i])) which |= (uint64_t)1 << i;
    }
    return which;
}

static void json_test(read_worker *w, uint64_t which, const json_value *v) {
    for (; which; which &= which - 1) {
        rows_test(w, (size_t)__builtin_ctzll(which), v->text, json_length(v), v->at);
    }
}

/* The fields of an object that is an item: its name, and what leaves it out. */
static lode_status json_inner_fields(read_worker *w, const char *field, const json_value *object,
                                     uint32_t *code) {
    lode_status status = LODE_OK;
    const json_file *file = w->file->own;
    json_cursor *c = &((json_worker *)w->own)->cursor;
    const json_value nothing = {JSON_NULL, "", 0, object->at};
    json_value key, v;
    uint64_t untested = file->inner;
    bool more = true, seen = false;
    for (bool first = true; more; first = false) {
        LODE_TRY(json_key(c, first, &key, &more));
        if (!more) break;
        bool is_it = json_is(&key, field);
        uint64_t which = file->inner ? json_conditions(file, &key) : 0;
        LODE_TRY(json_read(c, &v));
        if (is_it && seen) LODE_LEAVE(json_repeated(c, &v));
        seen = seen || is_it;
        if (is_it) LODE_TRY(json_code(w, &v, code));
        if (json_is_plain(&v)) {
            json_test(w, which, &v);
            untested &= ~which;
        }
        LODE_TRY(json_pass(c, &v));
    }
    json_test(w, untested, &nothing);
done:
    return status;
}

/* An item that is an object. Conditions on its fields leave it out, and not its record. */
static lode_status json_inner(read_worker *w, const char *field, const json_value *object,
                              uint32_t *code) {
    json_worker *own = w->own;
    const bool before = w->rows.drop;
    w->rows.drop = false;
    lode_status status = json_inner_fields(w, field, object, code);
    if (((const json_file *)w->file->own)->inner) {
        w->rows.n_rows++;
        w->rows.n_dropped += w->rows.drop;
        own->n_left += !w->rows.drop;
        own->n_left_out += w->rows.drop;
        if (w->rows.drop) *code = PAIRS_NO_ITEM;
    }
    w->rows.drop = before;
    return status;
}

/* The rest of a list of items. */
static lode_status json_items(read_worker *w) {
    lode_status status = LODE_OK;
    json_cursor *c = &((json_worker *)w->own)->cursor;
    const char *inner = ((const json_file *)w->file->own)->shape->inner;
    json_value v;
    bool more = true;
    for (bool first = true; more; first = false) {
        uint32_t code = PAIRS_NO_ITEM;
        LODE_TRY(json_element(c, first, &v, &more));
        if (!more) break;
        if (v.kind == JSON_OBJECT && inner[0]) {
            LODE_TRY(json_inner(w, inner, &v, &code));
        } else {
            LODE_TRY(json_code(w, &v, &code));
        }
        if (code == PAIRS_NO_ITEM) continue;
        LODE_TRY(worker_reserve(w->out, 1));
        worker_push(w->out, code);
    }
done:
    return status;
}

/* ---- Fields ---- */

/* A field that is used must be there once. */
static lode_status json_once(json_worker *own, uint32_t which, const json_value *v) {
    if (own->seen & which) return json_repeated(&own->cursor, v);
    own->seen |= which;
    return LODE_OK;
}

static lode_status json_tid(read_worker *w, const json_value *v) {
    json_worker *own = w->own;
    lode_status status = json_once(own, SEEN_TID, v);
    if (status != LODE_OK) return status;
    if (v->kind != JSON_STRING && v->kind != JSON_NUMBER && v->kind != JSON_NULL) {
        return json_malformed(&own->cursor, v->at,
                              "expected a string or a number as transaction id");
    }
    own->tid.n = 0;
    return vec_char_append(own->cursor.mem, &own->tid, v->text, json_length(v));
}

static lode_status json_item(read_worker *w, const json_value *v) {
    json_worker *own = w->own;
    lode_status status = json_once(own, SEEN_ITEM, v);
    if (status != LODE_OK) return status;
    if (((const json_file *)w->file->own)->shape->pairs) return json_code(w, v, &own->item);
    if (v->kind == JSON_LIST) return json_items(w);
    if (v->kind == JSON_NULL) return LODE_OK;
    return json_malformed(&own->cursor, v->at, "expected a list of items");
}

/* A field, whose key is in own->key. */
static lode_status json_field(read_worker *w, const json_value *v) {
    json_worker *own = w->own;
    const json_file *file = w->file->own;
    const json_shape *shape = file->shape;
    const json_value key = {JSON_STRING, own->key.data, own->key.n, v->at};
    for (size_t i = 0; i < file->n_conditions; i++) {
        if (file->inner >> i & 1 || !json_is_plain(v) || !json_is(&key, file->conditions[i])) {
            continue;
        }
        own->tested |= (uint64_t)1 << i;
        rows_test(w, i, v->text, json_length(v), v->at);
    }
    if (shape->weight[0] && json_is(&key, shape->weight)) {
        lode_status status = json_once(own, SEEN_WEIGHT, v);
        if (status != LODE_OK) return status;
        rows_weigh(w, v->text, json_is_plain(v) ? json_length(v) : 0, v->at);
    }
    if (json_is(&key, shape->item)) {
        lode_status status = json_item(w, v);
        return status == LODE_OK && v->kind != JSON_LIST ? json_pass(&own->cursor, v) : status;
    }
    if (shape->tid[0] && json_is(&key, shape->tid)) {
        lode_status status = json_tid(w, v);
        if (status != LODE_OK) return status;
    }
    return json_pass(&own->cursor, v);
}

static lode_status json_fields(read_worker *w) {
    lode_status status = LODE_OK;
    json_worker *own = w->own;
    json_cursor *c = &own->cursor;
    json_value key, v;
    bool more = true;
    for (bool first = true; more; first = false) {
        LODE_TRY(json_key(c, first, &key, &more));
        if (!more) break;
        own->key.n = 0;
        LODE_TRY(vec_char_append(c->mem, &own->key, key.text, key.n));
        LODE_TRY(json_read(c, &v));
        LODE_TRY(json_field(w, &v));
    }
done:
    return status;
}

/* ---- Records ---- */

/* Ends a record that is a pair. */
static lode_status json_end_pair(read_worker *w, const json_value *record) {
    json_worker *own = w->own;
    if (own->tid.n == 0) {
        return json_malformed(&own->cursor, record->at, ((const json_file *)w->file->own)->no_tid);
    }
    return pairs_add(w, &(pairs_record){own->tid.data, own->tid.n, own->item});
}

/* Ends a record according to its fields. */
static lode_status json_end(read_worker *w, const json_value *record) {
    json_worker *own = w->own;
    const json_file *file = w->file->own;
    for (size_t i = 0; i < file->n_conditions; i++) {
        if (!((own->tested | file->inner) >> i & 1)) rows_test(w, i, "", 0, record->at);
    }
    /* Where conditions look at the objects that are items, those are the rows. */
    if (own->n_left + own->n_left_out > 0) w->rows.n_rows--;
    if (rows_drops(w)) {
        worker_drop_transaction(w->out);
        return file->shape->pairs ? pairs_drop(w, own->tid.data, own->tid.n) : LODE_OK;
    }
    if (own->n_left_out > 0 && own->n_left == 0) { /* as of a table all of whose rows go */
        w->rows.n_lost++;
        worker_drop_transaction(w->out);
        return LODE_OK;
    }
    const char *wrong = rows_wrong_weight(w);
    if (wrong) {
        return json_malformed(&own->cursor, w->rows.weight_at ? w->rows.weight_at : record->at,
                              wrong);
    }
    if (file->shape->pairs) return json_end_pair(w, record);
    own->n_missing += record->kind == JSON_OBJECT && !(own->seen & SEEN_ITEM);
    builder_note note = {.weighted = w->task->rows && w->rows.weighted,
                         .weight = w->rows.weight,
                         .named = w->task->options.keep_ids && file->shape->tid[0],
                         .id = own->tid.data,
                         .id_bytes = own->tid.n};
    return note.weighted || note.named ? worker_end_noted(w->out, &note)
                                       : worker_end_transaction(w->out);
}

/* Reads a record, whose first bracket was read. */
static lode_status json_record(read_worker *w, const json_value *record) {
    lode_status status = LODE_OK;
    json_worker *own = w->own;
    const json_file *file = w->file->own;
    own->seen = 0;
    own->tested = 0;
    own->n_left = own->n_left_out = 0;
    own->tid.n = 0;
    own->item = PAIRS_NO_ITEM;
    rows_begin(w);
    if (record->kind == JSON_OBJECT) {
        if (!file->shape->fields) {
            return json_malformed(
                &own->cursor, record->at,
                "this record is an object, but others are lists; expected a list of items");
        }
        LODE_TRY(json_fields(w));
    } else if (record->kind == JSON_LIST && !file->shape->pairs) {
        LODE_TRY(json_items(w));
    } else {
        return json_malformed(&own->cursor, record->at,
                              file->shape->pairs    ? "expected an object"
                              : file->shape->fields ? "expected an object, or a list of items"
                                                    : "expected a list of items");
    }
    if (!file->shape->document && json_skip_blanks(&own->cursor)) {
        return json_malformed(&own->cursor, own->cursor.at,
                              "text after the record; expected one record per line");
    }
    LODE_TRY(json_end(w, record));
done:
    return status;
}

static void json_start(read_worker *w, const char *text, const char *end) {
    json_worker *own = w->own;
    own->cursor =
        (json_cursor){.at = text, .end = end, .mem = &w->task->job->mem, .scratch = &own->scratch};
}

/* ---- One record a line ---- */

static lode_status json_line(read_worker *w, const char *line, const char *end) {
    lode_status status = LODE_OK;
    json_cursor *c = &((json_worker *)w->own)->cursor;
    json_value record;
    json_start(w, line, end);
    if (!json_skip_blanks(c)) {
        read_note_blank(w, line);
        return LODE_OK;
    }
    LODE_TRY(read_not_blank(w));
    LODE_TRY(json_read(c, &record));
    LODE_TRY(json_record(w, &record));
done:
    return status;
}

static lode_status json_lines(read_worker *w) {
    lode_status status = LODE_OK;
    json_cursor *c = &((json_worker *)w->own)->cursor;
    const char *end = w->block.text.data + w->block.text.n;
    for (const char *line = w->block.text.data; line < end && status == LODE_OK;) {
        const char *line_end = line_find(line, end);
        status = json_line(w, line, line_end);
        if (status == LODE_PARSE && c->bad) {
            status = read_bad(w, c->bad_at, "%s%s", c->bad,
                              w->file->found.odd_json
                                  ? "; --format is the format of the input, -w that of the output"
                                  : "");
        }
        line = line_end;
        if (line == end) break;
        size_t n = line_end_bytes(line, end);
        w->bare |= *line == '\r' && n == 1;
        line += n;
    }
    return status;
}

/* ---- One list of records ---- */

/* Handles a record that cannot be read. If it is well-formed, it can be skipped; otherwise it is
 * not known where the next record begins. */
static lode_status json_bad_element(read_worker *w, const json_value *record) {
    json_worker *own = w->own;
    json_cursor *c = &own->cursor;
    json_cursor again = {.at = record->at, .end = c->end, .mem = c->mem, .scratch = c->scratch};
    const char *bad_at = c->bad_at, *bad = c->bad;
    json_value v;
    lode_status status = json_read(&again, &v);
    if (status == LODE_OK) status = json_pass(&again, &v);
    if (status == LODE_PARSE) return read_bad_for_good(w, bad_at, bad);
    if (status != LODE_OK) return status;
    *c = again;
    return read_bad(w, bad_at, "%s", bad);
}

/* Reads what follows an element: a comma, or the end of the list. *more: elements follow. */
static lode_status json_behind(read_worker *w, bool *more) {
    json_cursor *c = &((json_worker *)w->own)->cursor;
    json_file *file = w->file->own;
    *more = false;
    if (!json_skip_blanks(c)) {
        return read_bad_for_good(w, c->end, "the list is not closed; expected , or ]");
    }
    if (*c->at == ',') {
        c->at++;
        *more = json_skip_blanks(c);
        return LODE_OK;
    }
    if (*c->at != ']') return read_bad_for_good(w, c->at, "expected , or ] after a record");
    c->at++;
    atomic_store(&file->closed, true);
    if (!json_skip_blanks(c)) return LODE_OK;
    return read_bad_for_good(w, c->at, "text after the end of the list; expected nothing");
}

/* The first block may be the end of an empty list, or of a list that holds nothing but blanks. */
static bool json_is_empty_list(read_worker *w) {
    json_cursor c = ((json_worker *)w->own)->cursor;
    return w->block.sequence == w->file->first && json_skip_blanks(&c) && *c.at == ']';
}

static lode_status json_elements(read_worker *w) {
    lode_status status = LODE_OK;
    json_cursor *c = &((json_worker *)w->own)->cursor;
    json_value record;
    bool more = true;
    json_start(w, w->block.text.data, w->block.text.data + w->block.text.n);
    if (json_is_empty_list(w)) return json_behind(w, &more);
    while (more) {
        if (!json_skip_blanks(c)) return LODE_OK; /* json_finish() reports it */
        status = json_read(c, &record);
        if (status == LODE_PARSE) return read_bad_for_good(w, c->bad_at, c->bad);
        LODE_TRY(status);
        status = json_record(w, &record);
        if (status == LODE_PARSE && c->bad) status = json_bad_element(w, &record);
        LODE_TRY(status);
        LODE_TRY(json_behind(w, &more));
    }
done:
    return status;
}

/* ---- The format ---- */

static lode_status json_parse(read_worker *w) {
    bool document = ((const json_file *)w->file->own)->shape->document;
    return document ? json_elements(w) : json_lines(w);
}

static lode_status json_parse_pairs(read_worker *w) {
    pairs_begin(w);
    lode_status status = json_parse(w);
    return status == LODE_OK ? pairs_end(w) : status;
}

static void json_tell(const read_task *task) {
    uint64_t missing = 0, nothing = 0;
    for (unsigned i = 0; i < task->n_workers; i++) {
        const json_worker *own = task->workers[i].own;
        missing += own->n_missing;
        nothing += own->n_nothing;
    }
    if (missing > 0) {
        job_log(task->job, LODE_LOG_INFO,
                "%s: %" PRIu64 " record%s without the field '%s' %s empty transaction%s",
                task->name.data, missing, missing == 1 ? "" : "s", task->kind->found.json.item,
                missing == 1 ? "is an" : "are", missing == 1 ? "" : "s");
    }
    if (nothing > 0) {
        job_log(task->job, LODE_LOG_INFO, "%s: left out %" PRIu64 " null or empty item%s",
                task->name.data, nothing, nothing == 1 ? "" : "s");
    }
}

/* Lists must have been closed. */
static lode_status json_finish(read_task *task) {
    for (size_t i = 0; i < task->next; i++) {
        const read_file *file = &task->files[i];
        const json_file *own = file->own;
        if (!own || !own->shape->document || atomic_load(&own->closed)) continue;
        return read_bad_in(task, file, file->at_line + 1, file->at_column + 1,
                           "the list is not closed; expected ]");
    }
    json_tell(task);
    return LODE_OK;
}

static lode_status json_finish_pairs(read_task *task) {
    lode_status status = json_finish(task);
    return status == LODE_OK ? pairs_finish(task) : status;
}

const read_format read_json = {.name = "json",
                               .format = LODE_FORMAT_JSON,
                               .prepare = json_prepare,
                               .parse = json_parse,
                               .finish = json_finish,
                               .clear = json_clear,
                               .clear_file = json_clear_file};

const read_format read_json_pairs = {.name = "json",
                                     .format = LODE_FORMAT_JSON,
                                     .joins = true,
                                     .prepare = json_prepare,
                                     .parse = json_parse_pairs,
                                     .finish = json_finish_pairs,
                                     .clear = json_clear,
                                     .clear_file = json_clear_file};
