/* lode/store.h - stored results: pages, filters, histograms, supports, rule application
 * Part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_STORE_H
#define LODE_STORE_H

#include "lode/rules.h"
#include "lode/sinks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A STORE is a result that lode has written as an Arrow file (-w arrow): itemsets, rules or graphs,
 * one a row, by columns. It is mapped, not read: opening takes a moment however long it is, and a
 * question reads the columns that it is about. All questions use all threads of the job, take
 * memory that does not depend on the number of rows, and end soon after lode_job_cancel().
 *
 * A store belongs to its job, as a sink does: one thread at a time, and it is freed before the job.
 * A damaged file is LODE_PARSE, with one sentence; what is damaged is only found where it is looked
 * at.
 *
 * A file must not be cut or changed in place while it is open. (lode itself replaces files as a
 * whole, which does no harm to those who have the old one open.) If it is, calls fail with LODE_IO
 * instead of giving wrong answers. Where something is read that is not there any more, or the disk
 * fails, the system sends SIGBUS, which ends the process unless lode_store_guard() was called. */
typedef struct lode_store lode_store;

/* Lets the process survive files that are cut, or cannot be read, while they are open: the call
 * that meets such a place, and every later one about the same store, returns LODE_IO; other stores
 * go on. It installs a handler for SIGBUS, which leaves faults at other addresses to the handler
 * that was there before. Call it at the start of the program, and again after installing a handler
 * of your own. Any thread. */
LODE_API void lode_store_guard(void);

/* Errors: NOTFOUND, IO, PARSE (damaged, or not a result of lode), NOMEM, BUDGET. */
LODE_API LODE_NODISCARD lode_status lode_store_open(lode_job *job, lode_store **out,
                                                    const char *path);
LODE_API void lode_store_free(lode_store *store);
/* Whether what was read can be trusted: LODE_OK if it is what the file had when it was opened,
 * LODE_IO if the file was cut, changed or could not be read. All calls that look at many rows end
 * with this. Rows and names are lent, and read after the calls that lend them: ask this when you
 * have read them, once for all of them. */
LODE_API LODE_NODISCARD lode_status lode_store_check(lode_store *store);

typedef struct lode_store_info {
    size_t size;
    lode_pattern_kind kind;
    lode_target target; /* which patterns were searched */
    uint64_t rows;
    uint64_t total;              /* transactions, or their weight; 0 = not known */
    uint64_t min_count;          /* the threshold of the search; 0 = not known */
    uint32_t min_size, max_size; /* what the search was limited to; 0 = no limit */
    uint32_t n_columns;
    bool complete; /* the search ran to its end, without constraints: what is missing is below the
                      threshold */
    bool ended;    /* the search ran to its end; false after a limit or a cancel */
    bool checked;  /* it has checksums, so that damage is found; false: an older version wrote it */
} lode_store_info;

/* For NULL, all zero and false. */
LODE_API bool lode_store_about(const lode_store *store, lode_store_info *out);

/* ---- saving --------------------------------------------------------------------------------- */

/* Itemsets or rules in memory, by columns, as lode_result and lode_rule_result have them, whole or
 * a selection: list i of items is items[offsets[i]] … items[offsets[i + 1] - 1]. An itemset has one
 * list, a rule two: its antecedent, then its consequent. */
typedef struct lode_save_columns {
    size_t size;
    uint64_t n;              /* patterns */
    const uint64_t *offsets; /* n + 1, of rules 2 n + 1 */
    const uint32_t *items;   /* positions among the names, ascending in each list */
    const uint64_t *counts; /* n: supports; of rules, those of antecedent and consequent together */
    const uint64_t *lhs, *rhs; /* n: supports of antecedents and consequents; NULL for itemsets */
    uint64_t n_names;
    const uint64_t *name_offsets; /* n_names + 1 */
    const char *names;            /* UTF-8, one after the other */
    uint64_t total;               /* of transactions, or their weight */
    uint64_t min_count;           /* the threshold of the search; 0 = not known */
    lode_pattern_kind kind;       /* LODE_ITEMSETS or LODE_RULES */
    bool ended;                   /* as in lode_store_info */
    uint8_t reserved[3];          /* zero */
} lode_save_columns;

/* Writes a file that lode_store_open() opens, in the order of the rows, as lode_sink_file() with
 * LODE_WRITE_ARROW does. It says nothing of what is not in it: `complete` is false. Errors: INVALID
 * (columns that contradict each other, a kind that is not one of the two), IO, NOMEM, BUDGET,
 * CANCELLED. */
