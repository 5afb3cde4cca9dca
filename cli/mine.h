/* mine.h - what the commands that mine share: lode itemsets, lode rules and lode graphs
 *
 * A command fills in a cli_mining and its options; cli_mine() creates the job, reads, mines,
 * finishes the sink, prints what --count asks for, and reports.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_MINE_H
#define LODE_CLI_MINE_H

#include "totals.h"

/* Options that all of them have. */
#define CLI_OUTPUT_OPTION                                                                          \
    {                                                                                              \
        "output", 'o', "FILE", "standard output",                                                  \
            "write to FILE, which appears only when it is complete"                                \
    }
#define CLI_HASH_OPTION                                                                            \
    { "hash", 0, NULL, "no hash", "with --count: also write a hash of the result, to compare runs" }
#define CLI_JOURNAL_OPTIONS                                                                        \
    {"journal", 0, NULL, "no journal",                                                             \
     "record progress in FILE.journal (FILE as in -o), so that --resume can continue; "            \
     "always on with --share"},                                                                    \
    {                                                                                              \
        "resume", 0, NULL, "start from the beginning",                                             \
            "continue an interrupted run of the same command; implies --journal"                   \
    }
#define CLI_REPORT_OPTIONS                                                                         \
    {"report", 0, "FORM[=FILE]", "text for people",                                                \
     "write the report as json or tsv (FORM) to FILE, or at the end of standard error"},           \
        {"verbose", 'v', NULL, "short report",                                                     \
         "also report the algorithm, phases, counters and memory"},                                \
    {                                                                                              \
        "quiet", 'q', NULL, "write a report to standard error",                                    \
            "print nothing but results and errors"                                                 \
    }

/* What is mined. Data are a lode_dataset, or lode_graphs. */
typedef struct cli_mining {
    lode_status (*open)(lode_job *job, const cli_args *args, void **data);
    lode_status (*hash_sink)(lode_job *job, lode_sink **out, const void *data);
    lode_status (*file_sink)(lode_job *job, lode_sink **out, const void *data, const char *path,
                             const cli_args *args);
    /* Puts another sink around *sink; NULL = none. On failure *sink is as it was. */
    lode_status (*wrap_sink)(lode_job *job, lode_sink **sink, const void *data,
                             const cli_args *args);
    lode_status (*mine)(lode_job *job, const void *data, const cli_args *args, lode_sink *sink);
    /* For --share, --journal and --resume; NULL if the command has none of them. Text goes to a
     * function, in the order of the search. Without --share, the tasks are those of share 1 of
     * 1. */
    lode_status (*text_sink)(lode_job *job, lode_sink **out, const void *data, lode_write_fn write,
                             void *user, const cli_args *args);
    lode_status (*divide)(lode_job *job, lode_tasks **out, const void *data, const cli_args *args);
    lode_status (*mine_tasks)(lode_job *job, const void *data, const cli_args *args,
                              const lode_task_search *search, lode_sink *sink);
    /* Says something about the result, after the report for people; NULL = nothing. */
    void (*say)(const cli_args *args, const void *data, const lode_sink *sink, bool partial);
    void (*forget)(const void *data);          /* before finishing; NULL = nothing */
    uint64_t (*fingerprint)(const void *data); /* NULL: the command has no --share */
    void (*free)(void *data);
} cli_mining;

/* A run: its input, options and sinks. */
typedef struct mine_run {
    const cli_args *args;
    const cli_mining *mining;
    lode_job *job;
    void *data;
    lode_sink *sink;
    const char *written; /* a file that is complete, and that the report does not know; or NULL */
} mine_run;

/* Whether the run is one that can be resumed, or a share: resumable.c. */
bool resumable_wanted(const cli_args *args);
/* Whether it has a journal. */
bool resumable_has_journal(const cli_args *args);
/* Whether the options go with --journal and --resume; if not, says so. */
bool resumable_check(const cli_args *args);
/* Whether its files can be written, and are not of others. Returns the exit code. */
int resumable_look(const cli_args *args);
/* Mines data that are open, and returns the exit code. */
int resumable_mine(mine_run *r);

/* Says that there is a journal of an earlier run, which this one does not use: kept_output.c. */
void cli_note_journal(const cli_args *args);
/* Whether a file begins as a journal does. */
bool cli_is_journal(const char *path);

/* Whether the shared options make sense together; if not, says so. */
bool cli_check_mining(const cli_args *args);

/* Runs the command and returns the exit code. */
int cli_mine(const cli_args *args, const cli_mining *mining);

#endif
