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

/* A STORE is a result that lode wrote as an Arrow file (-w arrow): itemsets, rules or graphs, one
 * per row, by columns. The file is mapped, not read: opening is fast whatever its length, and a
 * query reads only the columns it needs. Queries use all threads of the job, take memory that does
 * not depend on the number of rows, and end soon after lode_job_cancel().
 *
 * A store belongs to its job, as a sink does: one thread at a time may use it, and it must be freed
 * before the job. A damaged file is LODE_PARSE with a one-sentence message; damage is only found in
 * parts that are read.
 *
 * A file must not be truncated or changed in place while it is open. (lode itself replaces files as
 * a whole, so that a process that has the old file open keeps it.) If a file is changed
 * nevertheless, calls return LODE_IO instead of wrong answers. But when a call reads a part that no
 * longer exists, or the disk fails, the system sends SIGBUS, which ends the process unless
 * lode_store_guard() was called. */
typedef struct lode_store lode_store;

/* Lets the process survive if an open file is truncated or cannot be read: the call that meets such
 * a place in a file, and every later call for that store, returns LODE_IO; other stores are not
 * affected. lode_store_guard() installs a SIGBUS handler, which passes faults at other addresses to
 * the previous handler. Call it at program start, and again after installing a handler of your own.
 * Any thread may call it. */
LODE_API void lode_store_guard(void);

/* Errors: NOTFOUND, IO, PARSE (damaged, or not a result of lode), NOMEM, BUDGET. */
LODE_API LODE_NODISCARD lode_status lode_store_open(lode_job *job, lode_store **out,
                                                    const char *path);
LODE_API void lode_store_free(lode_store *store);
/* Whether the data read so far can be trusted: LODE_OK if they are what the file had when it was
 * opened, LODE_IO if the file was truncated, changed or could not be read. Calls that scan many
 * rows check this themselves. Rows and names are lent, so you read them after the call that lends
 * them: call lode_store_check() once when you have read them all. */
LODE_API LODE_NODISCARD lode_status lode_store_check(lode_store *store);

typedef struct lode_store_info {
    size_t size;
    lode_pattern_kind kind;
    lode_target target; /* which patterns were searched */
    uint64_t rows;
    uint64_t total;              /* transactions, or their weight; 0 = unknown */
    uint64_t min_count;          /* the threshold of the search; 0 = unknown */
    uint32_t min_size, max_size; /* size limits of the search; 0 = no limit */
    uint32_t n_columns;
    bool complete;  /* the search ran to its end without constraints: a pattern that is not in the
                      store is below the threshold */
    bool ended;     /* the search ran to its end; false after a limit or a cancel */
    bool checked;   /* the file has checksums, so damage is detected; false = an older version wrote
                    * the file */
    char order[17]; /* how the rows are sorted: "support", "confidence" or "size"; "given": by the
                     * measure that was asked for; "search": not sorted; "": unknown */
} lode_store_info;

/* Fills *out. If `store` is NULL, fills it with zeros and returns false. */
LODE_API bool lode_store_about(const lode_store *store, lode_store_info *out);

/* How the patterns of a result of significant patterns were tested (lode/classes.h), such as
 * "tarone alpha=0.05 level=0.000367 tests=136"; "" if they were not. A selection of such rows is
 * still significant by tarone and permutation, because the correction covers all of them, but not
 * by fdr. Lent until the store is freed. */
LODE_API const char *lode_store_tested(const lode_store *store);

/* ---- saving --------------------------------------------------------------------------------- */

/* Itemsets or rules in memory, by columns, as in lode_result and lode_rule_result: a whole result
 * or a selection. List i of items is items[offsets[i]] … items[offsets[i + 1] - 1]. An itemset has
 * one list; a rule has two: its antecedent, then its consequent. */
typedef struct lode_save_columns {
    size_t size;
    uint64_t n;                /* patterns */
    const uint64_t *offsets;   /* n + 1; for rules 2 n + 1 */
    const uint32_t *items;     /* positions in the list of names, ascending within a list */
    const uint64_t *counts;    /* n: supports; for rules, of antecedent and consequent together */
    const uint64_t *lhs, *rhs; /* n: supports of antecedents and consequents; NULL for itemsets */
    uint64_t n_names;
    const uint64_t *name_offsets; /* n_names + 1 */
    const char *names;            /* UTF-8, concatenated */
    uint64_t total;               /* transactions, or their weight */
    uint64_t min_count;           /* the threshold of the search; 0 = unknown */
    lode_pattern_kind kind;       /* LODE_ITEMSETS or LODE_RULES */
    bool ended;                   /* as in lode_store_info */
    uint8_t reserved[3];          /* zero */
} lode_save_columns;

