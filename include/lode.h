/* lode.h - frequent patterns, from a file to a result: the whole public interface
 *
 * lode finds the sets of items that occur together in at least a given number of transactions, and
 * the connected subgraphs that occur in at least a given number of graphs (section 9).
 * This header is the manual of the C library. It compiles as C17 and as C++.
 *
 *     #include <lode.h>
 *
 *     lode_ctx *ctx = NULL;
 *     lode_dataset *data = NULL;
 *     lode_sink *sink = NULL;
 *     lode_options options;
 *
 *     lode_options_init(&options);
 *     lode_options_set(&options, "min-support", "1%", NULL, 0);
 *     lode_ctx_create(&ctx, &options.ctx);
 *     lode_dataset_open(ctx, &data, "baskets.csv", &options.read);
 *     lode_sink_count(ctx, &sink);
 *     lode_mine(ctx, data, &options.mine, sink, NULL);
 *     printf("%llu patterns\n", (unsigned long long)lode_sink_patterns(sink));
 *
 *     lode_sink_free(sink);
 *     lode_dataset_free(data);
 *     lode_ctx_free(ctx);
 *
 * (examples/ has complete programs with the error checks.)
 *
 *     cc program.c $(pkg-config --cflags --libs lode)
 *
 * or, with CMake, find_package(lode) and the target lode::lode. That is the shared library; the
 * archive is lode-static, or find_package(lode COMPONENTS static). A build tree that is not
 * installed has a lode.pc, too, which gives the archive: PKG_CONFIG_PATH=build.
 *
 * RULES THAT HOLD EVERYWHERE
 *   Errors     Every call that can fail returns a lode_status, and the compiler warns if it is not
 *              looked at. The text that goes with it is lode_ctx_error(). Out parameters are left
 *              alone on failure. The library never prints, exits or aborts.
 *   Arguments  A pointer that is NULL where nothing says that it may be, an enum or a number out of
 *              its range and a wrong `size` are LODE_INVALID, and the message says which. Functions
 *              that cannot fail take NULL, and positions past the end, for something empty.
 *   Ownership  X_create, X_open and X_from_* hand out what X_free takes back; X_free(NULL) is fine.
 *              Free what a context made before the context itself. Pointers that a call lends are
 *              good until the object that lent them is freed.
 *   Threads    A context and its sinks belong to one thread at a time, except that any thread may
 *              call lode_ctx_cancel() (as may a signal handler), lode_ctx_raise_threshold(), and
 *              the functions that say how much a sink has received. Data sets and results never
 *              change after creation and may be shared.
 *   Options    Structs start with their own size, so that a library of another version notices;
 *              start from lode_options_init(), or set `size` yourself. Zero always means "the
 *              default". Every field of lode_options can also be set by name and text.
 *   Stack      A call takes less than 256 KiB of the stack of its thread, whatever the data; what
 *              your own callbacks take comes on top. Threads that lode starts have 1 MiB or more.
 *   Numbers    Items and transactions are u32, supports and totals u64. More is a named error.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LODE_H
#define LODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LODE_VERSION_MAJOR 0
#define LODE_VERSION_MINOR 1
#define LODE_VERSION_PATCH 0
#define LODE_VERSION_TEXT  "0.1.0"

#if defined(__GNUC__)
#define LODE_NODISCARD        __attribute__((warn_unused_result))
#define LODE_API              __attribute__((visibility("default")))
#define LODE_PRINTF(at, from) __attribute__((format(printf, at, from)))
#else
#define LODE_NODISCARD
#define LODE_API
#define LODE_PRINTF(at, from)
#endif

/* The version of the library that is linked, such as "0.1.0". */
LODE_API const char *lode_version(void);

/* How the library that is linked was built, and what it makes of this machine. Texts are static. */
typedef struct lode_build {
    const char *type;             /* "Release", "Debug"; "" = unknown */
    const char *sanitizers;       /* "address,undefined"; "" = none */
    const char *compiler;         /* "gcc 13.2.0" */
    const char *instruction_sets; /* built in, best first: "avx512, avx2, scalar" */
    const char *chosen; /* the one used here, or asked for by LODE_CPU; NULL = that cannot run */
    const char *cuda;   /* the CUDA toolkit it was built with, "12.4"; NULL = without CUDA */
} lode_build;

LODE_API lode_build lode_build_info(void);

/* ---------------------------------------------------------------------------------------------
 * 1. Status
 * ------------------------------------------------------------------------------------------- */

/* The values are fixed for good. */
typedef enum lode_status {
    LODE_OK = 0,
    LODE_NOMEM = 1,       /* the system has no more memory */
    LODE_BUDGET = 2,      /* the memory budget is too small; lode_ctx_memory_needed() is enough */
    LODE_CANCELLED = 3,   /* lode_ctx_cancel() was called; results so far are valid but partial */
    LODE_INVALID = 4,     /* an argument or option is wrong */
    LODE_PARSE = 5,       /* the input is malformed: "file:line:column: what; what was expected" */
    LODE_IO = 6,          /* the system refused to read or write */
    LODE_UNSUPPORTED = 7, /* a valid request that this engine or device cannot do */
    LODE_DEVICE = 8,      /* a device failed */
    LODE_NOTFOUND = 9,    /* an input file is missing or cannot be opened */
    LODE_STOPPED = 10, /* a limit was reached, or a sink asked to stop; results so far are valid */
    LODE_INTERNAL = 11 /* a bug in lode: please report it */
} lode_status;

/* A few words for a status, such as "memory budget". Never NULL. */
LODE_API const char *lode_status_text(lode_status status);

/* ---------------------------------------------------------------------------------------------
 * 2. Thresholds: a count, or an exact fraction of the transactions
 * ------------------------------------------------------------------------------------------- */

/* denominator 0: `numerator` is an absolute count. Otherwise the ratio numerator / denominator.
 * All zero means "not set". */
typedef struct lode_threshold {
    uint64_t numerator;
    uint64_t denominator;
} lode_threshold;

/* Reads "250" (a count), "1%" or "0.01" (ratios). 1 and above without % is a count, so "1" is the
 * count 1 and "100%" is every transaction. Zero, negative numbers, fractions above 1 and ratios
 * above 100% are LODE_INVALID; `message` (may be NULL) then says what is wrong. Exact: the text
 * becomes a fraction of two integers, never a floating-point number. */
