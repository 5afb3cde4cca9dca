/* sniff.c - recognises the format of a file by its first lines
 *
 *     it begins as JSON does .................... json: see json_look.h
 *     it begins with @ .......................... spmf
 *     nearly all words are numbers .............. fimi (also an empty file); a stray word in such a
 *                                                 file is a mistake, not an item
 *
 *     Otherwise the separator is found first. Of ; tab | , it is the one that occurs in most lines,
 *     and equally often in each; malformed lines do not count. If there is none, it is a blank. A
 *     first line "sep=;", as Excel writes it, sets the separator.
 *
 *     a header with usual column names .......... table (also if options name columns)
 *     a header over true-or-false cells ......... onehot
 *     otherwise ................................. basket
 *
 * SNIFF_LEAST bytes are examined, and more until there are eight lines or SNIFF_MOST bytes, because
 * the header of a table with many columns may be long.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/sniff.h"

#include <string.h>

#include "read/json_look.h"
#include "read/line_ends.h"

#define SNIFF_LEAST        ((size_t)64 << 10)
#define SNIFF_MOST         ((size_t)16 << 20)
#define SNIFF_BUDGET_SHARE 32
#define SNIFF_LINES        8

static bool sniff_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Counts words, and words that are numbers. */
static void sniff_count_words(const char *text, size_t n, size_t *words, size_t *numbers) {
    *words = *numbers = 0;
    for (size_t i = 0; i < n;) {
        if (sniff_is_blank(text[i])) {
            i++;
            continue;
        }
        bool number = true;
        for (; i < n && !sniff_is_blank(text[i]); i++) {
            number = number && text[i] >= '0' && text[i] <= '9';
        }
        ++*words;
        *numbers += number;
    }
}

/* At least three words in four are numbers. */
static bool sniff_is_fimi(const sniff_text *s) {
    size_t words, numbers;
    sniff_count_words(s->text, s->n, &words, &numbers);
    return 4 * numbers >= 3 * words;
}

/* Whether there are only 0s and 1s: such lines are flags, not transactions of two items. */
static bool sniff_are_flags(const char *text, size_t n) {
    size_t i = 0;
    while (i < n && (sniff_is_blank(text[i]) || text[i] == '0' || text[i] == '1')) i++;
    return i == n;
}

/* Whether the first line of a file of numbers may be a header: it has several words. In a file with
 * tabs it may also have one word, an empty name above row numbers, or numbers above flags. */
static bool sniff_may_have_header(const sniff_text *s) {
    size_t words, numbers;
    size_t line = (size_t)(line_find(s->text, s->text + s->n) - s->text);
    sniff_count_words(s->text, line, &words, &numbers);
    if (words > 1 && numbers == 0) return true;
    if (line == 0 || !memchr(s->text, '\t', line)) return false;
    bool flags = line < s->n && sniff_are_flags(s->text + line, s->n - line);
    return numbers < words || s->text[0] == '\t' || flags;
}

/* ---- The separator ---- */

/* Of separators that explain the lines equally well, takes the first: commas may be decimal commas,
 * or text. */
static const char sniff_separators[] = {';', '\t', '|', ','};

static bool sniff_is_separator(char byte) {
    return byte == ' ' || memchr(sniff_separators, byte, sizeof sniff_separators);
}

/* Counts separators outside of quotes. Fields are not known yet, so a quote opens after any
 * character that may be a separator; "" within quotes closes and opens again. */
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

/* Goes to the end of a record; returns false if it is malformed. */
static bool sniff_pass(csv_cursor *c) {
    csv_field f = {0};
    while (!f.last) {
        if (csv_next(c, &f) == LODE_OK) continue;
        csv_skip(c);
        return false;
    }
    return true;
}

/* Rates how well a separator explains the records: two points for each record that has it, and one
 * more if it occurs as often as in the previous record. Malformed records count only with `all`. */
static size_t sniff_rate(const sniff_text *s, char separator, bool all) {
    size_t with = 0;
    size_t alike = 0;
    size_t before = SIZE_MAX;
    bool bare = false;
    vec_char unquoted = {0};
    csv_cursor c = sniff_cursor(s, &unquoted, &bare);
    c.separator = separator;
    for (size_t records = 0; records < SNIFF_RECORDS && csv_begin(&c); records++) {
        if (records > 1 && c.at - s->text > (ptrdiff_t)SNIFF_LEAST) break;
        if (!sniff_pass(&c) && !all) continue;
        size_t count = sniff_count(c.record, (size_t)(c.at - c.record), separator);
        with += count > 0;
        alike += count > 0 && count == before;
        before = count;
    }
    vec_char_free(&s->job->mem, &unquoted);
    return 2 * with + alike;
}

