/* sniff.c - which format is this? Told from the first lines
 *
 *     starts with @ ............................. spmf
 *     numbers between blanks, nearly all ........ fimi (also an empty file); a stray word in such a
 *                                                 file is a mistake, not an item
 *     else the separator: of , ; tab | the one that most lines have, and most alike; none: blank
 *     a header over true-or-false cells ......... onehot
 *     a header with usual column names .......... table (also if columns were asked for)
 *     else ...................................... basket
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "format/columns.h"
#include "format/read.h"

#define SNIFF_BYTES   ((size_t)64 << 10)
#define SNIFF_RECORDS 200

/* The text that is looked at: whole lines, unless there is only a piece of one. */
typedef struct sniff_text {
    mem *mem;
    const char *text;
    size_t n;
} sniff_text;

static bool sniff_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Three words in four are numbers. */
static bool sniff_is_fimi(const sniff_text *s) {
    size_t words = 0, numbers = 0;
    for (size_t i = 0; i < s->n;) {
        if (sniff_is_blank(s->text[i])) {
            i++;
            continue;
        }
        bool number = true;
        for (; i < s->n && !sniff_is_blank(s->text[i]); i++) {
            number = number && s->text[i] >= '0' && s->text[i] <= '9';
        }
        words++;
        numbers += number;
    }
    return 4 * numbers >= 3 * words;
}

/* ---- The separator ---- */

static const char sniff_separators[] = {',', ';', '\t', '|'};

static bool sniff_is_separator(char byte) {
    return byte == ' ' || memchr(sniff_separators, byte, sizeof sniff_separators);
}

/* How often the separator occurs outside of quotes. The fields are not known yet, so a quote opens
 * after whatever may be a separator; "" inside closes and opens, which comes to the same. */
static size_t sniff_count(const char *line, size_t n, char separator) {
    size_t count = 0;
    bool quoted = false;
    for (size_t i = 0; i < n; i++) {
        if (line[i] == '"') {
            bool opens = i == 0 || line[i - 1] == '"' || sniff_is_separator(line[i - 1]);
            quoted = !quoted && opens;
        } else {
            count += !quoted && line[i] == separator;
        }
    }
    return count;
}

/* How well a separator explains the lines: lines that have it, and of these, lines that have it as
 * often as the line before. */
static size_t sniff_rate(const sniff_text *s, char separator) {
    size_t with = 0;
    size_t alike = 0;
    size_t before = SIZE_MAX;
    size_t lines = 0;
    const char *end = s->text + s->n;
    for (const char *p = s->text; p < end && lines < SNIFF_RECORDS; lines++) {
        size_t length = csv_cut(p, (size_t)(end - p), separator, true);
        if (length == 0) length = (size_t)(end - p);
        size_t count = sniff_count(p, length, separator);
        with += count > 0;
        alike += count > 0 && count == before;
        before = count;
        p += length;
    }
    return 2 * with + alike;
}

static char sniff_separator(const sniff_text *s) {
    char best = ' ';
    size_t best_rate = 0;
    for (size_t i = 0; i < sizeof sniff_separators; i++) {
        size_t rate = sniff_rate(s, sniff_separators[i]);
        if (rate <= best_rate) continue;
        best_rate = rate;
        best = sniff_separators[i];
    }
    return best;
}

/* ---- Records ---- */

typedef struct sniff_record {
    size_t n_fields;
    size_t n_truths; /* fields that say true or false */
    bool has_transaction, has_item;
    bool has_index;   /* the first is called like a column of row numbers */
    bool first_truth; /* the first says true or false */
} sniff_record;

static lode_status sniff_read_record(csv_cursor *c, sniff_record *out) {
    lode_status status = LODE_OK;
    csv_field field;
    *out = (sniff_record){0};
    do {
        status = csv_next(c, &field);
        if (status != LODE_OK) break;
        bool truth = columns_truth(field.text, field.n) >= 0;
        if (out->n_fields++ == 0) {
            out->has_index = columns_is_index(field.text, field.n);
            out->first_truth = truth;
        }
        out->n_truths += truth;
        out->has_transaction |= columns_is_transaction(field.text, field.n);
        out->has_item |= columns_is_item(field.text, field.n);
    } while (!field.last);
    return status;
}

