/* lode/report.h - the report of a job: a head, named counters, tables; as text or JSON
 * Part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_REPORT_H
#define LODE_REPORT_H

#include "lode/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A report covers reading the data, the search that follows, and finishing the sink of that search.
 * If the data had been read before, it begins with the search. The next read or search after this
 * search begins a new report. Failures are reported, too. */
typedef struct lode_report lode_report;

/* Lends the report of a job. The report changes with the calls of the job, and texts in it are
 * valid until the next call. For NULL, returns NULL. */
LODE_API const lode_report *lode_job_report(const lode_job *job);

/* Sets status and message of the report. Use it in a program that fails after mining, while it
 * prints or sends the result. */
LODE_API void lode_report_fail(lode_job *job, lode_status status, const char *message);

/* ---- the head ---- */

/* Empty texts are "". Seconds are wall time. */
typedef struct lode_report_head {
    size_t size;
    lode_status status;     /* the worst of reading, mining and finishing */
    bool graphs;            /* patterns are subgraphs, not itemsets */
    bool partial;           /* the result is incomplete, or there is none */
    const char *message;    /* the error message */
    const char *ended;      /* for a partial result: what ended the search, how many patterns the
                             * result has, and where it is */
    const char *stopped_by; /* the option that ended the search, such as "limit-time" */
    const char *algorithm, *why;     /* the name of the algorithm, and why it was chosen */
    const char *device, *device_why; /* for example "cpu*2 (avx512)", and why it was chosen */
    const char *note;                /* what the user should know */
    uint64_t patterns;               /* received by the sink */
    uint32_t largest;                /* items, or edges, of the largest pattern */
    uint64_t min_count;              /* the exact threshold at the start of the search */
    uint64_t final_min_count;        /* the threshold at the end; higher if it was raised */
    uint64_t n_transactions;         /* or graphs */
    uint64_t total_weight;           /* sum of their weights; their number if unweighted */
    double read_seconds;             /* reading by this job; 0 if the data had been read before */
    double prepare_seconds, search_seconds, output_seconds;
    double total_seconds; /* from the beginning of the report to the end of its last call */
    unsigned threads;
    uint64_t memory_peak; /* of the context, in bytes */
} lode_report_head;

/* Fills *out. If `report` is NULL, fills it with zeros and returns false. */
LODE_API bool lode_report_get_head(const lode_report *report, lode_report_head *out);

/* ---- counters: all figures, by name ---- */

typedef enum lode_unit {
    LODE_UNIT_COUNT = 0, /* `count`; UINT64_MAX = unlimited */
    LODE_UNIT_BYTES,     /* `count` */
    LODE_UNIT_FLAG,      /* `count`: 0 or 1 */
    LODE_UNIT_SECONDS,   /* `number` */
    LODE_UNIT_NUMBER,    /* `number`: a mean, a ratio */
    LODE_UNIT_TEXT,      /* `text` */
    LODE_UNIT_BANDWIDTH  /* `count`: bytes per second */
} lode_unit;

typedef struct lode_counter {
    size_t size;
    const char *name; /* "candidates.counted", also its path in the JSON */
    const char *help; /* one line */
    lode_unit unit;
    uint64_t count;
    double number;    /* also set for counts and flags */
    const char *text; /* for LODE_UNIT_TEXT, else NULL */
} lode_counter;

/* Counters of a report, by position and by name. Which counters exist depends on what the job did;
 * those that the algorithm does not use are 0 or "". Past the end, and for an unknown name, they
 * fill *out with zeros and return false. */
LODE_API bool lode_report_counter_at(const lode_report *report, size_t i, lode_counter *out);
LODE_API bool lode_report_find(const lode_report *report, const char *name, lode_counter *out);

/* The i-th of all counters that a report can have, with unit and help but without a value. Returns
 * false past the end. */
LODE_API bool lode_counter_at(size_t i, lode_counter *out);

/* Rows of values: "levels", "products.depths", "patterns.by_size", "thread_seconds", "next" … */
typedef struct lode_table {
    size_t size;
    const char *name;
    const char *help;
    size_t n_columns, n_rows;
} lode_table;

/* Tables of a report, by position and by name, and the cells of a table. A cell is a counter with
 * the name of its column ("" if there is only one column). */
LODE_API bool lode_report_table_at(const lode_report *report, size_t i, lode_table *out);
LODE_API bool lode_report_find_table(const lode_report *report, const char *name, lode_table *out);
LODE_API bool lode_report_cell(const lode_report *report, const char *table, size_t row,
                               size_t column, lode_counter *out);

/* ---- the whole report ---- */

typedef enum lode_report_level {
    LODE_REPORT_SHORT = 0, /* what was found, how long it took, what to try next */
    LODE_REPORT_VERBOSE    /* also algorithm, device, phases, counters, memory */
} lode_report_level;

/* The report as text for people, with the option names of the command line. Calls `write` on the
 * calling thread, with whole lines. Errors: INVALID (without a message, as there is no job),
 * STOPPED (by `write`). */
LODE_API LODE_NODISCARD lode_status lode_report_text(const lode_report *report,
                                                     lode_report_level level, lode_write_fn write,
                                                     void *user);
/* The report as one line of JSON, passed to `write` in pieces. Counters with dots in their names
 * become nested objects, and tables become lists. Text that is not valid UTF-8, such as some file
 * names, is treated as Latin-1. */
LODE_API LODE_NODISCARD lode_status lode_report_json(const lode_report *report, lode_write_fn write,
                                                     void *user);
/* The same for scripts: lines name<TAB>value, such as "patterns.by_size.0.count<TAB>7". Tabs, line
 * ends and backslashes in text are written as \t, \n and \\. */
LODE_API LODE_NODISCARD lode_status lode_report_tsv(const lode_report *report, lode_write_fn write,
                                                    void *user);

#ifdef __cplusplus
}
#endif
#endif