LODE_API LODE_NODISCARD lode_status lode_store_save(lode_job *job, const char *path,
                                                    const lode_save_columns *columns);

/* ---- columns -------------------------------------------------------------------------------- */

typedef enum lode_column_type {
    LODE_COLUMN_ITEMS = 0, /* lists of items */
    LODE_COLUMN_TEXT = 1,
    LODE_COLUMN_COUNT = 2, /* whole numbers */
    LODE_COLUMN_REAL = 3   /* may be infinite or, where a measure is not defined, NaN */
} lode_column_type;

typedef struct lode_column {
    size_t size;
    const char *name; /* lent as long as the store is */
    lode_column_type type;
    bool stored; /* false: computed from the counts when it is asked for */
    int better;  /* 1 = high values are better and come first when rows are sorted by it, -1 = low
                  * ones, 0 = neither (high ones come first) */
} lode_column;

/* The columns that are stored come first. Then come those that can be computed: the number of items
 * ("size"), the support, and all measures of rules that need nothing but the counts. False, and all
 * zero, past the end. */
LODE_API bool lode_store_column(const lode_store *store, uint32_t i, lode_column *out);
/* The column of a name, or of another name of a measure; of rules, "count" is "both". False, and *i
 * is left alone, if there is none. */
LODE_API bool lode_store_column_find(const lode_store *store, const char *name, uint32_t *i);

/* ---- rows ----------------------------------------------------------------------------------- */

/* Items are numbers here, from 0 to n - 1, that stand for a name; they mean something in their
 * store only. Errors: PARSE, IO. */
LODE_API LODE_NODISCARD lode_status lode_store_items(lode_store *store, uint32_t *n);
/* The name of an item, lent, without a closing zero. "" if there is no such item, and before the
 * first call of lode_store_items() or any other about items. */
LODE_API const char *lode_store_item_name(const lode_store *store, uint32_t item, size_t *bytes);
/* Finds the item of a name: INVALID, and a message that guesses which was meant, if there is none.
 * (A guess looks at all names; the first hundred messages have one.) */
LODE_API LODE_NODISCARD lode_status lode_store_item_find(lode_store *store, const char *name,
                                                         size_t name_bytes, uint32_t *item);

/* One row. All that it points to is lent as long as the store is. */
typedef struct lode_store_row {
    size_t size;
    uint64_t row; /* its number, from 0 */
    const uint32_t *items,
        *rhs; /* items of the itemset or of the antecedent; those of the consequent */
    uint32_t n_items, n_rhs;
    lode_counts counts; /* of rules; of other patterns, `both` is the count */
    const char *text;   /* of graphs: the code; not closed by a zero */
    size_t text_bytes;
} lode_store_row;

/* Errors: INVALID (no such row), PARSE, IO. See lode_store_check(). */
LODE_API LODE_NODISCARD lode_status lode_store_row_at(lode_store *store, uint64_t row,
                                                      lode_store_row *out);
/* The value of a column that is a COUNT or REAL. Errors: INVALID (no such row or column), PARSE,
 * IO. */
LODE_API LODE_NODISCARD lode_status lode_store_value(lode_store *store, uint64_t row,
                                                     uint32_t column, double *out);

/* ---- queries -------------------------------------------------------------------------------- */

/* Which rows, in which order. NULL and zero: no condition; a row must meet all that there are.
 * Lists have one entry a line. A GROUP of items is what lode_mine_options says. The LHS of a rule
 * is its antecedent, and the RHS its consequent. */
typedef struct lode_query_options {
    size_t size;
    const char *minima, *maxima;   /* "lift=1.5", "support=1%": bounds of columns. NaN is within
                                        * none; rounding alone puts nothing outside */
    const char *include, *exclude; /* an item of every group; no item of any */
    const char *include_lhs, *exclude_lhs; /* the same of the antecedent … */
    const char *include_rhs, *exclude_rhs; /* … and of the consequent of rules */
    const char *match;                 /* regular expressions (POSIX, extended; docs/store.md): each
                                        * matches the name of an item or, of graphs, the code */
    const char *lhs_match, *rhs_match; /* the same of one side */
    uint32_t min_size, max_size;       /* number of items, of both sides; of graphs, edges */
    const char *sort_by;               /* a column: the best first (see lode_column), NaN last, and
                                        * equal ones as in the file. NULL = as in the file */
    bool reverse;                      /* the worst first; NaN last all the same */
    uint8_t reserved[7];               /* zero */
    uint64_t from;                     /* only rows from this number on */
    double match_seconds;              /* a call that spends more time on regular expressions, all
                                        * threads together, returns STOPPED; 0 = no limit */
} lode_query_options;

