/* lode/graphs.h - frequent connected subgraphs of many small graphs; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_H
#define LODE_GRAPHS_H

#include "lode/job.h"
#include "lode/mine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A data set of graphs with labelled vertices and edges, all undirected or all directed, without
 * loops and parallel edges (a directed graph may have both u -> v and v -> u). They need not be
 * connected. Label ids are given so that their order is the print order. */
typedef struct lode_graphs lode_graphs;

/* One graph, by columns: vertices are 0 … n_vertices - 1, edge i leads from[i] -> to[i]. */
typedef struct lode_graph {
    uint32_t n_vertices, n_edges;
    const uint32_t *vertex_labels;
    const uint32_t *from, *to, *edge_labels;
} lode_graph;

typedef struct lode_graph_profile {
    uint64_t n_graphs;
    uint64_t n_empty;        /* graphs without a vertex */
    uint64_t n_disconnected; /* graphs of several components */
    uint64_t n_vertices, n_edges;
    uint64_t n_vertex_labels, n_edge_labels;
    uint64_t n_triples; /* different (vertex label, edge label, vertex label) */
    uint64_t n_skipped; /* malformed graphs left out by skip_bad_graphs */
    uint32_t most_vertices, most_edges;
    bool directed;
    double read_seconds;
} lode_graph_profile;

/* Reads gSpan text ("t # id", "v id label", "e from to label"); "-" is standard input. Plain, gzip,
 * zstd and UTF-16 are told apart by content, and other kinds of file refused by name. Errors:
 * NOTFOUND, PARSE, IO, NOMEM, BUDGET, CANCELLED. */
LODE_API LODE_NODISCARD lode_status lode_graphs_open(lode_job *job, lode_graphs **out,
                                                     const char *path,
                                                     const lode_graph_read_options *options);
/* The same from memory; `name`, which may be NULL, is used in messages. */
LODE_API LODE_NODISCARD lode_status lode_graphs_parse(lode_job *job, lode_graphs **out,
                                                      const void *text, size_t text_bytes,
                                                      const char *name,
                                                      const lode_graph_read_options *options);
LODE_API void lode_graphs_free(lode_graphs *data);

/* Whether a file looks like gSpan text. Standard input does not: it can be read only once. */
LODE_API LODE_NODISCARD lode_status lode_graphs_sniff(lode_job *job, const char *path,
                                                      bool *is_graphs);

/* Writes the data set as gSpan text, with the ids and labels it was read with. */
LODE_API LODE_NODISCARD lode_status lode_graphs_write(lode_job *job, const lode_graphs *data,
                                                      const char *path);

LODE_API lode_graph_profile lode_graphs_profile(const lode_graphs *data);
/* Lends graph i; without vertices past the end. */
LODE_API lode_graph lode_graphs_at(const lode_graphs *data, uint64_t i);
/* Names as in the file: written without a closing zero, as far as they fit; the full length is
 * returned. The label of an edge that has none is "". */
LODE_API size_t lode_graphs_vertex_label(const lode_graphs *data, uint32_t label, char *buffer,
                                         size_t buffer_bytes);
LODE_API size_t lode_graphs_edge_label(const lode_graphs *data, uint32_t label, char *buffer,
                                       size_t buffer_bytes);
LODE_API size_t lode_graphs_name(const lode_graphs *data, uint64_t i, char *buffer,
                                 size_t buffer_bytes);
LODE_API size_t lode_graphs_vertex_name(const lode_graphs *data, uint64_t i, uint32_t vertex,
                                        char *buffer, size_t buffer_bytes);
/* The support s of a graph that is itself a pattern, "t # id * s"; 0 = none is given. */
LODE_API uint64_t lode_graphs_given_support(const lode_graphs *data, uint64_t i);

/* Counts the graphs of `data` that contain `pattern`, one by one, by subgraph isomorphism: slow,
 * and independent of the miners. Labels are those of `labels`, matched by name. */
LODE_API LODE_NODISCARD lode_status lode_graphs_support(lode_job *job, const lode_graphs *data,
                                                        const lode_graphs *labels,
                                                        const lode_graph *pattern, bool induced,
                                                        uint64_t *support);

/* A pattern, lent for the call. Edges are in the order of the search: each but the first touches
 * an earlier one. What was not asked for is NULL. */
typedef struct lode_graph_pattern {
    lode_graph graph;
    uint64_t support;
    const uint32_t *supporters; /* the graphs that contain it, `support` of them, ascending */
    /* Occurrences: embedded_in[k] is the graph of occurrence k, whose pattern vertex v is the
     * graph's vertex embeddings[k * n_vertices + v]. One for each different place: mappings that
     * cover the same vertices and edges in another order are not repeated. */
    uint64_t n_embeddings;
    const uint32_t *embedded_in;
    const uint32_t *embeddings;
} lode_graph_pattern;

typedef struct lode_graph_sink lode_graph_sink;

/* Non-zero stops the job, which then returns LODE_STOPPED. Calls never overlap. */
typedef int (*lode_graph_fn)(void *user, const lode_graph_pattern *pattern);

/* Counts patterns by number of edges and keeps nothing. */
LODE_API LODE_NODISCARD lode_status lode_graph_sink_count(lode_job *job, lode_graph_sink **out);
/* Counts, and computes a hash of the whole result: the same for the same patterns, up to
 * isomorphism and by name, with the same supports, in whatever order they come. */
