/* pattern_table.c - see pattern_table.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pattern_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "mine.h"
#include "terminal.h"

#define MOST_COLUMNS 200
#define GAP          2  /* blanks between columns */
#define LEAST_TEXT   14 /* columns with names are at least this wide before others are left out */

#define BOLD   "\033[1m"
#define DIM    "\033[2m"
#define CYAN   "\033[36m"
#define NORMAL "\033[0m"

typedef struct table_column {
    char name[64]; /* the key in the lines */
    bool is_text;  /* names of items, or a text */
    bool preferred, settled;
    unsigned width;
} table_column;

struct pattern_table {
    pattern_table_options options;
    best_rows best;
    table_column columns[MOST_COLUMNS];
    size_t n_columns;
    growing_text cell;
};

/* ---- collecting lines ------------------------------------------------------------------------ */

pattern_table *pattern_table_create(const pattern_table_options *options) {
    pattern_table *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->options = *options;
    t->best = (best_rows){.order = options->order, .wanted = (size_t)options->rows};
    return t;
}

void pattern_table_free(pattern_table *t) {
    if (!t) return;
    best_rows_free(&t->best);
    growing_free(&t->cell);
    free(t);
}

int pattern_table_write(void *table, const char *text, size_t bytes) {
    pattern_table *t = table;
    return best_rows_write(&t->best, text, bytes);
}

/* ---- cells ----------------------------------------------------------------------------------- */

#define ITEM_END '\n' /* between two items of a cell: a line may end there */

/* Appends a name as `lode query` shows it: safe for a terminal, and in quotes if it would look like
 * several names or like nothing. */
static bool put_name(growing_text *to, growing_text *name) {
    size_t n = name->n;
    bool blank = n == 0 || name->data[0] == ' ' || name->data[n - 1] == ' ';
    bool quoted = blank || memchr(name->data, ',', n) || memchr(name->data, '"', n);
    bool fine = !quoted || growing_append(to, "\"", 1);
    if (n > 0) n = lode_printable(name->data, name->data, n);
    for (size_t i = 0; i < n && fine; i++) {
        char c = name->data[i];
        if (c == '\n' || c == '\t' || c == '\r') c = '?';
        fine = growing_append(to, &c, 1) && (c != '"' || growing_append(to, &c, 1));
    }
    return fine && (!quoted || growing_append(to, "\"", 1));
}

static bool put_names(growing_text *to, const char *at) {
    growing_text name = {0};
    bool fine = true;
    for (at++; fine && *at && *at != ']'; at += *at == ',') {
        name.n = 0;
        if (to->n > 0) fine = growing_append(to, (char[]){',', ITEM_END}, 2);
        fine = fine && json_word(&at, &name) && put_name(to, &name);
    }
    growing_free(&name);
    return fine;
}

static bool is_share(const char *name) {
    static const char *const shares[] = {"support", "confidence", "heldOutSupport",
                                         "heldOutConfidence"};
    size_t n = strcspn(name, "."); /* also the ends of its interval: confidence.low */
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        if (strlen(shares[i]) == n && memcmp(name, shares[i], n) == 0) return true;
    }
    return false;
}

static bool is_count(const char *name) {
    static const char *const counts[] = {"count", "both", "vertices", "edges"};
    size_t n = strlen(name);
    if (n > 6 && strcmp(name + n - 6, "_count") == 0) return true;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (strcmp(name, counts[i]) == 0) return true;
    }
    return false;
}

/* Writes a number with this many digits, of which the last may be zeros: "2.740", "0.0612". */
static void figure_text(char text[32], double value, int digits) {
    double size = fabs(value);
    int before = size >= 1 && size < 1e9 ? (int)floor(log10(size)) + 1 : 0;
    int decimals = digits > before ? digits - before : 0;
    if (value == 0 || !isfinite(value) || size >= 1e9 || size < 1e-4) {
        snprintf(text, 32, "%.*g", digits, value);
    } else if (size < 1) {
        snprintf(text, 32, "%.*f", digits - 1 - (int)floor(log10(size)), value);
    } else {
        snprintf(text, 32, "%.*f", decimals, value);
    }
}

