/* sheet.c - see sheet.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/arrow/sheet.h"

#ifdef LODE_XLSX_LIBRARY
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <xlsxwriter.h>

#include "base/os.h"
#endif
#include "base/utf8.h"

sheet_look sheet_look_of(const char *name) {
    static const char *const shares[] = {
        "support",           "confidence",         "coverage",           "rhsSupport",
        "reverseConfidence", "antecedent support", "consequent support", "heldOutSupport",
        "heldOutConfidence"};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        if (strcmp(name, shares[i]) == 0) return SHEET_SHARE;
    }
    return SHEET_REAL;
}

lode_status sheet_add_name(mem *m, vec_char *list, const char *name, size_t n) {
    bool blank = n == 0 || name[0] == ' ' || name[n - 1] == ' ';
    lode_status status = LODE_OK;
    if (list->n > 0) LODE_TRY(vec_char_append(m, list, ", ", 2));
    status = blank || memchr(name, ',', n) || memchr(name, '"', n)
                 ? utf8_put_quoted(m, list, name, n)
                 : vec_char_append(m, list, name, n);
done:
    return status;
}

#ifdef LODE_XLSX_LIBRARY

bool sheet_is_known(void) {
    return true;
}

/* ---- the library ---------------------------------------------------------------------------- */

/* The functions of the library, by their names there. */
#define SHEET_FUNCTIONS(X)                                                                         \
    X(workbook_new_opt)                                                                            \
    X(workbook_add_worksheet)                                                                      \
    X(workbook_add_format)                                                                         \
    X(workbook_close)                                                                              \
    X(lxw_workbook_free)                                                                           \
    X(lxw_strerror)                                                                                \
    X(format_set_num_format)                                                                       \
    X(format_set_bold)                                                                             \
    X(worksheet_set_column)                                                                        \
    X(worksheet_freeze_panes)                                                                      \
    X(worksheet_autofilter)                                                                        \
    X(worksheet_write_number)                                                                      \
    X(worksheet_write_string)

static struct {
#define SHEET_FIELD(name) __typeof__(&name) name;
    SHEET_FUNCTIONS(SHEET_FIELD)
#undef SHEET_FIELD
    bool loaded;
    char why[160];
} lib;

static pthread_once_t lib_once = PTHREAD_ONCE_INIT;

static void lib_load(void) {
    void *handle = dlopen(LODE_XLSX_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        snprintf(lib.why, sizeof lib.why, "%s", dlerror());
        return;
    }
    lib.loaded = true;
#define SHEET_LOAD(name)                                                                           \
    *(void **)&lib.name = dlsym(handle, #name);                                                    \
    lib.loaded = lib.loaded && lib.name;
    SHEET_FUNCTIONS(SHEET_LOAD)
#undef SHEET_LOAD
    if (!lib.loaded) snprintf(lib.why, sizeof lib.why, "a function is missing");
}

/* ---- the file ------------------------------------------------------------------------------- */

/* What people call the columns of rules. */
static const char *sheet_title(const char *name) {
    static const char *const titles[][2] = {{"body", "if"},
                                            {"head", "then"},
                                            {"both", "count"},
                                            {"body_count", "count of if"},
                                            {"head_count", "count of then"}};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        if (strcmp(name, titles[i][0]) == 0) return titles[i][1];
    }
    return name;
}

struct sheet {
    lode_job *job;
    output *to;
    char *title;
    size_t title_bytes;
    sheet_column *columns; /* their names are in `names` */
    uint32_t n_columns;
    vec_char names, text; /* text: scratch, a text with a zero at its end */
    int fd;               /* the scratch file in which the finished file is */
    char folder[OS_PATH_BYTES];
    lxw_workbook *book;
    lxw_worksheet *page;
    lxw_format *formats[SHEET_REAL + 1], *bold;
    lxw_row_t row;    /* the row in the making; 0 is the title */
    unsigned n_pages; /* sheets */
};

static lode_status sheet_fail(const sheet *s, lxw_error error) {
    return job_fail(s->job, LODE_IO, "writing .xlsx: %s (scratch files are in %s)",
                    lib.lxw_strerror(error), s->folder);
}