LODE_API LODE_NODISCARD lode_status lode_threshold_parse(const char *text, lode_threshold *out,
                                                         char *message, size_t message_bytes);

/* The smallest support that meets the threshold among n transactions: max(1, ceil(ratio * n)). */
LODE_API uint64_t lode_threshold_count(lode_threshold threshold, uint64_t n);

/* ---------------------------------------------------------------------------------------------
 * 3. Options: four structs, one table
 * ------------------------------------------------------------------------------------------- */

typedef enum lode_log_level {
    LODE_LOG_WARNING = 1, /* it works, and perhaps it is not what was meant: show it to the user */
    LODE_LOG_INFO = 2,    /* what was done with the data, such as totals left out */
    LODE_LOG_DEBUG = 3    /* which algorithm and device were chosen; details behind an error */
} lode_log_level;

/* How far a job has come. `total` is 0 while unknown; done and total are work, not time. */
typedef struct lode_progress {
    const char *phase; /* "read", "mine", "write" */
    uint64_t done;
    uint64_t total;
    uint64_t patterns; /* found so far; may lag a little behind */
    double seconds;    /* since the phase began */
} lode_progress;

/* resize(user, NULL, 0, n, a) allocates, resize(user, p, old, 0, a) frees and returns NULL. The old
 * size is always passed. NULL for a non-zero size means failure and leaves `pointer` untouched. */
typedef void *(*lode_resize_fn)(void *user, void *pointer, size_t old_bytes, size_t new_bytes,
                                size_t align);
/* One line without a line end, lent for the call. Called from the thread that called lode, or from
 * one that lode started and that ends before the call does; calls for one context never overlap.
 * Of lode it may call lode_ctx_cancel() only. */
typedef void (*lode_log_fn)(void *user, lode_log_level level, const char *message);
/* Called from the thread that called lode, at most ten times a second; non-zero cancels. */
typedef int (*lode_progress_fn)(void *user, const lode_progress *progress);

typedef struct lode_ctx_options {
    size_t size;
    uint64_t memory_bytes;        /* budget for everything lode allocates; 0 = none */
    unsigned threads;             /* at most 1024; 0 = as many as the machine has */
    const char *device;           /* "auto", "cpu", "cpu*3", "cuda", "cuda:0,1"; NULL = "auto" */
    uint64_t device_memory_bytes; /* budget in the memory of each GPU; 0 = what is free there */
    lode_resize_fn resize;        /* NULL = the system's memory */
    void *resize_user;
    lode_log_fn log; /* NULL = silence */
    void *log_user;
    lode_progress_fn progress; /* NULL = none */
    void *progress_user;
} lode_ctx_options;

typedef enum lode_format {
    LODE_FORMAT_AUTO = 0, /* looks at the first lines */
    LODE_FORMAT_FIMI,     /* one transaction a line, integers separated by blanks */
    LODE_FORMAT_SPMF,     /* the same with @ITEM=1=name headers and # comments */
    LODE_FORMAT_BASKET,   /* one transaction a line, names separated by one character */
    LODE_FORMAT_TABLE,    /* one (transaction, item) pair a line */
    LODE_FORMAT_ONEHOT    /* one column an item, true or false, or how many */
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
} lode_read_options;

/* How the papers did it, for comparison; the first of each is the default. */
typedef enum lode_popcount {
    LODE_POPCOUNT_NATIVE = 0, /* the fastest the device has */
    LODE_POPCOUNT_TABLE16,    /* a table of 65,536 bytes */
    LODE_POPCOUNT_SHIFT       /* shift and remainder */
} lode_popcount;
typedef enum lode_reduce { LODE_REDUCE_ANY = 0, LODE_REDUCE_POW2 } lode_reduce;
typedef enum lode_grid { LODE_GRID_FOLDED = 0, LODE_GRID_SQUARE } lode_grid;

/* How products of bit matrices are computed. */
typedef enum lode_product {
    LODE_PRODUCT_AUTO = 0, /* the fastest way that the device has, by trial */
    LODE_PRODUCT_POPC,     /* AND and population count: any device */
    LODE_PRODUCT_MMA,      /* binary tensor cores: GPUs of compute capability 8.0 on */
    LODE_PRODUCT_WGMMA     /* the same, by groups of warps: 9.0 */
} lode_product;

typedef enum lode_target {
    LODE_TARGET_ALL = 0,       /* every frequent itemset */
    LODE_TARGET_TOP = 1,       /* the top_k of highest support, with ties */
    LODE_TARGET_CLOSED = 2,    /* those without a superset of the same support */
    LODE_TARGET_MAXIMAL = 3,   /* those without a frequent superset */
    LODE_TARGET_GENERATORS = 4 /* those no proper subset of which has the same support; the support
                                * of the empty set is that of all transactions */
} lode_target;

/* Adds up `counts` over all cooperating processes, in place; see lode_mine_options.reduce. */
typedef lode_status (*lode_reduce_fn)(void *user, uint64_t *counts, size_t n);

typedef struct lode_mine_options {
    size_t size;
    lode_threshold min_support; /* required, but for LODE_TARGET_TOP: not set = as low as need be */
    const char *algorithm;      /* NULL = "auto"; names: lode_algorithm_at() */
    lode_target target;
    uint64_t top_k;    /* for LODE_TARGET_TOP */
    uint32_t min_size; /* patterns of fewer items are not reported; 0 = 1 */
    uint32_t max_size; /* patterns of more items are not searched; 0 = no limit */
    /* frontier: candidates counted in one batch, at least; 0 = what fills the device, UINT64_MAX =
     * all there are (breadth first) */
    uint64_t epsilon;
    uint64_t max_lists;     /* vertical lists per device; 0 = what memory allows */
    lode_popcount popcount; /* level-wise: how bits are counted */
    lode_reduce reduce_by;  /* gpu-apriori: how the counts of words are added up */
    lode_grid grid;         /* gpu-apriori: how the pairs are laid out */
    lode_product product;   /* tensor: how products are computed */
    /* When one is reached, lode_mine() returns LODE_STOPPED and what was delivered is valid. */
    double limit_seconds;    /* from the start of lode_mine(), so without reading; 0 = none */
    uint64_t limit_patterns; /* deliver this many and no more; 0 = none */

    /* For programs that share one job among processes. Only the classes whose first item has a rank
     * in [root_first, root_end) are searched, ranks counting the frequent items from the rarest;
     * root_end 0 = to the last. With `reduce`, the data set is one part of a larger one, and
     * lode_dataset_item_bound() and every lode_dataset_item_at() are the same in all parts:
     * supports are added up over the parts before they are compared. So that all ask for the same
     * sums in the same order, every process must use the same options and a single device, and set
     * max_lists, whose default depends on the memory of the process. */
    uint32_t root_first;
    uint32_t root_end;
    lode_reduce_fn reduce;
    void *reduce_user;
    uint64_t n_transactions_total; /* with `reduce`: transactions over all parts */
} lode_mine_options;

