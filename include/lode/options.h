/* lode/options.h - all options, as structs or by name; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_OPTIONS_H
#define LODE_OPTIONS_H

#include "lode/measures.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lode_log_level {
    LODE_LOG_WARNING = 1, /* the call goes on, but may not do what the user meant: show it */
    LODE_LOG_INFO = 2,    /* what was done with the data, such as leaving out a column of totals */
    LODE_LOG_DEBUG = 3    /* the chosen algorithm and device; details of an error */
} lode_log_level;

/* Progress of a job. `share` only grows within a phase, and is 1 at its end. It is the share of the
 * work that is done, measured by processor time rather than by the clock. If it cannot be
 * estimated, it stays 0 until the end of the phase. */
typedef struct lode_progress {
    size_t size;
    const char *phase; /* "wait", "read", "mine", "write", "generate", "query"; "" before the
                        * first */
    double share;      /* of the phase, from 0 to 1 */
    double seconds;    /* since the phase began */
    uint64_t patterns; /* found so far; may lag a little behind */
    double rate;       /* patterns a second, since the phase began */
    double left;       /* estimated seconds left; negative = unknown */
    double left_least, left_most; /* in four of five cases, the time left is between these */
} lode_progress;

/* resize(user, NULL, 0, n, a) allocates; resize(user, p, old, 0, a) frees and returns NULL. The old
 * size is always passed. If resize() returns NULL for a non-zero size, the call has failed, and
 * `pointer` is unchanged. Called by any thread that uses an object of the context, and by threads
 * started by lode. So calls may overlap, and one thread may free a block that another thread has
 * allocated. The function must not call lode. */
typedef void *(*lode_resize_fn)(void *user, void *pointer, size_t old_bytes, size_t new_bytes,
                                size_t align);
/* Receives one line, without a line end, lent for the call. Called by the thread that called lode,
 * or by threads that lode started for the job; calls for one job never overlap. For what it may
 * call, see "Callbacks" in lode.h. */
typedef void (*lode_log_fn)(void *user, lode_log_level level, const char *message);
/* Called by the thread that called lode, within that call, at most ten times a second. Return
 * non-zero to cancel the job. At the same time, other threads may call the log function and the
 * sink callbacks of the job. */
typedef int (*lode_progress_fn)(void *user, const lode_progress *progress);

/* Receives text, always whole lines, lent for the call. Return non-zero to stop: the function is
 * not called again, and the call that wanted to write returns LODE_STOPPED. Calls for one output
 * never overlap; functions that take a lode_write_fn say on which threads it is called. */
typedef int (*lode_write_fn)(void *user, const char *text, size_t bytes);

/* Options shared by all jobs of a context. */
typedef struct lode_ctx_options {
    size_t size;
    uint64_t memory_bytes;        /* budget for everything lode allocates; 0 = none */
    unsigned threads;             /* at most 1024; 0 = as many as the machine has */
    uint64_t device_memory_bytes; /* budget in the memory of each GPU; 0 = what is free there */
    lode_resize_fn resize;        /* NULL = the system's memory */
    void *resize_user;
    const char *memory_origin; /* as in lode_job_options */
} lode_ctx_options;

/* Options of one job. */
typedef struct lode_job_options {
    size_t size;
    uint64_t memory_bytes; /* budget of the job, without data sets it has read; 0 = no limit */
    unsigned threads;      /* at most this many threads of the context; 0 = all of them, or only
                            * one if there are few itemsets to find */
    const char *device;    /* "auto", "cpu", "cpu*3" (the CPU as three devices), "cuda" (all GPUs),
                            * "cuda:0,1", "cuda:5%" (GPU 5 modulo the number of GPUs), "cuda+cpu";
                            * NULL = "auto" */
    uint64_t device_memory_bytes; /* of each GPU, for this job; 0 = no limit */
    lode_log_fn log;              /* NULL = silence */
    void *log_user;
    lode_progress_fn progress; /* NULL = none */
    void *progress_user;
    /* Where memory_bytes comes from, if the user did not choose it. LODE_BUDGET messages then say
     * "the budget is …", followed by the first 127 bytes of this text. NULL = unknown. */
    const char *memory_origin;
} lode_job_options;