/* The sheet that has been filled: where its filters are. */
static void sheet_close_page(sheet *s) {
    if (!s->page || s->row < 2) return;
    lib.worksheet_autofilter(s->page, 0, 0, s->row - 1, (lxw_col_t)(s->n_columns - 1));
}

static lode_status sheet_open_page(sheet *s) {
    char name[40];
    sheet_close_page(s);
    if (++s->n_pages == 1) {
        snprintf(name, sizeof name, "%.20s", s->title);
    } else {
        if (s->n_pages == 2) {
            job_log(s->job, LODE_LOG_WARNING,
                    "a sheet has at most %d rows; the table goes on in further sheets of the file",
                    SHEET_ROWS + 1);
        }
        snprintf(name, sizeof name, "%.20s %u", s->title, s->n_pages);
    }
    s->page = lib.workbook_add_worksheet(s->book, name);
    if (!s->page) return sheet_fail(s, LXW_ERROR_CREATING_TMPFILE);
    for (uint32_t i = 0; i < s->n_columns; i++) {
        const sheet_column *c = &s->columns[i];
        double width = c->look == SHEET_TEXT ? 40 : (double)strlen(c->name) + 4;
        lib.worksheet_set_column(s->page, (lxw_col_t)i, (lxw_col_t)i, width < 10 ? 10 : width,
                                 NULL);
        lib.worksheet_write_string(s->page, 0, (lxw_col_t)i, c->name, s->bold);
    }
    lib.worksheet_freeze_panes(s->page, 1, 0);
    s->row = 1;
    return LODE_OK;
}

static void sheet_drop_book(sheet *s) {
    if (s->book) lib.lxw_workbook_free(s->book);
    if (s->fd >= 0) close(s->fd);
    s->book = NULL;
    s->page = NULL;
    s->fd = -1;
}

static lode_status sheet_open_book(sheet *s) {
    static const char *const looks[] = {
        [SHEET_TEXT] = "@", [SHEET_COUNT] = "#,##0", [SHEET_SHARE] = "0.00%", [SHEET_REAL] = NULL};
    char path[40];
    s->fd = os_open_scratch(output_path(s->to), s->folder);
    if (s->fd < 0) return job_fail(s->job, LODE_IO, "no scratch file can be made in %s", s->folder);
    snprintf(path, sizeof path, "/proc/self/fd/%d", s->fd);
    lxw_workbook_options how = {.constant_memory = LXW_TRUE, .tmpdir = s->folder};
    how.use_zip64 = LXW_TRUE;
    s->book = lib.workbook_new_opt(path, &how);
    if (!s->book) return sheet_fail(s, LXW_ERROR_MEMORY_MALLOC_FAILED);
    for (int i = 0; i <= SHEET_REAL; i++) {
        if (!looks[i]) continue;
        s->formats[i] = lib.workbook_add_format(s->book);
        lib.format_set_num_format(s->formats[i], looks[i]);
    }
    s->bold = lib.workbook_add_format(s->book);
    lib.format_set_bold(s->bold);
    s->n_pages = 0;
    return sheet_open_page(s);
}

static lode_status sheet_copy_names(sheet *s, const char *title, const sheet_column *columns,
                                    uint32_t n) {
    lode_status status = LODE_OK;
    mem *m = &s->job->mem;
    s->title_bytes = strlen(title) + 1;
    LODE_TRY(mem_zalloc(m, (void **)&s->title, s->title_bytes));
    memcpy(s->title, title, s->title_bytes);
    LODE_TRY(mem_zalloc(m, (void **)&s->columns, n * sizeof *s->columns));
    s->n_columns = n;
    for (uint32_t i = 0; i < n; i++) {
        const char *name = sheet_title(columns[i].name);
        LODE_TRY(vec_char_append(m, &s->names, name, strlen(name) + 1));
        s->columns[i].look = columns[i].look;
    }
    const char *name = s->names.data; /* it moves no more */
    for (uint32_t i = 0; i < n; name += strlen(name) + 1, i++) s->columns[i].name = name;
done:
    return status;
}