typedef enum lode_write_format {
    LODE_WRITE_FIMI = 0, /* a b c (45) */
    LODE_WRITE_SPMF,     /* a b c #SUP: 45 */
    LODE_WRITE_CSV,      /* see lode_csv_items */
    LODE_WRITE_JSONL     /* {"items":["a","b","c"],"count":45,"support":0.045} */
} lode_write_format;

/* How csv holds the items of a pattern. In both forms a cell is quoted as in any CSV file. */
typedef enum lode_csv_items {
    /* items,size,count,support: all items in the first cell, with | between them. An item that
     * holds a | or a quote is quoted within the cell, which is a CSV line of its own then. */
    LODE_CSV_CELL = 0,
    /* count,support,size,item1,item2,…: a cell for each item. Lines end behind their last item; the
     * header has as many columns as the longest pattern, or, of a result that is not held back, as
     * it could have. */
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
} lode_write_options;

typedef struct lode_graph_read_options {
    size_t size;
    bool directed;        /* "e from to" is an arrow */
    bool skip_bad_graphs; /* leave malformed graphs out and count them, instead of failing */
} lode_graph_read_options;

typedef enum lode_graph_target {
    LODE_GRAPH_ALL = 0,
    LODE_GRAPH_CLOSED,  /* no larger connected pattern has the same support */
    LODE_GRAPH_MAXIMAL, /* no larger connected pattern is frequent */
    LODE_GRAPH_TOP      /* the top_k of highest support, with ties */
} lode_graph_target;

/* How gspan on a GPU keeps extensions, and reads the graphs: for the paper that compares. */
typedef enum lode_graph_records {
    LODE_GRAPH_RECORDS_VECTORS = 0, /* 16 bytes each */
    LODE_GRAPH_RECORDS_COLUMNS      /* four arrays */
} lode_graph_records;

typedef enum lode_graph_loads {
    LODE_GRAPH_LOADS_READONLY = 0,
    LODE_GRAPH_LOADS_PLAIN
} lode_graph_loads;

/* Patterns are connected and have at least one edge. */
typedef struct lode_graph_options {
    size_t size;
    lode_threshold min_support; /* a number of graphs, or a share of them; required, but for TOP */
    const char *algorithm;      /* NULL = "auto"; names: lode_graph_algorithm_at() */
    lode_graph_target target;   /* larger patterns count whatever the limits of size below say */
    uint64_t top_k;
    uint32_t min_edges, max_edges;       /* 0 = no limit */
    uint32_t min_vertices, max_vertices; /* 0 = no limit */
    bool vertices;                       /* single vertices are patterns, too */
    bool induced;         /* the vertices of an occurrence have no other edges among them */
    bool supporters;      /* list the graphs that contain each pattern */
    bool embeddings;      /* list where it occurs in them */
    double limit_seconds; /* as in lode_mine_options */
    uint64_t limit_patterns;
    lode_graph_records records; /* gspan on a GPU only */
    lode_graph_loads loads;     /* likewise */
} lode_graph_options;

typedef enum lode_graph_write_format {
    LODE_GRAPH_WRITE_GSPAN = 0, /* t # n * support, v, e, x lines */
    LODE_GRAPH_WRITE_CSV,       /* code,edges,vertices,count,support */
    LODE_GRAPH_WRITE_JSONL,
    LODE_GRAPH_WRITE_DOT /* Graphviz, one graph each */
} lode_graph_write_format;

typedef struct lode_graph_write_options {
    size_t size;
    lode_graph_write_format format;
    bool unsorted; /* as the search finds them, however few; see lode_write_options */
    bool bom;      /* csv starts with the mark by which Excel knows UTF-8 */
} lode_graph_write_options;

typedef struct lode_options {
    size_t size;
    lode_ctx_options ctx;
    lode_read_options read;
    lode_mine_options mine;
    lode_write_options write;
    lode_graph_read_options graph_read;
    lode_graph_options graph;
    lode_graph_write_options graph_write;
} lode_options;

/* What an option is about: commands and forms show the groups that matter to them. */
typedef enum lode_option_group {
    LODE_OPTION_CTX = 1,
    LODE_OPTION_READ = 2,
    LODE_OPTION_MINE = 4,
    LODE_OPTION_WRITE = 8,
    LODE_OPTION_GRAPH_READ = 16,
    LODE_OPTION_GRAPH = 32,
    LODE_OPTION_GRAPH_WRITE = 64,
    LODE_OPTION_DEVICE = 128 /* where itemsets and graphs are mined */
} lode_option_group;

/* One row of the option table. All texts are static. */
typedef struct lode_option {
    const char *name; /* "min-support" */
    char letter;      /* 's', or 0 */
    lode_option_group group;
    const char *argument; /* what to write after it, such as "FRACTION"; NULL = a switch */
    const char *fallback; /* what holds when it is not given, in words */
    const char *help;     /* one sentence */
} lode_option;

/* Fills in sizes and defaults. Call it first. */
LODE_API void lode_options_init(lode_options *options);

/* The i-th row of the option table; NULL past the end. */
LODE_API const lode_option *lode_option_at(size_t i);

/* The i-th word that an option of the table takes, such as a format or an algorithm; NULL past the
 * end, and for options that take numbers and texts only. The K of "top:K" stands for a number. */
LODE_API const char *lode_option_word(const lode_option *option, size_t i);

/* Sets one field by name: lode_options_set(&o, "min-support", "0.5%", msg, sizeof msg). A switch
 * takes NULL, "true" or "false". Texts are borrowed: `value` must live as long as the options.
 * On LODE_INVALID `message` (may be NULL) says what was expected. */
