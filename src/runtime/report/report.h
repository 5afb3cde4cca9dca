/* report.h - the report of a job: fields that engines fill in, and the functions that publish them
 *
 * What:  lode_report has a field for every figure. report_rows.def has a row (name, unit, help) for
 *        every public figure. Counters, tables, JSON and TSV are generated from these rows alone.
 *        text.c writes the sentences for people.
 * Add:   for a new figure of an engine, add a field to engine_report and a row to report_rows.def.
 * Layer: the report does not depend on jobs, data or sinks; runtime/job_report.h fills in the
 *        fields.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_REPORT_REPORT_H
#define LODE_RUNTIME_REPORT_REPORT_H

#include "base/os.h"
#include "base/status.h"

#define LODE_REPORT_THREADS 64
#define LODE_REPORT_LEVELS  64
#define REPORT_MESSAGE      1024
#define REPORT_ADVICE       3 /* maximum number of pieces of advice */
#define REPORT_ADVICE_BYTES 320

/* Seconds of wall time spent on each kind of work. If several devices work in parallel, transfer,
 * candidate, counting and output are means over the devices, so that the parts add up to the
 * total. */
typedef struct engine_times {
    double preprocess, transfer, candidate, counting, output, total;
} engine_times;

/* Figures of a level-wise search about the itemsets of one size. */
typedef struct engine_level {
    uint32_t size;
    uint64_t generated, pruned, counted, frequent; /* numbers of candidates */
    uint64_t candidate_bytes;                      /* bytes of the candidates on the device */
    uint64_t bytes_up, bytes_down;                 /* bytes sent to and from the devices */
    uint64_t row_bytes; /* maximum bytes of bit rows (of items, sets and prefixes) on the devices */
    double candidate, counting; /* seconds */
} engine_level;

/* Figures of the tensor search about the classes of one depth. The depth of a class is the number
 * of items in its prefix. */
typedef struct engine_depth {
    uint64_t classes, rows; /* classes and rows that were counted */
    uint64_t pairs;         /* pairs of rows that were counted */
    double pair_bits;       /* bits compared for these pairs */
    /* lattices (a row with its partners, all of whose subsets were counted together; see
     * products.h), and the sets that were counted in this way */
    uint64_t cubes, cube_sets;
    double cube_bits; /* bits read for these lattices */
} engine_depth;

/* The figures of an engine, for itemsets or graphs. Unused figures stay 0. report_rows.def explains
 * each figure. */