/* "58.6%"; only 100% itself is shown as 100%. */
static void percent_text(char text[32], double share) {
    char number[32];
    figure_text(number, 100 * share, 3);
    if (share < 1 && 100 * share >= 99.95) snprintf(number, sizeof number, ">99.9");
    if (share == 1) snprintf(number, sizeof number, "100");
    snprintf(text, 32, "%.30s%%", number);
}

static bool put_value(growing_text *to, const table_column *c, const json_value *value) {
    char text[32] = "-";
    double number;
    const char *at = value->at;
    if (c->is_text && *at == '[') return put_names(to, at);
    if (json_number(value, &number)) {
        if (is_share(c->name)) {
            percent_text(text, number);
        } else if (is_count(c->name) && number >= 0 && number < 1e18) {
            snprintf(text, sizeof text, "%s", cli_count((uint64_t)number));
        } else {
            figure_text(text, number, 4);
        }
    } else if (*at == '"') { /* infinite numbers, or the code of a graph */
        growing_text word = {0};
        bool fine = json_word(&at, &word) && (!word.n || put_name(to, &word));
        growing_free(&word);
        return fine;
    }
    return growing_append(to, text, strlen(text));
}

/* Makes t->cell the text of a cell. */
static bool read_cell(pattern_table *t, const char *line, const table_column *c) {
    json_value value;
    t->cell.n = 0;
    while (json_next(&line, &value)) {
        if (json_is(&value, c->name)) return put_value(&t->cell, c, &value);
    }
    return true;
}

/* ---- columns --------------------------------------------------------------------------------- */

static const char *column_title(const table_column *c) {
    if (strcmp(c->name, "body") == 0) return "if";
    if (strcmp(c->name, "head") == 0) return "then";
    return strcmp(c->name, "both") == 0 ? "count" : c->name;
}

/* The place of a column from the left: names, the usual numbers, those that were asked for, and
 * then all others. */
static unsigned column_rank(const table_column *c) {
    static const char *const first[] = {"items", "body",    "head",       "code", "both",
                                        "count", "support", "confidence", "lift"};
    for (unsigned i = 0; i < sizeof first / sizeof *first; i++) {
        if (strcmp(c->name, first[i]) == 0) return i;
    }
    bool of_side = strstr(c->name, "_count") != NULL;
    return c->preferred ? 20 : of_side ? 40 : 30;
}

/* Whether the name is one of those in a list. */
static bool is_listed(const char *names, const char *name) {
    size_t i, k;
    for (const char *at = names; at && *at; at += strspn(at, "+,\n")) {
        char word[64];
        size_t n = strcspn(at, "+,\n");
        snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), at);
        at += n;
        if (strcmp(word, name) == 0) return true;
        if (lode_measure_find(word, &i) && lode_measure_find(name, &k) && i == k) return true;
    }
    return false;
}

/* Counts of the sides say little next to the measures. */
static bool is_hidden(const pattern_table *t, const char *name) {
    if (t->options.all_columns) return false;
    return strcmp(name, "total") == 0 || strcmp(name, "body_count") == 0 ||
           strcmp(name, "head_count") == 0;
}

static void find_columns(pattern_table *t) {
    const char *line = t->best.rows[0].line;
    json_value value;
    while (t->n_columns < MOST_COLUMNS && json_next(&line, &value)) {
        table_column c = {0};
        snprintf(c.name, sizeof c.name, "%.*s", (int)value.name_bytes, value.name);
        c.is_text = *value.at == '[' || strcmp(c.name, "code") == 0;
        c.preferred = is_listed(t->options.prefer, c.name);
        if (is_hidden(t, c.name)) continue;
        size_t i = t->n_columns++;
        for (; i > 0 && column_rank(&t->columns[i - 1]) > column_rank(&c); i--) {
            t->columns[i] = t->columns[i - 1];
        }
        t->columns[i] = c;
    }
}

/* The width of a cell in one line: where an item ends, there is a blank. */
static bool measure_columns(pattern_table *t) {
    for (size_t k = 0; k < t->n_columns; k++) {
        table_column *c = &t->columns[k];
        const char *title = column_title(c);
        c->width = terminal_width(title, strlen(title));
        for (size_t i = 0; i < t->best.n; i++) {
            if (!read_cell(t, t->best.rows[i].line, c)) return false;
            unsigned width = terminal_width(t->cell.data, t->cell.n);
            if (width > c->width) c->width = width;
        }
    }
    return true;
}

