/* sniff.h - detects the format of a file
 *
 * sniff.c detects formats without fields, and the separator. sniff_table.c looks for a header and
 * examines the cells below it. sniff_advice.c warns of doubtful results.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_SNIFF_H
#define LODE_READ_SNIFF_H

#include "read/cells.h"
#include "read/csv.h"
#include "read/input.h"

#define SNIFF_RECORDS 200             /* maximum number of records examined */
#define SNIFF_CELLS   ((size_t)50000) /* maximum number of cells examined, in whole records */
#define SNIFF_COLUMNS 64              /* number of columns with statistics */
#define SNIFF_NONE    SIZE_MAX

#define JSON_NAME 128 /* maximum bytes of a used field's name, with its terminating zero */

/* The structure of JSON. Names of fields are as written in the file; "" = none. */
typedef struct json_shape {
    bool document; /* the file is one list of records, over any number of lines */
    bool pairs;    /* records are (transaction, item) pairs */
    bool fields;   /* records are objects */
    char item[JSON_NAME];
    char inner[JSON_NAME]; /* if items are objects: the field with the name of the item */
    char tid[JSON_NAME];
    char weight[JSON_NAME];
} json_shape;

typedef struct sniff_result {
    lode_format format;
    char separator;
    /* detected as spmf because of "@", but may be a basket of words such as @home */
    bool odd_spmf;
    bool odd_json; /* the format was given as json, but the text begins with neither [ nor { */
    bool sheet;    /* of a workbook: the fields are cells, and blank rows do not count */
    bool graphs;   /* the file seems to have graphs in gSpan text, not transactions */
    /* number of records above the first record of data, such as "sep=;" or a title */
    unsigned above;
    size_t id_column; /* for onehot: the column of ids, which is not an item; or SNIFF_NONE */
    size_t total;     /* for onehot: the column of totals; or SNIFF_NONE */
    size_t n_lines;   /* for basket: number of lines examined */
    bool has_first;   /* for basket: these lines contain the separator of the first file */
    json_shape json;  /* for JSON */
} sniff_result;

/* Examines the first lines, and warns of doubtful results. Options that are set are taken as
 * correct. `first` is the result for the first of several files, whose warnings were given; NULL =
 * this is the first file.
 * Errors: those of the input. */
LODE_NODISCARD lode_status sniff(lode_job *job, input *in, const lode_read_options *options,
                                 const sniff_result *first, sniff_result *out);

/* The text to examine: whole lines, unless the first line is too long. */
typedef struct sniff_text {
    lode_job *job;
    const char *name; /* the name of the file, for messages */
    const char *text;
    size_t n;
    char separator;
} sniff_text;

/* A record seen as a header. */
typedef struct sniff_header {
    size_t n_fields;
    size_t n_filled; /* fields that are not blank */
    /* number of fields that are true or false (not counts), and of fields that are text */
    size_t n_truths, n_text;
    size_t tid, item; /* the columns with the most suitable names, or SNIFF_NONE */
    unsigned tid_rank, item_rank;
    size_t asked_tid, asked_item; /* the columns set by options */
    size_t asked_weight;          /* the column of weights set by an option; it is not an item */
    /* columns that options ignore, as far as they are among the first */
    bool ignored[SNIFF_COLUMNS];
    size_t n_ignored;
    size_t total;      /* the last column, if its name is a word for totals */
    bool has_index;    /* the first column has a name for row numbers */
    size_t n_usual;    /* columns with usual names */
    size_t n_numbered; /* columns named item1, item2, … */
    cell_kind kinds[SNIFF_COLUMNS];
} sniff_header;

/* The number of cells of each kind. */
typedef struct sniff_cells {
    size_t of[CELL_KINDS];
} sniff_cells;

/* The records below the header. */
typedef struct sniff_rows {
    /* number of records that are not blank, and of records as long as the header */
    size_t n, n_even;
    size_t id;             /* the column that may hold ids */
    sniff_cells ids, rest; /* the cells of this column, and of all other columns */
    sniff_cells columns[SNIFF_COLUMNS];
    uint64_t hashes[SNIFF_RECORDS]; /* hashes of the ids */
    uint64_t last_id;               /* the last id, as a number */
    size_t id_falls;                /* number of ids that are not larger than the id before */
} sniff_rows;

/* The result of reading a file as a table. */
typedef struct sniff_table {
    lode_format format; /* TABLE, ONEHOT, or BASKET if it is neither */
    unsigned above;     /* number of records above the header, such as a title */
    bool guessed_id;    /* onehot: ids were detected by their cells, not by the column's name */
    bool counts;        /* onehot: cells are quantities */
    bool sure;          /* with `counts`: a column of ids or totals leaves no doubt */
    sniff_header header;
    sniff_rows rows;
} sniff_table;

/* Looks for a header among the first records. */
LODE_NODISCARD lode_status sniff_find_table(const sniff_text *s, const lode_read_options *options,
                                            sniff_table *out);

/* Warns of guesses that may be wrong, and logs which lines were skipped. */
LODE_NODISCARD lode_status sniff_advise(const sniff_text *s, const lode_read_options *options,
                                        const sniff_result *result, const sniff_table *table);

/* Warns if a file that is read as baskets of numbers looks like a table of numbers. */
void sniff_advise_numbers(const sniff_text *s);

/* Returns a cursor over the text. */
static inline csv_cursor sniff_cursor(const sniff_text *s, vec_char *unquoted, bool *bare) {
    return (csv_cursor){.at = s->text,
                        .end = s->text + s->n,
                        .separator = s->separator,
                        .mem = &s->job->mem,
                        .unquoted = unquoted,
                        .bare = bare};
}

#endif