/* `query` may be NULL in all calls below. Errors: INVALID (a column, an item, a regular expression;
 * the message says what was expected), PARSE, NOTFOUND (an @FILE), IO (the same, or the
 * file of the store), NOMEM, BUDGET, CANCELLED, STOPPED (match_seconds).
 *
 * How many rows the query finds. */
LODE_API LODE_NODISCARD lode_status lode_store_count(lode_store *store,
                                                     const lode_query_options *query, uint64_t *n);
/* The numbers of the rows that it finds, in its order: up to `room` of them, after skipping the
 * first `skip`. Page k of 100 rows is skip = 100 * k. Takes about 16 bytes for each of `room`,
 * however many are skipped. */
LODE_API LODE_NODISCARD lode_status lode_store_rows(lode_store *store,
                                                    const lode_query_options *query, uint64_t skip,
                                                    uint64_t *rows, size_t room, size_t *n);

typedef struct lode_page {
    size_t size;
    size_t n;       /* rows of the page */
    uint64_t found; /* rows that the query finds in all */
} lode_page;

/* As lode_store_rows(), and how many rows the query finds: one pass for both, where two calls would
 * take two. */
LODE_API LODE_NODISCARD lode_status lode_store_page(lode_store *store,
                                                    const lode_query_options *query, uint64_t skip,
                                                    uint64_t *rows, size_t room, lode_page *out);

/* How values are put into bins. A range that is found, not given, has fewer bins where fewer are
 * enough: for whole numbers, whose bins are whole numbers wide, and for a single value. */
typedef struct lode_histogram_options {
    size_t size;
    const char *x, *y;       /* columns; y NULL: one dimension */
    uint32_t x_bins, y_bins; /* at most 65536 in all; 0 = 20 */
    bool x_log;              /* bins of equal ratio, for values above zero */
    bool y_log;
    uint8_t reserved[6];  /* zero */
    double x_low, x_high; /* the range; both zero: from the lowest to the highest finite value */
    double y_low, y_high;
} lode_histogram_options;

/* Bin i goes from edges[i] to edges[i + 1]; what lies on an edge is in the bin above it, on the
 * last edge in the last bin. */
typedef struct lode_histogram {
    size_t size;
    uint32_t x_bins, y_bins;         /* y_bins 1: one dimension */
    const double *x_edges, *y_edges; /* x_bins + 1 and y_bins + 1; y NULL in one dimension */
    const uint64_t *counts;          /* counts[y * x_bins + x] */
    uint64_t inside;                 /* rows in all bins */
    uint64_t outside;                /* rows beyond the edges, infinite values among them */
    uint64_t undefined;              /* rows with a NaN */
} lode_histogram;

/* Counts the rows that a query finds by bins. The result is lent until the next call with this
 * store. Errors as above; INVALID: it has no size, or a range makes no sense. */
LODE_API LODE_NODISCARD lode_status lode_store_histogram(lode_store *store,
                                                         const lode_query_options *query,
                                                         const lode_histogram_options *options,
                                                         lode_histogram *out);

typedef enum lode_store_format {
    LODE_STORE_TEXT = 0, /* a table for people: columns are aligned, numbers short */
    LODE_STORE_CSV = 1,
    LODE_STORE_JSONL = 2
} lode_store_format;

/* How rows are written. */
typedef struct lode_query_write_options {
    size_t size;
    lode_store_format format;
    bool csv_safe;       /* as in lode_write_options */
    uint8_t reserved[3]; /* zero */
    uint64_t page;       /* from 1 on; 0 = 1 */
    uint64_t rows;       /* of a page; 0 = 20 of text and with `page`, else all; UINT64_MAX = all */
    const char *measures; /* computed columns to show as well, separated by commas; NULL = none */
} lode_query_write_options;

/* Writes a page of the rows that a query finds to a file, as lode_sink_file() does; "-" is standard
 * output. `written` (may be NULL) receives how many there were. */
LODE_API LODE_NODISCARD lode_status lode_store_write(lode_store *store,
                                                     const lode_query_options *query,
                                                     const char *path,
                                                     const lode_query_write_options *options,
                                                     uint64_t *written);