/* Divides `room` among the columns with names: a column that needs less than an equal part leaves
 * the rest to the others. */
static void share_room(pattern_table *t, unsigned room) {
    unsigned left = 0;
    for (size_t k = 0; k < t->n_columns; k++) left += t->columns[k].is_text;
    for (bool again = true; again && left > 0;) {
        again = false;
        for (size_t k = 0; k < t->n_columns && left > 0; k++) {
            table_column *c = &t->columns[k];
            if (!c->is_text || c->settled || c->width > room / left) continue;
            c->settled = again = true;
            room -= c->width;
            left--;
        }
    }
    for (size_t k = 0; k < t->n_columns && left > 0; k++) {
        table_column *c = &t->columns[k];
        if (!c->is_text || c->settled) continue;
        c->width = room / left > 0 ? room / left : 1;
        room -= c->width < room ? c->width : room;
        left--;
    }
}

/* The columns that numbers and gaps take. */
static unsigned other_width(const pattern_table *t, size_t n_columns) {
    unsigned width = 0;
    for (size_t k = 0; k < n_columns; k++) {
        if (k > 0) width += GAP;
        if (!t->columns[k].is_text) width += t->columns[k].width;
    }
    return width;
}

/* Fits the table to lines of this many columns; 0 = they have no end. Returns the number of columns
 * that are shown. */
static size_t fit_columns(pattern_table *t, unsigned columns) {
    unsigned wanted = 0, least = 0;
    size_t shown = t->n_columns, texts = 0;
    for (size_t k = 0; k < t->n_columns; k++) {
        const table_column *c = &t->columns[k];
        if (!c->is_text) continue;
        texts++;
        wanted += c->width;
        least += c->width < LEAST_TEXT ? c->width : LEAST_TEXT;
    }
    if (columns == 0 || other_width(t, shown) + wanted <= columns) return shown;
    while (shown > texts + 1 && other_width(t, shown) + least > columns) shown--;
    unsigned others = other_width(t, shown);
    share_room(t, others < columns ? columns - others : 1);
    return shown;
}

/* ---- printing -------------------------------------------------------------------------------- */

static unsigned blanks; /* not yet printed: blanks at the end of a line are left out */

static void put_blanks(unsigned n) {
    blanks += n;
}

static void show_text(const char *text, size_t n) {
    for (; blanks > 0; blanks--) putchar(' ');
    for (size_t i = 0; i < n; i++) putchar(text[i] == ITEM_END ? ' ' : text[i]);
}

static void end_line(void) {
    blanks = 0;
    putchar('\n');
}

/* Returns how many bytes of a cell belong to its next line: as many whole items as fit or, of an
 * item that is too long, as many words or at least characters. */
static size_t line_bytes(const char *text, size_t n, unsigned width) {
    size_t fits = terminal_fit(text, n, width), at = fits;
    if (fits == n) return n;
    if (text[fits] == ITEM_END) return fits;
    while (at > 0 && text[at - 1] != ITEM_END) at--;
    if (at > 0) return at;
    for (at = fits; at > 0 && text[at - 1] != ' ';) at--;
    if (at > 0) return at;
    return fits > 0 ? fits : terminal_fit(text, n, 2); /* a wide character in a narrow column */
}

/* Prints the next line of a cell, moves *at behind it, and fills the column. */
static void put_cell_line(const table_column *c, const growing_text *cell, size_t *at) {
    const char *from = cell->data + *at;
    size_t left = cell->n - *at, n = left > 0 ? line_bytes(from, left, c->width) : 0, shown = n;
    if (n == 0 && left > 0) n = shown = 1;
    while (shown > 0 && (from[shown - 1] == ITEM_END || from[shown - 1] == ' ')) shown--;
    unsigned width = terminal_width(from, shown), rest = c->width > width ? c->width - width : 0;
    if (!c->is_text) put_blanks(rest);
    if (shown > 0) show_text(from, shown);
    if (c->is_text) put_blanks(rest);
    *at += n;
    while (*at < cell->n && (cell->data[*at] == ITEM_END || cell->data[*at] == ' ')) ++*at;
}

static void put_coloured(bool colours, const char *code) {
    if (!colours) return;
    if (strcmp(code, NORMAL) != 0) show_text("", 0); /* blanks have no colour */
    fputs(code, stdout);
}

