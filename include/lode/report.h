/* lode/report.h - what a job did: a short head, named counters, tables; text and JSON of it
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_REPORT_H
#define LODE_REPORT_H

#include "lode/job.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a job did last: reading, mining and finishing a sink belong to one report. It begins with
 * the reading before lode_mine() or lode_graphs_mine(), or, where data are there already, with
 * these; the next such call begins another. It is filled in on failure, too. */
typedef struct lode_report lode_report;

/* Lends the report of a job. It changes with the calls of the job, and ends with it; texts in it
 * are good until the next call. NULL of NULL. */
LODE_API const lode_report *lode_job_report(const lode_job *job);

/* A program that does more with a result than lode does (prints it, sends it) says that this has
 * failed; the report then has this status and message. */
LODE_API void lode_report_fail(lode_job *job, lode_status status, const char *message);

/* ---- the head ---- */

/* Texts are "" if there is nothing to say. Seconds are wall time. */
typedef struct lode_report_head {
    size_t size;
    lode_status status;     /* the worst of reading, mining, finishing */
    bool graphs;            /* patterns are subgraphs, else itemsets */
    bool partial;           /* the result is not complete, or there is none */
    const char *message;    /* what went wrong */
    const char *ended;      /* of a partial result: by what, how much there is, and where */
    const char *stopped_by; /* the option that ended it, such as "limit-time" */
    const char *algorithm, *why;
    const char *device, *device_why; /* for example "cpu*2 (avx512)" */
    const char *note;                /* what the user should know */
    uint64_t patterns;               /* that the sink has received */
    uint32_t largest;                /* items, or edges, of the largest */
    uint64_t min_count;              /* the exact threshold used at the start */
    uint64_t final_min_count;        /* and at the end, if it was raised */
    uint64_t n_transactions;         /* or graphs */
    uint64_t total_weight;           /* of these; as many, if they have no weights */
    double read_seconds;             /* by this job: 0 if the data were there */
    double prepare_seconds, search_seconds, output_seconds;
    double total_seconds; /* from the beginning of the report to the end of its last call */
    unsigned threads;
    uint64_t memory_peak; /* of the context, in bytes */
} lode_report_head;

/* All zero, and false, of NULL. */
LODE_API bool lode_report_get_head(const lode_report *report, lode_report_head *out);

/* ---- counters: everything, by name ---- */

typedef enum lode_unit {
    LODE_UNIT_COUNT = 0, /* `count`; UINT64_MAX = unlimited */
    LODE_UNIT_BYTES,     /* `count` */
    LODE_UNIT_FLAG,      /* `count`: 0 or 1 */
    LODE_UNIT_SECONDS,   /* `number` */
    LODE_UNIT_NUMBER,    /* `number`: a mean, a ratio */
    LODE_UNIT_TEXT       /* `text` */
} lode_unit;

typedef struct lode_counter {
    size_t size;
    const char *name; /* "candidates.counted": where JSON has it, too */
    const char *help; /* one line */
    lode_unit unit;
    uint64_t count;
    double number;    /* of a count or a flag, the same */
    const char *text; /* of a text, else NULL */
} lode_counter;

/* The i-th value of a report, and that of a name. A report has the values that go with what it is
 * about; those an algorithm does not use are 0 or "". All zero, and false, past the end, and for a
 * name that the report does not have. */
LODE_API bool lode_report_counter_at(const lode_report *report, size_t i, lode_counter *out);
LODE_API bool lode_report_find(const lode_report *report, const char *name, lode_counter *out);

/* All names there are, with units and help; no values. False past the end. */
LODE_API bool lode_counter_at(size_t i, lode_counter *out);

/* Rows of values: "levels", "products.depths", "patterns.by_size", "thread_seconds", "next" … */
typedef struct lode_table {
    size_t size;
    const char *name;
    const char *help;
    size_t n_columns, n_rows;
} lode_table;

/* As with counters. The cell in a column of a row; its name is that of the column, or "" where
 * there is but one. */
LODE_API bool lode_report_table_at(const lode_report *report, size_t i, lode_table *out);
LODE_API bool lode_report_find_table(const lode_report *report, const char *name, lode_table *out);
LODE_API bool lode_report_cell(const lode_report *report, const char *table, size_t row,
                               size_t column, lode_counter *out);

/* ---- the whole of it ---- */

typedef enum lode_report_level {
    LODE_REPORT_SHORT = 0, /* what was found, in how long, what to try next */
    LODE_REPORT_VERBOSE    /* and how: algorithm, device, phases, counters, memory */
} lode_report_level;

/* Lines for a person. Options are called as in the command line. `write` is called on this thread,
 * with whole lines. Errors: INVALID (without a message: there is no job), STOPPED (by `write`). */
LODE_API LODE_NODISCARD lode_status lode_report_text(const lode_report *report,
                                                     lode_report_level level, lode_write_fn write,
                                                     void *user);
/* One line of JSON, in pieces: names with dots are objects within each other, tables are lists.
 * Texts that are no UTF-8, such as file names, are taken for Latin-1. */
LODE_API LODE_NODISCARD lode_status lode_report_json(const lode_report *report, lode_write_fn write,
                                                     void *user);
/* The same for scripts: name<TAB>value lines, "patterns.by_size.0.count<TAB>7". In a text, a tab,
 * a line end and a backslash are \t, \n and \\. */
LODE_API LODE_NODISCARD lode_status lode_report_tsv(const lode_report *report, lode_write_fn write,
                                                    void *user);

#ifdef __cplusplus
}
#endif
#endif