/* By the well-formed records; if no separator occurs in these, by all records. */
static char sniff_separator(const sniff_text *s) {
    char best = ' ';
    size_t best_rate = 0;
    for (int all = 0; all <= 1 && best_rate == 0; all++) {
        for (size_t i = 0; i < sizeof sniff_separators; i++) {
            size_t rate = sniff_rate(s, sniff_separators[i], all);
            if (rate <= best_rate) continue;
            best_rate = rate;
            best = sniff_separators[i];
        }
    }
    return best;
}

/* Reads a first line sep=C or "sep=C". Returns its length; 0 = there is no such line. */
static size_t sniff_said_separator(const sniff_text *s, char *separator) {
    static const char key[] = "sep=";
    const char *end = s->text + s->n;
    const char *p = s->text;
    bool quoted = p < end && *p == '"';
    p += quoted;
    for (size_t i = 0; key[i]; i++, p++) {
        if (p == end || (*p | 0x20) != (key[i] | 0x20)) return 0;
    }
    if (p == end || *p == '\n' || *p == '\r' || *p == '"') return 0;
    *separator = *p++;
    if (quoted && (p == end || *p++ != '"')) return 0;
    const char *line_end = line_find(p, end);
    for (; p < line_end; p++) {
        if (*p != ' ' && *p != *separator) return 0;
    }
    return (size_t)(p - s->text) + (p < end ? line_end_bytes(p, end) : 0);
}

/* ---- The text ---- */

/* Peeks at more and more text until there are enough lines. *whole: the text is whole lines. */
static lode_status sniff_peek(sniff_text *s, input *in, size_t least, bool *whole) {
    size_t most = mem_budget(&s->job->mem) / SNIFF_BUDGET_SHARE;
    if (most > SNIFF_MOST) most = SNIFF_MOST;
    for (size_t bytes = SNIFF_LEAST;; bytes *= 2) {
        bool complete;
        lode_status status = input_peek(in, bytes, &s->text, &s->n, &complete);
        if (status != LODE_OK) return status;
        size_t cut = complete ? s->n : line_cut(s->text, s->n);
        *whole = complete || cut > 0;
        bool enough = complete || line_count(s->text, s->text + cut) >= least;
        if (!enough && bytes < most) continue;
        if (cut > 0) s->n = cut;
        return LODE_OK;
    }
}

/* Whether a line "t # …" is followed by a vertex, which does not look like a basket.
 * (lode_graphs_sniff() accepts more: it is for files that are expected to contain graphs.) */
static bool sniff_is_graphs(const sniff_text *s) {
    const char *end = s->text + s->n;
    const char *line = s->n > 3 && memcmp(s->text, "t # ", 4) == 0 ? s->text : end;
    line = line_find(line, end);
    if (line < end) line += line_end_bytes(line, end);
    return end - line > 1 && memcmp(line, "v ", 2) == 0;
}

/* Whether a first line with @ is none of those that spmf files have, such as @ITEM=1=milk. */
static bool sniff_is_odd_spmf(const sniff_text *s) {
    size_t i = 1;
    while (i < s->n && ((s->text[i] >= 'A' && s->text[i] <= 'Z') || s->text[i] == '_')) i++;
    return i == 1 || (i < s->n && s->text[i] != '=' && !sniff_is_blank(s->text[i]));
}

/* Whether the text begins with what no record is in JSON. */
static bool sniff_is_odd_json(const sniff_text *s) {
    size_t i = 0;
    while (i < s->n && sniff_is_blank(s->text[i])) i++;
    return i < s->n && s->text[i] != '[' && s->text[i] != '{';
}

/* The format, if the separator is not needed to recognise it; else AUTO. */
static lode_format sniff_format(const sniff_text *s, const lode_read_options *o) {
    if (o->format != LODE_FORMAT_AUTO) return o->format;
    if (o->tid_column || o->item_column) return LODE_FORMAT_AUTO;
    if (o->weight_column || o->drop_rows || o->ignore) return LODE_FORMAT_AUTO;
    if (s->n > 0 && s->text[0] == '@') return LODE_FORMAT_SPMF;
    return !o->separator && !o->header && sniff_is_fimi(s) ? LODE_FORMAT_FIMI : LODE_FORMAT_AUTO;
}

/* Finds the separator, and recognises the format by the fields. If they do not decide it, the
 * format is `otherwise`. `quiet` suppresses warnings. */