LODE_API LODE_NODISCARD lode_status lode_options_set(lode_options *options, const char *name,
                                                     const char *value, char *message,
                                                     size_t message_bytes);

/* The same for an option of some groups (lode_option_group, joined by |) only: graphs have options
 * of the same name as itemsets. lode_options_set() looks at those of itemsets first. */
LODE_API LODE_NODISCARD lode_status lode_options_set_in(lode_options *options, unsigned groups,
                                                        const char *name, const char *value,
                                                        char *message, size_t message_bytes);

/* Which of the names a misspelt word was meant to be; NULL if none is near. Messages about options
 * and their values say so themselves. */
LODE_API const char *lode_nearest(const char *word, const char *const *names, size_t n);

/* ---------------------------------------------------------------------------------------------
 * 4. Context: memory, threads, devices, cancelling, the last error
 * ------------------------------------------------------------------------------------------- */

typedef struct lode_ctx lode_ctx;

/* Creates a context. `options` may be NULL. The device is looked at by lode_mine() only. Errors:
 * NOMEM, INVALID (out is NULL, options of another size, more than 1024 threads, a device text of
 * 256 bytes and more). */
LODE_API LODE_NODISCARD lode_status lode_ctx_create(lode_ctx **out,
                                                    const lode_ctx_options *options);
LODE_API void lode_ctx_free(lode_ctx *ctx);

/* What the last failed call had to say; "" if there is nothing. Lent until the next call. */
LODE_API const char *lode_ctx_error(const lode_ctx *ctx);

/* Asks the running call to stop soon; it returns LODE_CANCELLED and what the sinks have received is
 * valid. Any thread, any signal handler. The flag stays until lode_ctx_reset(). */
LODE_API void lode_ctx_cancel(lode_ctx *ctx);

/* Clears the cancel flag and the error message, so that the context can be used again. */
LODE_API void lode_ctx_reset(lode_ctx *ctx);

/* Raises the support threshold of the running job; a lower value than the present one is ignored.
 * Engines look at it before every batch, and sinks drop what lies below it. Any thread. */
LODE_API void lode_ctx_raise_threshold(lode_ctx *ctx, uint64_t min_count);

/* Bytes allocated now, and the most there ever were. */
LODE_API uint64_t lode_ctx_memory_used(const lode_ctx *ctx);
LODE_API uint64_t lode_ctx_memory_peak(const lode_ctx *ctx);

/* After LODE_BUDGET: a budget in bytes that is enough for the whole job, as it was asked for: data,
 * search, output. It is the figure of the message, a whole number of MiB, and not much more than
 * twice the least. 0 after anything else. What it cannot know:
 *   - when the data do not fit: how much a result in memory will take. lode_mine() says that.
 *   - what algorithms hold that keep what they find (the level-wise ones, generators, top:K, and
 *     the occurrences of graphs). The figure is then enough for most data; the message says
 *     "about", and if it was not enough, the next one is twice as much. */
LODE_API uint64_t lode_ctx_memory_needed(const lode_ctx *ctx);

/* Says what data sets will be mined for, before they are read. Nothing changes but what is said
 * when there is no room for the data: the figure then includes what mining them takes by this
 * threshold, algorithm and target. Without it, reading thinks of `auto` and of all items. Texts are
 * borrowed; NULL takes it back. */
LODE_API void lode_ctx_expect(lode_ctx *ctx, const lode_mine_options *options);

/* ---------------------------------------------------------------------------------------------
 * 5. Data sets
 * ------------------------------------------------------------------------------------------- */

/* Transactions, each a set of items. An item listed twice in a transaction counts once. An empty
 * line is an empty transaction: it holds no item, but it counts in ratios.
 *
 * WHAT AN ITEM IS, here and in batches and results: a uint32_t that stands for a name.
 *   Numbers    lode_dataset_from_arrays() gives every item back as the number that was put in, from
 *              0 to UINT32_MAX. So do data that are read, if every item is such a number, written
 *              without leading zeros. lode_dataset_has_numbers() is then true.
 *   Names      Otherwise (one name that is no such number suffices, as milk, 007 or 4294967296 are
 *              not) items are 0, 1, 2, … and mean something in their data set only.
 * lode_dataset_item_name() is right in both cases: print by it. The order of items is the order in
 * which they are printed: by number if every name is a number, else by the bytes of the name. */
typedef struct lode_dataset lode_dataset;

#define LODE_PROFILE_COLUMNS 128

typedef struct lode_profile {
    uint64_t n_transactions;
    uint64_t n_empty;       /* transactions without an item */
    uint64_t n_items;       /* distinct items that occur */
    uint64_t n_occurrences; /* sum of the transaction lengths */
    uint64_t n_repeated;    /* items that were listed again in their transaction, and dropped */
    uint64_t n_skipped;     /* malformed lines left out by skip_bad_lines */
    uint32_t longest;       /* items in the longest transaction */
    lode_format format;     /* what the reader took the file for */
    char separator;         /* 0 for fimi and spmf */
    double read_seconds;
    /* The columns that were used, as the header calls them or by number, long names cut: of a table
     * "Order ID, Product Name"; else the column of the transactions' ids, or "" if there is none.
     */
    char columns[LODE_PROFILE_COLUMNS];
} lode_profile;

/* Reads a file; "-" is standard input. Plain, gzip and zstd are told apart by content; UTF-16
 * becomes UTF-8. A file of another kind, such as a workbook, is refused by name (PARSE); so is text
 * of another kind, such as JSON, if no option says how to read it. `options` may be NULL. Uses all
 * threads of the context. Errors: NOTFOUND, PARSE, IO, NOMEM, BUDGET, CANCELLED, INVALID. */
LODE_API LODE_NODISCARD lode_status lode_dataset_open(lode_ctx *ctx, lode_dataset **out,
                                                      const char *path,
                                                      const lode_read_options *options);

/* The same from memory: `text` is what a file would hold. `name` is used in messages; it may be
 * NULL, and so may `options`. */
LODE_API LODE_NODISCARD lode_status lode_dataset_parse(lode_ctx *ctx, lode_dataset **out,
                                                       const void *text, size_t text_bytes,
                                                       const char *name,
                                                       const lode_read_options *options);

