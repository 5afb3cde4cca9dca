/* lode/options.h - everything that can be asked for, by struct or by name; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_OPTIONS_H
#define LODE_OPTIONS_H

#include "lode/measures.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lode_log_level {
    LODE_LOG_WARNING = 1, /* it works, but may not be what was meant: show it to the user */
    LODE_LOG_INFO = 2,    /* what was done with the data, such as totals left out */
    LODE_LOG_DEBUG = 3    /* which algorithm and device were chosen; details behind an error */
} lode_log_level;

/* How far a job has come. The share only grows within a phase and is 1 at its end. It is computed
 * from the work done, not from the clock, and is about the share of the processors' time. Where
 * nothing is known, it stays 0 until the end. */
typedef struct lode_progress {
    size_t size;
    const char *phase; /* "wait", "read", "mine", "write", "generate", "query"; "" before the
                        * first */
    double share;      /* of the phase, from 0 to 1 */
    double seconds;    /* since the phase began */
    uint64_t patterns; /* found so far; may lag a little behind */
    double rate;       /* patterns a second, since the phase began */
    double left;       /* estimated seconds left; negative while nothing is known */
    double left_least, left_most; /* `left` is between these in four of five cases */
} lode_progress;

/* resize(user, NULL, 0, n, a) allocates, resize(user, p, old, 0, a) frees and returns NULL. The old
 * size is always passed. NULL for a non-zero size means failure and leaves `pointer` untouched.
 * Called by any thread that uses an object of the context, and by those that lode has started:
 * calls overlap, and the thread that frees a block may not be the one that took it. It must not
 * call lode. */
typedef void *(*lode_resize_fn)(void *user, void *pointer, size_t old_bytes, size_t new_bytes,
                                size_t align);
/* One line without a line end, lent for the call. Called by the thread that called lode, or by one
 * that lode has started for the job; of one job, one call at a time. For what it may call, see
 * "Callbacks" in lode.h. */
typedef void (*lode_log_fn)(void *user, lode_log_level level, const char *message);
/* Called by the thread that called lode, within that call, at most ten times a second; non-zero
 * cancels. At the same time the log and the patterns of the job may arrive on other threads. */
typedef int (*lode_progress_fn)(void *user, const lode_progress *progress);

/* Takes text, whole lines of it, lent for the call. Non-zero stops: it is not called again, and
 * the call that wanted to write returns LODE_STOPPED. Calls for one output never overlap; the
 * functions that take a lode_write_fn say on which threads they come. */
typedef int (*lode_write_fn)(void *user, const char *text, size_t bytes);

/* What all jobs of a context share. */
typedef struct lode_ctx_options {
    size_t size;
    uint64_t memory_bytes;        /* budget for everything lode allocates; 0 = none */
    unsigned threads;             /* at most 1024; 0 = as many as the machine has */
    uint64_t device_memory_bytes; /* budget in the memory of each GPU; 0 = what is free there */
    lode_resize_fn resize;        /* NULL = the system's memory */
    void *resize_user;
    const char *memory_origin; /* where memory_bytes comes from, for messages; see below */
} lode_ctx_options;

/* What is one job's own. */
typedef struct lode_job_options {
    size_t size;
    uint64_t memory_bytes; /* for this job, without the data sets it has read; 0 = what there is */
    unsigned threads;      /* at most so many of the context's; 0 = all */
    const char *device;    /* "auto", "cpu", "cpu*3", "cuda", "cuda:0,1", "cuda:5%" (5 modulo how
                            * many there are); NULL = "auto" */
    uint64_t device_memory_bytes; /* of each GPU, for this job; 0 = what there is */
    lode_log_fn log;              /* NULL = silence */
    void *log_user;
    lode_progress_fn progress; /* NULL = none */
    void *progress_user;
    /* Where memory_bytes comes from, if the user did not choose it: messages of LODE_BUDGET say
     * "the budget is …", with its first 127 bytes. NULL = they say nothing of it. */
    const char *memory_origin;
} lode_job_options;