/* Whether the records after the header are as many true-or-false fields as it has names; what is in
 * a column of row numbers does not matter. */
static lode_status sniff_is_onehot(csv_cursor *c, const sniff_record *header, bool *out) {
    lode_status status = LODE_OK;
    size_t rows = 0;
    size_t index = header->has_index;
    *out = false;
    if (header->n_fields < 2 + index || header->n_truths == header->n_fields) return LODE_OK;
    while (rows < SNIFF_RECORDS && csv_begin(c)) {
        sniff_record row;
        LODE_TRY(sniff_read_record(c, &row));
        bool blank = row.n_fields == 1 && row.n_truths == 1;
        if (blank) continue;
        size_t needless = index && !row.first_truth;
        if (row.n_fields != header->n_fields) return LODE_OK;
        if (row.n_truths + needless != row.n_fields) return LODE_OK;
        rows++;
    }
    *out = rows > 0;
done:
    return status;
}

static lode_status sniff_records(const sniff_text *s, char separator, lode_format *format) {
    lode_status status = LODE_OK;
    vec_char unquoted = {0};
    sniff_record header;
    bool onehot = false;
    bool bare;
    csv_cursor c = {.at = s->text,
                    .end = s->text + s->n,
                    .separator = separator,
                    .mem = s->mem,
                    .unquoted = &unquoted,
                    .bare = &bare};
    *format = LODE_FORMAT_BASKET;
    csv_begin(&c);
    LODE_TRY(sniff_read_record(&c, &header));
    if (header.has_transaction && header.has_item) {
        *format = LODE_FORMAT_TABLE;
    } else {
        LODE_TRY(sniff_is_onehot(&c, &header, &onehot));
        if (onehot) *format = LODE_FORMAT_ONEHOT;
    }
done:
    vec_char_free(s->mem, &unquoted);
    return status == LODE_PARSE ? LODE_OK : status; /* the reader will say what is malformed */
}

/* "t # …", and a vertex below: nobody sells that. (lode_graphs_sniff() is content with less, where
 * graphs may be meant.) */
static bool sniff_is_graphs(const sniff_text *s) {
    const char *line = s->n > 3 && memcmp(s->text, "t # ", 4) == 0 ? s->text : NULL;
    if (line) line = memchr(line, '\n', s->n);
    return line && s->n - (size_t)(line - s->text) > 2 && memcmp(line, "\nv ", 3) == 0;
}

/* What can be told without the separator; AUTO if nothing can. */
static lode_format sniff_format(const sniff_text *s, const lode_read_options *o) {
    if (o->format != LODE_FORMAT_AUTO) return o->format;
    if (o->tid_column || o->item_column) return LODE_FORMAT_TABLE;
    if (s->n > 0 && s->text[0] == '@') return LODE_FORMAT_SPMF;
    if (!o->separator && !o->header && sniff_is_fimi(s)) return LODE_FORMAT_FIMI;
    return o->header ? LODE_FORMAT_BASKET : LODE_FORMAT_AUTO;
}

lode_status sniff(input *in, const lode_read_options *options, sniff_result *out) {
    sniff_text s = {0};
    bool complete;
    lode_status status = input_peek(in, SNIFF_BYTES, &s.text, &s.n, &complete);
    if (status != LODE_OK) return status;
    s.mem = input_mem(in);
    size_t whole = complete ? s.n : input_cut_lines(s.text, s.n, 0, false);
    if (whole > 0) s.n = whole;
    *out = (sniff_result){sniff_format(&s, options), options->separator, false};
    out->graphs = out->format == LODE_FORMAT_AUTO && sniff_is_graphs(&s);
    if (out->format == LODE_FORMAT_FIMI || out->format == LODE_FORMAT_SPMF) return LODE_OK;
    if (!out->separator) out->separator = sniff_separator(&s);
    if (out->format != LODE_FORMAT_AUTO) return LODE_OK;
    return sniff_records(&s, out->separator, &out->format);
}
