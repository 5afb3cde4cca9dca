/* sniff_advice.c - warns if a file may not be read as its owner meant it
 *
 * The worst case is a table that is taken for baskets: every cell becomes an item, and the result
 * is silently wrong. The warning names the options with which the file is read as what it seems to
 * be. Files of numbers, and baskets of names, get no warning.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/figures.h"
#include "read/column_names.h"
#include "read/line_ends.h"
#include "read/sniff.h"

#define ADVICE_NAME     64
#define ADVICE_PAIRS    20 /* lines of two fields each that are hardly baskets [guess] */
#define ADVICE_VALUES   64 /* distinct values at most that are categories [guess] */
#define ADVICE_LINES    5  /* lines at least that have categories, or numbers [guess] */
#define ADVICE_NUMBERS  9  /* numbers of a line at most, if it is a row of a table [guess] */
#define ADVICE_WORDS    4  /* words at most of a name [guess] */
#define ADVICE_IGNORED  3  /* columns at most that --ignore is proposed for */
#define ADVICE_DISTINCT 66 /* a third of the lines that are examined */

/* A column as the value of an option: its name, quoted for the shell if need be, or its number. */
typedef struct advice_column {
    char text[ADVICE_NAME + 8];
    bool number;
} advice_column;

typedef struct advice {
    const sniff_text *s;
    const sniff_table *t;
    size_t line;      /* where the header is, or would be */
    bool even;        /* the records have equally many fields */
    bool is_header;   /* the first record looks like a header */
    size_t tid, item; /* the columns that a long table would have */
} advice;

/* ---- Names ---- */

static bool advice_is_plain(const csv_field *f) {
    bool letter = false;
    for (size_t i = 0; i < f->n; i++) {
        unsigned char c = (unsigned char)f->text[i];
        if (c < ' ' || c == '\'') return false;
        letter |= c < '0' || c > '9';
    }
    return letter && f->n < ADVICE_NAME;
}

static bool advice_needs_quotes(const csv_field *f) {
    for (size_t i = 0; i < f->n; i++) {
        char c = f->text[i];
        bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '_' || c == '-' || c == '.';
        if (!word) return true;
    }
    return f->text[0] == '-';
}

/* Reads the field of a column in the header again. */
static lode_status advice_name(const advice *a, size_t column, advice_column *out) {
    lode_status status = LODE_OK;
    vec_char unquoted = {0};
    bool bare = false;
    csv_field f = {0};
    csv_cursor c = sniff_cursor(a->s, &unquoted, &bare);
    for (unsigned i = 0; i < a->t->above && csv_begin(&c); i++) csv_skip(&c);
    csv_begin(&c);
    for (size_t i = 0; i <= column && !f.last; i++) LODE_TRY(csv_next(&c, &f));
    out->number = !a->is_header || !advice_is_plain(&f);
    if (out->number) {
        snprintf(out->text, sizeof out->text, "%zu", column + 1);
    } else {
        const char *quote = advice_needs_quotes(&f) ? "'" : "";
        snprintf(out->text, sizeof out->text, "%s%.*s%s", quote, (int)f.n, f.text, quote);
    }
done:
    vec_char_free(&a->s->job->mem, &unquoted);
    return status;
}

/* ---- Does it look like a table? ---- */

static size_t advice_numbers(const sniff_cells *c) {
    return c->of[CELL_ZERO] + c->of[CELL_ONE] + c->of[CELL_COUNT] + c->of[CELL_DECIMAL] +
           c->of[CELL_NEGATIVE];
}

static size_t advice_filled(const sniff_cells *c) {
    size_t sum = 0;
    for (size_t i = CELL_BLANK + 1; i < CELL_KINDS; i++) sum += c->of[i];
    return sum;
}

static bool advice_is_number_kind(cell_kind kind) {
    return kind == CELL_ZERO || kind == CELL_ONE || (kind >= CELL_COUNT && kind <= CELL_DATE);
}

static bool advice_all_numbers(const sniff_cells *c) {
    size_t filled = advice_filled(c);
    return filled > 1 && advice_numbers(c) + c->of[CELL_DATE] == filled;
}

static size_t advice_columns(const sniff_table *t) {
    return t->header.n_fields < SNIFF_COLUMNS ? t->header.n_fields : SNIFF_COLUMNS;
}