typedef enum lode_format {
    LODE_FORMAT_AUTO = 0, /* looks at the first lines */
    LODE_FORMAT_FIMI,     /* one transaction a line, integers separated by blanks */
    LODE_FORMAT_SPMF,     /* the same with @ITEM=1=name headers and # comments */
    LODE_FORMAT_BASKET,   /* one transaction a line, names separated by one character */
    LODE_FORMAT_TABLE,    /* one (transaction, item) pair a line */
    LODE_FORMAT_ONEHOT,   /* one column per item: true or false, or a quantity */
    LODE_FORMAT_JSON      /* lists of items or objects, one a line or in one list */
} lode_format;

/* How a file is read; docs/formats.md has all rules. Recognition looks at the first lines: a header
 * with names such as "Order ID" and "Product Name" makes a table, one above true-or-false cells
 * onehot. Where it has to guess, the log callback gets a warning that says which options would
 * decide: a program that reads files of others should show it. */
typedef struct lode_read_options {
    size_t size;
    lode_format format;
    char separator;      /* 0 = detected; for basket, table and onehot */
    bool header;         /* a basket or table file starts with a header line: no data */
    bool skip_bad_lines; /* leave malformed lines out and count them, instead of failing */
    /* Columns, by name (case, blanks and punctuation do not matter) or by number from 1. tid: the
     * transactions of a table [detected, else 1]; in a onehot or basket file, a column that is no
     * item. item: the items of a table [detected, else 2]. */
    const char *tid_column;
    const char *item_column;
    /* With n_parts > 0: read only piece number `part` (from 0) of n_parts, cut at line ends; for
     * regular files that are not compressed. */
    unsigned part;
    unsigned n_parts;
    /* A column that says how often each transaction counts: whole numbers; 0 leaves it out. Rows of
     * a table that are of one transaction must agree. NULL = each counts once. In JSON, columns are
     * fields. Not for fimi and spmf. */
    const char *weight_column;
    /* Rows (lines, records) that are left out: a list of conditions on columns, one a line, each of
     * which is enough: "Status=cancelled", "InvoiceNo=C*" (a glob), "Status!=paid", "Quantity<=0"
     * (also < > >=, for numbers). Case does not matter for = and !=. In a basket or onehot file
     * these columns are no items. Not for fimi and spmf. NULL = none. */
    const char *drop_rows;
    bool keep_ids;       /* keep the ids of transactions, for lode_dataset_transaction_id() */
    uint8_t reserved[7]; /* zero */
    /* A folder for transactions that the memory budget has no room for, NULL = none: LODE_BUDGET.
     * They are kept there in a file without a name, which lasts as long as the data set. Such a
     * data set can be mined by lode_mine(), for every target but generators, without `reduce` and
     * ranges of roots; other calls that look at transactions are UNSUPPORTED, and
     * lode_dataset_transaction() finds none. What fits stays in memory, and is as any other. The
     * names of the items, and the rows of a table while they are gathered, must fit. Does not go
     * with keep_ids. See docs/memory.md. */
    const char *spill;
} lode_read_options;

/* How products of bit matrices are computed. */
typedef enum lode_product {
    LODE_PRODUCT_AUTO = 0, /* the fastest way that the device has, by trial */
    LODE_PRODUCT_POPC,     /* AND and population count: any device */
    LODE_PRODUCT_MMA,      /* binary tensor cores: GPUs of compute capability 8.0 on */
    LODE_PRODUCT_WGMMA     /* the same, by groups of warps: 9.0 */
} lode_product;

/* Settings of algorithms taken from papers; see lode/papers.h. */
typedef struct lode_paper_options lode_paper_options;

/* What patterns are. */
typedef enum lode_pattern_kind {
    LODE_ITEMSETS = 0, /* sets of items: lode_mine() */
    LODE_GRAPHS = 1,   /* connected graphs: lode_graphs_mine() */
    LODE_RULES = 2     /* association rules: lode_rules_mine() */
} lode_pattern_kind;

