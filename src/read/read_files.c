/* read_files.c - several files, read one after the other as if they were one: see read.h
 *
 * All files must have the same format, separator and columns as the first file that is not empty.
 * The format of each file is detected separately (sniff.h) and compared with the first. A file that
 * begins with the same header is like the first file, however little follows. In formats without a
 * header (basket, fimi), a short file may look like another format; then it is read like the first
 * file, if that is possible.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "read/foreign.h"
#include "read/line_ends.h"
#include "read/read.h"
#include "read/workbook.h"

#define READ_FEW_LINES 3 /* a file of fewer lines may happen to have no separator */

lode_status read_differs(read_task *task, const char *format, ...) {
    char what[READ_WHAT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return job_fail(task->job, LODE_PARSE, "%s and %s differ: %s", task->kind->name,
                    task->file->name, what);
}

/* ---- Is it of the same kind? ---- */

/* For a message: "table, separator ';'". */
static const char *read_describe(char buffer[48], const sniff_result *found) {
    static const char *const names[] = {"auto",  "fimi",   "spmf", "basket",
                                        "table", "onehot", "json"};
    char byte[8];
    bool separated = found->format > LODE_FORMAT_SPMF && found->format != LODE_FORMAT_JSON;
    const char *separator = found->separator == '\t' ? "tab" : read_byte(byte, found->separator);
    snprintf(buffer, 48, separated ? "%s, separator %s" : "%s",
             found->graphs ? "graphs" : names[found->format], separator);
    return buffer;
}

static bool read_has_header(lode_format format) {
    return format == LODE_FORMAT_TABLE || format == LODE_FORMAT_ONEHOT;
}

/* Without a header: whether the lines found may be of the first file's kind after all. */
static bool read_may_be_more(const sniff_result *first, const sniff_result *found) {
    bool lines = found->format == LODE_FORMAT_FIMI || found->format == LODE_FORMAT_BASKET;
    if (found->graphs || !lines) return false;
    if (first->format == LODE_FORMAT_SPMF) return found->format == LODE_FORMAT_FIMI;
    if (first->format != LODE_FORMAT_BASKET) return false;
    bool alike = found->format == LODE_FORMAT_FIMI ? first->separator == ' '
                                                   : found->separator == first->separator;
    return alike || found->has_first || found->n_lines < READ_FEW_LINES;
}

static lode_status read_compare(read_task *task, bool same_header) {
    const sniff_result *first = &task->kind->found;
    sniff_result *found = &task->file->found;
    const bool sheet = found->sheet;
    char one[48], other[48];
    bool same =
        found->format == first->format && !found->graphs && task->kind->lists == task->file->lists;
    bool separated = found->separator == first->separator || sheet != first->sheet;
    if (same && (first->format <= LODE_FORMAT_SPMF || separated)) return LODE_OK;
    if (same_header || read_may_be_more(first, found)) {
        *found = *first;
        found->sheet = sheet;
        if (sheet) found->separator = ',';
        if (!same_header) found->above = 0;
        return LODE_OK;
    }
    bool lacks = read_has_header(first->format) && !read_has_header(found->format);
    return read_differs(
        task, "the format of the first file is %s, the format of the second is %s%s",
        read_describe(one, first), read_describe(other, found),
        lacks ? "; does the second lack its header? Every file needs the header of the first"
              : "; all files must have the same format; if they do, give it with --format and "
                "--separator");
}

/* ---- The lines above the data ---- */

/* Lends the first records, up to and including the one that may be the header. */
static lode_status read_peek_header(read_task *task, const char **text, size_t *n) {
    bool complete = false;
    size_t have;
    for (size_t bytes = task->block_bytes;; bytes *= 2) {
        lode_status status = input_peek(task->in, bytes, text, &have, &complete);
        if (status != LODE_OK) return status;
        unsigned left = task->file->found.above + 1;
        for (*n = 0; left > 0; left--) {
            size_t record = csv_cut(*text + *n, have - *n, task->file->found.separator,
                                    complete ? CUT_FINAL : CUT_FIRST);
            if (record == 0) break;
            *n += record;
        }
        if (left == 0) return LODE_OK;
        if (complete) *n = have;
        if (complete) return LODE_OK;
    }
}

static size_t read_without_end(const char *text, size_t n) {
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r')) n--;
    return n;
}

/* Keeps the header of the first file. */
static lode_status read_keep_header(read_task *task) {
    const char *text;
    size_t n;
    if (task->n_files == 1 || !read_has_header(task->file->found.format)) return LODE_OK;
    lode_status status = read_peek_header(task, &text, &n);
    if (status != LODE_OK) return status;
    return vec_char_append(&task->job->mem, &task->header, text, read_without_end(text, n));
}

/* Whether the file begins with the header of the first. */
static lode_status read_same_header(read_task *task, bool *same) {
    const char *text;
    size_t n, length = task->header.n;
    bool complete;
    *same = false;
    if (length == 0) return LODE_OK;
    lode_status status = input_peek(task->in, length + 1, &text, &n, &complete);
    if (status != LODE_OK || n < length) return status;
    bool ends = n == length || text[length] == '\n' || text[length] == '\r';
    *same = ends && memcmp(text, task->header.data, length) == 0;
    return LODE_OK;
}

/* ---- Opening ---- */

/* Whether an option says how to read the file. */
static bool read_is_told(const lode_read_options *o) {
    return o->format != LODE_FORMAT_AUTO || o->tid_column || o->item_column || o->header ||
           o->separator || o->weight_column || o->drop_rows;
}

/* A sheet has cells: its options are those of tables and baskets. */
static lode_status read_check_sheet(read_task *task) {
    const lode_read_options *o = &task->options;
    const char *name = task->file->name;
    bool cells = o->format == LODE_FORMAT_AUTO || o->format == LODE_FORMAT_BASKET ||
                 o->format == LODE_FORMAT_TABLE || o->format == LODE_FORMAT_ONEHOT ||
                 o->format == LODE_FORMAT_ATTRIBUTES;
    if (!input_sheet(task->in)) {
        if (!o->sheet) return LODE_OK;
        return job_fail(task->job, LODE_INVALID,
                        "%s is not an Excel workbook, so there is no sheet '%.80s' in it", name,
                        o->sheet);
    }
    if (o->separator) {
        return job_fail(task->job, LODE_INVALID,
                        "%s is an Excel workbook: its cells need no separator", name);
    }
    if (!read_is_later(task)) {
        snprintf(task->sheet, sizeof task->sheet, "%s", input_sheet(task->in));
    }
    if (cells) return LODE_OK;
    return job_fail(task->job, LODE_INVALID,
                    "%s is an Excel workbook: sheets are read as basket, table, onehot or "
                    "attributes",
                    name);
}

static lode_status read_recognise(read_task *task) {
    lode_status status = LODE_OK;
    lode_job *job = task->job;
    read_file *file = task->file;
    const sniff_result *first = read_is_later(task) ? &task->kind->found : NULL;
    bool same_header = false;
    LODE_TRY(read_check_sheet(task));
    if (task->arrays) {
        LODE_TRY(arrays_recognise(task, task->sample.data, task->sample.n));
        LODE_TRY(first ? read_compare(task, false) : read_keep_header(task));
        goto done;
    }
    if (!input_sheet(task->in) && !read_is_told(&task->options))
        LODE_TRY(foreign_check_text(job, task->in, false));
    LODE_TRY(sniff(job, task->in, &task->options, first, &file->found));
    if (!first) {
        LODE_TRY(read_keep_header(task));
        goto done;
    }
    LODE_TRY(read_same_header(task, &same_header));
    LODE_TRY(read_compare(task, same_header));
done:
    return status;
}

uint64_t read_bytes_done(const read_task *task) {
    const input *in = task->arrays ? task->arrays_in : task->in;
    return in ? input_bytes_done(in) : 0;
}

void read_close_query(read_task *task) {
    arrays_close(task->arrays);
    adbc_close(task->query);
    task->arrays = NULL;
    task->query = NULL;
}

void read_close_input(read_task *task) {
    read_close_query(task);
    input_close(task->arrays_in);
    input_close(task->in);
    task->arrays_in = task->in = NULL;
}

/* Closes the file that has been read to its end. */
static void read_leave(read_task *task) {
    if (!task->in) return;
    if (!task->arrays) task->file->lines_before = input_lines_taken(task->in);
    task->file->end = task->n_blocks;
    task->bytes_before += read_bytes_done(task);
    read_close_input(task);
}

/* Whether a driver reads the source: it is a query, or a Parquet file. */
static bool read_takes_driver(const read_task *task, const read_source *source) {
    if (task->options.sql) return true;
    return !source->text && !source->stream && adbc_is_parquet(source->name);
}

bool read_is_query(const lode_read_options *o, const char *database) {
    return o->sql && strcmp(database, ":memory:") == 0;
}

static lode_status read_open_query(read_task *task, const read_source *source) {
    const lode_read_options *o = &task->options;
    const char *database = o->database ? o->database : source->name;
    if (read_is_query(o, database)) database = NULL;
    return adbc_open(task->job, &task->query,
                     &(adbc_request){.parquet = o->sql ? NULL : source->name,
                                     .sql = o->sql,
                                     .database = o->sql ? database : NULL,
                                     .driver = o->driver});
}

/* Opens the table of a stream, or of the Arrow file that task->in is. task->in becomes its first
 * rows as CSV. */
static lode_status read_open_frame(read_task *task, struct ArrowArrayStream *stream) {
    lode_status status = LODE_OK;
    mem *m = &task->job->mem;
    task->arrays_in = task->in;
    task->in = NULL;
    task->sample.n = 0;
    task->file->is_arrays = true;
    LODE_TRY(arrays_open(task->job, &task->arrays, task->file->name, stream, task->arrays_in));
    LODE_TRY(arrays_sample(task->arrays, &task->sample));
    LODE_TRY(vec_char_reserve(m, &task->sample, INPUT_PAD)); /* so that it is not NULL */
    LODE_TRY(input_open_memory(task->job, &task->in, task->sample.data, task->sample.n,
                               task->file->name));
done:
    return status;
}

static lode_status read_open_source(read_task *task, bool *empty) {
    lode_status status = LODE_OK;
    const read_source *source = &task->sources[task->next];
    const char *text;
    size_t n;
    bool complete;
    const bool driver = read_takes_driver(task, source);
    struct ArrowArrayStream *stream = source->stream;
    read_leave(task);
    task->file = &task->files[task->next++];
    task->file->first = task->file->end = task->n_blocks;
    if (driver) {
        LODE_TRY(read_open_query(task, source));
        stream = adbc_stream(task->query);
    } else if (!stream) {
        const input_place place = {source->name, source->text, source->bytes};
        LODE_TRY(input_open_table(task->job, &task->in, &place, task->options.sheet));
    }
    if (stream || input_is_arrow(task->in)) LODE_TRY(read_open_frame(task, stream));
    input_set_block_bytes(task->in, task->block_bytes);
    LODE_TRY(input_peek(task->in, 1, &text, &n, &complete));
    *empty = n == 0;
done:
    return status;
}

/* Checks all files before the first is read, which may take long. */
static lode_status read_check_all(read_task *task) {
    bool known = true;
    for (size_t i = 0; i < task->n_files; i++) {
        const read_source *source = &task->sources[i];
        uint64_t bytes = source->bytes;
        lode_status status = LODE_OK;
        if (!source->text) status = input_check(task->job, source->name, &bytes);
        if (status != LODE_OK) return status;
        known = known && bytes != UINT64_MAX;
        task->bytes_total += bytes;
    }
    if (!known) task->bytes_total = 0;
    return LODE_OK;
}

lode_status read_open_first(read_task *task) {
    lode_status status = LODE_OK;
    bool empty = true;
    if (task->n_files > 1) LODE_TRY(read_check_all(task));
    while (empty && task->next < task->n_files) LODE_TRY(read_open_source(task, &empty));
    const input *in = task->arrays ? task->arrays_in : task->in;
    if (task->n_files == 1) task->bytes_total = in ? input_bytes_total(in) : 0;
    task->kind = task->file;
    LODE_TRY(read_recognise(task));
done:
    return status;
}

/* Skips the records above the first that counts. */
static lode_status read_pass_above(read_task *task) {
    lode_status status = LODE_OK;
    const char *text;
    size_t n;
    for (unsigned i = 0; i < task->file->found.above; i++) {
        LODE_TRY(input_take_record(task->in, &text, &n));
    }
    task->file->lines_above = input_lines_taken(task->in);
done:
    return status;
}

/* Reads a Parquet file, of which only the first rows were read to recognise it: all columns, or
 * those that are needed. */
static lode_status read_all_rows(read_task *task) {
    lode_status status = LODE_OK;
    const read_file *file = task->file;
    mem *m = &task->job->mem;
    const size_t n = arrays_n_columns(task->arrays);
    const char **names = NULL;
    size_t n_names = 0;
    LODE_TRY(mem_zalloc(m, (void **)&names, n * sizeof *names));
    for (size_t i = 0; i < file->n_needed; i++) {
        if (file->needed[i]) names[n_names++] = arrays_type_at(task->arrays, i)->name;
    }
    LODE_TRY(adbc_read_parquet(task->query, names, n_names));
    LODE_TRY(arrays_restart(task->arrays, adbc_stream(task->query), file->needed));
done:
    mem_free(m, names, names ? n * sizeof *names : 0);
    return status;
}

lode_status read_prepare(read_task *task) {
    lode_status status = LODE_OK;
    bool separated = task->format->separated;
    input_set_cut(task->in, separated ? csv_cut : input_cut_lines, task->file->found.separator);
    LODE_TRY(read_pass_above(task));
    if (task->format->prepare) LODE_TRY(task->format->prepare(task));
    if (task->query && !task->options.sql) LODE_TRY(read_all_rows(task));
done:
    return status;
}

static lode_status read_open_next(read_task *task, bool *more) {
    lode_status status = LODE_OK;
    bool empty = true;
    while (empty && task->next < task->n_files) LODE_TRY(read_open_source(task, &empty));
    *more = !empty;
    if (empty) goto done;
    LODE_TRY(read_recognise(task));
    LODE_TRY(read_prepare(task));
done:
    if (status != LODE_OK) task->open_failed = true;
    return status;
}

/* ---- Blocks ---- */

/* Blocks of one JSON list may begin anywhere in a line: notes where. */
static void read_note_place(read_worker *w) {
    read_file *file = w->task->file;
    const char *text = w->block.text.data, *end = text + w->block.text.n, *line = text;
    w->from_line = file->at_line;
    w->from_column = file->at_column;
    for (const char *p = line_find(text, end); p < end; p = line_find(line, end)) {
        line = p + line_end_bytes(p, end);
        file->at_line++;
        file->at_column = 0;
    }
    file->at_column += (uint64_t)(end - line);
}

static lode_status read_next_locked(read_worker *w) {
    lode_status status = LODE_OK;
    read_task *task = w->task;
    bool more = true;
    w->block.text.n = 0;
    while (more && !task->stopped) {
        LODE_TRY(task->arrays ? arrays_take(w) : input_next(task->in, &w->block));
        if (w->block.text.n > 0) break;
        more = false;
        if (task->next < task->n_files) LODE_TRY(read_open_next(task, &more));
    }
    if (w->block.text.n == 0) goto done;
    w->file = task->file;
    w->block.sequence = task->n_blocks++;
    if (task->file->found.json.document) read_note_place(w);
    w->bytes_done = task->bytes_before + read_bytes_done(task);
done:
    if (status != LODE_OK || w->block.text.n == 0) task->stopped = true;
    return status;
}

lode_status read_next(read_worker *w) {
    pthread_mutex_lock(&w->task->next_lock);
    lode_status status = read_next_locked(w);
    pthread_mutex_unlock(&w->task->next_lock);
    return status;
}

void read_stop(read_task *task) {
    pthread_mutex_lock(&task->next_lock);
    task->stopped = true;
    pthread_mutex_unlock(&task->next_lock);
}

lode_status read_lines_before(read_task *task, const read_file *file, uint64_t *lines) {
    *lines = 0;
    if (file->is_arrays) return LODE_OK; /* rows are counted, without the header */
    if (file == task->file && task->in) return input_lines_before(task->in, lines);
    *lines = file->lines_before;
    return LODE_OK;
}

lode_status read_absolute_line(read_task *task, const read_file *file, uint64_t sequence,
                               uint64_t line, uint64_t *out) {
    uint64_t before = 0;
    *out = line;
    if (file->found.json.document) return LODE_OK;
    lode_status status = read_lines_before(task, file, &before);
    if (status != LODE_OK) return status;
    for (uint64_t i = file->first; i < sequence; i++) *out += task->lines.data[i];
    *out += before;
    return LODE_OK;
}

/* ---- what parsers say of their file: malformed places, columns ------------------------------- */

const char *read_byte(char buffer[8], char byte) {
    unsigned char b = (unsigned char)byte;
    snprintf(buffer, 8, b > ' ' && b < 127 ? "'%c'" : "0x%02x", b);
    return buffer;
}

static void read_record(read_worker *w, uint64_t line, uint64_t column, const char *format,
                        va_list args) {
    read_task *task = w->task;
    pthread_mutex_lock(&task->lock);
    if (!task->failed || w->block.sequence < task->bad_sequence) {
        task->failed = true;
        task->bad_file = w->file;
        task->bad_sequence = w->block.sequence;
        task->bad_is_absolute = w->file->found.json.document;
        task->bad_line = line + (task->bad_is_absolute ? w->from_line : 0);
        task->bad_column = column + (task->bad_is_absolute && line == 1 ? w->from_column : 0);
        vsnprintf(task->what, sizeof task->what, format, args);
    }
    pthread_mutex_unlock(&task->lock);
}

static void read_record_text(read_worker *w, uint64_t line, uint64_t column, const char *format,
                             ...) {
    va_list args;
    va_start(args, format);
    read_record(w, line, column, format, args);
    va_end(args);
}

void read_note_blank(read_worker *w, const char *at) {
    if (w->file->found.sheet) return;
    if (!w->blank) w->blank = at;
    w->n_blank++;
}

lode_status read_not_blank(read_worker *w) {
    const char *at = w->blank;
    if (!at) return LODE_OK;
    w->blank = NULL;
    lode_status status = LODE_OK;
    for (; status == LODE_OK && w->n_blank > 0; w->n_blank--) status = read_bad(w, at, READ_BLANK);
    return status;
}

lode_status read_bad(read_worker *w, const char *at, const char *format, ...) {
    if (w->task->options.skip_bad_lines) {
        worker_skip_transaction(w->out);
        return LODE_OK;
    }
    w->bad = true;
    const char *start;
    uint64_t line = line_number(w->block.text.data, at, &start);
    va_list args;
    va_start(args, format);
    read_record(w, line, (uint64_t)(at - start) + 1, format, args);
    va_end(args);
    return LODE_PARSE;
}

lode_status read_bad_for_good(read_worker *w, const char *at, const char *what) {
    const bool skip = w->task->options.skip_bad_lines;
    const char *start;
    uint64_t line = line_number(w->block.text.data, at, &start);
    w->bad = true;
    read_record_text(w, line, (uint64_t)(at - start) + 1, "%s%s", what,
                     skip ? " (the rest of the list cannot be skipped)" : "");
    return LODE_PARSE;
}

bool read_passes_drawn(read_worker *w, csv_cursor *c) {
    if (!csv_is_drawn(c)) return false;
    if (*c->record == '(') read_note_blank(w, c->record); /* only at the end */
    csv_skip(c);
    w->n_drawn++;
    return true;
}

csv_cursor read_cursor(read_worker *w) {
    const vec_char *text = &w->block.text;
    return (csv_cursor){.at = text->data,
                        .end = text->data + text->n,
                        .separator = w->file->found.separator,
                        .mem = &w->task->job->mem,
                        .unquoted = &w->unquoted,
                        .bare = &w->bare};
}

csv_cursor read_cursor_over(read_task *task, const char *text, size_t n) {
    return (csv_cursor){.at = text,
                        .end = text + n,
                        .separator = task->file->found.separator,
                        .mem = &task->job->mem,
                        .unquoted = &task->header_scratch,
                        .bare = &task->header_bare};
}

lode_status read_bad_header(read_task *task, const csv_cursor *c) {
    const char *start;
    uint64_t line = line_number(c->record, c->bad_at, &start);
    return read_bad_at(task, task->file->lines_above + line, (uint64_t)(c->bad_at - start) + 1,
                       "%s", c->bad);
}

lode_status read_bad_record(read_worker *w, csv_cursor *c) {
    lode_status status = read_bad(w, c->bad_at, "%s", c->bad);
    c->bad = NULL;
    csv_skip(c);
    return status;
}

lode_status read_bad_in(read_task *task, const read_file *file, uint64_t line, uint64_t column,
                        const char *what) {
    if (file->is_arrays) {
        return job_fail(task->job, LODE_PARSE, "%s: row %" PRIu64 ": %s", file->name, line, what);
    }
    return job_fail(task->job, LODE_PARSE, "%s:%" PRIu64 ":%" PRIu64 ": %s", file->name, line,
                    column, what);
}

lode_status read_bad_at(read_task *task, uint64_t line, uint64_t column, const char *format, ...) {
    char what[READ_WHAT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return read_bad_in(task, task->file, line, column, what);
}

/* ---- Columns ---- */

void read_note_column(read_task *task, size_t column, const char *name, size_t n) {
    if (read_is_later(task)) return;
    char *start = task->columns + strlen(task->columns);
    size_t room = sizeof task->columns - (size_t)(start - task->columns);
    const char *comma = start > task->columns ? ", " : "";
    size_t most = LODE_PROFILE_COLUMNS / 2 - 4;
    if (n > most) { /* at the end of a character of UTF-8 */
        for (n = most; n > 1 && (name[n] & 0xc0) == 0x80;) n--;
    }
    if (n > 0) {
        snprintf(start, room, "%s%.*s", comma, (int)n, name);
    } else {
        snprintf(start, room, "%s%zu", comma, column + 1);
    }
    for (; *start; start++) { /* a quoted name may hold line ends */
        if ((unsigned char)*start < ' ') *start = ' ';
    }
}

/* ---- refuses an input whose text is of another kind ------------------------------------------ */

/* Looks at the beginning of the input; *kind may become NULL. */
static lode_status foreign_look(input *in, foreign_head *head, const foreign **kind) {
    const char *text;
    size_t n;
    bool complete;
    lode_status status = input_peek(in, FOREIGN_HEAD, &text, &n, &complete);
    if (status != LODE_OK) return status;
    if (n > FOREIGN_HEAD) n = FOREIGN_HEAD;
    *head = (foreign_head){text, text + n};
    *kind = foreign_find_text(text, n);
    return LODE_OK;
}

static bool foreign_is_molecules(const foreign *kind) {
    return kind->is == foreign_is_molfile || kind->is == foreign_is_smiles;
}

lode_status foreign_find_molecules(input *in, unsigned *sure) {
    const foreign *kind = NULL;
    foreign_head head;
    *sure = 0;
    lode_status status = foreign_look(in, &head, &kind);
    if (status != LODE_OK) return status;
    if (kind) {
        *sure = foreign_is_molecules(kind) ? 2 : 0;
    } else {
        *sure = foreign_may_be_molecules(head);
    }
    return LODE_OK;
}

lode_status foreign_check_text(lode_job *job, input *in, bool graphs) {
    const foreign *kind = NULL;
    foreign_head head;
    lode_status status = foreign_look(in, &head, &kind);
    if (status != LODE_OK) return status;
    if (!kind || (graphs && kind->is == foreign_is_gspan)) return LODE_OK;
    bool json = kind->is == foreign_is_json || kind->is == foreign_is_json_lines;
    if (json && !graphs) return LODE_OK; /* it is read */
    if (!graphs || kind->lost || foreign_is_molecules(kind)) {
        return foreign_refuse(job, input_name(in), kind);
    }
    return job_fail(job, LODE_PARSE, "%s: this is %s; `lode graphs` reads " FOREIGN_GSPAN,
                    input_name(in), kind->called);
}