/* Whether a column has text above numbers or dates. */
static bool advice_has_contrast(const sniff_table *t) {
    for (size_t i = 0; i < advice_columns(t); i++) {
        if (t->header.kinds[i] == CELL_TEXT && advice_all_numbers(&t->rows.columns[i])) return true;
    }
    return false;
}

static bool advice_is_header(const sniff_table *t, bool even) {
    const sniff_header *h = &t->header;
    if (t->rows.n == 0 || h->n_fields < 2 || h->n_text < h->n_filled) return false;
    if (even && t->rows.n > 1 && advice_has_contrast(t)) return true;
    bool known = (h->tid_rank > 0 && h->tid_rank < COLUMNS_JUST_ID) ||
                 (h->item_rank > 0 && h->item_rank < COLUMNS_JUST_NAME);
    return (known && h->n_usual > 1 && 3 * h->n_usual >= 2 * h->n_filled) || h->n_numbered > 1;
}

/* Without a header: there is a column of dates or prices, or one of numbers and one of names. */
static bool advice_is_table(const sniff_table *t) {
    bool numbers = false, names = false;
    for (size_t i = 0; i < advice_columns(t); i++) {
        const sniff_cells *c = &t->rows.columns[i];
        cell_kind kind = t->header.kinds[i];
        if (advice_filled(c) < 2) continue;
        bool same = advice_all_numbers(c) && advice_is_number_kind(kind);
        if (same && (c->of[CELL_DATE] > 0 || c->of[CELL_DECIMAL] > 0)) return true;
        numbers |= same;
        names |= kind == CELL_TEXT && c->of[CELL_TEXT] == advice_filled(c);
    }
    return numbers && names;
}

/* Whether every line has two fields: then the file may be a table of two columns, whose header is
 * missing or has unusual names. */
static bool advice_is_pairs(const sniff_table *t) {
    return t->header.n_fields == 2 && t->rows.n >= ADVICE_PAIRS && t->rows.n_even == t->rows.n;
}

/* Lines of different lengths that consist of a number or a date, and then of names. */
static bool advice_has_ids(const sniff_table *t) {
    const sniff_cells *first = &t->rows.columns[0];
    size_t names = t->rows.rest.of[CELL_TEXT];
    size_t all = advice_filled(&t->rows.rest);
    if (t->rows.id == SNIFF_NONE)
        all -= advice_filled(first); /* `rest` includes the first column */
    return t->rows.n > 2 && t->header.n_fields > 1 && advice_filled(first) == t->rows.n &&
           advice_all_numbers(first) && 4 * names >= 3 * all && t->header.kinds[0] != CELL_TEXT;
}

/* Whether every column has whole numbers, and some 0: ids and quantities are hardly 0, so these are
 * counts of items. */
static bool advice_is_counts(const sniff_table *t) {
    for (size_t i = 0; i < advice_columns(t); i++) {
        const sniff_cells *c = &t->rows.columns[i];
        size_t whole = c->of[CELL_ZERO] + c->of[CELL_ONE] + c->of[CELL_COUNT];
        if (c->of[CELL_ZERO] == 0 || whole < advice_filled(c)) return false;
    }
    return t->header.n_fields > 2;
}

/* Guesses the columns of a long table: by their names, or else the first column as the transaction
 * and another column of text as the item. */
static void advice_guess(advice *a) {
    const sniff_header *h = &a->t->header;
    a->tid = h->tid != SNIFF_NONE ? h->tid : 0;
    a->item = h->item != SNIFF_NONE ? h->item : SNIFF_NONE;
    if (a->item == a->tid) a->tid = a->item == 0;
    for (size_t i = 0; a->item == SNIFF_NONE && i < advice_columns(a->t); i++) {
        const sniff_cells *c = &a->t->rows.columns[i];
        if (i != a->tid && 2 * c->of[CELL_TEXT] > advice_filled(c)) a->item = i;
    }
    if (a->item == SNIFF_NONE) a->item = a->tid == 0;
}

/* ---- Does it look like a table of categories? ---- */

/* The distinct values below the first record, each with the set of its columns. */
typedef struct advice_values {
    char texts[ADVICE_VALUES][ADVICE_NAME];
    uint64_t columns[ADVICE_VALUES];
    size_t n, n_cells;
    bool repeats; /* a record has a value twice, as a basket hardly has */
} advice_values;

static size_t advice_find(const advice_values *v, const csv_field *f) {
    size_t i = 0;
    while (i < v->n && (strlen(v->texts[i]) != f->n || memcmp(v->texts[i], f->text, f->n) != 0))
        i++;
    return i;
}