LODE_API LODE_NODISCARD lode_status lode_graph_sink_hash(lode_job *job, lode_graph_sink **out,
                                                         const lode_graphs *data);
LODE_API LODE_NODISCARD lode_status lode_graph_sink_callback(lode_job *job, lode_graph_sink **out,
                                                             lode_graph_fn function, void *user);
/* Writes text to a file, which appears under its name when lode_graph_sink_finish() has succeeded;
 * "-" is standard output. */
LODE_API LODE_NODISCARD lode_status lode_graph_sink_file(lode_job *job, lode_graph_sink **out,
                                                         const lode_graphs *data, const char *path,
                                                         const lode_graph_write_options *options);
/* Passes everything on to `inner`, which it owns from now on, and at the end draws the most
 * frequent `most` patterns (of equal support, larger ones first) as FOLDER/NNN.svg, with an
 * index.html that shows them together. The folder is made if need be; drawings of an earlier run
 * that come behind the last of this one are removed. On failure `inner` stays the caller's. */
LODE_API LODE_NODISCARD lode_status lode_graph_sink_draw(lode_job *job, lode_graph_sink **out,
                                                         const lode_graphs *data,
                                                         const char *folder, uint64_t most,
                                                         lode_graph_sink *inner);
/* Completes the output; partial = true gives the file the name PATH.partial, as with itemsets, and
 * so does a cancel while it draws, after which there are as many drawings as were made. */
LODE_API LODE_NODISCARD lode_status lode_graph_sink_finish(lode_graph_sink *sink, bool partial);
LODE_API void lode_graph_sink_free(lode_graph_sink *sink);

/* Patterns received, in all and with exactly so many edges; the most edges received. Any thread may
 * ask, as with itemsets. */
LODE_API uint64_t lode_graph_sink_patterns(const lode_graph_sink *sink);
LODE_API uint64_t lode_graph_sink_patterns_of_size(const lode_graph_sink *sink, uint32_t edges);
LODE_API uint32_t lode_graph_sink_largest(const lode_graph_sink *sink);
LODE_API uint64_t lode_graph_sink_hash_value(const lode_graph_sink *sink);

/* What a run did. Set `size` to sizeof(lode_graph_report) before the call. */
typedef struct lode_graph_report {
    size_t size;
    uint64_t min_count, final_min_count; /* the exact threshold, at the start and at the end */
    char algorithm[32];
    char why[LODE_REPORT_TEXT];
    char stopped_by[32];
    unsigned n_threads;
    uint64_t frequent_triples;    /* (vertex label, edge label, vertex label) */
    uint64_t candidates;          /* extensions whose occurrences were listed */
    uint64_t frequent_extensions; /* those that reach the threshold */
    uint64_t codes_tested;        /* codes tested for being minimal */
    uint64_t occurrences;         /* entries of all lists of occurrences */
    uint64_t patterns;
    uint64_t memory_peak;
    double preprocess_seconds, total_seconds;
    unsigned n_thread_seconds; /* CPU seconds of each thread, the first 64 */
    double thread_seconds[LODE_REPORT_THREADS];
    /* Where it ran, and why there. The rest is 0 for algorithms that do not use devices. */
    char device[LODE_REPORT_TEXT];
    char device_why[LODE_REPORT_TEXT];
    uint64_t device_memory_peak;   /* of a GPU, or of a device that was given a budget */
    uint64_t bytes_up, bytes_down; /* between host and device */
    uint64_t batches;              /* operations that extended patterns */
    uint64_t groups_moved;         /* to the host, because memory of the device ran out */
    double start_seconds;          /* until the device was there and had the graphs */
    double device_seconds;         /* when a GPU was computing */
    double test_seconds;           /* of the host: testing codes, and emitting */
} lode_graph_report;

/* Mines `data` into `sink`. `report` may be NULL. Does not call lode_graph_sink_finish(). Errors:
 * INVALID, UNSUPPORTED, NOMEM, BUDGET, CANCELLED, STOPPED, and what the sink reports. */
LODE_API LODE_NODISCARD lode_status lode_graphs_mine(lode_job *job, const lode_graphs *data,
                                                     const lode_graph_options *options,
                                                     lode_graph_sink *sink,
                                                     lode_graph_report *report);

/* The i-th algorithm for graphs; `weights` and `targets` are not used. False past the end. */
LODE_API bool lode_graph_algorithm_at(size_t i, lode_algorithm *out);

/* Random graphs after Kuramochi and Karypis (ggen): graphs are put together from a pool of
 * connected seed patterns that overlap by chance. Zero = the default in brackets. */
typedef struct lode_graphgen_options {
    size_t size;
    uint64_t n_graphs;        /* [1,000] */
    double mean_edges;        /* of a graph [30] */
    double mean_pattern;      /* edges of a seed pattern [4] */
    uint32_t n_patterns;      /* [50] */
    uint32_t n_vertex_labels; /* [5] */
    uint32_t n_edge_labels;   /* [5] */
    uint64_t seed;            /* [1] */
} lode_graphgen_options;

LODE_API LODE_NODISCARD lode_status lode_generate_graphs(lode_job *job, const char *path,
                                                         const lode_graphgen_options *options);

#ifdef __cplusplus
}
#endif
#endif