typedef enum lode_format {
    LODE_FORMAT_AUTO = 0,  /* detect it from the first lines */
    LODE_FORMAT_FIMI,      /* one transaction per line, integers separated by blanks */
    LODE_FORMAT_SPMF,      /* the same with @ITEM=1=name headers and # comments */
    LODE_FORMAT_BASKET,    /* one transaction per line, names separated by one character */
    LODE_FORMAT_TABLE,     /* one (transaction, item) pair per line */
    LODE_FORMAT_ONEHOT,    /* one column per item: true or false, or a quantity */
    LODE_FORMAT_JSON,      /* lists of items, or objects; one per line, or all in one list */
    LODE_FORMAT_ATTRIBUTES /* a header, one transaction per line; a cell is an item column=value */
} lode_format;

/* How a file is read; docs/formats.md has all rules. Detection looks at the first lines: a header
 * with names such as "Order ID" and "Product Name" means a table, and a header above true-or-false
 * cells means onehot. If lode has to guess, it logs a warning that names the options to set; show
 * this warning if users supply the files. */
typedef struct lode_read_options {
    size_t size;
    lode_format format;
    char separator;      /* 0 = detect; for basket, table and onehot */
    bool header;         /* the first line of a basket or table file is a header, not data */
    bool skip_bad_lines; /* skip and count malformed lines, instead of failing */
    /* Columns, by name (case, blanks and punctuation are ignored) or by number from 1. In a table,
     * tid_column has the transaction id (default: detected, otherwise column 1), and item_column
     * has the item (default: detected, otherwise column 2). In a onehot file (default: detected)
     * and in a basket file (default: none), lode does not read tid_column as items. */
    const char *tid_column;
    const char *item_column;
    /* With n_parts > 0: read only part number `part` (from 0) of n_parts, cut at line ends. Only
     * for regular files that are not compressed. */
    unsigned part;
    unsigned n_parts;
    /* A column with the weight of each transaction, a whole number; the weight 0 drops the
     * transaction. In a table, all rows of a transaction must have the same weight. In JSON,
     * columns are fields. NULL = all weights are 1. Not for fimi and spmf. */
    const char *weight_column;
    /* Rows (lines, records) to leave out: conditions on columns, one per line; a row is left out if
     * it meets any of them. Examples: "Status=cancelled", "InvoiceNo=C*" (a glob), "Status!=paid",
     * "Quantity<=0", "Date<2011-06-01". < <= > >= compare numbers or dates; = and != ignore case.
     * A date without a time is the whole day. Quotes around a value are taken off. In a basket or
     * onehot file these columns are not items. Not for fimi and spmf. NULL = none. */
    const char *drop_rows;
    bool keep_ids;       /* keep the ids of transactions, for lode_dataset_transaction_id() */
    bool keep_missing;   /* attributes: a missing value is an item, too: column=missing */
    char split;          /* table, basket: a cell holds several items, separated by this; 0 = one */
    uint8_t reserved[5]; /* zero */
    /* A folder for transactions that do not fit into the memory budget. NULL = fail with
     * LODE_BUDGET instead. An unnamed file in this folder holds them as long as the data set
     * exists. Transactions that fit stay in memory; if all fit, the data set is like any other.
     * Otherwise only lode_mine() accepts the data set, for every target except generators, without
     * `reduce` and root ranges; other calls that read transactions return UNSUPPORTED, and
     * lode_dataset_transaction() finds none. The names of the items must fit into memory; so must
     * the rows of a table, while they are grouped into transactions. Cannot be combined with
     * keep_ids. See docs/memory.md.
     */
    const char *spill;
    /* The sheet of an Excel workbook, by name or by number from 1. NULL = the first sheet that is
     * not hidden. Files that are not workbooks are refused if it is set. */
    const char *sheet;
    /* A query whose result is read instead of a file, such as "SELECT order_id, item FROM sales".
     * It runs in `database` or, if this is NULL, in the database that the path names: a DuckDB
     * file, a URI such as sqlite:FILE or postgresql://HOST/NAME, or :memory: for none. A driver
     * (ADBC) is loaded when it is needed, as for Parquet files: the library `driver`; otherwise
     * the one in the environment variable LODE_ADBC, which may be a folder, in ../lib/lode of the
     * program, or among the libraries of the system. DuckDB cannot write to the database, and loads
     * no extensions. See docs/databases.md. */
    const char *sql;
    const char *database;
    const char *driver;
    /* Columns of a basket, onehot or attributes file that are not items, by name or number, one per
     * line. NULL = none. */
    const char *ignore;
    /* attributes: how the numbers of columns are divided into ranges, one column per line:
     * "age=quantiles:5", "age=width:5", "age=18,30,45" (cuts) or "age=mdlp:CLASS". A value then is
     * an item such as age=[30,45). See docs/formats.md. NULL = every value is an item. */
    const char *bins;
} lode_read_options;