/* Which patterns are wanted. For graphs, a superset is a larger connected pattern that contains the
 * graph; there are no generators of graphs. */
typedef enum lode_target {
    LODE_TARGET_ALL = 0,       /* every frequent pattern */
    LODE_TARGET_TOP = 1,       /* the top_k of highest support, with ties */
    LODE_TARGET_CLOSED = 2,    /* those without a superset of the same support */
    LODE_TARGET_MAXIMAL = 3,   /* those without a frequent superset */
    LODE_TARGET_GENERATORS = 4 /* those no proper subset of which has the same support; the support
                                * of the empty set is that of all transactions */
} lode_target;

/* Adds up `counts` over all cooperating processes, in place; see lode_mine_options.reduce. Called
 * by the thread that called lode_mine(), within that call, in the same order in all processes. It
 * may wait for the others; it must not call lode. A status other than OK ends the job. */
typedef lode_status (*lode_reduce_fn)(void *user, uint64_t *counts, size_t n);

/* Gives every cooperating process what all of them have: process k, counted from 0, has bytes[k]
 * bytes, and `all` has room for those of all, one behind the other in the order of the processes.
 * `mine` are those of this process; the two do not overlap. `bytes` are the same numbers in all
 * processes, and may be 0. Called by the thread that made the call, within it, in the same order in
 * all processes. It may wait for the others; it must not call lode. A status other than OK ends the
 * call, in this process alone. */
typedef lode_status (*lode_gather_fn)(void *user, const void *mine, void *all,
                                      const uint64_t *bytes);

/* Processes that make a call together: lode_dataset_open_together(). */
typedef struct lode_peers {
    size_t size;
    uint32_t n;     /* processes, at least 1 */
    uint32_t index; /* of this one, from 0 */
    lode_gather_fn gather;
    void *user;
} lode_peers;

typedef struct lode_mine_options {
    size_t size;
    lode_threshold min_support; /* required; with LODE_TARGET_TOP, not set = as low as need be */
    const char *algorithm;      /* NULL = "auto"; names: lode_algorithm_at() */
    lode_target target;
    uint64_t top_k;    /* for LODE_TARGET_TOP */
    uint32_t min_size; /* patterns of fewer items are not reported; 0 = 1 */
    uint32_t max_size; /* patterns of more items are not searched; 0 = no limit */
    /* frontier: candidates counted in one batch, at least, while there are classes to join; 0 =
     * what fills the device, UINT64_MAX = all there are (breadth first: a level per batch) */
    uint64_t epsilon;
    uint64_t max_lists;               /* vertical lists per device; 0 = what memory allows */
    lode_product product;             /* tensor: how products are computed */
    const lode_paper_options *papers; /* NULL = the defaults; see lode/papers.h */
    /* When one is reached, lode_mine() returns LODE_STOPPED and what was delivered is valid. */
    double limit_seconds;    /* from the start of lode_mine(), so without reading; 0 = none */
    uint64_t limit_patterns; /* deliver this many and no more; 0 = none */

    /* For programs that share one job among processes. Only the patterns whose rarest item has a
     * rank in [root_first, root_end) are found, ranks counting the frequent items from the rarest,
     * those of equal support as they come in the data set; root_end 0 = to the last. So ranges that
     * do not overlap give different patterns, and together all of them, with any engine that knows
     * ranges (UNSUPPORTED names those). With `reduce`, the data set is one part of a larger one,
     * and lode_dataset_item_bound() and every lode_dataset_item_at() are the same in all parts:
     * supports are added up over the parts before they are compared. So that all ask for the same
     * sums in the same order, every process must use the same options and a single device, and set
     * max_lists, whose default depends on the memory of the process. */
    uint32_t root_first;
    uint32_t root_end;
    lode_reduce_fn reduce;
    void *reduce_user;
    uint64_t n_transactions_total; /* with `reduce`: transactions over all parts */

    /* CONSTRAINTS select from the patterns that the target asks for; `exclude` comes before it: the
     * data are searched as if these items were not in them. They are lists of groups, one a line. A
     * GROUP of items is a name, a glob such as "beer*" (* ? [a-z]; a \ before a character takes it
     * as it is), or @FILE: the items of all names and globs of a file, one a line. A name or glob
     * that no item has is INVALID, as is what nothing can fulfil (a group that is excluded).
     * Supports and shares stay those of all data. Ranges of roots are those of the data that are
     * searched, which hold what patterns must have, and not what they have all; patterns that have
     * nothing else belong to rank 0. With `reduce`, constraints are UNSUPPORTED. */
    const char *include;        /* patterns have an item of every group; NULL = no matter */
    const char *exclude;        /* no item of any group */
    const char *groups;         /* "0-1:size=*": so many of the group, "2-:…" = 2 or more */
    lode_threshold max_support; /* patterns of at most this support; not set = any */

    /* With n_shares > 0: only the patterns of share number `share`, from 1. Shares are balanced by
     * the work that is expected in them; together they have all patterns, and each pattern is in
     * one. Every process that cuts the same data with the same options gets the same shares,
     * whatever its threads. Of TOP, each share has its own best, so that the best of all are among
     * them; it needs a minimum support. See lode/tasks.h. */
    uint32_t share;
    uint32_t n_shares; /* 0 = everything */
} lode_mine_options;

