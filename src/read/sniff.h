/* sniff.h - recognition of a file's format: its result, and its parts
 *
 * sniff.c recognises what needs no fields, and the separator; sniff_table.c looks for a header and
 * at the cells below it; sniff_advice.c warns of what is doubtful.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_SNIFF_H
#define LODE_READ_SNIFF_H

#include "read/cells.h"
#include "read/csv.h"
#include "read/input.h"

#define SNIFF_RECORDS 200             /* the most records looked at */
#define SNIFF_CELLS   ((size_t)50000) /* the most cells looked at, in whole records */
#define SNIFF_COLUMNS 64              /* the first columns, for which statistics are kept */
#define SNIFF_NONE    SIZE_MAX

#define JSON_NAME 128 /* bytes of the longest name of a field that is used, with its end */

/* What JSON holds. Names of fields are as written in the file; "" = there is none. */
typedef struct json_shape {
    bool document; /* one list of records, over any number of lines */
    bool pairs;    /* a record is a pair of transaction and item */
    bool fields;   /* records are objects */
    char item[JSON_NAME];
    char inner[JSON_NAME]; /* of an item that is an object: the field that names it */
    char tid[JSON_NAME];
    char weight[JSON_NAME];
} json_shape;

typedef struct sniff_result {
    lode_format format;
    char separator;
    bool odd_spmf;    /* taken for spmf by its @, but the line may be a basket of words: @home */
    bool graphs;      /* these seem to be graphs in gSpan text, not transactions */
    unsigned above;   /* records above the first one that counts: "sep=;", a title */
    size_t id_column; /* onehot: the column of ids, which is not an item; or SNIFF_NONE */
    size_t total;     /* onehot: the column of totals; or SNIFF_NONE */
    size_t n_lines;   /* basket: lines looked at */
    bool has_first;   /* basket: these lines contain the separator of the first file */
    json_shape json;  /* of JSON */
} sniff_result;

/* Looks at the first lines, and warns of what is doubtful. Options that are set are not questioned.
 * `first`: the result for the first of several files, after its warnings; NULL = this is the first.
 * Errors: those of the input. */
LODE_NODISCARD lode_status sniff(lode_job *job, input *in, const lode_read_options *options,
                                 const sniff_result *first, sniff_result *out);

/* The text that is looked at: whole lines, unless the first line is too long. */
typedef struct sniff_text {
    lode_job *job;
    const char *name; /* of the file, for messages */
    const char *text;
    size_t n;
    char separator;
} sniff_text;

/* What a record looks like if it is taken for a header. */
typedef struct sniff_header {
    size_t n_fields;
    size_t n_filled;         /* fields that are not blank */
    size_t n_truths, n_text; /* fields that are true or false (not counts); fields that are text */
    size_t tid, item;        /* the columns whose names suit best; or SNIFF_NONE */
    unsigned tid_rank, item_rank;
    size_t asked_tid, asked_item; /* the columns that the options name */
    size_t asked_weight;          /* likewise; it is no item */
    size_t total;                 /* the last column, if its name is a word for totals */
    bool has_index;               /* the first column has a name for row numbers */
    size_t n_usual;               /* columns with names that are usual in tables */
    size_t n_numbered;            /* columns named item1, item2, … */
    cell_kind kinds[SNIFF_COLUMNS];
} sniff_header;

/* How many cells there are of each kind. */
typedef struct sniff_cells {
    size_t of[CELL_KINDS];
} sniff_cells;

/* The records below the header. */
typedef struct sniff_rows {
    size_t n, n_even; /* records that are not blank, and those with as many fields as the header */
    size_t id;        /* the column that may hold ids */
    sniff_cells ids, rest; /* cells of that column, and of all others */
    sniff_cells columns[SNIFF_COLUMNS];
    uint64_t hashes[SNIFF_RECORDS]; /* of the ids */
    uint64_t last_id;               /* as a number */
    size_t id_falls;                /* ids that are not larger than the one before */
} sniff_rows;

/* What a file is if it is read as a table. */
typedef struct sniff_table {
    lode_format format; /* TABLE, ONEHOT, or BASKET if it is neither */
    unsigned above;     /* records above the header, such as a title */
    bool guessed_id;    /* onehot: ids were recognised by their cells, not by the column's name */
    bool counts;        /* onehot: cells are quantities */
    bool sure;          /* with `counts`: there is a column of ids or of totals, so no doubt */
    sniff_header header;
    sniff_rows rows;
} sniff_table;

/* Looks for a header among the first records. */
LODE_NODISCARD lode_status sniff_find_table(const sniff_text *s, const lode_read_options *options,
                                            sniff_table *out);

/* Warns of guesses that may be wrong, and logs what was left out. */
LODE_NODISCARD lode_status sniff_advise(const sniff_text *s, const lode_read_options *options,
                                        const sniff_result *result, const sniff_table *table);

/* A cursor over the text. */
static inline csv_cursor sniff_cursor(const sniff_text *s, vec_char *unquoted, bool *bare) {
    return (csv_cursor){.at = s->text,
                        .end = s->text + s->n,
                        .separator = s->separator,
                        .mem = &s->job->mem,
                        .unquoted = unquoted,
                        .bare = bare};
}

#endif
