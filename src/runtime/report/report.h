/* report.h - the report of a job: plain fields that engines fill in, and what makes them public
 *
 * What:  lode_report has a field for every figure; report_rows.def has a row for every public one:
 *        name, unit, help. Counters, tables, JSON and TSV are made from these rows alone; text.c
 *        writes the sentences for people.
 * Add:   for a new figure of an engine, a field of engine_report and a row in report_rows.def.
 * Layer: it knows nothing about jobs, data and sinks; runtime/job_report.h fills it in.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_REPORT_REPORT_H
#define LODE_RUNTIME_REPORT_REPORT_H

#include "base/os.h"
#include "base/status.h"

#define LODE_REPORT_THREADS 64
#define LODE_REPORT_LEVELS  64
#define REPORT_MESSAGE      1024
#define REPORT_ADVICE       3 /* at most this many pieces of advice */
#define REPORT_ADVICE_BYTES 320

/* Where the time went, in seconds of wall time. For work that several devices do in parallel
 * (transfer, candidate, counting, output), this is the mean over the devices, so that the parts add
 * up. */
typedef struct engine_times {
    double preprocess, transfer, candidate, counting, output, total;
} engine_times;

/* What a level-wise search did for the itemsets of one size. */
typedef struct engine_level {
    uint32_t size;
    uint64_t generated, pruned, counted, frequent; /* candidates */
    uint64_t candidate_bytes;                      /* of their representation on the device */
    uint64_t bytes_up, bytes_down;                 /* between host and devices */
    uint64_t row_bytes; /* maximum bytes of bit rows on the devices: of items, sets, prefixes */
    double candidate, counting; /* seconds */
} engine_level;

/* What the tensor search did for classes of one depth (number of items in their prefixes). */
typedef struct engine_depth {
    uint64_t classes, rows;    /* counted */
    uint64_t pairs;            /* of rows */
    double pair_bits;          /* compared for them */
    uint64_t cubes, cube_sets; /* rows whose partners were counted together; all sets of these */
    double cube_bits;          /* read for them */
} engine_depth;

/* The figures of an engine, for itemsets or graphs; unused ones stay 0. report_rows.def explains
 * each figure. */
typedef struct engine_report {
    uint64_t min_count;       /* the exact threshold used at the start */
    uint64_t final_min_count; /* and at the end, if it was raised */
    char algorithm[32];
    char why[LODE_REPORT_TEXT];        /* why this algorithm */
    char device[LODE_REPORT_TEXT];     /* for example "cpu*2 (avx512)" */
    char device_why[LODE_REPORT_TEXT]; /* why this device */
    char note[LODE_REPORT_TEXT];       /* what the user should know, or "" */
    char
        prepared[16]; /* what the search starts from: "built", "extended", "reused"; "" = nothing */
    char stopped_by[32]; /* the option that ended it, such as "limit-time"; "" = none */
    unsigned n_devices, n_threads;
    double utilisation;
    engine_times times;
    uint64_t device_memory_peak; /* of the GPU that used most of its memory */
    uint64_t bytes_up, bytes_down;
    uint64_t batches;

    bool constrained; /* patterns were selected by constraints … */
    bool filtered;    /* … some of them by filtering results, not by the search itself */
    uint64_t searched_transactions, searched_items, fixed_items, max_count;

    uint64_t share, n_shares; /* 0 = not divided */
    char cut[20];             /* a hash of the division, in hexadecimal digits */

    uint64_t frequent_items;
    uint64_t nodes;
    uint64_t candidates_generated, candidates_pruned, candidates_counted;
    uint64_t candidate_bytes, candidate_bytes_with_rows;
    uint64_t rows_read, rows_written;
    uint64_t counting_bytes;     /* of the rows read and written by counting … */
    uint64_t counting_bandwidth; /* … and per second of times.counting */
    uint64_t work_items, reduce_adds, reduce_idle;
    double grid_seconds, unique_seconds; /* the grid's kernel alone; de-duplication on the host */
    uint64_t grid_blocks, idle_blocks, grid_intersected;
    uint64_t epsilon; /* UINT64_MAX = unlimited */
    uint64_t list_bytes, lists_allowed, lists_peak, lists_rebuilt;
    unsigned n_levels; /* figures by size, the first 64 */
    engine_level levels[LODE_REPORT_LEVELS];
    char product[LODE_REPORT_TEXT];
    uint64_t spilled_bytes, slices;
    uint64_t spill_written, spill_read; /* bytes of transactions on disk */
    uint64_t spill_groups, spill_depth; /* of items, and how often they were divided again */
    unsigned n_depths;                  /* figures by depth, from the empty prefix on */
    engine_depth depths[LODE_REPORT_LEVELS];

    bool rules_stored;       /* rules were made from itemsets in memory */
    uint64_t rules_filtered; /* excluded only by bounds of measures */
    uint64_t rules_pruned;   /* consequents pruned for an antecedent by bounds of measures */
    uint64_t rules_held_out; /* transactions in which rules were tested, and not mined */
    bool rules_impossible;   /* the options contradict each other; `note` says how */
    uint64_t rules_searched; /* weight of the others, if some were held out; 0 = all */
    uint64_t rules_ranked;   /* rules of which the best were taken; 0 = all were */
    uint64_t rules_top;      /* how many of the best were requested, without ties */
    char rules_order[48];    /* the measure that ranks them */
    char tests[48];          /* number of tests for which p-values are adjusted; "" = none */

    uint64_t frequent_triples, candidates, frequent_extensions, codes_tested, occurrences;
    uint64_t groups_moved;
    double start_seconds, device_seconds, test_seconds;
    double extend_seconds, sort_seconds, support_seconds, column_seconds; /* of pgm */
} engine_report;