/* Returns whether there are few values so far. */
static bool advice_note(advice_values *v, const csv_field *f, size_t column) {
    bool yes;
    if (cell_look(f->text, f->n, &yes) == CELL_BLANK) return true;
    size_t i = advice_find(v, f);
    if (i == ADVICE_VALUES || f->n >= ADVICE_NAME) return false;
    if (i == v->n) {
        memcpy(v->texts[i], f->text, f->n);
        v->texts[v->n++][f->n] = 0;
    }
    v->columns[i] |= 1ull << (column < 63 ? column : 63);
    v->n_cells++;
    return true;
}

/* Collects the values below the first record, if they are few. */
static lode_status advice_collect(const advice *a, csv_cursor c, advice_values *v, bool *few) {
    lode_status status = LODE_OK;
    *few = true;
    for (size_t i = 0; *few && i < a->t->rows.n && csv_begin(&c); i++) {
        csv_field f = {0};
        uint64_t seen = 0; /* values of this record */
        for (size_t column = 0; *few && !f.last; column++) {
            LODE_TRY(csv_next(&c, &f));
            *few = advice_note(v, &f, column);
            size_t value = *few ? advice_find(v, &f) : v->n;
            if (value == v->n) continue;
            v->repeats |= seen >> value & 1;
            seen |= 1ull << value;
        }
    }
    *few = *few && v->n_cells >= 3 * v->n;
done:
    return status;
}

/* Warns if all lines have equally many fields, the words of the first occur in no other line, and
 * few values, some of them in several columns, make up the others. *found: they do. `header_given`:
 * the first line is already left out. */
static lode_status advice_categories(const advice *a, bool header_given, bool *found) {
    lode_status status = LODE_OK;
    const sniff_table *t = a->t;
    vec_char unquoted = {0};
    bool bare = false, few;
    advice_values v = {.n = 0};
    csv_cursor c = sniff_cursor(a->s, &unquoted, &bare), header;
    csv_field f = {0};
    size_t shared = 0;
    char name[ADVICE_NAME] = "";
    *found = false;
    if (t->above > 0 || t->header.n_fields < 2 || t->header.n_text < t->header.n_fields) goto done;
    if (t->rows.n < ADVICE_LINES || t->rows.n_even < t->rows.n) goto done;
    csv_begin(&c);
    header = c;
    csv_skip(&c);
    LODE_TRY(advice_collect(a, c, &v, &few));
    while (shared < v.n && (v.columns[shared] & (v.columns[shared] - 1)) == 0) shared++;
    if (!few || shared == v.n || !v.repeats) goto done;
    for (size_t column = 0; !f.last; column++) {
        LODE_TRY(csv_next(&header, &f));
        if (advice_find(&v, &f) < v.n) goto done;
        bool first = !name[0] && (v.columns[shared] >> (column < 63 ? column : 63) & 1);
        bool fits = f.n < sizeof name;
        if (first)
            snprintf(name, sizeof name, "%.*s", fits ? (int)f.n : 6, fits ? f.text : "column");
    }
    *found = true;
    char looks[64] = "", out[96] = "";
    if (!header_given) {
        snprintf(looks, sizeof looks, " line %zu looks like a header, and", a->line);
        snprintf(out, sizeof out, " to leave line %zu out, use --format basket --header;", a->line);
    }
    job_log(a->s->job, LODE_LOG_WARNING,
            "%s: read as baskets, one per line, but%s equal values of different columns, such as "
            "'%s', count as one item; --format attributes keeps them apart, as items such as "
            "%s=%s;%s if these are baskets, use --format basket%s",
            a->s->name, looks, v.texts[shared], name, v.texts[shared], out,
            header_given ? " --header" : "");
done:
    vec_char_free(&a->s->job->mem, &unquoted);
    return status == LODE_PARSE ? LODE_OK : status;
}

/* ---- Does it look like something that is not baskets at all? ---- */

/* Whether there are empty lines between others, as between every two records of some exports. */
static bool advice_has_gaps(const sniff_text *s) {
    for (size_t i = 0; i + 2 < s->n; i++) {
        bool feeds = s->text[i] == '\n' && s->text[i + 1] == '\n';
        bool pairs = i + 4 < s->n && memcmp(s->text + i, "\r\n\r\n", 4) == 0;
        if (feeds || pairs) return true;
    }
    return false;
}

