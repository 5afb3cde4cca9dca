/* graph_report.h - what a search for subgraphs did, for people and for machines
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_GRAPH_REPORT_H
#define LODE_CLI_GRAPH_REPORT_H

#include "cli.h"

typedef struct graph_run {
    const cli_args *args;
    const lode_job *job;
    const lode_graphs *data;     /* NULL if reading failed */
    const lode_graph_sink *sink; /* NULL if the output could not be opened */
    const lode_graph_sink *hash; /* the sink that hashes, or NULL */
    lode_graph_report report;
    lode_status mined;
    double start, finish_seconds, total_seconds;
    char message[512]; /* why mining ended early */
    int code;          /* exit code */
} graph_run;

/* A few lines on standard error. */
void graph_report_text(const graph_run *run);
/* One line of JSON, or "key<TAB>value" lines; to a file, or to standard error if `path` is NULL.
 * False after a message. */
bool graph_report_machine(const graph_run *run, bool tsv, const char *path);

#endif