/* How products of bit matrices are computed. */
typedef enum lode_product {
    LODE_PRODUCT_AUTO = 0, /* the fastest one on the device, measured at run time */
    LODE_PRODUCT_POPC,     /* AND and population count: any device */
    LODE_PRODUCT_MMA,      /* binary tensor cores: GPUs from compute capability 8.0 */
    LODE_PRODUCT_WGMMA     /* the same, by warp groups: compute capability 9.0 */
} lode_product;

/* Settings of algorithms taken from papers; see lode/papers.h. */
typedef struct lode_paper_options lode_paper_options;
/* Groups of transactions, and tests of the differences between them; see lode/classes.h. */
typedef struct lode_class_options lode_class_options;

/* What is mined. */
typedef enum lode_pattern_kind {
    LODE_ITEMSETS = 0, /* sets of items: lode_mine() */
    LODE_GRAPHS = 1,   /* connected graphs: lode_graphs_mine() */
    LODE_RULES = 2     /* association rules: lode_rules_mine() */
} lode_pattern_kind;

/* Which patterns are reported. For graphs, a superset is a larger connected pattern that contains
 * the graph; there are no generators of graphs. */
typedef enum lode_target {
    LODE_TARGET_ALL = 0,       /* every frequent pattern */
    LODE_TARGET_TOP = 1,       /* the top_k patterns with the highest support, and ties */
    LODE_TARGET_CLOSED = 2,    /* those without a superset of the same support */
    LODE_TARGET_MAXIMAL = 3,   /* those without a frequent superset */
    LODE_TARGET_GENERATORS = 4 /* those without a proper subset of the same support; the support of
                                * the empty set is the total */
} lode_target;

/* Replaces each of `counts` by its sum over all cooperating processes; see
 * lode_mine_options.reduce. Called by the thread that called lode_mine(), within that call, in the
 * same order in all processes. The function may wait for the other processes; it must not call
 * lode. If it returns a status other than OK, the job ends with that status. */
typedef lode_status (*lode_reduce_fn)(void *user, uint64_t *counts, size_t n);

/* Concatenates the data of all cooperating processes (an all-gather): process k, from 0,
 * contributes bytes[k] bytes, and `all` receives the bytes of all processes, in the order of their
 * numbers. `mine` points to the bytes of this process; it does not overlap `all`. `bytes` is the
 * same in all processes; entries may be 0. Called by the thread that made the call to lode, within
 * that call, in the same order in all processes. The function may wait for the other processes; it
 * must not call lode. If it returns a status other than OK, the call to lode ends with that status,
 * in this process only. */
typedef lode_status (*lode_gather_fn)(void *user, const void *mine, void *all,
                                      const uint64_t *bytes);

/* The processes that make a call together; see lode_dataset_open_together(). */
typedef struct lode_peers {
    size_t size;
    uint32_t n;     /* number of processes, at least 1 */
    uint32_t index; /* number of this process, from 0 */
    lode_gather_fn gather;
    void *user;
} lode_peers;

