/* kinds.h - the functions of a rank that differ between itemsets and graphs
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_KINDS_H
#define LODE_MPI_KINDS_H

#include "cli.h"

/* The options of a search; which of them are used depends on the kind. */
typedef struct rank_options {
    lode_mine_options items;
    lode_graph_options graphs;
} rank_options;

/* The options that searches of both kinds have. */
typedef struct rank_request {
    lode_threshold min_support;
    lode_target target;
    uint64_t top_k, limit_patterns;
    double limit_seconds;
} rank_request;

typedef struct rank_kind {
    lode_pattern_kind patterns;
    const char *size_word; /* "items", "edges" */
    /* reads the data; `peers` NULL: this process reads alone */
    lode_status (*open)(lode_job *job, const cli_args *args, const lode_peers *peers, void **data);
    void (*free)(void *data);
    uint64_t (*fingerprint)(const void *data);
    uint64_t (*total)(const void *data); /* the number of transactions or graphs, for ratios */
    lode_status (*divide)(lode_job *job, lode_tasks **out, const void *data, const rank_options *o,
                          uint32_t goal);
    lode_status (*mine)(lode_job *job, const void *data, const rank_options *o,
                        const lode_task_search *search, lode_sink *sink);
    lode_status (*hash_sink)(lode_job *job, lode_sink **out, const void *data);
    lode_status (*memory_sink)(lode_job *job, lode_sink **out);
    lode_status (*write_sink)(lode_job *job, lode_sink **out, const void *data,
                              const cli_args *args, lode_write_fn write, void *user);
    /* Lends the supports of a memory sink. */
    size_t (*supports)(const lode_sink *sink, const uint64_t **supports);
    /* copies the options of the command line to *o, and returns those that both kinds have */
    rank_request (*request)(const cli_args *args, rank_options *o);
    /* sets the fields of *o that are in the request */
    void (*ask_for)(rank_options *o, const rank_request *request);
} rank_kind;

extern const rank_kind rank_itemsets, rank_graphs;

#endif