/* Copies arrays: transaction t holds items[offsets[t]] … items[offsets[t + 1] - 1], in any order.
 * `weights` (may be NULL) gives each transaction a multiplicity; supports are then sums of weights,
 * and only engines that say so accept the data set. A weight of 0 is as if the transaction were
 * not there. Items are any numbers, and come back as these numbers. Errors: INVALID (`offsets` that
 * fall, NULL), UNSUPPORTED (2^32 transactions and more), NOMEM, BUDGET. */
LODE_API LODE_NODISCARD lode_status lode_dataset_from_arrays(lode_ctx *ctx, lode_dataset **out,
                                                             uint64_t n_transactions,
                                                             const uint64_t *offsets,
                                                             const uint32_t *items,
                                                             const uint32_t *weights);

/* Joins data sets that were opened as parts of one: equal names become one item, and transactions
 * follow in the order of the parts. The parts stay as they are. */
LODE_API LODE_NODISCARD lode_status lode_dataset_merge(lode_ctx *ctx, lode_dataset **out,
                                                       const lode_dataset *const *parts,
                                                       size_t n_parts);
LODE_API void lode_dataset_free(lode_dataset *data);

LODE_API lode_profile lode_dataset_profile(const lode_dataset *data);

/* Whether items are the numbers that they are called; see "what an item is" above. */
LODE_API bool lode_dataset_has_numbers(const lode_dataset *data);

/* All items, in order: lode_dataset_item_at(data, i) for i from 0 to lode_dataset_item_bound()
 * minus one. Some of them may occur in no transaction. 0 past the end. */
LODE_API uint32_t lode_dataset_item_bound(const lode_dataset *data);
LODE_API uint32_t lode_dataset_item_at(const lode_dataset *data, uint32_t i);

/* Number of transactions (or their weight) that hold the item. */
LODE_API uint64_t lode_dataset_item_support(const lode_dataset *data, uint32_t item);

/* Writes the name, without a closing zero, as far as it fits, and returns its full length. */
LODE_API size_t lode_dataset_item_name(const lode_dataset *data, uint32_t item, char *buffer,
                                       size_t buffer_bytes);

/* The item of that name. Returns false, and leaves *item alone, if the data set has none. */
LODE_API bool lode_dataset_item_find(const lode_dataset *data, const char *name, size_t name_bytes,
                                     uint32_t *item);

/* Writes the items of transaction t, ascending, as far as they fit, and returns how many it has; 0
 * past the end. lode_profile.longest is room enough for any. */
LODE_API uint32_t lode_dataset_transaction(const lode_dataset *data, uint64_t t, uint32_t *items,
                                           uint32_t room);

/* ---------------------------------------------------------------------------------------------
 * 6. Sinks: what happens to a pattern
 * ------------------------------------------------------------------------------------------- */

/* What an engine hands to a sink: for every i < n and every subset S of `perfect`, the pattern
 * prefix + items[i] + S, with supports[i]. The empty prefix is allowed, the empty pattern is not
 * reported. Items as section 5 says, in no particular order, no item twice. Lent for the call. */
typedef struct lode_batch {
    const uint32_t *prefix;
    uint32_t n_prefix;
    const uint32_t *items;
    const uint64_t *supports;
    uint32_t n;
    const uint32_t *perfect;
    uint32_t n_perfect;
} lode_batch;

typedef struct lode_sink lode_sink;

/* Non-zero stops the job, which then returns LODE_STOPPED. Calls never overlap. */
typedef int (*lode_batch_fn)(void *user, const lode_batch *batch);

/* Counts patterns by size and keeps nothing. */
LODE_API LODE_NODISCARD lode_status lode_sink_count(lode_ctx *ctx, lode_sink **out);

/* Counts, and computes a hash of the whole result: the same for the same itemsets, by name, with
 * the same supports, in whatever order they come, on every machine. */
LODE_API LODE_NODISCARD lode_status lode_sink_hash(lode_ctx *ctx, lode_sink **out,
                                                   const lode_dataset *data);

/* Calls a function with every batch. */
LODE_API LODE_NODISCARD lode_status lode_sink_callback(lode_ctx *ctx, lode_sink **out,
                                                       lode_batch_fn function, void *user);

/* Writes text to a file; "-" is standard output. A regular file appears under its name only when
 * lode_sink_finish() has succeeded; until then it is written beside it. What is sorted is not
 * written before lode_sink_finish(); where there is a memory budget, a part of it may wait in a
 * file without a name in the same folder (or in $TMPDIR). `options` may be NULL. The data set
 * provides the names: only its patterns can be taken, as with lode_sink_hash(). */
LODE_API LODE_NODISCARD lode_status lode_sink_file(lode_ctx *ctx, lode_sink **out,
                                                   const lode_dataset *data, const char *path,
                                                   const lode_write_options *options);

/* Keeps everything in memory; see lode_sink_result(). If the memory budget has no room for that,
 * nothing is kept, but the search goes on to its end, so that LODE_BUDGET comes with what it takes.
 */
LODE_API LODE_NODISCARD lode_status lode_sink_memory(lode_ctx *ctx, lode_sink **out);

/* Completes the output: flushes, sorts and writes what was held back, renames the file. After an
 * interrupted run pass partial = true: the file then gets the name PATH.partial, and is not sorted,
 * so that it is there soon. A cancel while it sorts does the same and returns LODE_CANCELLED; then
 * what is in memory is complete but in no order. Call it once, after the last job; without it,
 * lode_sink_free() removes
 * the unfinished file. */
LODE_API LODE_NODISCARD lode_status lode_sink_finish(lode_sink *sink, bool partial);
LODE_API void lode_sink_free(lode_sink *sink);

/* Removes the unfinished files of all sinks, drawings and generators of the process, which must end
 * then: for the handler of a signal that ends it at once. A file that grows too large for the
 * limits of the process is a write error like a full disk, if the program ignores SIGXFSZ. */
LODE_API void lode_outputs_discard(void);

/* Patterns received, in all and with exactly `size` items. Any thread may ask for these figures, at
 * any time before the sink is freed, also from a callback; but a thread of a job hands its numbers
 * over when it has done its share, so that most arrive at the end. For a number that grows while a
 * job runs, see lode_progress. */