/* Which rules are wanted. See lode_mine_options for lists of groups of items. */
typedef struct lode_rule_options {
    size_t size;
    lode_threshold min_support;    /* of antecedent and consequent together; required */
    lode_threshold min_confidence; /* a ratio; not set = any */
    const char *algorithm;         /* that counts itemsets; NULL = "auto" */
    uint32_t max_rhs;              /* items of a consequent; 0 = 1, UINT32_MAX = no limit */
    uint32_t max_lhs;              /* items of an antecedent; 0 = no limit */
    uint32_t min_size, max_size;   /* items of both; 0 = no limit */
    const char *lhs,
        *rhs;            /* groups whose items alone may be in the antecedent, in the consequent */
    const char *include; /* an item of every group is in the rule, … */
    const char *include_lhs, *include_rhs; /* … in its antecedent, … in its consequent */
    const char *exclude;                   /* no item of any group is in the rule, … */
    const char *exclude_lhs, *exclude_rhs; /* … in its antecedent, … in its consequent */
    /* Bounds of measures, "lift=1.5", one a line. A value that differs from its bound by rounding
     * only is within it; support, confidence and coverage, which are rounded once, are compared as
     * they are. */
    const char *minima, *maxima;
    const char *sort_by;   /* a measure; the best come first. NULL = the order of the sink */
    uint64_t top;          /* only the best K by sort_by, and ties; 0 = all */
    const char *holdout;   /* "0.3", "30%": a share of the transactions, or else a file: rules
                                  * are searched in the rest and tested here. NULL = none */
    uint64_t holdout_seed; /* chooses the share */
    lode_adjust adjust;    /* of p-values */
    bool productive;       /* only rules of more confidence than every more general one */
    uint8_t reserved[3];   /* zero */
    double significant;    /* only rules of at most this adjusted p-value; 0 = any */
    double limit_seconds;  /* as in lode_mine_options */
    uint64_t limit_patterns;
} lode_rule_options;

typedef enum lode_rule_write_format {
    LODE_RULE_WRITE_TEXT = 0, /* b <- a (54, 83.3): of 54 transactions with a, 83.3% have b; as
                               * Borgelt's programs write them for a support that is a count */
    LODE_RULE_WRITE_SPMF,     /* a ==> b #SUP: 45 #CONF: 0.83 #LIFT: 1.2 */
    LODE_RULE_WRITE_CSV,      /* a column for each measure; by default those of mlxtend */
    LODE_RULE_WRITE_JSONL,
    LODE_RULE_WRITE_DOT,  /* Graphviz: items and rules as a graph */
    LODE_RULE_WRITE_SVG,  /* support against confidence, coloured by lift */
    LODE_RULE_WRITE_ARROW /* an Arrow file, by columns: sides, counts, measures */
} lode_rule_write_format;

