/* workbook_cells.c - see workbook_cells.h
 *
 *     styles.xml         <numFmt numFmtId="164" formatCode="yyyy"/> … <cellXfs><xf numFmtId="164"/>
 *     sharedStrings.xml  <si><t>milk</t></si><si><r><t>sour </t></r><r><t>cream</t></r></si>
 *     sheet1.xml         <row r="2"><c r="A2" s="0"><v>40886</v></c><c r="B2" t="s"><v>1</v></c>
 *     the text           2011-12-09,sour cream
 *
 * Shared strings are kept as the CSV fields that they become, so that most cells are copied.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/workbook_cells.h"

#ifdef LODE_ZIP_LIBRARY
#include <string.h>

#include "read/workbook_values.h"

#define CELLS_TEXT    ((size_t)64 << 10) /* parsing pauses when there is so much text */
#define CELLS_ROWS    1048576            /* of a sheet */
#define CELLS_COLUMNS 16384
#define CELLS_FIRST   9     /* rows that may be titles or the header: they set the width */
#define CELLS_FORMATS 65536 /* numbers of formats */

typedef enum cell_type { TYPE_NUMBER, TYPE_SHARED, TYPE_TEXT, TYPE_BOOLEAN, TYPE_ERROR } cell_type;

struct workbook_cells {
    workbook_archive *archive;
    mem *m;
    cells_parts parts;
    workbook_part *part; /* the one that is read now; NULL = none yet */
    bool ended;

    vec_char formats; /* value_kind of each format of the file, by its number */
    vec_char styles;  /* value_kind of each style */
    vec_char strings; /* the shared strings, one after the other */
    vec_u64 ends;     /* where each of them ends */

    bool in_styles;   /* within <cellXfs> */
    bool in_value;    /* within <v> or <t>, the text of which counts */
    unsigned in_ruby; /* within <rPh>: how a word is pronounced */
    vec_char value;   /* text of the cell or shared string */
    vec_char text;    /* what is to be returned; up to `taken` it was */
    size_t taken;

    cell_type type;
    value_kind kind;
    uint32_t row, column;   /* numbers of the current cell, from 1; 0 = none yet */
    uint32_t lines;         /* lines of text that are complete, with the rows above */
    uint32_t above;         /* rows above the first line of text */
    uint32_t fields, width; /* fields of the line so far, and of the longest of the first rows */
    uint32_t n_filled;      /* rows with text, up to CELLS_FIRST */
};

/* ---- text ------------------------------------------------------------------------------------ */

static bool cells_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int cells_hex(char c) {
    const char *digits = "0123456789abcdef0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) & 15 : -1;
}

/* Excel writes a character that XML cannot have, and a line end, as _x000D_. Returns its number;
 * -1 = there is none. */
static int cells_escape(const char *text, size_t n) {
    int number = 0;
    if (n < 7 || text[0] != '_' || text[1] != 'x' || text[6] != '_') return -1;
    for (size_t i = 2; i < 6; i++) {
        int digit = cells_hex(text[i]);
        if (digit < 0) return -1;
        number = number * 16 + digit;
    }
    return number < 128 ? number : -1;
}

/* Decodes escapes, and turns line ends and other control characters into blanks, so that a row is
 * one line. Takes away blanks at both ends, as other readers of cells do. */
static void cells_clean(vec_char *value) {
    char *text = value->data;
    size_t n = 0, from = 0;
    for (size_t i = 0; i < value->n;) {
        int number = text[i] == '_' ? cells_escape(text + i, value->n - i) : -1;
        char c = number >= 0 ? (char)number : text[i];
        i += number >= 0 ? 7 : 1;
        text[n++] = (unsigned char)c < ' ' || c == 127 ? ' ' : c;
    }
    while (n > 0 && cells_is_blank(text[n - 1])) n--;
    while (from < n && cells_is_blank(text[from])) from++;
    if (from > 0) memmove(text, text + from, n - from);
    value->n = n - from;
}