lode_status sheet_begin(lode_job *job, output *to, const char *title, const sheet_column *columns,
                        uint32_t n, sheet **out) {
    lode_status status = LODE_OK;
    sheet *s = NULL;
    pthread_once(&lib_once, lib_load);
    if (!lib.loaded) {
        LODE_LEAVE(job_fail(job, LODE_UNSUPPORTED,
                            "writing .xlsx needs the library " LODE_XLSX_LIBRARY
                            " (%s); install it, or write csv",
                            lib.why));
    }
    if (to->file.fd >= 0 && os_is_terminal(to->file.fd)) {
        LODE_LEAVE(job_fail(
            job, LODE_INVALID,
            "xlsx output is binary and cannot be written to a terminal; use -o FILE or a pipe"));
    }
    LODE_TRY(mem_zalloc(&job->mem, (void **)&s, sizeof *s));
    s->job = job;
    s->to = to;
    s->fd = -1;
    LODE_TRY(sheet_copy_names(s, title, columns, n));
    LODE_TRY(sheet_open_book(s));
    *out = s;
    s = NULL;
done:
    sheet_free(s);
    return status;
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* The row in the making has a place in a sheet. */
static lode_status sheet_make_room(sheet *s) {
    return s->row <= SHEET_ROWS ? LODE_OK : sheet_open_page(s);
}

/* Excel reads _x0041_ as the character of this number, so the _ of a text that looks so is written
 * as its own number. */
static bool sheet_is_escape(const char *text, size_t n) {
    bool escape = n >= 7 && text[0] == '_' && text[1] == 'x' && text[6] == '_';
    for (size_t i = 2; escape && i < 6; i++) {
        escape = strchr("0123456789ABCDEFabcdef", text[i]) && text[i];
    }
    return escape;
}

static lode_status sheet_copy_text(sheet *s, const char *text, size_t n) {
    lode_status status = LODE_OK;
    mem *m = &s->job->mem;
    size_t from = 0;
    for (size_t i = 0; i < n; i++) {
        if (!sheet_is_escape(text + i, n - i)) continue;
        LODE_TRY(vec_char_append(m, &s->text, text + from, i - from));
        LODE_TRY(vec_char_append(m, &s->text, "_x005F_", 7));
        from = i + 1;
    }
    LODE_TRY(vec_char_append(m, &s->text, text + from, n - from));
done:
    return status;
}

/* XML cannot have U+FFFE and U+FFFF, and a text here ends at a zero: they become U+FFFD. */
static void sheet_clean_text(char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool illegal =
            i + 2 < n && memcmp(text + i, "\xef\xbf", 2) == 0 && (unsigned char)text[i + 2] >= 0xbe;
        if (illegal) text[i + 2] = (char)0xbd;
        if (text[i] == 0) text[i] = ' ';
    }
}

lode_status sheet_put_text(sheet *s, uint32_t column, const char *text, size_t n) {
    lode_status status = LODE_OK;
    mem *m = &s->job->mem;
    s->text.n = 0;
    LODE_TRY(sheet_make_room(s));
    if (n == 0) return LODE_OK;
    LODE_TRY(sheet_copy_text(s, text, n));
    sheet_clean_text(s->text.data, s->text.n);
    LODE_TRY(vec_char_append(m, &s->text, "", 1));
    lxw_error error = lib.worksheet_write_string(s->page, s->row, (lxw_col_t)column, s->text.data,
                                                 s->formats[SHEET_TEXT]);
    if (error == LXW_ERROR_MAX_STRING_LENGTH_EXCEEDED) {
        LODE_LEAVE(job_fail(s->job, LODE_UNSUPPORTED,
                            "a cell of a spreadsheet has at most 32,767 characters; the names of "
                            "one pattern have more: write csv"));
    }
    if (error != LXW_NO_ERROR) status = sheet_fail(s, error);
done:
    return status;
}