/* Writes a file that lode_store_open() can open, as lode_sink_file() with LODE_WRITE_ARROW does.
 * Its rows have the order of `columns`. `complete` of such a store is false: nothing is known about
 * patterns that are not in it. Errors: INVALID (columns that contradict each other, another kind),
 * IO, NOMEM, BUDGET, CANCELLED. */
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
    const char *name; /* lent until the store is freed */
    lode_column_type type;
    bool stored; /* false = computed from the counts when requested */
    int better;  /* 1 = high values are better, and sorting puts them first; -1 = low ones; 0 =
                  * neither (sorting puts high ones first) */
} lode_column;

/* The i-th column. Stored columns come first, then computed ones: the number of items ("size"), the
 * support, and all rule measures that only need counts. Past the end, fills *out with zeros and
 * returns false. */
LODE_API bool lode_store_column(const lode_store *store, uint32_t i, lode_column *out);
/* Finds a column by name, or by another name of a measure; for rules, "count" means "both". Returns
 * false, and leaves *i unchanged, if there is none. */
LODE_API bool lode_store_column_find(const lode_store *store, const char *name, uint32_t *i);

/* ---- rows ----------------------------------------------------------------------------------- */

/* Sets *n to the number of items. Items of a store are numbers from 0 to n - 1 that stand for
 * names; they are only valid for this store. Errors: PARSE, IO. */
LODE_API LODE_NODISCARD lode_status lode_store_items(lode_store *store, uint32_t *n);
/* The name of an item, without a terminating zero, lent until the store is freed; *bytes receives
 * its length. "" if there is no such item, or if no call about items, such as lode_store_items(),
 * has been made before. */
LODE_API const char *lode_store_item_name(const lode_store *store, uint32_t item, size_t *bytes);
/* Finds an item by name. If there is none, returns INVALID with a message that suggests a similar
 * name. (A suggestion requires a search of all names, so only the first hundred messages have one.)
 */
LODE_API LODE_NODISCARD lode_status lode_store_item_find(lode_store *store, const char *name,
                                                         size_t name_bytes, uint32_t *item);

/* One row. What it points to is lent until the store is freed. */
typedef struct lode_store_row {
    size_t size;
    uint64_t row;                /* its number, from 0 */
    const uint32_t *items, *rhs; /* items of the itemset or antecedent; items of the consequent */
    uint32_t n_items, n_rhs;
    lode_counts counts; /* rules: all four; other patterns: only `both`, which is the support */
    const char *text;   /* graphs: the code, without a terminating zero */
    size_t text_bytes;
} lode_store_row;

/* Errors: INVALID (no such row), PARSE, IO. See lode_store_check(). */
LODE_API LODE_NODISCARD lode_status lode_store_row_at(lode_store *store, uint64_t row,
                                                      lode_store_row *out);
/* The value of a COUNT or REAL column. Errors: INVALID (no such row or column), PARSE, IO. */
LODE_API LODE_NODISCARD lode_status lode_store_value(lode_store *store, uint64_t row,
                                                     uint32_t column, double *out);

/* ---- queries -------------------------------------------------------------------------------- */

/* Which rows, in which order. Fields that are NULL or zero are ignored; a row must meet all other
 * conditions. Lists have one entry per line. A GROUP of items is as in lode_mine_options. LHS is
 * the antecedent of a rule, RHS its consequent. */
typedef struct lode_query_options {
    size_t size;
    const char *minima, *maxima;   /* bounds of columns: "lift=1.5", "support=1%". NaN never meets a
                                    * bound; a value that misses a bound only because of rounding
                                    * meets it */
    const char *include, *exclude; /* rows with an item of every group; rows without an item of any
                                    * group */
    const char *include_lhs, *exclude_lhs; /* the same for the antecedent … */
    const char *include_rhs, *exclude_rhs; /* … and for the consequent of rules */
    const char *match;                 /* POSIX extended regular expressions (docs/store.md): each
                                        * must match an item's name or, for graphs, the code */
    const char *lhs_match, *rhs_match; /* the same for items of the antecedent, of the consequent */
    uint32_t min_size, max_size;       /* number of items of both sides; for graphs, edges */
    const char *sort_by;               /* a column: best first (lode_column.better), NaN last, equal
                                        * values in file order. NULL = file order */
    bool reverse;                      /* worst first; NaN is still last */
    uint8_t reserved[7];               /* zero */
    uint64_t from;                     /* skip rows with a number below this */
    double match_seconds;              /* time limit for regular expressions, summed over threads;
                                        * at the limit the call returns STOPPED; 0 = no limit */
    const char *pick; /* only these rows: numbers from 0 in file order, separated by commas or line
                       * ends. Numbers that the file does not have match nothing */
} lode_query_options;

/* `query` may be NULL in all calls below. Errors: INVALID (a column, an item, a regular expression;
 * the message says what was expected), PARSE, NOTFOUND (an @FILE), IO (an @FILE or the store),
 * NOMEM, BUDGET, CANCELLED, STOPPED (match_seconds).
 *
 * Counts the rows that match the query. */