typedef struct lode_mine_options {
    size_t size;
    lode_threshold min_support; /* required; for LODE_TARGET_TOP optional */
    const char *algorithm;      /* NULL = "auto"; names: lode_algorithm_at() */
    lode_target target;
    uint64_t top_k;    /* for LODE_TARGET_TOP */
    uint32_t min_size; /* shorter patterns are not reported; 0 = 1 */
    uint32_t max_size; /* longer patterns are not searched; 0 = no limit */
    /* For the algorithm frontier: the minimum number of candidates to count in one batch, if there
     * are that many; 0 = enough to fill the device, UINT64_MAX = all (breadth first: one level per
     * batch) */
    uint64_t epsilon;
    uint64_t max_lists;               /* frontier: vertical lists per device; 0 = all that fit */
    lode_product product;             /* tensor: how products are computed */
    const lode_paper_options *papers; /* NULL = the defaults; see lode/papers.h */
    /* At a limit, lode_mine() returns LODE_STOPPED, and what was delivered is valid. */
    double limit_seconds;    /* from the start of lode_mine(), so without reading; 0 = none */
    uint64_t limit_patterns; /* deliver at most this many; 0 = no limit */

    /* For programs that divide one job among processes. With a root range, a search finds only the
     * patterns whose rarest item has a rank in [root_first, root_end). The rank of a frequent item
     * is its position, from 0, when items are sorted by ascending support; items of equal support
     * keep the order of the data set. root_end 0 means up to the last item. So disjoint ranges find
     * different patterns, and ranges that cover all ranks find all patterns. Some algorithms do not
     * support ranges (the message of UNSUPPORTED names those that do). With `reduce`, the data set
     * is one part of a larger one, and supports are summed over the parts before they are compared
     * with the threshold. lode_dataset_item_bound() and every lode_dataset_item_at() must be the
     * same in all parts. All processes must request the same sums in the same order. Therefore they
     * must use the same options and a single device, and set max_lists, whose default depends on
     * the memory of the process. */
    uint32_t root_first;
    uint32_t root_end;
    lode_reduce_fn reduce;
    void *reduce_user;
    uint64_t n_transactions_total; /* with `reduce`: transactions of all parts together */

    /* CONSTRAINTS select patterns. `exclude` applies before the target: the data are searched as if
     * they did not contain the excluded items. The other constraints keep some of the patterns of
     * the target, and drop the others; with LODE_TARGET_TOP, they are applied first.
     * A constraint is a list of groups, one per line. A GROUP of items is a name, a glob such as
     * "beer*" (* ? [a-z]; \ escapes a character), or @FILE: all names and globs of a file, one per
     * line. A name or glob that matches no item is INVALID, as are constraints that no pattern can
     * meet, such as a group that is both included and excluded. Supports, and ratios such as a
     * relative support, still refer to all data.
     * With constraints, a root range refers to the data that are searched: the transactions with
     * the items that every pattern must have, without these items themselves. Patterns that consist
     * only of such items belong to rank 0. With `reduce`, constraints are UNSUPPORTED. */
    const char *include;        /* patterns with an item of every group; NULL = all */
    const char *exclude;        /* patterns without an item of any group; NULL = all */
    const char *groups;         /* "0-1:size=*": 0 to 1 items of this group; "2-:…": 2 or more */
    lode_threshold max_support; /* patterns of at most this support; not set = all */

    /* With n_shares > 0: only the patterns of share number `share`, from 1. Each pattern is in
     * exactly one share; shares are balanced by expected work. Every process with the same data and
     * options computes the same shares, however many threads it has. With LODE_TARGET_TOP, which
     * then requires min_support, each share finds its own top K; the overall top K are among these.
     * See lode/tasks.h. */
    uint32_t share;
    uint32_t n_shares; /* 0 = everything */

    /* More constraints: bounds of measures of itemsets (lode/measures.h), one per line, such as
     * "lift=1.5". A value that differs from the bound only by rounding meets it; NaN never does. */
    const char *minima, *maxima; /* NULL = no bounds */

    /* Count the support of every pattern again, in the transactions themselves, when it is
     * delivered. A wrong support ends the job with INTERNAL, and the message names the pattern and
     * both counts. The report has the number of patterns: "verified". Missing patterns are not
     * found, and being closed, maximal or a generator is not tested. UNSUPPORTED with `reduce`, and
     * if the data are on disk. */
    bool verify;
    uint8_t reserved[7]; /* zero */

    const lode_class_options *classes; /* groups of transactions; NULL = none; lode/classes.h */
} lode_mine_options;

/* Which rules are reported. For lists of groups of items, see lode_mine_options. */
typedef struct lode_rule_options {
    size_t size;
    lode_threshold min_support;    /* of antecedent and consequent together; required */
    lode_threshold min_confidence; /* a ratio; not set = all */
    const char *algorithm;         /* for the itemsets; NULL = "auto" */
    uint32_t max_rhs;              /* items of a consequent; 0 = 1, UINT32_MAX = no limit */
    uint32_t max_lhs;              /* items of an antecedent; 0 = no limit */
    uint32_t min_size, max_size;   /* items of both; 0 = no limit */
    const char *lhs, *rhs; /* groups of items allowed in the antecedent, in the consequent */
    const char *include;   /* rules with an item of every group … */
    const char *include_lhs, *include_rhs; /* … in the antecedent, … in the consequent */
    const char *exclude;                   /* rules without an item of any group … */
    const char *exclude_lhs, *exclude_rhs; /* … in the antecedent, … in the consequent */
    /* Bounds of measures, "lift=1.5", one per line. A value that misses a bound only because of
     * rounding meets it. Support, confidence and coverage, which are rounded once, are compared
     * exactly. */
    const char *minima, *maxima;
    const char *sort_by;   /* a measure; the best come first. NULL = the order of the sink */
    uint64_t top;          /* only the best K by sort_by, and ties; 0 = all */
    const char *holdout;   /* a share of the transactions ("0.3", "30%"), or a file. Rules are
                            * tested on these transactions; they are mined from the rest or, with a
                            * file, from all of `data`. NULL = none */
    uint64_t holdout_seed; /* determines which transactions a share holds out */
    lode_adjust adjust;    /* of p-values */
    bool productive;       /* only rules whose confidence exceeds that of all more general rules */
    bool verify;           /* count antecedent, consequent and both of every rule again */
    uint8_t reserved[2];   /* zero */
    double significant;    /* only rules with at most this adjusted p-value; 0 = all */
    double limit_seconds;  /* as in lode_mine_options */
    uint64_t limit_patterns;
} lode_rule_options;