typedef struct engine_report {
    uint64_t min_count;       /* the exact threshold used at the start */
    uint64_t final_min_count; /* the threshold at the end, which may have been raised */
    char algorithm[32];
    char why[LODE_REPORT_TEXT];        /* why this algorithm was chosen */
    char device[LODE_REPORT_TEXT];     /* for example "cpu*2 (avx512)" */
    char device_why[LODE_REPORT_TEXT]; /* why this device was chosen */
    char note[LODE_REPORT_TEXT];       /* a remark for the user, or "" */
    /* how the prepared data were obtained: "built", "extended" or "reused"; "" = none were used */
    char prepared[16];
    char stopped_by[32]; /* the option that ended the search, such as "limit-time"; "" = none did */
    unsigned n_devices, n_threads;
    double utilisation;
    engine_times times;
    /* peak memory of the GPU that used the largest part of its memory */
    uint64_t device_memory_peak;
    uint64_t bytes_up, bytes_down;
    uint64_t batches;

    bool constrained; /* constraints selected patterns */
    /* some constraints were applied by filtering results, not by the search itself */
    bool filtered;
    uint64_t searched_transactions, searched_items, fixed_items, max_count;

    uint64_t share, n_shares; /* n_shares: 0 = the search was not divided */
    char cut[20];             /* a hash of the division, in hexadecimal digits */

    uint64_t frequent_items;
    uint64_t nodes;
    uint64_t candidates_generated, candidates_pruned, candidates_counted;
    uint64_t candidate_bytes, candidate_bytes_with_rows, candidate_bytes_paper;
    uint64_t rows_read, rows_written;
    uint64_t counting_bytes;     /* bytes of the rows that counting read and wrote */
    uint64_t counting_bandwidth; /* counting_bytes per second of times.counting */
    uint64_t work_items, reduce_adds, reduce_idle;
    /* gpu-apriori: time of the kernel of the grid alone, and of de-duplication on the host */
    double grid_seconds, unique_seconds;
    uint64_t grid_blocks, idle_blocks, grid_intersected;
    uint64_t epsilon; /* UINT64_MAX = unlimited */
    uint64_t list_bytes, lists_allowed, lists_peak, lists_rebuilt;
    unsigned n_levels; /* number of `levels`, one per size, at most 64 */
    engine_level levels[LODE_REPORT_LEVELS];
    char product[LODE_REPORT_TEXT];
    uint64_t spilled_bytes, slices;
    uint64_t spill_written, spill_read; /* bytes of transactions written to and read from disk */
    /* number of groups of items, and how often groups were divided further */
    uint64_t spill_groups, spill_depth;
    unsigned n_depths; /* number of `depths`, beginning with the empty prefix */
    engine_depth depths[LODE_REPORT_LEVELS];

    /* significance: alpha = 0: no test */
    double alpha, level; /* as asked for; the largest p-value that is significant */
    char tested_by[16];  /* the word of --by */
    uint64_t hypotheses, permutations, permutation_seed, significant;

    bool verify;       /* counting again was asked for */
    uint64_t verified; /* patterns whose counts were counted again, and were right */
    bool rules_stored; /* rules were generated from itemsets held in memory */
    /* rules excluded only by the options in rules_bounds, without those in pruned branches */
    uint64_t rules_filtered;
    char rules_bounds[64];     /* such as "--min and --productive"; "" = none was given */
    bool rules_any_confidence; /* no minimum confidence was given */
    uint64_t rules_pruned;   /* consequents pruned by bounds on measures, summed over antecedents */
    uint64_t rules_held_out; /* transactions used only to test rules, not to mine them */
    bool rules_impossible;   /* the options contradict each other; `note` says how */
    /* weight of the transactions that were mined, if some were held out; 0 = all were mined */
    uint64_t rules_searched;
    /* number of rules from which the best were selected; 0 = all rules were kept */
    uint64_t rules_ranked;
    uint64_t rules_top;   /* the number of best rules requested, without ties */
    char rules_order[48]; /* the measure by which rules are ranked */
    char tests[48];       /* number of tests for which p-values are adjusted; "" = none */

    uint64_t frequent_triples, candidates, frequent_extensions, codes_tested, occurrences;
    uint64_t groups_moved;
    double start_seconds; /* the time in which the job waited until its devices were ready */
    double device_seconds, test_seconds;
    /* times of the phases of pgm */
    double extend_seconds, sort_seconds, support_seconds, column_seconds;
} engine_report;

/* Adds the time since `since` (in os_seconds()), in which devices were found and started. */
static inline void report_add_start(engine_report *report, double since) {
    report->start_seconds += os_seconds() - since;
}

/* The data set: transactions or graphs. */
typedef struct report_input {
    char path[OS_PATH_BYTES]; /* "" = the data did not come from a file */
    const char *format;
    char separator[2];
    char columns[LODE_PROFILE_COLUMNS];
    char bins[1024];                /* the cuts of columns; long lists are cut */
    uint64_t n, n_empty, n_skipped; /* numbers of transactions or graphs */
    uint64_t total_weight;          /* the sum of all weights; n if there are no weights */
    bool weighted;
    uint64_t n_files, n_items, n_occurrences, longest, n_repeated;
    uint64_t highest; /* support of the most frequent item */
    double mean_length, density;
    bool directed;
    uint64_t n_disconnected, n_vertices, n_edges, n_vertex_labels, n_edge_labels, n_triples;
    double read_seconds; /* the time that reading took, in this or an earlier job */
} report_input;

/* The options that the text for people mentions. */
typedef struct report_asked {
    char threshold[48]; /* "250", "0.5%"; "" = not given */
    bool one;           /* the threshold is the count 1 */
    bool top;           /* the target is top:K */
    bool plain;         /* the target is all patterns */
    /* the target as an adjective, such as "closed"; "" if `top` or `plain` is set */
    const char *adjective;
    uint64_t top_k;
    uint32_t least, most; /* limits on the number of items or edges; 0 = no limit */
    double limit_seconds;
    uint64_t limit_patterns;
} report_asked;