/* Appends a CSV field. */
static lode_status cells_put_field(workbook_cells *c, vec_char *to, const char *text, size_t n) {
    lode_status status = LODE_OK;
    if (n == 0 || (!memchr(text, ',', n) && !memchr(text, '"', n))) {
        return vec_char_append(c->m, to, text, n);
    }
    LODE_TRY(vec_char_reserve(c->m, to, 2 * n + 2));
    to->data[to->n++] = '"';
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"') to->data[to->n++] = '"';
        to->data[to->n++] = text[i];
    }
    to->data[to->n++] = '"';
done:
    return status;
}

/* Reads a whole number; false if it is none, or larger than `most`. */
static bool cells_number(const char *text, size_t n, uint32_t most, uint32_t *out) {
    uint64_t number = 0;
    if (n == 0 || n > 10) return false;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        number = number * 10 + (uint64_t)(text[i] - '0');
    }
    *out = (uint32_t)number;
    return number <= most;
}

/* ---- styles ---------------------------------------------------------------------------------- */

static value_kind cells_format(const workbook_cells *c, uint32_t number) {
    char kind = number < c->formats.n ? c->formats.data[number] : -1;
    return kind >= 0 ? (value_kind)kind : value_of_builtin(number);
}

static lode_status cells_take_format(workbook_cells *c, uint32_t number, const char *code) {
    lode_status status = LODE_OK;
    if (number >= c->formats.n) {
        size_t more = number + 1 - c->formats.n;
        LODE_TRY(vec_char_reserve(c->m, &c->formats, more));
        memset(c->formats.data + c->formats.n, -1, more);
        c->formats.n += more;
    }
    c->formats.data[number] = (char)value_of_code(code);
done:
    return status;
}

static lode_status styles_start(void *user, const char *name, const char *const *attributes) {
    workbook_cells *c = user;
    const char *id = part_attribute(attributes, "numFmtId");
    const char *code = part_attribute(attributes, "formatCode");
    uint32_t number = 0;
    if (strcmp(name, "cellXfs") == 0) c->in_styles = true;
    if (id && !cells_number(id, strlen(id), CELLS_FORMATS, &number)) number = 0;
    if (strcmp(name, "numFmt") == 0 && code) return cells_take_format(c, number, code);
    if (!c->in_styles || strcmp(name, "xf") != 0) return LODE_OK;
    char kind = (char)cells_format(c, number);
    return vec_char_append(c->m, &c->styles, &kind, 1);
}

static lode_status styles_end(void *user, const char *name) {
    workbook_cells *c = user;
    if (strcmp(name, "cellXfs") == 0) c->in_styles = false;
    return LODE_OK;
}

/* ---- texts of cells and shared strings ------------------------------------------------------- */

/* Phonetic runs are not part of the text. */
static void cells_text_start(workbook_cells *c, const char *name) {
    c->in_ruby += strcmp(name, "rPh") == 0;
    bool shows = name[0] && !name[1] && (name[0] == 't' || name[0] == 'v');
    c->in_value = shows && !c->in_ruby;
}

static void cells_text_end(workbook_cells *c, const char *name) {
    c->in_value = false;
    if (c->in_ruby > 0) c->in_ruby -= strcmp(name, "rPh") == 0;
}

static lode_status cells_text_add(void *user, const char *text, size_t n) {
    workbook_cells *c = user;
    return c->in_value ? vec_char_append(c->m, &c->value, text, n) : LODE_OK;
}

static lode_status strings_start(void *user, const char *name, const char *const *attributes) {
    workbook_cells *c = user;
    (void)attributes;
    if (strcmp(name, "si") == 0) c->value.n = 0;
    cells_text_start(c, name);
    return LODE_OK;
}

