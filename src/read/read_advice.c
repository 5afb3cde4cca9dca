/* read_advice.c - see read_advice.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/read_advice.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/figures.h"
#include "base/utf8.h"
#include "read/cells.h"

#define ADVICE_NAMES   2000 /* names that are looked at for separators */
#define ADVICE_LEAST   2    /* names with a separator that are worth a warning */
#define ADVICE_SHOWN   40   /* bytes of a name in a message */
#define ADVICE_COLUMNS 300  /* bytes of a list of columns */
#define ADVICE_MANY    20   /* a missing value is in 1 of 20 transactions or more [guess] */
#define ADVICE_WORDS   3    /* words for missing values that are named */

/* ---- a wrong separator ----------------------------------------------------------------------- */

/* Whether a name consists of several numbers, as an undivided line of numbers does. */
static bool advice_is_numbers(const char *name, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (name[i] != ' ' && (name[i] < '0' || name[i] > '9')) return false;
    }
    return memchr(name, ' ', n) != NULL;
}

/* The separator that most names contain; NULL = none. `example` receives the first such name. */
static const char *advice_inner(const lode_dataset *data, const char **example, size_t *bytes,
                                const char **word) {
    static const char *const separators[] = {",", ";", "\t", "|", " "};
    static const char *const words[] = {"commas", "semicolons", "tabs", "vertical bars", "blanks"};
    uint32_t counts[5] = {0}, n = dict_count(data->names), best = 0;
    const char *first[5] = {NULL};
    size_t first_bytes[5] = {0};
    if (n > ADVICE_NAMES) n = ADVICE_NAMES;
    for (uint32_t id = 0; id < n; id++) {
        size_t length;
        const char *name = dict_name(data->names, id, &length);
        for (unsigned s = 0; s < 5; s++) {
            if (s == 4 ? !advice_is_numbers(name, length) : !memchr(name, *separators[s], length)) {
                continue;
            }
            if (counts[s]++ == 0) first[s] = name, first_bytes[s] = length;
        }
    }
    for (unsigned s = 1; s < 5; s++) {
        if (counts[s] > counts[best]) best = s;
    }
    *example = first[best];
    *bytes = first_bytes[best];
    *word = words[best];
    return counts[best] < ADVICE_LEAST || counts[best] < n / 2 ? NULL : separators[best];
}

/* `given`: the separator of an option, or 0. If lode has detected it, another separator occurs only
 * within quotes, and --separator would not help. The cells of tables and sheets are never
 * divided. */
static void advice_separator(lode_job *job, const char *source, const lode_dataset *data,
                             char given) {
    const char *example, *word;
    size_t bytes;
    char advice[160];
    bool single = data->profile.longest == 1 && data->profile.n_transactions > 1;
    bool sheet = data->profile.sheet[0] != 0;
    bool baskets = data->profile.format == LODE_FORMAT_BASKET && !sheet;
    bool table = data->profile.format == LODE_FORMAT_TABLE || sheet;
    if (!(baskets && given) && !(single && (baskets || table))) return;
    const char *inner = advice_inner(data, &example, &bytes, &word);
    if (!inner || (*inner == ' ' && !given)) return;
    if (!single && (*inner == ',' || *inner == ' ')) return; /* names may contain these */
    bool tab = *inner == '\t';
    const char *quote = tab ? "" : "'", *shown = tab ? "tab" : inner;
    if (baskets && given) {
        snprintf(advice, sizeof advice, "if these are several items, use --separator %s%s%s", quote,
                 shown, quote);
    } else if (baskets) {
        snprintf(advice, sizeof advice, "if these are several items, use --split %s%s%s", quote,
                 shown, quote);
    } else {
        snprintf(advice, sizeof advice, "if these are lists of items, use --split %s%s%s", quote,
                 shown, quote);
    }
    job_log(job, LODE_LOG_WARNING, "%s: %s contain %s, such as '%.*s%s'; %s", source,
            single ? "each transaction is a single item, and names" : "most names", word,
            (int)(bytes < ADVICE_SHOWN ? bytes : ADVICE_SHOWN), example,
            bytes > ADVICE_SHOWN ? "…" : "", advice);
}

/* ---- a matrix without a header --------------------------------------------------------------- */

/* Warns if the only items are 0 and 1, each of which some transaction has repeatedly. */
static void advice_matrix(lode_job *job, const char *source, const lode_dataset *data) {
    const lode_profile *p = &data->profile;
    uint64_t cells = p->n_occurrences + p->n_repeated, columns = 0;
    char example[80] = "";
    bool onehot = p->format == LODE_FORMAT_ONEHOT;
    if (p->n_repeated == 0 || p->n_items == 0 || p->n_items > 2 || !p->n_transactions) return;
    if (p->format == LODE_FORMAT_TABLE || p->format == LODE_FORMAT_JSON) return;
    for (uint32_t i = 0; i < lode_dataset_item_bound(data); i++) {
        char name[32];
        bool yes;
        size_t n = lode_dataset_item_name(data, lode_dataset_item_at(data, i), name, sizeof name);
        if (n > sizeof name) return;
        cell_kind kind = cell_look(name, n, &yes);
        if (kind != CELL_ZERO && kind != CELL_ONE) return;
    }
    if (!onehot && cells % p->n_transactions == 0) columns = cells / p->n_transactions;
    char comma = p->separator ? p->separator : ' ';
    if (columns > 0 && (comma == ',' || comma == ' ')) {
        snprintf(example, sizeof example,
                 ", such as with (seq -s%s 1 %" PRIu64 "; cat FILE) > NEW,",
                 comma == ',' ? "," : "' '", columns);
    }
    job_log(job, LODE_LOG_WARNING,
            "%s: this looks like a 0/1 matrix without a header, %s; put a line with the names of "
            "the columns above it%s and read that with --format onehot",
            source,
            onehot ? "whose first line is read as the names of the items"
                   : "but each line is read as a basket of the items 0 and 1",
            example);
}

