/* rule_text.h - writes rules as text, in any of the formats
 *
 * Most formats have one line per rule. A line consists of the labels of the antecedent, the labels
 * of the consequent, and numbers. The labels of items are prepared once, and the text of an
 * antecedent is made once for all its rules, so that writing a line takes a few copies and the
 * numbers. A drawing is made from all rules together, at the end.
 *
 * Add:   for a format, write a file with a rule_format, and add a line to formats.def.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_RULES_RULE_TEXT_H
#define LODE_WRITE_RULES_RULE_TEXT_H

#include "data/transactions/labels.h"
#include "write/core/csv_style.h"
#include "write/core/sink_text.h"
#include "write/rules/rule_columns.h"
#include "write/rules/rule_values.h"

typedef struct rule_lines rule_lines;

/* The cached text of a number. Supports, and numbers computed from supports, are often repeated. */
typedef struct rule_number {
    uint64_t bits; /* the bits of the double */
    char text[23];
    uint8_t n; /* number of bytes; 0 = empty entry */
} rule_number;

#define RULE_NUMBERS_BITS 10 /* 2^10 entries; each number has a fixed place in the cache */

/* A rule in pieces. Separators are between the labels of a side, and LABEL_PAD readable bytes
 * follow the labels. */
typedef struct rule_line {
    const lode_rule *rule;
    const char *lhs, *rhs;
    size_t lhs_bytes, rhs_bytes;
    rule_number *numbers; /* the worker's cache of numbers */
} rule_line;

/* A text block for drawings, and the sink to which the block is written. */
typedef struct rule_paper {
    const rule_lines *lines;
    const rule_columns *rules;
    text_sink *sink;
    vec_char block;
    const sort_stop *stop;
} rule_paper;

/* The writer of a binary format: it has private data in the sink and in each worker, which are
 * initially zero. */
typedef struct rule_writer {
    size_t sink_bytes, worker_bytes;
    /* Writes the beginning. The output is open. */
    LODE_NODISCARD lode_status (*begin)(text_sink *sink, void *own, const rule_lines *l);
    LODE_NODISCARD lode_status (*write)(text_sink *sink, void *own, void *worker,
                                        const lode_rule *rule);
    /* Writes the worker's buffer. */
    LODE_NODISCARD lode_status (*flush)(text_sink *sink, void *own, void *worker);
    /* Frees the worker's data. */
    void (*drop)(void *worker);
    /* Writes the end. `order` is the order of the rules as one word; NULL = search order. */
    LODE_NODISCARD lode_status (*end)(text_sink *sink, void *own, bool partial, const char *order);
    /* Drops all output after the beginning. */
    void (*empty)(void *own);
    void (*free)(void *own);
} rule_writer;

/* A format. Exactly one of `put`, `draw` and `writer` is set. */
typedef struct rule_format {
    label_style style;
    bool csv;                     /* a csv format: it may begin with a byte order mark */
    bool has_intervals;           /* the format can show intervals of measures */
    bool has_measures;            /* the format can show other measures than the usual ones */
    const rule_value_name *usual; /* the measures that the format shows by default */
    size_t n_usual;
    const char *title; /* the beginning of the text; NULL = csv, with a name for each column */
    /* Writes a line, and returns its end. May write up to LABEL_PAD - 1 more bytes after the
     * end. */
    char *(*put)(const rule_lines *l, char *to, const rule_line *line);
    LODE_NODISCARD lode_status (*draw)(rule_paper *paper);
    const rule_writer *writer;
} rule_format;

struct rule_lines {
    mem *mem;
    const rule_format *format;
    const lode_dataset *data;
    labels labels;
    rule_values values;
    bool chosen; /* the measures are not the usual ones */
    /* for csv: all cells with items are quoted, because some name requires quotes */
    bool quote_cell;
    csv_style csv;
    size_t more; /* maximum number of bytes that a line adds to the labels */
};

/* The words of the option --write, ending with NULL. */
extern const char *const rule_format_names[];
/* The formats, in the same order. */
extern const rule_format *const rule_formats[];

enum {
#define LODE_RULE_FORMAT(name) +1
    N_RULE_FORMATS = 0
#include "write/rules/formats.def"
#undef LODE_RULE_FORMAT
};

/* Checks the options, which must be copied already, and prepares the data that all lines share. */
LODE_NODISCARD lode_status rule_lines_init(rule_lines *l, lode_job *job, const lode_dataset *data,
                                           const lode_rule_write_options *o);
void rule_lines_clear(rule_lines *l);
/* Appends the first line of the text, if the format has one. */
LODE_NODISCARD lode_status rule_lines_title(const rule_lines *l, mem *m, vec_char *to);

/* ---- for formats ----------------------------------------------------------------------------- */

static inline char *rule_put(char *to, const char *text) {
    size_t n = strlen(text);
    memcpy(to, text, n);
    return to + n;
}

/* Writes a number that is not cached and not NaN. */
char *rule_put_new_number(rule_number *kept, char *to, double value);
static inline char *rule_put_number(const rule_line *line, char *to, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    rule_number *kept = &line->numbers[bits * 0x9e3779b97f4a7c15u >> (64 - RULE_NUMBERS_BITS)];
    if (kept->bits != bits || kept->n == 0) return rule_put_new_number(kept, to, value);
    memcpy(to, kept->text, sizeof kept->text);
    return to + kept->n;
}

/* Writes part / whole as a percentage with up to three decimals. "100" is written only if the ratio
 * is exactly 1. */
char *rule_put_percent(char *to, uint64_t part, uint64_t whole);

/* Appends to the block of a drawing. `format` must not contain %f, which depends on the locale. */
LODE_NODISCARD lode_status paper_print(rule_paper *p, const char *format, ...) LODE_PRINTF(2, 3);
/* Writes the block if it is large, and checks whether to go on. */
LODE_NODISCARD lode_status paper_flow(rule_paper *p);

#endif