/* Warns if the first line begins with "# ", which would be an item. */
static void advice_comment(const sniff_text *s) {
    if (s->n < 2 || memcmp(s->text, "# ", 2) != 0) return;
    job_log(
        s->job, LODE_LOG_WARNING,
        "%s: line 1 begins with '# ' and is read as a basket; if such lines are comments, leave "
        "them out: grep -v '^#' FILE | lode ... -",
        s->name);
}

/* The number of numbers in a line that has tabs and no blanks between them; 0 = it has others. */
static size_t advice_tabbed(const char *line, const char *end) {
    size_t n = 1;
    for (const char *p = line; p < end; p++) {
        bool inner = p > line && p + 1 < end && p[-1] != '\t';
        if (*p == '\t' && inner) {
            n++;
        } else if (*p < '0' || *p > '9') {
            return 0;
        }
    }
    return n > 1 ? n : 0;
}

void sniff_advise_numbers(const sniff_text *s) {
    const char *end = s->text + s->n;
    size_t n = 0, lines = 0;
    bool flags = true;
    for (const char *line = s->text, *stop; line < end; lines++) {
        stop = line_find(line, end);
        if (stop == end && lines > 0) break; /* it may be cut */
        size_t here = advice_tabbed(line, stop);
        if (here == 0 || (n > 0 && here != n) || here > ADVICE_NUMBERS) return;
        n = here;
        for (const char *p = line; p < stop; p++) flags = flags && (*p == '\t' || (*p | 1) == '1');
        line = stop < end ? stop + line_end_bytes(stop, end) : end;
    }
    if (lines < ADVICE_LINES || flags) return;
    job_log(
        s->job, LODE_LOG_WARNING,
        "%s: read as baskets of numbers, one per line, but every line has %zu numbers with tabs "
        "between them; if each line is a transaction and an item, use --format table --tid 1 "
        "--item 2; if these are baskets, use --format fimi",
        s->name, n);
}

/* ---- The warnings ---- */

/* Writes " --ignore NAME" for the columns that have dates or text and so are no items, unless their
 * name says that they are ids. */
static lode_status advice_ignored(const advice *a, char *out, size_t bytes) {
    lode_status status = LODE_OK;
    advice_column column;
    unsigned named = 0;
    for (size_t i = 0; i < advice_columns(a->t) && named < ADVICE_IGNORED; i++) {
        const sniff_cells *c = &a->t->rows.columns[i];
        bool id = i == a->t->header.tid || (i == 0 && a->t->header.has_index);
        if (id || c->of[CELL_DATE] + c->of[CELL_TEXT] < a->t->rows.n) continue;
        LODE_TRY(advice_name(a, i, &column));
        append_text(out, bytes, " --ignore %s", column.text);
        named++;
    }
done:
    return status;
}

static lode_status advice_table(advice *a) {
    lode_status status = LODE_OK;
    char onehot[ADVICE_IGNORED * (ADVICE_NAME + 20) + 64] = "";
    advice_column tid, item;
    advice_guess(a);
    LODE_TRY(advice_name(a, a->tid, &tid));
    LODE_TRY(advice_name(a, a->item, &item));
    bool numbers = 2 * advice_numbers(&a->t->rows.rest) > advice_filled(&a->t->rows.rest);
    char table[3 * ADVICE_NAME + 128] = "";
    char looks[64] = "its cells look like numbers, prices or dates";
    if (advice_is_pairs(a->t)) snprintf(looks, sizeof looks, "every line has two fields");
    if (a->is_header) snprintf(looks, sizeof looks, "line %zu looks like a header", a->line);
    if (!a->is_header || !advice_is_counts(a->t)) {
        snprintf(table, sizeof table,
                 " if each line is a transaction and an item, use --format table --tid %s --item "
                 "%s%s%s;",
                 tid.text, item.text, a->is_header && tid.number && item.number ? " --header" : "",
                 advice_has_gaps(a->s) ? " --skip-bad-lines" : "");
    }
    if (a->is_header && numbers) {
        append_text(onehot, sizeof onehot, " if each column is an item, use --format onehot");
        LODE_TRY(advice_ignored(a, onehot, sizeof onehot));
        append_text(onehot, sizeof onehot, ";");
    }
    job_log(a->s->job, LODE_LOG_WARNING,
            "%s: read as baskets, one per line, but %s;%s%s if these are baskets, use --format "
            "basket%s",
            a->s->name, looks, table, onehot, a->is_header ? " --header" : "");
done:
    return status;
}