/* For the order, see lode_rule_sink_file(). */
typedef struct lode_rule_write_options {
    size_t size;
    lode_rule_write_format format;
    bool sort;            /* by size, then by antecedent, then by consequent */
    bool unsorted;        /* as the search finds them, however few */
    bool bom;             /* csv starts with the mark by which Excel knows UTF-8 */
    bool csv_safe;        /* as in lode_write_options */
    const char *measures; /* names, separated by commas or lines; NULL = those of the format. After
                           * a +, they come besides these, as in "+phi,fisher" */
    double interval;      /* adds intervals of this level, such as 0.95, for confidence, lift and
                              * odds ratio (csv, jsonl, arrow); 0 = none */
} lode_rule_write_options;

typedef enum lode_write_format {
    LODE_WRITE_FIMI = 0, /* a b c (45) */
    LODE_WRITE_SPMF,     /* a b c #SUP: 45 */
    LODE_WRITE_CSV,      /* see lode_csv_items */
    LODE_WRITE_JSONL,    /* {"items":["a","b","c"],"count":45,"support":0.045} */
    LODE_WRITE_ARROW     /* an Arrow file, by columns: items, size, count, support */
} lode_write_format;

/* How csv holds the items of a pattern. In both forms a cell is quoted as in any CSV file. */
typedef enum lode_csv_items {
    /* items,size,count,support: all items in the first cell, with | between them. An item that
     * holds a | or a quote is quoted within the cell, which is a CSV line of its own then. */
    LODE_CSV_CELL = 0,
    /* count,support,size,item1,item2,…: a cell for each item. Every line has as many cells as the
     * header, the last of them empty; that has as many columns as the longest pattern, or, of a
     * result that is not held back, as it could have. */
    LODE_CSV_COLUMNS
} lode_csv_items;

/* In which order: results of up to 10,000 patterns (and 4 million items, and a thirty-second of a
 * memory budget) are held back and come by support from the highest, of equal support by size, then
 * by items; graphs of equal support, the larger first. Of more, all come as the search finds them,
 * which may differ from run to run. */
typedef struct lode_write_options {
    size_t size;
    lode_write_format format;
    bool sort;     /* by size, then by items; what a memory budget cannot hold waits in a file */
    bool unsorted; /* as the search finds them, however few */
    lode_csv_items csv_items; /* for csv only */
    bool bom;                 /* csv starts with the mark by which Excel knows UTF-8 */
    /* In csv, names and ids that a spreadsheet could take for formulas, because they begin with
     * = + - @ or a control character, have an apostrophe before them: it shows them as text. For
     * files that people open; whoever reads the file by a program gets the apostrophe as well. */
    bool csv_safe;
    uint8_t reserved[2]; /* zero */
} lode_write_options;

typedef struct lode_graph_read_options {
    size_t size;
    bool directed;        /* "e from to" is an arrow */
    bool skip_bad_graphs; /* leave malformed graphs out and count them, instead of failing */
    uint8_t reserved[6];  /* zero */
} lode_graph_read_options;