LODE_API uint64_t lode_sink_patterns(const lode_sink *sink);
LODE_API uint64_t lode_sink_patterns_of_size(const lode_sink *sink, uint32_t size);
/* The largest size received; 0 if nothing was. */
LODE_API uint32_t lode_sink_largest(const lode_sink *sink);
/* The hash of what a hash sink has received; 0 for any other sink. */
LODE_API uint64_t lode_sink_hash_value(const lode_sink *sink);
/* Bytes of text written so far. */
LODE_API uint64_t lode_sink_bytes(const lode_sink *sink);

/* A result in memory, by columns: pattern i has the items items[offsets[i]] …
 * items[offsets[i+1]-1], ascending, and the support supports[i]. offsets has n + 1 entries. Items
 * are what section 5 says: the numbers of lode_dataset_from_arrays(), or else print them by
 * lode_dataset_item_name(). The arrays are an Arrow large-list as they stand. After
 * lode_sink_finish() they are ordered by size, then by items. */
typedef struct lode_result {
    uint64_t n;
    const uint64_t *offsets;
    const uint32_t *items;
    const uint64_t *supports;
} lode_result;

/* Lends what a memory sink holds; all zero for any other sink. Not while a job runs. */
LODE_API lode_result lode_sink_result(const lode_sink *sink);

/* ---------------------------------------------------------------------------------------------
 * 7. Mining
 * ------------------------------------------------------------------------------------------- */

/* Where the time went, in seconds of wall time. What several devices do side by side (transfer,
 * candidate, counting, output) is the mean over the devices, so that the parts add up. */
typedef struct lode_times {
    double preprocess, transfer, candidate, counting, output, total;
} lode_times;

#define LODE_REPORT_TEXT    160
#define LODE_REPORT_THREADS 64

/* What a search by products did for the classes of one depth: prefixes of so many items. */
typedef struct lode_product_depth {
    uint64_t classes, rows;    /* that were counted */
    uint64_t pairs;            /* of rows */
    double pair_bits;          /* compared for them */
    uint64_t cubes, cube_sets; /* rows whose partners were counted together; all sets of these */
    double cube_bits;          /* looked at for them */
} lode_product_depth;

/* What a level-wise search did for the itemsets of one size. */
typedef struct lode_level {
    uint32_t size;
    uint64_t generated, pruned, counted, frequent; /* candidates */
    uint64_t candidate_bytes;                      /* of their representation on the device */
    double candidate, counting;                    /* seconds */
} lode_level;

#define LODE_REPORT_LEVELS 64

/* What a run did. Set `size` to sizeof(lode_report) before the call. */
typedef struct lode_report {
    size_t size;
    uint64_t min_count;       /* the exact threshold used at the start */
    uint64_t final_min_count; /* and at the end, if it was raised */
    char algorithm[32];
    char why[LODE_REPORT_TEXT];        /* why this algorithm */
    char device[LODE_REPORT_TEXT];     /* for example "cpu*2 (avx512)" */
    char device_why[LODE_REPORT_TEXT]; /* why this device */
    char note[LODE_REPORT_TEXT];       /* what the user should know, or "" */
    char stopped_by[32]; /* the option that ended it, such as "limit-time"; "" = none did */
    unsigned n_devices;
    unsigned n_threads;
    double utilisation; /* sum of the devices' busy times / (devices * the longest) */
    uint64_t frequent_items;
    uint64_t nodes; /* adaptive: conditional databases looked at */
    uint64_t candidates_generated;
    uint64_t candidates_pruned; /* by the subset test */
    uint64_t candidates_counted;
    uint64_t candidate_bytes; /* of their representation, the largest level */
    uint64_t rows_read, rows_written;
    uint64_t bytes_up, bytes_down;     /* sent to a GPU, and brought back */
    uint64_t device_memory_peak;       /* of a GPU's own memory, the largest of the GPUs */
    uint64_t work_items;               /* gpu-apriori: started by the grid */
    uint64_t reduce_adds, reduce_idle; /* gpu-apriori: additions of the trees; those of padding */
    uint64_t patterns;
    uint64_t batches;       /* calls of the device */
    uint64_t epsilon;       /* as used; UINT64_MAX = unlimited */
    uint64_t list_bytes;    /* size of one vertical list */
    uint64_t lists_allowed; /* in the pools of all devices together */
    uint64_t lists_peak;    /* in use at the same time, the largest of the devices */
    uint64_t lists_rebuilt; /* dropped for lack of room and derived again */
    uint64_t memory_peak;
    lode_times times;
    unsigned n_levels; /* level-wise algorithms: figures by size, the first 64 */
    lode_level levels[LODE_REPORT_LEVELS];
    char product[LODE_REPORT_TEXT]; /* tensor: how products were computed, and why */
    uint64_t spilled_bytes;         /* tensor: moved out of a GPU's memory for a time */
    uint64_t slices;                /* tensor: of the transactions, where a GPU cannot hold them */
    unsigned n_depths;              /* tensor: figures by depth, from the empty prefix on */
    lode_product_depth depths[LODE_REPORT_LEVELS];
    unsigned n_thread_seconds; /* CPU seconds of each thread, the first 64 */
    double thread_seconds[LODE_REPORT_THREADS];
} lode_report;

/* Mines `data` into `sink`. `report` may be NULL; it is filled in on failure too. Does not call
 * lode_sink_finish(). Errors: INVALID (options), UNSUPPORTED, NOMEM, BUDGET, CANCELLED, STOPPED,
 * DEVICE, and what the sink reports. */
LODE_API LODE_NODISCARD lode_status lode_mine(lode_ctx *ctx, const lode_dataset *data,
                                              const lode_mine_options *options, lode_sink *sink,
                                              lode_report *report);

/* One line of the list of algorithms. */
typedef struct lode_algorithm {
    const char *name;
    const char *summary;
    bool oracle;      /* for tests: right, and slow */
    bool weights;     /* accepts weighted transactions */
    unsigned targets; /* bit lode_target is set for each it can search */
} lode_algorithm;

/* The i-th algorithm. Returns false past the end. */
LODE_API bool lode_algorithm_at(size_t i, lode_algorithm *out);

typedef struct lode_device {
    const char *name; /* "cpu" */
    bool usable;
    char detail[LODE_REPORT_TEXT]; /* what it is, or why it cannot be used */
} lode_device;

/* The i-th kind of device known to this build. Returns false past the end. */
LODE_API bool lode_device_at(size_t i, lode_device *out);