static lode_status sniff_fields(sniff_text *s, const lode_read_options *o, lode_format otherwise,
                                bool quiet, sniff_result *out) {
    sniff_table table;
    s->separator = o->separator;
    size_t said = out->sheet ? 0 : sniff_said_separator(s, &out->separator);
    s->text += said;
    s->n -= said;
    if (!s->separator) s->separator = said > 0 ? out->separator : sniff_separator(s);
    out->separator = s->separator;
    out->above = said > 0;
    if (out->format == LODE_FORMAT_BASKET || out->format == LODE_FORMAT_ATTRIBUTES) return LODE_OK;
    lode_status status = sniff_find_table(s, o, &table);
    if (status != LODE_OK) return status;
    if (out->format == LODE_FORMAT_AUTO) out->format = table.format;
    if (out->format == LODE_FORMAT_BASKET) out->format = otherwise;
    out->id_column = table.rows.id;
    out->total = table.header.total;
    if (out->format == LODE_FORMAT_FIMI) return LODE_OK;
    if (!quiet) status = sniff_advise(s, o, out, &table);
    out->above += table.above;
    return status;
}

/* Notes whether the lines may have the separator of the first file, and how many there are. */
static void sniff_compare(const sniff_text *s, const sniff_result *first, sniff_result *out) {
    if (!first) return;
    out->n_lines = (size_t)line_count(s->text, s->text + s->n);
    out->has_first = s->n > 0 && memchr(s->text, first->separator, s->n) != NULL;
}

/* Whether the file is JSON: because options say so, by its text, or as the first file is. */
static bool sniff_is_json(const sniff_text *s, const lode_read_options *o,
                          const sniff_result *first) {
    if (o->format != LODE_FORMAT_AUTO) return o->format == LODE_FORMAT_JSON;
    if (o->separator || o->header) return false;
    return (first && first->format == LODE_FORMAT_JSON) || json_recognise(s->job, s->text, s->n);
}

/* The sheet of a workbook: its text has commas between cells, and is nothing else. */
static lode_status sniff_sheet(sniff_text *s, input *in, const lode_read_options *options,
                               const sniff_result *first, sniff_result *out) {
    bool whole, columns = options->tid_column || options->item_column;
    lode_read_options known = *options;
    known.separator = ',';
    out->format = options->format;
    lode_status status = sniff_peek(s, in, SNIFF_LINES, &whole);
    if (status != LODE_OK) return status;
    sniff_compare(s, first, out);
    return sniff_fields(s, &known, columns ? LODE_FORMAT_TABLE : LODE_FORMAT_BASKET, first != NULL,
                        out);
}

lode_status sniff(lode_job *job, input *in, const lode_read_options *options,
                  const sniff_result *first, sniff_result *out) {
    bool whole;
    sniff_text s = {.job = job, .name = input_name(in)};
    lode_status status = sniff_peek(&s, in, 0, &whole);
    if (status != LODE_OK) return status;
    *out = (sniff_result){.format = sniff_format(&s, options),
                          .separator = options->separator,
                          .sheet = input_sheet(in) != NULL,
                          .id_column = SNIFF_NONE,
                          .total = SNIFF_NONE};
    if (out->sheet) return sniff_sheet(&s, in, options, first, out);
    out->odd_spmf = options->format == LODE_FORMAT_AUTO && out->format == LODE_FORMAT_SPMF &&
                    sniff_is_odd_spmf(&s);
    sniff_compare(&s, first, out);
    if (sniff_is_json(&s, options, first)) {
        out->format = LODE_FORMAT_JSON;
        out->odd_json = options->format == LODE_FORMAT_JSON && sniff_is_odd_json(&s);
        return json_look(&s, options, &out->json);
    }
    bool columns = options->tid_column || options->item_column;
    lode_format otherwise = columns ? LODE_FORMAT_TABLE : LODE_FORMAT_BASKET;
    bool told = options->format == LODE_FORMAT_FIMI || out->format == LODE_FORMAT_SPMF;
    if (!told && out->format == LODE_FORMAT_FIMI && sniff_may_have_header(&s)) {
        out->format = LODE_FORMAT_AUTO;
        otherwise = LODE_FORMAT_FIMI;
    }
    out->graphs = out->format == LODE_FORMAT_AUTO && sniff_is_graphs(&s);
    if (!told && out->format == LODE_FORMAT_FIMI && !first) sniff_advise_numbers(&s);
    if (told || out->format == LODE_FORMAT_FIMI || out->graphs) return LODE_OK;
    status = sniff_peek(&s, in, SNIFF_LINES, &whole);
    if (status != LODE_OK) return status;
    if (!whole && out->format == LODE_FORMAT_AUTO && !first) {
        job_log(job, LODE_LOG_WARNING,
                "%s: its first line is longer than %zu KiB, so its format is a guess; give the "
                "format with --format",
                s.name, s.n >> 10);
    }
    return sniff_fields(&s, options, otherwise, first != NULL, out);
}