typedef enum lode_rule_write_format {
    LODE_RULE_WRITE_TEXT = 0, /* b <- a (54, 83.3): of 54 transactions with a, 83.3% have b; the
                               * format of Borgelt's programs if supports are counts */
    LODE_RULE_WRITE_SPMF,     /* a ==> b #SUP: 45 #CONF: 0.83 #LIFT: 1.2 */
    LODE_RULE_WRITE_CSV,      /* a column for each measure; by default those of mlxtend */
    LODE_RULE_WRITE_JSONL,
    LODE_RULE_WRITE_DOT,   /* Graphviz: items and rules as a graph */
    LODE_RULE_WRITE_SVG,   /* a scatter plot of support and confidence, coloured by lift */
    LODE_RULE_WRITE_ARROW, /* an Arrow file, by columns: antecedent, consequent, counts, measures */
    LODE_RULE_WRITE_XLSX   /* the same columns for spreadsheets; see lode_writes_xlsx() */
} lode_rule_write_format;

/* How rules are written. For their order, see lode_rule_sink_file(). */
typedef struct lode_rule_write_options {
    size_t size;
    lode_rule_write_format format;
    bool sort;            /* by size, then by antecedent, then by consequent */
    bool unsorted;        /* in search order, even if there are few */
    bool bom;             /* begin csv with a byte order mark, so that Excel reads it as UTF-8 */
    bool csv_safe;        /* as in lode_write_options */
    const char *measures; /* names, separated by commas or lines; NULL = the default measures of the
                           * format. With a leading +, as in "+phi,fisher", they are added to the
                           * defaults */
    double interval;      /* add intervals of this level, such as 0.95, for confidence, lift and
                           * odds ratio (csv, jsonl, arrow, xlsx); 0 = none */
    char csv_separator;   /* as in lode_write_options */
    uint8_t reserved[7];  /* zero */
} lode_rule_write_options;

typedef enum lode_write_format {
    LODE_WRITE_FIMI = 0, /* a b c (45) */
    LODE_WRITE_SPMF,     /* a b c #SUP: 45 */
    LODE_WRITE_CSV,      /* see lode_csv_items */
    LODE_WRITE_JSONL,    /* {"items":["a","b","c"],"count":45,"support":0.045} */
    LODE_WRITE_ARROW,    /* an Arrow file, by columns: items, size, count, support */
    LODE_WRITE_XLSX      /* the same columns for spreadsheets; see lode_writes_xlsx() */
} lode_write_format;

/* How csv writes the items of a pattern. Cells are quoted as in any CSV file. */
typedef enum lode_csv_items {
    /* items,size,count,support: all items in the first cell, separated by |. An item that contains
     * a | or a quote is quoted within the cell, so that the cell is itself a CSV line. */
    LODE_CSV_CELL = 0,
    /* count,support,size,item1,item2,…: one cell per item; missing ones are empty. There are as
     * many columns as the longest pattern has items or, if patterns are written before the search
     * ends, as the longest pattern could have. */
    LODE_CSV_COLUMNS
} lode_csv_items;

/* Order: a result of up to 10,000 patterns (with at most 4 million items, and at most 1/32 of the
 * memory budget) is sorted by support from the highest, then by size, then by items; among graphs
 * of equal support, larger ones come first. A larger result is written in search order, which may
 * differ from run to run. */