/* Starts devices, named as in lode_ctx_options, so that the first job on them need not: a GPU takes
 * a fifth of a second for it. Returns when they are awake; on a thread of its own, perhaps while
 * data are read. Not needed, and never an error: what is wrong with a device, its jobs say. */
LODE_API void lode_device_wake(const char *device);

/* ---------------------------------------------------------------------------------------------
 * 8. Generators: the same bytes on every machine, with any number of threads
 * ------------------------------------------------------------------------------------------- */

/* The model of Agrawal and Srikant (IBM Quest): transactions are filled from a pool of patterns
 * that overlap and are damaged when used. Zero = the default in brackets. */
typedef struct lode_quest_options {
    size_t size;
    uint64_t n_transactions; /* [10,000] */
    double mean_length;      /* items per transaction [10] */
    double mean_pattern;     /* items per pattern [4] */
    uint32_t n_items;        /* [1,000] */
    uint32_t n_patterns;     /* [2,000] */
    double correlation;      /* share of a pattern taken over from the one before [0.5]; < 0 = 0 */
    double corruption;       /* mean of the damage level, whose variance is 0.1 [0.5]; < 0 = 0 */
    uint64_t seed;           /* [1] */
    bool names;              /* write product names instead of numbers, separated by commas */
} lode_quest_options;

/* Writes a data set to `path` ("-" = standard output). */
LODE_API LODE_NODISCARD lode_status lode_generate_quest(lode_ctx *ctx, const char *path,
                                                        const lode_quest_options *options);

/* Over-sampling by mutation: every transaction is written `times` times, and each of its items is
 * replaced, with probability `rate`, by an item drawn evenly from all items of the data set. */
typedef struct lode_mutate_options {
    size_t size;
    uint64_t times; /* [10] */
    double rate;    /* [0.05]; < 0 = 0 */
    uint64_t seed;  /* [1] */
} lode_mutate_options;

LODE_API LODE_NODISCARD lode_status lode_generate_mutate(lode_ctx *ctx, const lode_dataset *data,
                                                         const char *path,
                                                         const lode_mutate_options *options);

/* ---------------------------------------------------------------------------------------------
 * 9. Graphs: frequent connected subgraphs of many small labelled graphs
 * ------------------------------------------------------------------------------------------- */

/* A data set of graphs with labelled vertices and edges, all undirected or all directed, without
 * loops and parallel edges (a directed graph may have both u -> v and v -> u). They need not be
 * connected. Label ids are given so that their order is the print order. */
typedef struct lode_graphs lode_graphs;

/* One graph, by columns: vertices are 0 … n_vertices - 1, edge i leads from[i] -> to[i]. */
typedef struct lode_graph {
    uint32_t n_vertices, n_edges;
    const uint32_t *vertex_labels;
    const uint32_t *from, *to, *edge_labels;
} lode_graph;

typedef struct lode_graph_profile {
    uint64_t n_graphs;
    uint64_t n_empty;        /* graphs without a vertex */
    uint64_t n_disconnected; /* graphs of several components */
    uint64_t n_vertices, n_edges;
    uint64_t n_vertex_labels, n_edge_labels;
    uint64_t n_triples; /* different (vertex label, edge label, vertex label) */
    uint64_t n_skipped; /* malformed graphs left out by skip_bad_graphs */
    uint32_t most_vertices, most_edges;
    bool directed;
    double read_seconds;
} lode_graph_profile;

/* Reads gSpan text ("t # id", "v id label", "e from to label"); "-" is standard input. Plain, gzip,
 * zstd and UTF-16 are told apart by content, and other kinds of file refused by name. Errors:
 * NOTFOUND, PARSE, IO, NOMEM, BUDGET, CANCELLED. */
LODE_API LODE_NODISCARD lode_status lode_graphs_open(lode_ctx *ctx, lode_graphs **out,
                                                     const char *path,
                                                     const lode_graph_read_options *options);
/* The same from memory; `name`, which may be NULL, is used in messages. */
LODE_API LODE_NODISCARD lode_status lode_graphs_parse(lode_ctx *ctx, lode_graphs **out,
                                                      const void *text, size_t text_bytes,
                                                      const char *name,
                                                      const lode_graph_read_options *options);
LODE_API void lode_graphs_free(lode_graphs *data);

/* Whether a file looks like gSpan text. Standard input does not: it can be read only once. */
LODE_API LODE_NODISCARD lode_status lode_graphs_sniff(lode_ctx *ctx, const char *path,
                                                      bool *is_graphs);

/* Writes the data set as gSpan text, with the ids and labels it was read with. */
LODE_API LODE_NODISCARD lode_status lode_graphs_write(lode_ctx *ctx, const lode_graphs *data,
                                                      const char *path);

LODE_API lode_graph_profile lode_graphs_profile(const lode_graphs *data);
/* Lends graph i; without vertices past the end. */
LODE_API lode_graph lode_graphs_at(const lode_graphs *data, uint64_t i);
/* Names as in the file: written without a closing zero, as far as they fit; the full length is
 * returned. The label of an edge that has none is "". */
LODE_API size_t lode_graphs_vertex_label(const lode_graphs *data, uint32_t label, char *buffer,
                                         size_t buffer_bytes);
LODE_API size_t lode_graphs_edge_label(const lode_graphs *data, uint32_t label, char *buffer,
                                       size_t buffer_bytes);
LODE_API size_t lode_graphs_name(const lode_graphs *data, uint64_t i, char *buffer,
                                 size_t buffer_bytes);
LODE_API size_t lode_graphs_vertex_name(const lode_graphs *data, uint64_t i, uint32_t vertex,
                                        char *buffer, size_t buffer_bytes);
/* The support s of a graph that is itself a pattern, "t # id * s"; 0 = none is given. */
LODE_API uint64_t lode_graphs_given_support(const lode_graphs *data, uint64_t i);

/* Counts the graphs of `data` that contain `pattern`, one by one, by subgraph isomorphism: slow,
 * and independent of the miners. Labels are those of `labels`, matched by name. */
LODE_API LODE_NODISCARD lode_status lode_graphs_support(lode_ctx *ctx, const lode_graphs *data,
                                                        const lode_graphs *labels,
                                                        const lode_graph *pattern, bool induced,
                                                        uint64_t *support);

/* A pattern, lent for the call. Edges are in the order of the search: each but the first touches
 * an earlier one. What was not asked for is NULL. */