lode_status sheet_put_number(sheet *s, uint32_t column, double value) {
    lxw_format *format = s->formats[s->columns[column].look];
    lxw_error error = LXW_NO_ERROR;
    lode_status status = sheet_make_room(s);
    if (status != LODE_OK || isnan(value)) return status;
    if (isinf(value)) { /* spreadsheets have no such number */
        error = lib.worksheet_write_string(s->page, s->row, (lxw_col_t)column,
                                           value > 0 ? "inf" : "-inf", NULL);
    } else {
        error = lib.worksheet_write_number(s->page, s->row, (lxw_col_t)column, value, format);
    }
    return error == LXW_NO_ERROR ? LODE_OK : sheet_fail(s, error);
}

void sheet_next(sheet *s) {
    s->row++;
}

lode_status sheet_restart(sheet *s) {
    sheet_drop_book(s);
    return sheet_open_book(s);
}

/* ---- the end -------------------------------------------------------------------------------- */

/* The library does not look whether its scratch files were written. */
static bool sheet_scratch_is_whole(const sheet *s) {
    lxw_worksheet *page;
    bool whole = true;
    STAILQ_FOREACH(page, s->book->worksheets, list_pointers) {
        FILE *file = page->optimize_tmpfile;
        whole = whole && (!file || (fflush(file) == 0 && !ferror(file)));
    }
    return whole;
}

static lode_status sheet_copy_out(const sheet *s) {
    lode_status status = LODE_OK;
    char piece[65536];
    uint64_t at = 0, bytes = 0;
    if (!os_file_size(s->fd, &bytes)) return sheet_fail(s, LXW_ERROR_CREATING_XLSX_FILE);
    while (at < bytes) {
        size_t n = bytes - at < sizeof piece ? (size_t)(bytes - at) : sizeof piece;
        if (!os_read_at(s->fd, piece, n, at)) {
            return job_fail(s->job, LODE_IO, "a scratch file in %s cannot be read", s->folder);
        }
        LODE_TRY(output_write(s->to, piece, n));
        at += n;
    }
done:
    return status;
}

lode_status sheet_end(sheet *s) {
    sheet_close_page(s);
    if (!sheet_scratch_is_whole(s)) return sheet_fail(s, LXW_ERROR_CREATING_TMPFILE);
    lxw_error error = lib.workbook_close(s->book);
    s->book = NULL;
    return error == LXW_NO_ERROR ? sheet_copy_out(s) : sheet_fail(s, error);
}

void sheet_free(sheet *s) {
    if (!s) return;
    mem *m = &s->job->mem;
    sheet_drop_book(s);
    vec_char_free(m, &s->names);
    vec_char_free(m, &s->text);
    mem_free(m, s->columns, s->n_columns * sizeof *s->columns);
    mem_free(m, s->title, s->title ? s->title_bytes : 0);
    mem_free(m, s, sizeof *s);
}

#else /* built without libxlsxwriter: no sheet is ever made */

bool sheet_is_known(void) {
    return false;
}

lode_status sheet_begin(lode_job *job, output *to, const char *title, const sheet_column *columns,
                        uint32_t n, sheet **out) {
    (void)to, (void)title, (void)columns, (void)n, (void)out;
    return job_fail(
        job, LODE_UNSUPPORTED,
#ifdef LODE_OTHER_PROGRAM
        "the static lode cannot write .xlsx; write csv, or use the lode in " LODE_OTHER_PROGRAM);
#else
        "this build of lode cannot write .xlsx, because libxlsxwriter was missing when "
        "it was built; write csv");
#endif
}

lode_status sheet_put_text(sheet *s, uint32_t column, const char *text, size_t n) {
    (void)s, (void)column, (void)text, (void)n;
    return LODE_UNSUPPORTED;
}

lode_status sheet_put_number(sheet *s, uint32_t column, double value) {
    (void)s, (void)column, (void)value;
    return LODE_UNSUPPORTED;
}

void sheet_next(sheet *s) {
    (void)s;
}

lode_status sheet_restart(sheet *s) {
    (void)s;
    return LODE_UNSUPPORTED;
}

lode_status sheet_end(sheet *s) {
    (void)s;
    return LODE_UNSUPPORTED;
}

void sheet_free(sheet *s) {
    (void)s;
}

#endif