/* ---- missing values -------------------------------------------------------------------------- */

/* Notes items whose names are words for missing values. Marks such as ? and - may be items, and so
 * may words in few transactions. */
static void advice_missing(lode_job *job, const char *source, const lode_dataset *data) {
    char found[400] = "", exclude[160] = "", drop[160] = "";
    unsigned words = 0;
    for (uint32_t id = 0; id < dict_count(data->names) && words < ADVICE_WORDS; id++) {
        uint64_t support = data->item_supports[id];
        size_t n;
        bool yes;
        if (support < 2 || support < data->total_weight / ADVICE_MANY) continue;
        const char *name = dict_name(data->names, id, &n);
        if (n < 2 || cell_look(name, n, &yes) != CELL_BLANK) continue;
        if (n == 2 && memcmp(name, "Na", 2) == 0) continue; /* sodium */
        words++;
        const char *quote = memchr("#<", name[0], 2) ? "'" : "";
        append_text(found, sizeof found, "%s'%.*s' (in %" PRIu64 " of %" PRIu64 " transactions)",
                    found[0] ? ", " : "", (int)n, name, support, data->total_weight);
        append_text(exclude, sizeof exclude, " --exclude %s%.*s%s", quote, (int)n, name, quote);
        append_text(drop, sizeof drop, " --drop %s%.*s%s", quote, (int)n, name, quote);
    }
    if (!found[0]) return;
    job_log(
        job, LODE_LOG_INFO,
        "%s: items that look like missing values: %s; itemsets and rules leave them out with%s, "
        "`lode clean` with%s",
        source, found, exclude, drop);
}

/* ---- names that are not UTF-8 ---------------------------------------------------------------- */

/* Whether a name may be Latin-1 in the form of Windows, where five bytes have no character. Three
 * letters in a row beyond ASCII are rather another alphabet. */
static bool advice_is_latin(const char *name, size_t n) {
    unsigned run = 0;
    for (size_t i = 0; i < n; i++) {
        run = (unsigned char)name[i] >= 0x80 ? run + 1 : 0;
        if (run > 2 || memchr("\x81\x8d\x8f\x90\x9d", name[i], 5)) return false;
    }
    return true;
}

static void advice_encoding(lode_job *job, const char *source, const lode_dataset *data) {
    uint64_t odd = 0;
    bool latin = true, windows = false;
    char example[ADVICE_SHOWN * 4 + 1] = "";
    for (uint32_t id = 0; id < dict_count(data->names); id++) {
        size_t n, k = 0;
        const char *name = dict_name(data->names, id, &n);
        if (lode_text_is_utf8(name, n)) continue;
        latin = latin && advice_is_latin(name, n);
        windows = windows || utf8_is_windows(name, n);
        if (odd++ > 0) continue;
        for (; n > 0 && k < ADVICE_SHOWN;) {
            utf8_char c = utf8_next(name, n);
            memcpy(example + k, c.bytes, c.n);
            k += c.n;
            name += c.taken;
            n -= c.taken;
        }
        example[k] = 0;
    }
    if (odd == 0) return;
    job_log(job, LODE_LOG_INFO, "%s: %" PRIu64 " name%s not UTF-8%s, such as '%s'; %s", source, odd,
            odd == 1 ? " is" : "s are",
            !latin    ? ""
            : windows ? " but, it seems, Windows-1252"
                      : " but, it seems, Latin-1",
            example,
            latin ? "`lode clean` writes UTF-8" : "convert the file, for example with iconv");
}

void read_advise(lode_job *job, const char *source, const lode_dataset *data,
                 const lode_read_options *options) {
    const lode_format f = options->format;
    if (f == LODE_FORMAT_AUTO || f == LODE_FORMAT_ONEHOT) advice_matrix(job, source, data);
    if (!data->names || data->numeric) return;
    advice_separator(job, source, data, options->separator);
    advice_missing(job, source, data);
    advice_encoding(job, source, data);
}

/* ---- columns --------------------------------------------------------------------------------- */

lode_status read_no_column(const read_task *task, csv_cursor header, const char *option) {
    char list[ADVICE_COLUMNS] = "";
    csv_field f = {0};
    lode_status status = LODE_OK;
    csv_begin(&header);
    while (status == LODE_OK && !f.last) {
        status = csv_next(&header, &f);
        if (status != LODE_OK) break;
        append_text(list, sizeof list, "%s%.*s", list[0] ? ", " : "",
                    (int)(f.n < ADVICE_SHOWN ? f.n : ADVICE_SHOWN), f.text);
    }
    if (status != LODE_OK) return status;
    if (task->format->format == LODE_FORMAT_BASKET && !task->options.header) {
        return job_fail(task->job, LODE_INVALID,
                        "%s has no column '%s': each of its lines is a basket, and the first one "
                        "is: %s; only JSON, and tables with a header such as "
                        "Invoice,Product,Quantity, have columns with names",
                        task->file->name, option, list);
    }
    return job_fail(task->job, LODE_INVALID, "%s has no column '%s'; its columns are: %s",
                    task->file->name, option, list);
}