typedef struct lode_write_options {
    size_t size;
    lode_write_format format;
    bool sort; /* by size, then by items; what exceeds the memory budget goes to a scratch file */
    bool unsorted;            /* in search order, even if there are few */
    lode_csv_items csv_items; /* for csv only */
    bool bom; /* begin csv with a byte order mark, so that Excel reads it as UTF-8 */
    /* Put an apostrophe before csv names and ids that a spreadsheet could take for formulas,
     * because they begin with = + - @ or a control character; the spreadsheet then shows them as
     * text. Use this only for files that people open: programs that read the file get the
     * apostrophe, too. */
    bool csv_safe;
    /* Between the cells of csv: a comma, a semicolon or a tab; 0 = a comma. With semicolons,
     * numbers have a decimal comma, as spreadsheets expect where the comma is the decimal mark. */
    char csv_separator;
    uint8_t reserved[1]; /* zero */
    /* Measures of itemsets (lode/measures.h) that are written after the support, under these names;
     * separated by commas. NULL = none */
    const char *measures;
    /* The measure that orders the itemsets, highest first; or support. Then by support, size and
     * items. Keeps all itemsets in memory. NULL = not by a measure */
    const char *sort_by;
    /* Write what lode/classes.h says about each itemset: the same struct as that of
     * lode_mine_options. NULL = nothing */
    const lode_class_options *classes;
} lode_write_options;

typedef struct lode_graph_read_options {
    size_t size;
    bool directed;        /* "e from to" is an arrow */
    bool skip_bad_graphs; /* skip and count malformed graphs, instead of failing */
    uint8_t reserved[6];  /* zero */
    /* Names of labels, one per line: "v 6 C" (the vertex label 6 is called C), "e 1 single" (an
     * edge label), "@FILE" (a file of such lines), "atomic" (vertex labels are atomic numbers, edge
     * labels 1 to 4 are single, double, triple and aromatic bonds). All that follows knows only the
     * names. Labels with the same name become one. NULL = labels are as in the file */
    const char *labels;
} lode_graph_read_options;

/* Patterns are connected and have at least one edge. */
typedef struct lode_graph_options {
    size_t size;
    lode_threshold min_support; /* a number of graphs, or a share of them; required except with
                            * LODE_TARGET_TOP */
    const char *algorithm;      /* NULL = "auto"; names: lode_algorithm_at() */
    lode_target target; /* whether a pattern is closed or maximal also depends on patterns beyond
                            * the size limits below */
    uint64_t top_k;
    uint32_t min_edges, max_edges;       /* 0 = no limit */
    uint32_t min_vertices, max_vertices; /* 0 = no limit */
    bool vertices;                       /* single vertices are patterns, too */
    bool induced;                        /* occurrences have no other edges among their vertices */
    bool supporters;                     /* list the graphs that contain each pattern */
    bool embeddings;                     /* list the occurrences of each pattern in these graphs */
    double limit_seconds;                /* as in lode_mine_options */
    uint64_t limit_patterns;
    const lode_paper_options *papers; /* NULL = the defaults; see lode/papers.h */
    /* For programs that divide one job among processes. With a root range, a search finds only the
     * patterns whose rarest edge has a rank in [root_first, root_end). The rank of a frequent kind
     * of edge (vertex label, edge label, vertex label) is its position, from 0, when kinds are
     * sorted by ascending support; kinds of equal support are ordered by their labels. root_end 0
     * means up to the last kind. So disjoint ranges find different patterns, and ranges that cover
     * all ranks find all patterns. Single vertices belong to rank 0, even if no edge is frequent.
     * With the target closed or maximal, patterns are closed or maximal in the whole data. */
    uint32_t root_first;
    uint32_t root_end;
    uint32_t share; /* as in lode_mine_options */
    uint32_t n_shares;
    /* Groups of graphs: `classes` and `strata` are files with one label per graph; the classes "*"
     * are those that the graphs of the data set have ("t # 0 active"). With a level, only
     * significant patterns are found; min_support may then be missing, and top_k means those with
     * the smallest p-values. Patterns in the same graphs are one hypothesis. NULL = none;
     * lode/classes.h */
    const lode_class_options *classes;
} lode_graph_options;

typedef enum lode_graph_write_format {
    LODE_GRAPH_WRITE_GSPAN = 0, /* t # n * support, v, e, x lines */
    LODE_GRAPH_WRITE_CSV,       /* code,edges,vertices,count,support */
    LODE_GRAPH_WRITE_JSONL,
    LODE_GRAPH_WRITE_DOT,   /* Graphviz, one graph per pattern */
    LODE_GRAPH_WRITE_ARROW, /* an Arrow file, by columns */
    LODE_GRAPH_WRITE_XLSX,  /* code, vertices, edges, count and support for spreadsheets; see
                             * lode_writes_xlsx() */
    LODE_GRAPH_WRITE_SMARTS /* SMARTS, a tab and the support; labels must be element symbols and
                             * bonds, as `labels` "atomic" names them */
} lode_graph_write_format;

