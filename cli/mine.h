/* mine.h - what the commands that mine share: lode itemsets, lode rules and lode graphs
 *
 * A command fills in a cli_mining and its options. Then cli_mine() creates the job, reads, mines,
 * finishes the sink, prints the counts that --count requests, and reports.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_MINE_H
#define LODE_CLI_MINE_H

#include "pattern_table.h"
#include "totals.h"

/* Options that all these commands have. */
#define CLI_OUTPUT_OPTION                                                                          \
    {                                                                                              \
        "output", 'o', "FILE", "standard output",                                                  \
            "write to FILE, which appears only when it is complete; FILE.csv, FILE.jsonl and the " \
            "like also choose the format"                                                          \
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
     "write the report as FORM (json or tsv) to FILE; without FILE, to standard error, after all " \
     "messages"},                                                                                  \
        {"verbose", 'v', NULL, "short report",                                                     \
         "also report the algorithm, phases, counters and memory"},                                \
    {                                                                                              \
        "quiet", 'q', NULL, "also print a report on standard error",                               \
            "print only results, warnings and errors"                                              \
    }

/* The functions of a kind of mining. `data` is a lode_dataset or a lode_graphs. */
typedef struct cli_mining {
    lode_status (*open)(lode_job *job, const cli_args *args, void **data);
    lode_status (*hash_sink)(lode_job *job, lode_sink **out, const void *data);
    lode_status (*file_sink)(lode_job *job, lode_sink **out, const void *data, const char *path,
                             const cli_args *args);
    /* What a table of the result looks like, and a sink that passes the result to it. NULL: the
     * command shows no tables. */
    pattern_table_options (*table)(const cli_args *args);
    lode_status (*table_sink)(lode_job *job, lode_sink **out, const void *data,
                              pattern_table *table, const cli_args *args);
    /* Puts another sink around *sink; NULL = does nothing. On failure *sink is unchanged. */
    lode_status (*wrap_sink)(lode_job *job, lode_sink **sink, const void *data,
                             const cli_args *args);
    lode_status (*mine)(lode_job *job, const void *data, const cli_args *args, lode_sink *sink);
    /* The next three functions are for --share, --journal and --resume; NULL if the command has
     * none of these options. text_sink() makes a sink that passes text to a function, in search
     * order. Without --share, divide() returns the tasks of share 1 of 1. */
    lode_status (*text_sink)(lode_job *job, lode_sink **out, const void *data, lode_write_fn write,
                             void *user, const cli_args *args);
    lode_status (*divide)(lode_job *job, lode_tasks **out, const void *data, const cli_args *args);
    lode_status (*mine_tasks)(lode_job *job, const void *data, const cli_args *args,
                              const lode_task_search *search, lode_sink *sink);
    /* Prints something about the result, after the report for people; NULL = nothing. */
    void (*say)(const cli_args *args, const void *data, const lode_sink *sink, bool partial);
    void (*forget)(const void *data);          /* called before the sink is finished; may be NULL */
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
    pattern_table *table; /* the result is shown as a table; or NULL */
    const char *written;  /* a complete file that the report does not know about; or NULL */
} mine_run;

/* The next five functions are in resumable.c. This one returns whether the run can be resumed, or
 * is a share. */
bool resumable_wanted(const cli_args *args);
/* Returns whether the run has a journal. */
bool resumable_has_journal(const cli_args *args);
/* Checks whether the options can be combined with --journal and --resume. Returns false after
 * printing why not. */
bool resumable_check(const cli_args *args);
/* Checks whether the files of the run can be written, and do not belong to something else. Returns
 * the exit code. */
int resumable_look(const cli_args *args);
/* Mines data that were read, and returns the exit code. */
int resumable_mine(mine_run *r);

/* Prints that there is a journal of an earlier run, which this run does not use (kept_output.c). */
void cli_note_journal(const cli_args *args);
/* Whether a file begins as a journal does. */
bool cli_is_journal(const char *path);

/* Sets the format by the name of the output, and checks whether the shared options can be combined.
 * Returns false after printing why not. */
bool cli_check_mining(cli_args *args);

/* Runs the command and returns the exit code. */
int cli_mine(const cli_args *args, const cli_mining *mining);

#endif