/* Patterns are connected and have at least one edge. */
typedef struct lode_graph_options {
    size_t size;
    lode_threshold
        min_support;       /* a number of graphs, or a share of them; required except for TOP */
    const char *algorithm; /* NULL = "auto"; names: lode_algorithm_at() */
    lode_target target;    /* larger patterns count even beyond the limits below */
    uint64_t top_k;
    uint32_t min_edges, max_edges;       /* 0 = no limit */
    uint32_t min_vertices, max_vertices; /* 0 = no limit */
    bool vertices;                       /* single vertices are patterns, too */
    bool induced;         /* the vertices of an occurrence have no other edges among them */
    bool supporters;      /* list the graphs that contain each pattern */
    bool embeddings;      /* list where it occurs in them */
    double limit_seconds; /* as in lode_mine_options */
    uint64_t limit_patterns;
    const lode_paper_options *papers; /* NULL = the defaults; see lode/papers.h */
    /* For programs that share one job among processes. Only the patterns whose rarest edge has a
     * rank in [root_first, root_end) are found. Edges are ranked by what they look like (vertex
     * label, edge label, vertex label): those that are frequent, from the rarest, and of equal
     * support in print order; root_end 0 = to the last. So ranges that do not overlap give
     * different patterns, and together all of them. Single vertices belong to rank 0, also if no
     * edge is frequent. Closed and maximal are those of the whole data. */
    uint32_t root_first;
    uint32_t root_end;
    uint32_t share; /* as in lode_mine_options */
    uint32_t n_shares;
} lode_graph_options;

typedef enum lode_graph_write_format {
    LODE_GRAPH_WRITE_GSPAN = 0, /* t # n * support, v, e, x lines */
    LODE_GRAPH_WRITE_CSV,       /* code,edges,vertices,count,support */
    LODE_GRAPH_WRITE_JSONL,
    LODE_GRAPH_WRITE_DOT,  /* Graphviz, one graph each */
    LODE_GRAPH_WRITE_ARROW /* an Arrow file, by columns */
} lode_graph_write_format;

typedef struct lode_graph_write_options {
    size_t size;
    lode_graph_write_format format;
    bool unsorted;       /* as the search finds them, however few; see lode_write_options */
    bool bom;            /* csv starts with the mark by which Excel knows UTF-8 */
    uint8_t reserved[2]; /* zero */
} lode_graph_write_options;

/* Cleaning, and writing transactions: see lode/clean.h. */
typedef struct lode_clean_options lode_clean_options;
typedef struct lode_select_options lode_select_options;
typedef struct lode_basket_write_options lode_basket_write_options;
/* What lode_suggest() counts. */
typedef enum lode_suggest_target {
    LODE_SUGGEST_ALL = 0,     /* every frequent itemset */
    LODE_SUGGEST_CLOSED = 1,  /* closed ones */
    LODE_SUGGEST_MAXIMAL = 2, /* maximal ones: fewer at a lower support now and then */
    LODE_SUGGEST_RULES = 3    /* rules with a consequent of one item */
} lode_suggest_target;

typedef struct lode_suggest_options {
    size_t size;
    uint64_t want;     /* patterns that a threshold is wanted for; 0 = only the curve */
    unsigned targets;  /* bit lode_suggest_target for each; 0 = all of them or, with `want`, ALL */
    unsigned reserved; /* zero */
    lode_threshold min_confidence; /* of rules, a ratio; not set = 50% */
    /* Seconds that the work may take: with fewer, it knows less. 0 = as it needs: about half a
     * second for each target or, where counting takes more than five, up to a tenth of that. */
    double limit_seconds;
    uint64_t seed; /* of the choice of random parts */
} lode_suggest_options;

/* All of these, settable by name: what a command line, a form or another language fills in. */
typedef struct lode_options lode_options;