LODE_API LODE_NODISCARD lode_status lode_store_count(lode_store *store,
                                                     const lode_query_options *query, uint64_t *n);
/* Writes the numbers of the matching rows to `rows`, in the order of the query: skips the first
 * `skip` of them, and then writes at most `room`; *n receives how many it wrote. Page k (from 0) of
 * 100 rows has skip = 100 * k. The call uses about 16 bytes of memory for each of the `room`
 * entries, however many rows are skipped. */
LODE_API LODE_NODISCARD lode_status lode_store_rows(lode_store *store,
                                                    const lode_query_options *query, uint64_t skip,
                                                    uint64_t *rows, size_t room, size_t *n);

typedef struct lode_page {
    size_t size;
    size_t n;       /* rows of the page */
    uint64_t found; /* all matching rows */
} lode_page;

/* Does the work of lode_store_rows() and lode_store_count() in one pass instead of two. */
LODE_API LODE_NODISCARD lode_status lode_store_page(lode_store *store,
                                                    const lode_query_options *query, uint64_t skip,
                                                    uint64_t *rows, size_t room, lode_page *out);

/* How values are put into bins. If no range is given, there may be fewer bins than requested,
 * because bins of whole numbers have whole widths, and because a column with a single value needs
 * only one bin. */
typedef struct lode_histogram_options {
    size_t size;
    const char *x, *y;       /* columns; y NULL: one dimension */
    uint32_t x_bins, y_bins; /* their product is at most 65536; 0 = 20 */
    bool x_log;              /* bins of equal ratio, for values above zero */
    bool y_log;
    uint8_t reserved[6];  /* zero */
    double x_low, x_high; /* the range; both zero = from the lowest to the highest finite value */
    double y_low, y_high;
} lode_histogram_options;

/* Bin i goes from edges[i] to edges[i + 1]. A value on an edge is in the bin above it; on the last
 * edge, in the last bin. */
typedef struct lode_histogram {
    size_t size;
    uint32_t x_bins, y_bins;         /* y_bins 1: one dimension */
    const double *x_edges, *y_edges; /* x_bins + 1 and y_bins + 1; y NULL in one dimension */
    const uint64_t *counts;          /* counts[y * x_bins + x] */
    uint64_t inside;                 /* rows in all bins */
    uint64_t outside;                /* rows outside the range, infinite values included */
    uint64_t undefined;              /* rows with NaN */
} lode_histogram;

/* Counts the matching rows by bin. The result is lent until the next call for this store. Errors
 * as above; INVALID: the size is not set, or a range is empty. */
LODE_API LODE_NODISCARD lode_status lode_store_histogram(lode_store *store,
                                                         const lode_query_options *query,
                                                         const lode_histogram_options *options,
                                                         lode_histogram *out);

typedef enum lode_store_format {
    LODE_STORE_TEXT = 0, /* a table for people: aligned columns, short numbers */
    LODE_STORE_CSV = 1,
    LODE_STORE_JSONL = 2,
    LODE_STORE_XLSX = 3,  /* for spreadsheets; see lode_writes_xlsx(); not for recommendations */
    LODE_STORE_SMARTS = 4 /* SMARTS, a tab and the count; only for subgraphs of molecules */
} lode_store_format;

/* Whether this build of lode can write .xlsx files. It cannot if libxlsxwriter was missing when it
 * was built. */
LODE_API bool lode_writes_xlsx(void);

/* How rows are written. */
typedef struct lode_query_write_options {
    size_t size;
    lode_store_format format;
    bool csv_safe;        /* as in lode_write_options */
    bool bom;             /* begin csv with a byte order mark, so that Excel reads it as UTF-8 */
    char csv_separator;   /* as in lode_write_options */
    uint8_t reserved[1];  /* zero */
    uint64_t page;        /* from 1; 0 = 1 */
    uint64_t rows;        /* per page; UINT64_MAX = all; 0 = 20 for text or if `page` is set, else
                          * all */
    const char *measures; /* computed columns to add, separated by commas; NULL = none */
} lode_query_write_options;

/* Writes a page of the matching rows to a file, as lode_sink_file() does; "-" is standard output.
 * `written` (may be NULL) receives the number of rows written. */
LODE_API LODE_NODISCARD lode_status lode_store_write(lode_store *store,
                                                     const lode_query_options *query,
                                                     const char *path,
                                                     const lode_query_write_options *options,
                                                     uint64_t *written);

/* Passes the same text, byte for byte, to a function, on the calling thread. Errors: also STOPPED.
 */
LODE_API LODE_NODISCARD lode_status lode_store_write_call(lode_store *store,
                                                          const lode_query_options *query,
                                                          lode_write_fn write, void *user,
                                                          const lode_query_write_options *options,
                                                          uint64_t *written);

