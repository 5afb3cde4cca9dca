/* read_bad.c - what parsers say of their file: malformed places, columns; see read.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "read/line_ends.h"
#include "read/read.h"

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
                             ...) LODE_PRINTF(4, 5);
static void read_record_text(read_worker *w, uint64_t line, uint64_t column, const char *format,
                             ...) {
    va_list args;
    va_start(args, format);
    read_record(w, line, column, format, args);
    va_end(args);
}

void read_note_blank(read_worker *w, const char *at) {
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
                     skip ? " (the rest of a list cannot be skipped)" : "");
    return LODE_PARSE;
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