/* What an option is about: commands and forms show the groups that matter to them. */
typedef enum lode_option_group {
    LODE_OPTION_JOB = 1,
    LODE_OPTION_READ = 2,
    LODE_OPTION_MINE = 4,
    LODE_OPTION_WRITE = 8,
    LODE_OPTION_GRAPH_READ = 16,
    LODE_OPTION_GRAPH = 32,
    LODE_OPTION_GRAPH_WRITE = 64,
    LODE_OPTION_DEVICE = 128,       /* where itemsets and graphs are mined */
    LODE_OPTION_PAPERS = 256,       /* lode/papers.h: of the miners of itemsets … */
    LODE_OPTION_GRAPH_PAPERS = 512, /* … and of those of graphs */
    LODE_OPTION_RULE = 1024,
    LODE_OPTION_RULE_WRITE = 2048,
    LODE_OPTION_CONSTRAINT = 4096, /* of itemsets: which of them */
    LODE_OPTION_SUGGEST = 8192,
    LODE_OPTION_CLEAN = 16384,
    LODE_OPTION_SELECT = 32768,       /* which transactions */
    LODE_OPTION_BASKET_WRITE = 65536, /* how they are written */
    LODE_OPTION_QUERY = 131072,       /* which rows of a stored result, and how they are written */
    LODE_OPTION_APPLY = 262144,
    LODE_OPTION_SHARE = 524288,        /* of itemsets: one share of a search that is cut … */
    LODE_OPTION_GRAPH_SHARE = 1048576, /* … and of graphs */
    LODE_OPTION_SPILL = 2097152        /* of itemsets: data larger than memory */
} lode_option_group;

/* One row of the option table. All texts are static. */
typedef struct lode_option {
    size_t size;
    const char *name; /* "min-support" */
    char letter;      /* 's', or 0 */
    lode_option_group group;
    const char *argument; /* what to write after it, such as "FRACTION"; NULL = a switch */
    const char *fallback; /* what holds when it is not given, in words */
    const char *help;     /* one sentence */
} lode_option;

/* Options at their defaults. Errors: INVALID, NOMEM. */
LODE_API LODE_NODISCARD lode_status lode_options_create(lode_options **out);
LODE_API void lode_options_free(lode_options *options);

/* Where messages and progress go, as in lode_job_options; NULL = nowhere. */
LODE_API void lode_options_set_log(lode_options *options, lode_log_fn log, void *user);
LODE_API void lode_options_set_progress(lode_options *options, lode_progress_fn progress,
                                        void *user);

/* The structs that the options hold now, for the calls that take them; lent until the options are
 * freed. Pass them on, and do not copy them: those of a newer library are longer. For NULL,
 * NULL. */
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
 * Options that were renamed are also found by their old names, by all calls here. */
LODE_API const lode_option *lode_option_find(unsigned groups, const char *name);

/* The i-th word that an option of the table takes, such as a format or an algorithm; NULL past the
 * end, and for options that take numbers and texts only. The K of "top:K" stands for a number. */
LODE_API const char *lode_option_word(const lode_option *option, size_t i);

/* Sets one field by name: lode_options_set(o, "min-support", "0.5%", msg, sizeof msg). A switch
 * takes NULL, "true" or "false". Texts are copied. A list gets one line more.
 * On LODE_INVALID `message` (may be NULL) says what was expected. */
LODE_API LODE_NODISCARD lode_status lode_options_set(lode_options *options, const char *name,
                                                     const char *value, char *message,
                                                     size_t message_bytes);

/* The same, but only for options of some groups (lode_option_group, joined by |): some options of
 * graphs and itemsets have the same name. lode_options_set() looks at those of itemsets first. */
LODE_API LODE_NODISCARD lode_status lode_options_set_in(lode_options *options, unsigned groups,
                                                        const char *name, const char *value,
                                                        char *message, size_t message_bytes);

/* The present value of an option, as text that lode_options_set() takes and with a closing zero, as
 * far as it fits; returns its full length. A switch is "true" or "false", a choice always one of
 * its words. Empty: nothing is set, so the row's `fallback` holds; or there is no such option. */
LODE_API size_t lode_options_get(const lode_options *options, const char *name, char *buffer,
                                 size_t buffer_bytes);
LODE_API size_t lode_options_get_in(const lode_options *options, unsigned groups, const char *name,
                                    char *buffer, size_t buffer_bytes);

/* The name that a misspelt word was probably meant to be; NULL if none is near. Messages about
 * options and their values include such advice already. */
LODE_API const char *lode_nearest(const char *word, const char *const *names, size_t n);

#ifdef __cplusplus
}
#endif
#endif