/* Warns about a header above baskets. A column named like a transaction, or a first column of
 * numbers, may contain their ids. */
static lode_status advice_header(advice *a) {
    lode_status status = LODE_OK;
    const sniff_header *h = &a->t->header;
    advice_column tid = {.text = ""};
    bool first = advice_all_numbers(&a->t->rows.columns[0]);
    size_t column = h->tid != SNIFF_NONE ? h->tid : first ? 0 : SNIFF_NONE;
    if (column != SNIFF_NONE) LODE_TRY(advice_name(a, column, &tid));
    job_log(a->s->job, LODE_LOG_WARNING,
            "%s: read as baskets, one per line, but line %zu looks like a header; if it is one, "
            "use --format basket --header%s%s, which leaves it%s out; if not, use --format basket",
            a->s->name, a->line, tid.text[0] ? " --tid " : "", tid.text,
            tid.text[0] ? " and that column" : "");
done:
    return status;
}

/* ---- Does every line hold one name? ---- */

/* The distinct lines, and how many lines there are. */
typedef struct advice_lines {
    csv_field lines[ADVICE_DISTINCT];
    size_t n, all;
} advice_lines;

/* Collects the lines; returns false if too many differ. */
static bool advice_collect_lines(const sniff_text *s, advice_lines *v) {
    const char *end = s->text + s->n;
    for (const char *p = s->text; p < end && v->all < SNIFF_RECORDS; v->all++) {
        const char *stop = line_find(p, end);
        csv_field f = {.text = p, .n = (size_t)(stop - p)};
        size_t i = 0;
        while (i < v->n && (v->lines[i].n != f.n || memcmp(v->lines[i].text, f.text, f.n) != 0))
            i++;
        if (i == ADVICE_DISTINCT) return false;
        if (i == v->n && f.n > 0) v->lines[v->n++] = f;
        p = stop < end ? stop + line_end_bytes(stop, end) : end;
    }
    return true;
}

/* Whether a word of a line is in another of the distinct lines. */
static bool advice_shares(const advice_lines *v, size_t line, const char *word, size_t n) {
    for (size_t i = 0; i < v->n; i++) {
        const char *at = v->lines[i].text, *end = at + v->lines[i].n;
        for (; i != line && at < end; at++) {
            size_t length = strcspn(at, " \t\r\n");
            if (length > (size_t)(end - at)) length = (size_t)(end - at);
            if (length == n && memcmp(at, word, n) == 0) return true;
            at += length;
        }
    }
    return false;
}

/* Warns of lines that are divided at blanks, but seem to be names such as "whole milk": they are
 * short, each occurs three times or more on average, and few words are in two distinct lines. In
 * baskets, items are. *found: it has warned. */
static void advice_blanks(const advice *a, bool *found) {
    const sniff_text *s = a->s;
    advice_lines v = {.n = 0};
    size_t words = 0, shared = 0, several = SNIFF_NONE;
    *found = false;
    if (s->separator != ' ' || !advice_collect_lines(s, &v)) return;
    for (size_t i = 0; i < v.n; i++) {
        const char *at = v.lines[i].text, *end = at + v.lines[i].n;
        size_t in_line = 0;
        for (; at < end; at++) {
            size_t length = strcspn(at, " \t\r\n");
            if (length > (size_t)(end - at)) length = (size_t)(end - at);
            shared += length > 0 && advice_shares(&v, i, at, length);
            in_line += length > 0;
            at += length;
        }
        if (in_line > ADVICE_WORDS) return;
        if (in_line > 1 && several == SNIFF_NONE) several = i;
        words += in_line;
    }
    *found = several != SNIFF_NONE && v.n >= 2 && v.all >= 3 * v.n && 3 * shared <= words;
    if (!*found) return;
    job_log(s->job, LODE_LOG_WARNING,
            "%s: read as baskets whose items are separated by blanks, but lines such as '%.*s' "
            "occur again and again as a whole; if each line is one name, use --separator tab; if "
            "these are baskets, use --format basket",
            s->name, (int)v.lines[several].n, v.lines[several].text);
}

