/* lode/report.h - what a job did: a head, named counters, tables; as text and as JSON. Part of
 * lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_REPORT_H
#define LODE_REPORT_H

#include "lode/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a job did last. One report covers reading, mining and finishing a sink: it begins with the
 * reading before lode_mine() or lode_graphs_mine(), or with these calls if the data was there
 * already. What is read or mined after that begins another report. Failures are reported as well.
 */
typedef struct lode_report lode_report;

/* Lends the report of a job, which changes with its calls; texts in it are valid until the next
 * call. For NULL, NULL. */
LODE_API const lode_report *lode_job_report(const lode_job *job);

/* For a program that goes on to print or send a result, and fails to: gives the report this status
 * and message. */
LODE_API void lode_report_fail(lode_job *job, lode_status status, const char *message);

/* ---- the head ---- */

/* Texts are "" if there is nothing to say. Seconds are wall time. */
typedef struct lode_report_head {
    size_t size;
    lode_status status;     /* the worst of reading, mining, finishing */
    bool graphs;            /* patterns are subgraphs, not itemsets */
    bool partial;           /* the result is not complete, or there is none */
    const char *message;    /* what went wrong */
    const char *ended;      /* for a partial result: what ended it, how much there is, and where */
    const char *stopped_by; /* the option that ended it, such as "limit-time" */
    const char *algorithm, *why;
    const char *device, *device_why; /* for example "cpu*2 (avx512)" */
    const char *note;                /* what the user should know */
    uint64_t patterns;               /* received by the sink */
    uint32_t largest;                /* items, or edges, of the largest */
    uint64_t min_count;              /* the exact threshold used at the start */
    uint64_t final_min_count;        /* and at the end, if it was raised */
    uint64_t n_transactions;         /* or graphs */
    uint64_t total_weight;           /* of these; their number, if they have no weights */
    double read_seconds;             /* of this job; 0 if the data was there already */
    double prepare_seconds, search_seconds, output_seconds;
    double total_seconds; /* from the beginning of the report to the end of its last call */
    unsigned threads;
    uint64_t memory_peak; /* of the context, in bytes */
} lode_report_head;

/* For NULL, all zero and false. */
LODE_API bool lode_report_get_head(const lode_report *report, lode_report_head *out);

/* ---- counters: all figures, by name ---- */

typedef enum lode_unit {
    LODE_UNIT_COUNT = 0, /* `count`; UINT64_MAX = unlimited */
    LODE_UNIT_BYTES,     /* `count` */
    LODE_UNIT_FLAG,      /* `count`: 0 or 1 */
    LODE_UNIT_SECONDS,   /* `number` */
    LODE_UNIT_NUMBER,    /* `number`: a mean, a ratio */
    LODE_UNIT_TEXT,      /* `text` */
    LODE_UNIT_BANDWIDTH  /* `count`: bytes in a second */
} lode_unit;

typedef struct lode_counter {
    size_t size;
    const char *name; /* "candidates.counted", which is also its place in JSON */
    const char *help; /* one line */
    lode_unit unit;
    uint64_t count;
    double number;    /* counts and flags are here as well */
    const char *text; /* for LODE_UNIT_TEXT, else NULL */
} lode_counter;

/* The i-th counter of a report, and the counter with a name. Which counters there are depends on
 * what the job did; those that the algorithm does not use are 0 or "". Past the end, or if the
 * report has no such name: all zero and false. */
LODE_API bool lode_report_counter_at(const lode_report *report, size_t i, lode_counter *out);
LODE_API bool lode_report_find(const lode_report *report, const char *name, lode_counter *out);

/* All counters that any report may have, with units and help but without values. False past the
 * end. */
LODE_API bool lode_counter_at(size_t i, lode_counter *out);

/* Rows of values: "levels", "products.depths", "patterns.by_size", "thread_seconds", "next" … */
typedef struct lode_table {
    size_t size;
    const char *name;
    const char *help;
    size_t n_columns, n_rows;
} lode_table;

/* Tables are found like counters. A cell is a counter with the name of its column, or "" if the
 * table has only one column. */
LODE_API bool lode_report_table_at(const lode_report *report, size_t i, lode_table *out);
LODE_API bool lode_report_find_table(const lode_report *report, const char *name, lode_table *out);
LODE_API bool lode_report_cell(const lode_report *report, const char *table, size_t row,
                               size_t column, lode_counter *out);

/* ---- the whole report ---- */

typedef enum lode_report_level {
    LODE_REPORT_SHORT = 0, /* what was found, how long it took, what to try next */
    LODE_REPORT_VERBOSE    /* also how: algorithm, device, phases, counters, memory */
} lode_report_level;

/* Lines for people. Options have the names of the command line. `write` is called on this thread,
 * with whole lines. Errors: INVALID (without a message, as there is no job), STOPPED (by `write`).
 */
LODE_API LODE_NODISCARD lode_status lode_report_text(const lode_report *report,
                                                     lode_report_level level, lode_write_fn write,
                                                     void *user);
/* One line of JSON, written in pieces: names with dots become nested objects, tables become lists.
 * Texts that are not UTF-8, as file names may be, are taken for Latin-1. */
LODE_API LODE_NODISCARD lode_status lode_report_json(const lode_report *report, lode_write_fn write,
                                                     void *user);
/* The same for scripts: lines name<TAB>value, such as "patterns.by_size.0.count<TAB>7". In texts, a
 * tab, a line end and a backslash are written as \t, \n and \\. */
LODE_API LODE_NODISCARD lode_status lode_report_tsv(const lode_report *report, lode_write_fn write,
                                                    void *user);

#ifdef __cplusplus
}
#endif
#endif