/* The same text, byte for byte, handed to a function on this thread. Errors: also STOPPED. */
LODE_API LODE_NODISCARD lode_status lode_store_write_call(lode_store *store,
                                                          const lode_query_options *query,
                                                          lode_write_fn write, void *user,
                                                          const lode_query_write_options *options,
                                                          uint64_t *written);

/* The structs that options hold for these two; see lode_options_mine(). */
LODE_API const lode_query_options *lode_options_query(const lode_options *options);
LODE_API const lode_query_write_options *lode_options_query_write(const lode_options *options);

/* ---- supports of any set -------------------------------------------------------------------- */

/* The supports of sets of items, as lode_result_supports() tells them: set i is items[offsets[i]] …
 * items[offsets[i + 1] - 1], in any order. One pass over the file for all of them. `known` may be
 * NULL. Errors: INVALID (not a store of itemsets), and as above. */
LODE_API LODE_NODISCARD lode_status lode_store_supports(lode_store *store, uint64_t n_sets,
                                                        const uint64_t *offsets,
                                                        const uint32_t *items, uint64_t *supports,
                                                        lode_known *known);

/* ---- rules applied to transactions ---------------------------------------------------------- */

typedef struct lode_apply_options {
    size_t size;
    const char *by;           /* the column by which rules are ranked: one of which high or low
                               * values are better (lode_column.better); NULL = "confidence" */
    uint32_t top;             /* recommended items for each transaction; 0 = 5, UINT32_MAX = all */
    lode_store_format format; /* for lode_store_apply_file() */
    bool every_rule;          /* not items, but every rule whose antecedent the transaction holds */
    bool csv_safe;            /* as in lode_write_options */
    uint8_t reserved[6];      /* zero */
} lode_apply_options;

/* What a rule says about a transaction. */
typedef struct lode_advice {
    size_t size;
    uint64_t transaction; /* from 0 */
    uint64_t row;         /* the rule: the best that says so, of equal ones the first */
    double score;         /* the value of the column */
    uint32_t item;        /* the recommended item, as lode_store_items() numbers them; with
                           * every_rule, UINT32_MAX */
    uint32_t rank;        /* 0 = the best for this transaction */
    bool held; /* with every_rule: the transaction has all items of the consequent already */
} lode_advice;

/* Non-zero stops the call, which then returns LODE_STOPPED. Called as a lode_batch_fn is, in the
 * order of transactions, those of one from the best on. */
typedef int (*lode_advice_fn)(void *user, const lode_advice *advice);

/* Gives every transaction the items that rules recommend: those in the consequent of a rule whose
 * antecedent it holds, and not in the transaction yet, each with its best rule. Items are the same
 * if they have the same name. Rules whose score is not a number are left out. Takes about 40 bytes
 * a rule and 20 an item of it. Errors: INVALID (not a store of rules, or no column to rank them
 * by), and as above, STOPPED. */
LODE_API LODE_NODISCARD lode_status lode_store_apply(lode_store *store, const lode_dataset *data,
                                                     const lode_apply_options *options,
                                                     lode_advice_fn function, void *user);

/* How it went. */
typedef struct lode_apply_summary {
    size_t size;
    const char *by; /* the name of the column that ranks rules, lent as long as the store is */
    uint64_t lines; /* without the title */
    uint64_t transactions, advised; /* all of them, and those that have lines */
    uint64_t items, unknown;        /* different items of the transactions, and those among them
                                     * whose names the store lacks, … */
    uint32_t n_named;               /* … of which there are so many, up to three, in the next */
    uint32_t most_unknown[3];       /* the most frequent first; items of the data set, as
                                     * lode_dataset_item_name() takes them */
} lode_apply_summary;

/* The same as lines of a file, as lode_sink_file() writes it; "-" is standard output. csv has the
 * columns basket (from 1), id, item, the column that ranks rules, antecedent or, with every_rule,
 * basket, id, antecedent, consequent, that column, held. The id is that of the transaction; without
 * ids (lode_read_options.keep_ids) there is no such column. `summary` may be NULL. */
LODE_API LODE_NODISCARD lode_status lode_store_apply_file(lode_store *store,
                                                          const lode_dataset *data,
                                                          const lode_apply_options *options,
                                                          const char *path,
                                                          lode_apply_summary *summary);
LODE_API const lode_apply_options *lode_options_apply(const lode_options *options);

#ifdef __cplusplus
}
#endif
#endif