static lode_status advice_basket(advice *a, bool header_given) {
    const sniff_table *t = a->t;
    bool blanks;
    advice_comment(a->s);
    advice_blanks(a, &blanks);
    if (blanks) return LODE_OK;
    a->even = t->rows.n > 0 && 4 * t->rows.n_even >= 3 * t->rows.n;
    a->is_header = advice_is_header(t, a->even);
    bool table = a->even && t->rows.n > 2 && t->header.n_fields > 1 && advice_is_table(t);
    if (a->is_header && (!a->even || t->header.n_numbered > 1)) return advice_header(a);
    if (a->is_header) return advice_table(a);
    bool categories;
    lode_status status = advice_categories(a, header_given, &categories);
    if (status != LODE_OK || categories) return status;
    if (table || advice_is_pairs(t)) return advice_table(a);
    if (!advice_has_ids(t)) return LODE_OK;
    job_log(a->s->job, LODE_LOG_WARNING,
            "%s: read as baskets, one per line, but the first column looks like transaction ids or "
            "dates; --format basket --tid 1 leaves it out, --format basket keeps it",
            a->s->name);
    return LODE_OK;
}

static lode_status advice_onehot(advice *a, const lode_read_options *options) {
    lode_status status = LODE_OK;
    advice_column column;
    const sniff_table *t = a->t;
    a->is_header = true;
    if (t->guessed_id && !options->tid_column) {
        LODE_TRY(advice_name(a, t->rows.id, &column));
        job_log(
            a->s->job, LODE_LOG_WARNING,
            "%s: column %s is read as transaction ids, not as an item; use --tid to name another",
            a->s->name, column.text);
    }
    if (t->header.total != SNIFF_NONE) {
        LODE_TRY(advice_name(a, t->header.total, &column));
        job_log(a->s->job, LODE_LOG_INFO, "%s: left out column %s, which looks like totals",
                a->s->name, column.text);
    }
    if (t->counts && options->format == LODE_FORMAT_AUTO) {
        job_log(a->s->job, t->sure ? LODE_LOG_INFO : LODE_LOG_WARNING,
                "%s: read as onehot with quantities: a value above 0 means that the transaction "
                "has the item",
                a->s->name);
    }
done:
    return status;
}

/* A table for which options give the columns: by number, or only one of them. */
static lode_status advice_given(advice *a, const lode_read_options *o) {
    lode_status status = LODE_OK;
    const sniff_header *h = &a->t->header;
    bool by_name = (o->tid_column && !columns_number(o->tid_column)) ||
                   (o->item_column && !columns_number(o->item_column));
    bool named = h->tid_rank > 0 && h->item_rank > 0; /* as in table.c */
    bool even = a->t->rows.n > 0 && 4 * a->t->rows.n_even >= 3 * a->t->rows.n;
    if (!by_name && !o->header && !named && advice_is_header(a->t, even)) {
        job_log(a->s->job, LODE_LOG_WARNING,
                "%s: line %zu is read as data, but looks like a header; --header leaves it out",
                a->s->name, a->line);
    }
    bool wide = h->n_fields > 2 && (h->item == SNIFF_NONE || h->n_numbered > 1);
    if (o->item_column || o->format != LODE_FORMAT_AUTO || !wide) return LODE_OK;
    advice_column tid;
    bool header = by_name || o->header || advice_is_header(a->t, even);
    a->is_header = by_name;
    LODE_TRY(advice_name(a, h->asked_tid, &tid));
    job_log(a->s->job, LODE_LOG_WARNING,
            "%s: read as a table with one transaction id and one item per line; use --item to name "
            "the column of items; if each line is a basket, use --format basket%s --tid %s",
            a->s->name, header ? " --header" : "", tid.text);
done:
    return status;
}

lode_status sniff_advise(const sniff_text *s, const lode_read_options *options,
                         const sniff_result *result, const sniff_table *table) {
    advice a = {.s = s, .t = table, .line = result->above + 1};
    if (table->above > 0) {
        job_log(s->job, LODE_LOG_INFO,
                "%s: left out %u line%s above the header that look%s like a title", s->name,
                table->above, table->above == 1 ? "" : "s", table->above == 1 ? "s" : "");
    }
    if (result->format == LODE_FORMAT_ONEHOT) return advice_onehot(&a, options);
    bool given = options->tid_column || options->item_column;
    if (result->format == LODE_FORMAT_TABLE && given) return advice_given(&a, options);
    bool basket = result->format == LODE_FORMAT_BASKET && options->format == LODE_FORMAT_AUTO;
    return basket ? advice_basket(&a, options->header) : LODE_OK;
}