typedef struct lode_graph_write_options {
    size_t size;
    lode_graph_write_format format;
    bool unsorted;       /* in search order, even if there are few; see lode_write_options */
    bool bom;            /* begin csv with a byte order mark, so that Excel reads it as UTF-8 */
    char csv_separator;  /* as in lode_write_options */
    uint8_t reserved[1]; /* zero */
    /* Write what lode/classes.h says about each pattern: the same struct as that of
     * lode_graph_options. NULL = nothing. Not for arrow and xlsx */
    const lode_class_options *classes;
} lode_graph_write_options;

/* Cleaning, and writing transactions: see lode/clean.h. */
typedef struct lode_clean_options lode_clean_options;
typedef struct lode_select_options lode_select_options;
typedef struct lode_basket_write_options lode_basket_write_options;
/* The kinds of patterns that lode_suggest() counts. */
typedef enum lode_suggest_target {
    LODE_SUGGEST_ALL = 0,     /* every frequent itemset */
    LODE_SUGGEST_CLOSED = 1,  /* closed ones */
    LODE_SUGGEST_MAXIMAL = 2, /* maximal ones: a lower support can have fewer of them */
    LODE_SUGGEST_RULES = 3    /* rules with a consequent of one item */
} lode_suggest_target;

typedef struct lode_suggest_options {
    size_t size;
    uint64_t want;     /* find the threshold for about this many patterns; 0 = only the curve */
    unsigned targets;  /* bit 1 << t for each lode_suggest_target t; 0 = all of them or, with
                        * `want`, only ALL */
    unsigned min_size; /* 2 = leave out itemsets with one item; INVALID with CLOSED or MAXIMAL;
                        * 0, 1 = count them, too */
    lode_threshold min_confidence; /* of rules, a ratio; not set = 50% */
    /* Time limit in seconds; less time gives wider intervals. 0 = about half a second per target,
     * or 5% of the mining time if that is longer. */
    double limit_seconds;
    uint64_t seed; /* of the random samples */
    /* Not 0: only estimate, roughly, how many patterns there are at this threshold. This takes
     * about a tenth of a second, and often less. If there are at least `want` patterns (0 = a
     * billion), a lower bound is enough. If no estimate is possible, there are no points. */
    uint64_t at;
} lode_suggest_options;

/* An object that holds all of these structs, and sets their fields by name: for command lines,
 * forms and other languages. */
typedef struct lode_options lode_options;

/* What an option belongs to. A command or a form shows the options of the groups that it needs. */
typedef enum lode_option_group {
    LODE_OPTION_JOB = 1,
    LODE_OPTION_READ = 2,
    LODE_OPTION_MINE = 4,
    LODE_OPTION_WRITE = 8,
    LODE_OPTION_GRAPH_READ = 16,
    LODE_OPTION_GRAPH = 32,
    LODE_OPTION_GRAPH_WRITE = 64,
    LODE_OPTION_DEVICE = 128,       /* where itemsets and graphs are mined */
    LODE_OPTION_PAPERS = 256,       /* lode/papers.h, for itemsets */
    LODE_OPTION_GRAPH_PAPERS = 512, /* lode/papers.h, for graphs */
    LODE_OPTION_RULE = 1024,
    LODE_OPTION_RULE_WRITE = 2048,
    LODE_OPTION_CONSTRAINT = 4096, /* constraints on itemsets */
    LODE_OPTION_SUGGEST = 8192,
    LODE_OPTION_CLEAN = 16384,
    LODE_OPTION_SELECT = 32768,       /* which transactions */
    LODE_OPTION_BASKET_WRITE = 65536, /* how transactions are written */
    LODE_OPTION_QUERY = 131072,       /* which rows of a stored result, and how they are written */
    LODE_OPTION_APPLY = 262144,
    LODE_OPTION_SHARE = 524288,        /* one share of a search for itemsets */
    LODE_OPTION_GRAPH_SHARE = 1048576, /* one share of a search for graphs */
    LODE_OPTION_SPILL = 2097152,       /* itemsets: data larger than memory */
    LODE_OPTION_CLASS = 4194304,       /* lode/classes.h */
    LODE_OPTION_GRAPH_CLASS = 8388608  /* the same, for graphs */
} lode_option_group;