/* The current values of a lode_query_options and a lode_query_write_options; see
 * lode_options_mine(). */
LODE_API const lode_query_options *lode_options_query(const lode_options *options);
LODE_API const lode_query_write_options *lode_options_query_write(const lode_options *options);

/* ---- supports of any set -------------------------------------------------------------------- */

/* Finds the supports of sets of items, as lode_result_supports() does: set i is items[offsets[i]] …
 * items[offsets[i + 1] - 1], in any order. It makes one pass over the file for all sets together.
 * `known` may be NULL. Errors: INVALID (not a store of itemsets), and as above. */
LODE_API LODE_NODISCARD lode_status lode_store_supports(lode_store *store, uint64_t n_sets,
                                                        const uint64_t *offsets,
                                                        const uint32_t *items, uint64_t *supports,
                                                        lode_known *known);

/* ---- two results ----------------------------------------------------------------------------- */

/* Finds the rows of two stores that have the same pattern: partners[i] receives the row of `other`
 * with the pattern of row i of `store`, or UINT64_MAX if there is none. equal[i] (`equal` may be
 * NULL) says whether the partner has the same counts, of the same total. Items are compared by
 * name, subgraphs by their code. `other` may belong to another job; no other thread may use it
 * meanwhile. The call uses 14 to 24 bytes of memory per row of `other`. Errors: INVALID (the stores
 * have patterns of different kinds), UNSUPPORTED (`other` has 2^32 - 1 rows or more), PARSE, IO,
 * NOMEM, BUDGET, CANCELLED. */
LODE_API LODE_NODISCARD lode_status lode_store_pair(lode_store *store, lode_store *other,
                                                    uint64_t *partners, bool *equal);

/* ---- rules applied to transactions ---------------------------------------------------------- */

typedef struct lode_apply_options {
    size_t size;
    const char *by;           /* the column that ranks rules; its `better` must not be 0
                               * (lode_column.better); NULL = "confidence" */
    uint32_t top;             /* recommended items per transaction; 0 = 5, UINT32_MAX = all */
    lode_store_format format; /* for lode_store_apply_file() */
    bool every_rule;          /* report every rule whose antecedent is in the transaction, instead
                               * of items */
    bool csv_safe;            /* as in lode_write_options */
    uint8_t reserved[6];      /* zero */
} lode_apply_options;

/* A recommendation for a transaction. */
typedef struct lode_advice {
    size_t size;
    uint64_t transaction; /* from 0 */
    uint64_t row;         /* the best rule for this item; of equal ones, the first in the store */
    double score;         /* the value of this rule in the column `by` */
    uint32_t item;        /* the recommended item, as in lode_store_items(); UINT32_MAX with
                           * every_rule */
    uint32_t rank;        /* 0 = the best for this transaction */
    bool held; /* with every_rule: the transaction already has all items of the consequent */
} lode_advice;

/* Return non-zero to stop the call, which then returns LODE_STOPPED. For threads and permitted
 * calls, see lode_batch_fn. Recommendations come in the order of transactions; for each
 * transaction, the best one comes first. */
typedef int (*lode_advice_fn)(void *user, const lode_advice *advice);

/* Recommends items for every transaction: those in the consequent of a rule whose antecedent is in
 * the transaction, if the transaction does not have them yet. Each recommended item comes with its
 * best rule. Items are matched by name. Rules whose score is NaN are ignored. The call uses about
 * 40 bytes of memory per rule and 20 per item of a rule. Errors: INVALID (not a store of rules, or
 * no column to rank them by), and as above, STOPPED. */
LODE_API LODE_NODISCARD lode_status lode_store_apply(lode_store *store, const lode_dataset *data,
                                                     const lode_apply_options *options,
                                                     lode_advice_fn function, void *user);

/* Figures about a call of lode_store_apply_file(). */
typedef struct lode_apply_summary {
    size_t size;
    const char *by; /* the name of the column that ranks rules, lent until the store is freed */
    uint64_t lines; /* lines written, without the header */
    uint64_t transactions, advised; /* all transactions, and those with a recommendation */
    uint64_t items, unknown;        /* distinct items of the transactions, and those among them that
                                     * the store does not know */
    uint32_t n_named;               /* used entries of most_unknown, at most 3 */
    uint32_t most_unknown[3];       /* the most frequent unknown items, for
                                     * lode_dataset_item_name() */
} lode_apply_summary;

/* As lode_store_apply(), but writes the recommendations to a file, as lode_sink_file() does; "-" is
 * standard output. The columns of csv are basket (from 1), id, item, the column `by`, antecedent;
 * with every_rule: basket, id, antecedent, consequent, the column `by`, held. The column id exists
 * only if the transactions have ids (lode_read_options.keep_ids). `summary` may be NULL. */
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
