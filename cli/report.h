/* report.h - what a run did, for people and for machines
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_REPORT_H
#define LODE_CLI_REPORT_H

#include "cli.h"

typedef struct run_summary {
    const cli_args *args;
    const lode_ctx *ctx;
    const lode_dataset *data; /* NULL if reading failed */
    const lode_sink *sink;    /* NULL if the output could not be opened */
    lode_report report;
    lode_status mined;
    double start, finish_seconds, total_seconds;
    int code; /* exit code */
} run_summary;

/* A few lines on standard error. */
void report_text(const run_summary *run);
/* One line of JSON, to standard error or to a file. False after a message. */
bool report_json(const run_summary *run, const char *file);

#endif