static void print_titles(const pattern_table *t, size_t shown, bool colours) {
    put_coloured(colours, BOLD);
    for (size_t k = 0; k < shown; k++) {
        const table_column *c = &t->columns[k];
        const char *title = column_title(c);
        unsigned width = terminal_width(title, strlen(title));
        unsigned rest = c->width > width ? c->width - width : 0;
        if (k > 0) put_blanks(GAP);
        if (!c->is_text) put_blanks(rest);
        show_text(title, terminal_fit(title, strlen(title), c->width));
        if (c->is_text) put_blanks(rest);
    }
    put_coloured(colours, NORMAL);
    end_line();
}

/* Prints a row; cells with names may take several lines. */
static bool print_row(pattern_table *t, const char *line, size_t shown, bool colours) {
    size_t at[MOST_COLUMNS] = {0};
    for (bool again = true, first = true; again; first = false) {
        again = false;
        for (size_t k = 0; k < shown; k++) {
            const table_column *c = &t->columns[k];
            bool is_head = strcmp(c->name, "head") == 0;
            if (!read_cell(t, line, c)) return false;
            if (k > 0) put_blanks(GAP);
            bool coloured = colours && is_head && at[k] < t->cell.n;
            put_coloured(coloured, CYAN);
            if (first || c->is_text) {
                put_cell_line(c, &t->cell, &at[k]);
            } else {
                put_blanks(c->width);
            }
            put_coloured(coloured, NORMAL);
            again = again || (c->is_text && at[k] < t->cell.n);
        }
        end_line();
    }
    return true;
}

void pattern_table_note(const char *format, ...) {
    bool colours = terminal_has_colours(stdout);
    va_list args;
    put_coloured(colours, DIM);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    put_coloured(colours, NORMAL);
    putchar('\n');
}

/* Names the columns that are not shown. */
static void print_left_out(const pattern_table *t, size_t shown, unsigned columns) {
    growing_text names = {0};
    for (size_t k = shown; k < t->n_columns; k++) {
        const char *title = column_title(&t->columns[k]);
        if (k > shown && !growing_append(&names, ", ", 2)) break;
        if (!growing_append(&names, title, strlen(title))) break;
    }
    if (shown < t->n_columns && names.n > 0) {
        pattern_table_note("not shown in %u columns: %.*s", columns, (int)names.n, names.data);
    }
    growing_free(&names);
}

bool pattern_table_print(pattern_table *t, uint64_t *printed, uint64_t *received) {
    unsigned columns = terminal_columns(stdout);
    bool colours = terminal_has_colours(stdout), fine = true;
    best_rows_finish(&t->best);
    *printed = t->best.n;
    *received = t->best.received;
    if (t->best.n == 0) return true;
    find_columns(t);
    if (!measure_columns(t)) return false;
    size_t shown = fit_columns(t, columns);
    print_titles(t, shown, colours);
    for (size_t i = 0; i < t->best.n && fine; i++) {
        fine = print_row(t, t->best.rows[i].line, shown, colours);
    }
    print_left_out(t, shown, columns);
    return fine;
}

/* ---- --rows ---------------------------------------------------------------------------------- */

bool pattern_table_wanted(const cli_args *args) {
    if (cli_given(args, "rows")) return true;
    if (cli_given(args, "output") || cli_given(args, "count") || cli_word(args, "write")) {
        return false;
    }
    return !cli_word(args, "unsorted") && !resumable_wanted(args) && terminal_is(stdout);
}

uint64_t pattern_table_rows(const cli_args *args) {
    const char *text = cli_given(args, "rows");
    uint64_t rows = PATTERN_TABLE_ROWS;
    if (text && strcmp(text, "all") == 0) return PATTERN_TABLE_MOST;
    return cli_number(args, "rows", PATTERN_TABLE_MOST, &rows) ? rows : 0;
}

bool pattern_table_check(const cli_args *args) {
    static const char *const others[] = {"output", "count", "journal", "resume"};
    const char *other = cli_word(args, "write")   ? "write"
                        : cli_word(args, "share") ? "share"
                                                  : NULL;
    if (!cli_given(args, "rows")) return true;
    if (pattern_table_rows(args) == 0) return false;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (cli_given(args, others[i])) other = others[i];
    }
    if (other) cli_error("--rows shows a table; it cannot be combined with --%s", other);
    return !other;
}
