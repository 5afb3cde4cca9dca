/* sniff.h - what recognition finds out, and its parts
 *
 * sniff.c asks what can be told without fields, and for the separator; sniff_table.c looks for a
 * header and at the cells below it; sniff_advice.c says what is doubtful.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_FORMAT_SNIFF_H
#define LODE_FORMAT_SNIFF_H

#include "format/cells.h"
#include "format/csv.h"
#include "format/input.h"

#define SNIFF_RECORDS 200             /* that are looked at */
#define SNIFF_CELLS   ((size_t)50000) /* and cells, in whole records */
#define SNIFF_COLUMNS 64              /* that are looked at one by one */
#define SNIFF_NONE    SIZE_MAX

typedef struct sniff_result {
    lode_format format;
    char separator;
    bool graphs;      /* these are no transactions, it seems, but graphs in gSpan text */
    unsigned above;   /* records above the first one that counts: "sep=;", a title */
    size_t id_column; /* onehot: it is no item; SNIFF_NONE = there is none */
    size_t total;     /* onehot: a column that adds up the others; SNIFF_NONE = there is none */
    size_t n_lines;   /* basket: that were looked at */
    bool has_first;   /* basket: the separator of the first file is in one of them */
} sniff_result;

/* Looks at the first lines, and warns of what is doubtful. Fields of `options` that are set are
 * taken as they are. `first` is what the first of several files was found to be, or NULL: then
 * nobody is warned again. Errors: what the input reports. */
LODE_NODISCARD lode_status sniff(lode_job *job, input *in, const lode_read_options *options,
                                 const sniff_result *first, sniff_result *out);

/* The text that is looked at: whole lines, unless there is only a piece of one. */
typedef struct sniff_text {
    mem *mem;
    const char *text;
    size_t n;
    char separator;
} sniff_text;

/* A record, looked at as a header. */
typedef struct sniff_header {
    size_t n_fields;
    size_t n_filled;         /* that are not blank */
    size_t n_truths, n_text; /* cells that say true or false (counts do not); that are text */
    size_t tid, item;        /* the columns whose names suit best; SNIFF_NONE = none does */
    unsigned tid_rank, item_rank;
    size_t asked_tid, asked_item; /* those that the options name */
    size_t total;                 /* the last one, if it adds up the others */
    bool has_index;               /* the first one is called like a column of row numbers */
    size_t n_usual;               /* names that columns usually have */
    size_t n_numbered;            /* item1, item2, … */
    cell_kind kinds[SNIFF_COLUMNS];
} sniff_header;

/* How many cells there are of each kind. */
typedef struct sniff_cells {
    size_t of[CELL_KINDS];
} sniff_cells;

/* The records below it. */
typedef struct sniff_rows {
    size_t n, n_even; /* that are not blank; that have as many fields as the header */
    size_t id;        /* the column that may be the id */
    sniff_cells ids, rest;
    sniff_cells columns[SNIFF_COLUMNS];
    uint64_t hashes[SNIFF_RECORDS]; /* of the ids */
    uint64_t last_id;               /* as a number */
    size_t id_falls;                /* ids that are not above the one before */
} sniff_rows;

/* What a file may be as a table. */
typedef struct sniff_table {
    lode_format format; /* TABLE, ONEHOT, or BASKET if it is neither */
    unsigned above;     /* records above the header that count for nothing */
    bool guessed_id;    /* onehot: by its cells, not by its name */
    bool counts;        /* onehot: cells are quantities */
    bool sure;          /* and so it is meant: there is a column of ids, or of totals */
    sniff_header header;
    sniff_rows rows;
} sniff_table;

/* Looks for a header among the first records. */
LODE_NODISCARD lode_status sniff_find_table(const sniff_text *s, const lode_read_options *options,
                                            sniff_table *out);

/* Warns of guesses that may be wrong, and notes what was left out. */
LODE_NODISCARD lode_status sniff_advise(lode_job *job, const char *name, const sniff_text *s,
                                        const lode_read_options *options,
                                        const sniff_result *result, const sniff_table *table);

/* A cursor over the text. */
static inline csv_cursor sniff_cursor(const sniff_text *s, vec_char *unquoted, bool *bare) {
    return (csv_cursor){.at = s->text,
                        .end = s->text + s->n,
                        .separator = s->separator,
                        .mem = s->mem,
                        .unquoted = unquoted,
                        .bare = bare};
}

#endif