/* The data set, itemsets or graphs. */
typedef struct report_input {
    char path[OS_PATH_BYTES]; /* "" = it did not come from a file */
    const char *format;
    char separator[2];
    char columns[LODE_PROFILE_COLUMNS];
    uint64_t n, n_empty, n_skipped; /* transactions, or graphs */
    uint64_t total_weight;          /* = n without weights */
    bool weighted;
    uint64_t n_files, n_items, n_occurrences, longest, n_repeated;
    uint64_t highest; /* support of the most frequent item */
    double mean_length, density;
    bool directed;
    uint64_t n_disconnected, n_vertices, n_edges, n_vertex_labels, n_edge_labels, n_triples;
    double read_seconds; /* when it was read, by this or another job */
} report_input;

/* The options, as far as the text for people mentions them. */
typedef struct report_asked {
    char threshold[48];    /* "250", "0.5%"; "" = not given */
    bool one;              /* the threshold is the count 1 */
    bool top;              /* the target is top:K, */
    bool plain;            /* or all patterns, */
    const char *adjective; /* or "closed" and the like; "" for the first two */
    uint64_t top_k;
    uint32_t least, most; /* items, or edges; 0 = no limit */
    double limit_seconds;
    uint64_t limit_patterns;
} report_asked;

typedef struct report_size {
    uint64_t size, count;
} report_size;

/* What the sink has received, and where it was written. */
typedef struct report_result {
    uint64_t patterns;
    uint64_t unwritten; /* of these, because the writing was interrupted */
    uint64_t largest;
    uint64_t text_bytes;
    bool hashed;
    uint64_t hash;
    const char *path; /* of the text; NULL: there is none */
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
    bool begun;              /* the job has done something */
    bool has_input, has_run; /* data were read; mining has begun: decides which rows exist */
    bool graphs, rules;      /* what was mined; neither: itemsets */
    char message[REPORT_MESSAGE];
    char ended[OS_PATH_BYTES + 256];

    report_input input;
    report_asked asked;
    engine_report engine;

    report_result result;
    char hash_text[17];
    char output[OS_PATH_BYTES + 16]; /* the path, with .partial if the file is called so */
    bool to_file;                    /* it is a complete file */
    report_size *sizes;              /* patterns by size; sizes without patterns are left out */
    size_t n_sizes, room;
    const void *sink;          /* that received the result; only compared */
    unsigned n_thread_seconds; /* CPU seconds of each thread, the first 64 */
    double thread_seconds[LODE_REPORT_THREADS];

    double start; /* on os_seconds() */
    double read_seconds, finish_seconds, output_seconds, total_seconds;
    uint64_t memory_budget, memory_peak, resident_peak, device_budget;

    unsigned n_advice;
    report_advice advice[REPORT_ADVICE];
};

/* The noun for one pattern. */
static inline const char *report_noun(const lode_report *r) {
    return r->rules ? "rule" : r->graphs ? "subgraph" : "itemset";
}

/* Empties the report, but keeps its memory for sizes, which the caller frees. */
void report_clear(lode_report *r);

/* Records the end of a call. The worst status counts, with its message; an empty message is
 * replaced by the text of the status. */
void report_note_status(lode_report *r, lode_status status, const char *message);

/* Updates derived fields. Call it after other fields have changed. */
void report_settle(lode_report *r);

/* ---- advice.c ---- */

/* Fills in the advice on what to try next. */
void report_advise(lode_report *r);

/* ---- report.c ---- */

typedef enum report_type {
    REPORT_U64,
    REPORT_U32,
    REPORT_REAL,
    REPORT_FLAG,
    REPORT_CHARS, /* an array of characters */
    REPORT_TEXT,  /* a pointer to a string, or NULL */
    REPORT_INDEX  /* the number of the row of a table */
} report_type;

typedef struct report_field {
    const char *name; /* "" = the only column of a table */
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
    unsigned of;                 /* REPORT_OF_…: reports on itemsets, graphs, or both */
    unsigned when;               /* REPORT_WHEN_…: what must have happened */
    bool more;                   /* text.c shows it with LODE_REPORT_VERBOSE, unless it is 0 */
    const report_columns *table; /* NULL = a single value */
} report_row;

/* The i-th row of the report; NULL past the end. If r is NULL, the i-th of all rows. */
const report_row *report_row_at(const lode_report *r, size_t i);

/* The value of a field in a struct, or in row `index` of a table. */
lode_counter report_value(const report_field *field, const void *from, size_t index);
lode_counter report_cell(const lode_report *r, const report_columns *t, size_t row, size_t column);

#endif
