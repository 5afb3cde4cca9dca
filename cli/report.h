/* report.h - what a run did, for people and for machines
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_REPORT_H
#define LODE_CLI_REPORT_H

#include "cli.h"

typedef struct run_summary {
    const cli_args *args;
    const lode_job *job;
    const lode_dataset *data; /* NULL if reading failed */
    const lode_sink *sink;    /* NULL if the output could not be opened */
    lode_report report;
    lode_status mined;
    double start, finish_seconds, total_seconds;
    char message[512]; /* why mining ended early; the job forgets it when the output is finished */
    int code;          /* exit code */
} run_summary;

/* A few lines on standard error. */
void report_text(const run_summary *run);
/* One line of JSON, or "key<TAB>value" lines; to a file, or to standard error if `path` is NULL.
 * False after a message. */
bool report_machine(const run_summary *run, bool tsv, const char *path);

/* The hash of a hash sink, in 16 digits; returns `text`. */
#define REPORT_HASH_BYTES 17
const char *report_hash(const lode_sink *sink, char text[REPORT_HASH_BYTES]);

#endif