static lode_status strings_end(void *user, const char *name) {
    lode_status status = LODE_OK;
    workbook_cells *c = user;
    cells_text_end(c, name);
    if (strcmp(name, "si") != 0) return LODE_OK;
    cells_clean(&c->value);
    LODE_TRY(cells_put_field(c, &c->strings, c->value.data, c->value.n));
    LODE_TRY(vec_u64_push(c->m, &c->ends, c->strings.n));
done:
    return status;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static lode_status cells_bad(const workbook_cells *c, const char *what) {
    return part_damaged(c->part, what);
}

/* Reads the column of a place such as C7. */
static bool cells_column(const char *place, uint32_t *column) {
    uint32_t number = 0;
    const char *p = place;
    for (; *p >= 'A' && *p <= 'Z' && number <= CELLS_COLUMNS; p++) {
        number = number * 26 + (uint32_t)(*p - 'A') + 1;
    }
    *column = number;
    return number > 0 && number <= CELLS_COLUMNS && *p >= '1' && *p <= '9';
}

static lode_status cells_start_row(workbook_cells *c, const char *const *attributes) {
    const char *place = part_attribute(attributes, "r");
    uint32_t row = c->row + 1;
    if (place && !cells_number(place, strlen(place), CELLS_ROWS, &row)) row = 0;
    if (row <= c->row || row > CELLS_ROWS) return cells_bad(c, "wrong number of a row");
    c->row = row;
    c->column = c->fields = 0;
    return LODE_OK;
}

static cell_type cells_type(const char *name) {
    if (!name || strcmp(name, "n") == 0) return TYPE_NUMBER;
    if (strcmp(name, "s") == 0) return TYPE_SHARED;
    if (strcmp(name, "b") == 0) return TYPE_BOOLEAN;
    return strcmp(name, "e") == 0 ? TYPE_ERROR : TYPE_TEXT; /* str, inlineStr, d */
}

static lode_status cells_start_cell(workbook_cells *c, const char *const *attributes) {
    uint32_t column = c->column + 1, style = 0;
    c->type = TYPE_NUMBER;
    c->kind = VALUE_NUMBER;
    c->value.n = 0;
    for (; *attributes; attributes += 2) {
        const char *name = attributes[0], *value = attributes[1];
        if (name[0] == 0 || name[1] != 0) continue;
        if (name[0] == 'r' && !cells_column(value, &column)) column = 0;
        if (name[0] == 't') c->type = cells_type(value);
        if (name[0] != 's') continue;
        bool known = cells_number(value, strlen(value), UINT32_MAX, &style) && style < c->styles.n;
        c->kind = known ? (value_kind)c->styles.data[style] : VALUE_NUMBER;
    }
    if (c->row == 0) return cells_bad(c, "a cell outside of rows");
    if (column <= c->column || column > CELLS_COLUMNS) return cells_bad(c, "wrong place of a cell");
    c->column = column;
    return LODE_OK;
}

static lode_status cells_repeat(workbook_cells *c, char byte, size_t n) {
    lode_status status = vec_char_reserve(c->m, &c->text, n);
    if (status != LODE_OK) return status;
    if (n > 0) memset(c->text.data + c->text.n, byte, n);
    c->text.n += n;
    return LODE_OK;
}

/* Before a cell with text: the lines of the rows above, and the empty cells before it. */
static lode_status cells_go_to(workbook_cells *c) {
    lode_status status = LODE_OK;
    if (c->lines == 0) c->above = c->lines = c->row - 1;
    LODE_TRY(cells_repeat(c, '\n', c->row - 1 - c->lines));
    c->lines = c->row - 1;
    LODE_TRY(cells_repeat(c, ',', c->column - (c->fields > 0 ? c->fields : 1)));
    c->fields = c->column;
done:
    return status;
}

static lode_status cells_put_shared(workbook_cells *c) {
    uint32_t number = 0;
    if (!cells_number(c->value.data, c->value.n, UINT32_MAX, &number) || number >= c->ends.n) {
        return cells_bad(c, "a cell refers to a string that does not exist");
    }
    uint64_t from = number > 0 ? c->ends.data[number - 1] : 0, n = c->ends.data[number] - from;
    if (n == 0) return LODE_OK;
    lode_status status = cells_go_to(c);
    if (status != LODE_OK) return status;
    return vec_char_append(c->m, &c->text, c->strings.data + from, (size_t)n);
}

static lode_status cells_put_value(workbook_cells *c) {
    char written[VALUE_BYTES];
    const char *text = c->value.data;
    size_t n = c->value.n, length = 0;
    if (c->type == TYPE_BOOLEAN && n == 1) {
        text = text[0] == '0' ? "FALSE" : "TRUE";
        n = strlen(text);
    } else if (c->type == TYPE_NUMBER) {
        length = value_write(written, text, n, c->kind, c->parts.from_1904);
        if (length > 0) text = written, n = length;
    }
    if (n == 0) return LODE_OK;
    lode_status status = cells_go_to(c);
    return status == LODE_OK ? cells_put_field(c, &c->text, text, n) : status;
}

static lode_status cells_end_cell(workbook_cells *c) {
    if (c->value.n == 0 || c->type == TYPE_ERROR) return LODE_OK; /* #N/A is a missing value */
    cells_clean(&c->value);
    if (c->value.n == 0) return LODE_OK;
    return c->type == TYPE_SHARED ? cells_put_shared(c) : cells_put_value(c);
}

static lode_status cells_end_row(workbook_cells *c) {
    lode_status status = LODE_OK;
    if (c->fields == 0) return LODE_OK;
    if (c->n_filled < CELLS_FIRST) {
        c->n_filled++;
        if (c->fields > c->width) c->width = c->fields;
    }
    if (c->fields < c->width) LODE_TRY(cells_repeat(c, ',', c->width - c->fields));
    LODE_TRY(cells_repeat(c, '\n', 1));
    c->lines = c->row;
    if (c->text.n >= CELLS_TEXT) part_pause(c->part);
done:
    return status;
}

static lode_status sheet_start(void *user, const char *name, const char *const *attributes) {
    workbook_cells *c = user;
    if (strcmp(name, "row") == 0) return cells_start_row(c, attributes);
    if (name[0] == 'c' && !name[1]) return cells_start_cell(c, attributes);
    cells_text_start(c, name);
    return LODE_OK;
}

/* A long row is returned in several pieces. */
static lode_status sheet_end(void *user, const char *name) {
    workbook_cells *c = user;
    cells_text_end(c, name);
    if (strcmp(name, "row") == 0) return cells_end_row(c);
    if (name[0] != 'c' || name[1]) return LODE_OK;
    lode_status status = cells_end_cell(c);
    if (c->text.n >= CELLS_TEXT) part_pause(c->part);
    return status;
}

/* ---- the sheet ------------------------------------------------------------------------------- */

lode_status cells_open(workbook_archive *a, workbook_cells **out, const cells_parts *parts) {
    lode_status status = LODE_OK;
    workbook_cells *c = NULL;
    LODE_TRY(mem_zalloc(&a->job->mem, (void **)&c, sizeof *c));
    c->archive = a;
    c->m = &a->job->mem;
    c->parts = *parts;
    const part_handlers styles = {.start = styles_start, .end = styles_end, .user = c};
    const part_handlers strings = {
        .start = strings_start, .end = strings_end, .text = cells_text_add, .user = c};
    const part_handlers sheet = {
        .start = sheet_start, .end = sheet_end, .text = cells_text_add, .user = c};
    if (parts->styles[0]) LODE_TRY(part_read(a, parts->styles, &styles));
    if (parts->strings[0]) LODE_TRY(part_read(a, parts->strings, &strings));
    LODE_TRY(part_open(a, &c->part, parts->sheet, &sheet));
    *out = c;
    c = NULL;
done:
    cells_close(c);
    return status;
}

lode_status cells_run(workbook_cells *c, char *out, size_t room, size_t *n) {
    while (c->taken == c->text.n && !c->ended) {
        bool more = false;
        c->text.n = c->taken = 0;
        lode_status status = part_step(c->part, &more);
        if (status == LODE_OK) status = archive_count(c->archive, c->text.n);
        if (status != LODE_OK) return status;
        c->ended = !more;
    }
    size_t left = c->text.n - c->taken;
    *n = left < room ? left : room;
    if (*n > 0) memcpy(out, c->text.data + c->taken, *n);
    c->taken += *n;
    return LODE_OK;
}

uint64_t cells_rows_above(const workbook_cells *c) {
    return c->above;
}

double cells_progress(const workbook_cells *c) {
    return part_progress(c->part);
}

void cells_close(workbook_cells *c) {
    if (!c) return;
    part_close(c->part);
    vec_char_free(c->m, &c->formats);
    vec_char_free(c->m, &c->styles);
    vec_char_free(c->m, &c->strings);
    vec_u64_free(c->m, &c->ends);
    vec_char_free(c->m, &c->value);
    vec_char_free(c->m, &c->text);
    mem_free(c->m, c, sizeof *c);
}

#endif