typedef struct lode_graph_pattern {
    lode_graph graph;
    uint64_t support;
    const uint32_t *supporters; /* the graphs that contain it, `support` of them, ascending */
    /* Occurrences: embedded_in[k] is the graph of occurrence k, whose pattern vertex v is the
     * graph's vertex embeddings[k * n_vertices + v]. One for each different place: mappings that
     * cover the same vertices and edges in another order are not repeated. */
    uint64_t n_embeddings;
    const uint32_t *embedded_in;
    const uint32_t *embeddings;
} lode_graph_pattern;

typedef struct lode_graph_sink lode_graph_sink;

/* Non-zero stops the job, which then returns LODE_STOPPED. Calls never overlap. */
typedef int (*lode_graph_fn)(void *user, const lode_graph_pattern *pattern);

/* Counts patterns by number of edges and keeps nothing. */
LODE_API LODE_NODISCARD lode_status lode_graph_sink_count(lode_ctx *ctx, lode_graph_sink **out);
/* Counts, and computes a hash of the whole result: the same for the same patterns, up to
 * isomorphism and by name, with the same supports, in whatever order they come. */
LODE_API LODE_NODISCARD lode_status lode_graph_sink_hash(lode_ctx *ctx, lode_graph_sink **out,
                                                         const lode_graphs *data);
LODE_API LODE_NODISCARD lode_status lode_graph_sink_callback(lode_ctx *ctx, lode_graph_sink **out,
                                                             lode_graph_fn function, void *user);
/* Writes text to a file, which appears under its name when lode_graph_sink_finish() has succeeded;
 * "-" is standard output. */
LODE_API LODE_NODISCARD lode_status lode_graph_sink_file(lode_ctx *ctx, lode_graph_sink **out,
                                                         const lode_graphs *data, const char *path,
                                                         const lode_graph_write_options *options);
/* Passes everything on to `inner`, which it owns from now on, and at the end draws the most
 * frequent `most` patterns (of equal support, larger ones first) as FOLDER/NNN.svg, with an
 * index.html that shows them together. The folder is made if need be; drawings of an earlier run
 * that come behind the last of this one are removed. On failure `inner` stays the caller's. */
LODE_API LODE_NODISCARD lode_status lode_graph_sink_draw(lode_ctx *ctx, lode_graph_sink **out,
                                                         const lode_graphs *data,
                                                         const char *folder, uint64_t most,
                                                         lode_graph_sink *inner);
/* Completes the output; partial = true gives the file the name PATH.partial, as with itemsets. */
LODE_API LODE_NODISCARD lode_status lode_graph_sink_finish(lode_graph_sink *sink, bool partial);
LODE_API void lode_graph_sink_free(lode_graph_sink *sink);

/* Patterns received, in all and with exactly so many edges; the most edges received. Any thread may
 * ask, as with itemsets. */
LODE_API uint64_t lode_graph_sink_patterns(const lode_graph_sink *sink);
LODE_API uint64_t lode_graph_sink_patterns_of_size(const lode_graph_sink *sink, uint32_t edges);
LODE_API uint32_t lode_graph_sink_largest(const lode_graph_sink *sink);
LODE_API uint64_t lode_graph_sink_hash_value(const lode_graph_sink *sink);

/* What a run did. Set `size` to sizeof(lode_graph_report) before the call. */
typedef struct lode_graph_report {
    size_t size;
    uint64_t min_count, final_min_count; /* the exact threshold, at the start and at the end */
    char algorithm[32];
    char why[LODE_REPORT_TEXT];
    char stopped_by[32];
    unsigned n_threads;
    uint64_t frequent_triples;    /* (vertex label, edge label, vertex label) */
    uint64_t candidates;          /* extensions whose occurrences were listed */
    uint64_t frequent_extensions; /* those that reach the threshold */
    uint64_t codes_tested;        /* codes tested for being minimal */
    uint64_t occurrences;         /* entries of all lists of occurrences */
    uint64_t patterns;
    uint64_t memory_peak;
    double preprocess_seconds, total_seconds;
    unsigned n_thread_seconds; /* CPU seconds of each thread, the first 64 */
    double thread_seconds[LODE_REPORT_THREADS];
    /* Where it ran, and why there. The rest is 0 for algorithms that do not use devices. */
    char device[LODE_REPORT_TEXT];
    char device_why[LODE_REPORT_TEXT];
    uint64_t device_memory_peak;   /* of a GPU, or of a device that was given a budget */
    uint64_t bytes_up, bytes_down; /* between host and device */
    uint64_t batches;              /* operations that extended patterns */
    uint64_t groups_moved;         /* to the host, because memory of the device ran out */
    double start_seconds;          /* until the device was there and had the graphs */
    double device_seconds;         /* when a GPU was computing */
    double test_seconds;           /* of the host: testing codes, and emitting */
} lode_graph_report;

/* Mines `data` into `sink`. `report` may be NULL. Does not call lode_graph_sink_finish(). Errors:
 * INVALID, UNSUPPORTED, NOMEM, BUDGET, CANCELLED, STOPPED, and what the sink reports. */
LODE_API LODE_NODISCARD lode_status lode_graphs_mine(lode_ctx *ctx, const lode_graphs *data,
                                                     const lode_graph_options *options,
                                                     lode_graph_sink *sink,
                                                     lode_graph_report *report);

/* The i-th algorithm for graphs; `weights` and `targets` are not used. False past the end. */
LODE_API bool lode_graph_algorithm_at(size_t i, lode_algorithm *out);

/* Random graphs after Kuramochi and Karypis (ggen): graphs are put together from a pool of
 * connected seed patterns that overlap by chance. Zero = the default in brackets. */
typedef struct lode_graphgen_options {
    size_t size;
    uint64_t n_graphs;        /* [1,000] */
    double mean_edges;        /* of a graph [30] */
    double mean_pattern;      /* edges of a seed pattern [4] */
    uint32_t n_patterns;      /* [50] */
    uint32_t n_vertex_labels; /* [5] */
    uint32_t n_edge_labels;   /* [5] */
    uint64_t seed;            /* [1] */
} lode_graphgen_options;

LODE_API LODE_NODISCARD lode_status lode_generate_graphs(lode_ctx *ctx, const char *path,
                                                         const lode_graphgen_options *options);

#ifdef __cplusplus
}
#endif
#endif