/* One row of the option table. All strings are static. */
typedef struct lode_option {
    size_t size;
    const char *name; /* "min-support" */
    char letter;      /* 's', or 0 */
    lode_option_group group;
    const char *argument; /* the name of its value in help, "SUPPORT"; NULL = a switch */
    const char *fallback; /* the default, in words */
    const char *help;     /* one sentence */
} lode_option;

/* Creates options with their default values. Errors: INVALID, NOMEM. */
LODE_API LODE_NODISCARD lode_status lode_options_create(lode_options **out);
LODE_API void lode_options_free(lode_options *options);

/* Where messages and progress go, as in lode_job_options; NULL = nowhere. */
LODE_API void lode_options_set_log(lode_options *options, lode_log_fn log, void *user);
LODE_API void lode_options_set_progress(lode_options *options, lode_progress_fn progress,
                                        void *user);

/* The structs with the current values, for the calls that take them; lent until the options are
 * freed. Pass the pointers on, and do not copy the structs: those of a newer library may be longer.
 * For NULL, they return NULL. */
LODE_API const lode_ctx_options *lode_options_ctx(const lode_options *options);
LODE_API const lode_job_options *lode_options_job(const lode_options *options);
LODE_API const lode_read_options *lode_options_read(const lode_options *options);
LODE_API const lode_mine_options *lode_options_mine(const lode_options *options);
LODE_API const lode_write_options *lode_options_write(const lode_options *options);
LODE_API const lode_graph_read_options *lode_options_graph_read(const lode_options *options);
LODE_API const lode_graph_options *lode_options_graph(const lode_options *options);
LODE_API const lode_graph_write_options *lode_options_graph_write(const lode_options *options);
LODE_API const lode_rule_options *lode_options_rule(const lode_options *options);
LODE_API const lode_rule_write_options *lode_options_rule_write(const lode_options *options);
LODE_API const lode_clean_options *lode_options_clean(const lode_options *options);
LODE_API const lode_select_options *lode_options_select(const lode_options *options);
LODE_API const lode_basket_write_options *lode_options_basket_write(const lode_options *options);
LODE_API const lode_suggest_options *lode_options_suggest(const lode_options *options);

/* The i-th row of the option table; NULL past the end. */
LODE_API const lode_option *lode_option_at(size_t i);
/* The row with this name in some groups (lode_option_group, joined by |); NULL if there is none.
 * All calls here accept the old names of renamed options, too. */
LODE_API const lode_option *lode_option_find(unsigned groups, const char *name);

/* The i-th word that an option accepts, such as a format or an algorithm; NULL past the end, and
 * for options that only take numbers or other text. The K of "top:K" stands for a number. */
LODE_API const char *lode_option_word(const lode_option *option, size_t i);

/* Sets one field by name: lode_options_set(o, "min-support", "0.5%", msg, sizeof msg). A switch
 * takes NULL, "true" or "false". Strings are copied. For an option that is a list, adds a line.
 * On LODE_INVALID, `message` (may be NULL) says what was expected. */
LODE_API LODE_NODISCARD lode_status lode_options_set(lode_options *options, const char *name,
                                                     const char *value, char *message,
                                                     size_t message_bytes);

/* The same, only for options of some groups (lode_option_group, joined by |): some options of
 * graphs and itemsets share a name. lode_options_set() prefers those of itemsets. */
LODE_API LODE_NODISCARD lode_status lode_options_set_in(lode_options *options, unsigned groups,
                                                        const char *name, const char *value,
                                                        char *message, size_t message_bytes);

/* Writes the current value of an option as text that lode_options_set() accepts: as much of it as
 * fits, with a terminating zero. Returns its full length. The value of a switch is "true" or
 * "false"; the value of a choice is one of its words. The text is empty if the option is not set,
 * so that the default (`fallback`) applies, or if there is no such option. */
LODE_API size_t lode_options_get(const lode_options *options, const char *name, char *buffer,
                                 size_t buffer_bytes);
LODE_API size_t lode_options_get_in(const lode_options *options, unsigned groups, const char *name,
                                    char *buffer, size_t buffer_bytes);

/* The element of `names` that somebody who wrote a misspelt word probably meant; NULL if none is
 * close. Messages about options and their values already include such a suggestion. */
LODE_API const char *lode_nearest(const char *word, const char *const *names, size_t n);

#ifdef __cplusplus
}
#endif
#endif