typedef struct report_size {
    uint64_t size, count;
} report_size;

/* What the sink received, and where the sink wrote it. */
typedef struct report_result {
    uint64_t patterns;
    uint64_t unwritten; /* patterns that were not written because writing was interrupted */
    uint64_t largest;
    uint64_t text_bytes;
    bool hashed;
    uint64_t hash;
    const char *path; /* the path of the text; NULL = no text was written */
    bool temporary;   /* a temporary file, renamed when it is complete */
} report_result;

typedef struct report_advice {
    const char *rule;
    char text[REPORT_ADVICE_BYTES];
} report_advice;

struct lode_report {
    const char *version, *status_text;
    lode_status status;
    uint64_t exit_code;
    bool partial;
    bool begun; /* the job has done something */
    /* data were read; mining has begun. These two decide which rows exist */
    bool has_input, has_run;
    bool graphs, rules; /* what was mined; if both are false, itemsets */
    char message[REPORT_MESSAGE];
    char ended[OS_PATH_BYTES + 256];

    report_input input;
    report_asked asked;
    engine_report engine;

    report_result result;
    char hash_text[17];
    /* the path of the output, including ".partial" if the file has this suffix */
    char output[OS_PATH_BYTES + 16];
    bool to_file;       /* the output is a complete file */
    report_size *sizes; /* number of patterns of each size that occurs */
    size_t n_sizes, room;
    const void *sink; /* the sink that received the result; only compared, never used */
    /* number of `thread_seconds`: CPU seconds of each thread, at most 64 */
    unsigned n_thread_seconds;
    double thread_seconds[LODE_REPORT_THREADS];

    double start; /* on os_seconds() */
    double read_seconds, finish_seconds, output_seconds, total_seconds;
    uint64_t memory_budget, memory_peak, resident_peak, device_budget;

    unsigned n_advice;
    report_advice advice[REPORT_ADVICE];
};

/* Returns the noun for one pattern. */
static inline const char *report_noun(const lode_report *r) {
    return r->rules ? "rule" : r->graphs ? "subgraph" : "itemset";
}

/* Empties the report, but keeps the memory of `sizes`, which the caller must free. */
void report_clear(lode_report *r);

/* Records the end of a call. The report keeps the worst status and its message. If the message is
 * empty, the text of the status is used. */
void report_note_status(lode_report *r, lode_status status, const char *message);

/* Updates derived fields. Must be called after other fields have changed. */
void report_settle(lode_report *r);

/* ---- advice.c -------------------------------------------------------------------------------- */

/* Fills in the advice on what to try next. */
void report_advise(lode_report *r);

/* ---- report.c -------------------------------------------------------------------------------- */

typedef enum report_type {
    REPORT_U64,
    REPORT_U32,
    REPORT_REAL,
    REPORT_FLAG,
    REPORT_CHARS, /* an array of characters */
    REPORT_TEXT,  /* a pointer to a string, or NULL */
    REPORT_INDEX  /* the index of a row in a table */
} report_type;

typedef struct report_field {
    const char *name; /* "" = the table has only this column */
    lode_unit unit;
    report_type type;
    size_t offset;
    const char *help;
} report_field;

typedef struct report_columns {
    const report_field *fields;
    size_t n, row_bytes;
    const void *(*rows)(const lode_report *r, size_t *n);
} report_columns;

typedef struct report_row {
    report_field field;
    /* REPORT_OF_…: whether reports on itemsets, on graphs, or on both have the row */
    unsigned of;
    unsigned when; /* REPORT_WHEN_…: what must have happened for the row to exist */
    /* text.c shows the row with LODE_REPORT_VERBOSE, unless its value is 0 */
    bool more;
    const report_columns *table; /* NULL = a single value */
} report_row;

/* Returns the i-th row of the report, or NULL past the end. If r is NULL, returns the i-th row of
 * report_rows.def. */
const report_row *report_row_at(const lode_report *r, size_t i);

/* Returns the value of a field in a struct, or in row `index` of a table. */
lode_counter report_value(const report_field *field, const void *from, size_t index);
/* Returns the value in a row and column of a table. */
lode_counter report_cell(const lode_report *r, const report_columns *t, size_t row, size_t column);

#endif
