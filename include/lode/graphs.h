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
 * loops and parallel edges (a directed graph may have both u -> v and v -> u). Graphs need not be
 * connected.
 *
 * WHAT A LABEL IS, here and in patterns and results: a uint32_t that stands for a name.
 *   Read       Labels of a file are 0, 1, 2, …, ordered by number if every name is a number,
 *              otherwise by the bytes of the names.
 *   Arrays     With lode_graphs_from_arrays(), a label is the number that was passed in.
 * lode_graphs_vertex_label() and lode_graphs_edge_label() return the name in both cases. */
typedef struct lode_graphs lode_graphs;

/* One graph, by columns. Its vertices are 0 … n_vertices - 1; edge i leads from vertex from[i] to
 * vertex to[i]. The arrays have one element per vertex, or one per edge. */
typedef struct lode_graph {
    size_t size;
    uint32_t n_vertices, n_edges;
    const uint32_t *vertex_labels;
    const uint32_t *from, *to, *edge_labels;
} lode_graph;

typedef struct lode_graph_profile {
    size_t size;
    uint64_t n_graphs;
    uint64_t n_empty;        /* graphs without a vertex */
    uint64_t n_disconnected; /* graphs of several components */
    uint64_t n_vertices, n_edges;
    uint64_t n_vertex_labels, n_edge_labels;
    uint64_t n_triples;                 /* distinct (vertex label, edge label, vertex label) */
    uint64_t n_skipped;                 /* malformed graphs skipped because of skip_bad_graphs */
    uint32_t most_vertices, most_edges; /* of any one graph */
    bool directed;
    double read_seconds;
} lode_graph_profile;

/* Reads gSpan text ("t # id", "v id label", "e from to label"); "-" is standard input. Plain, gzip,
 * zstd and UTF-16 files are recognised by content; other files are refused with a message that
 * names their type. Errors: NOTFOUND, PARSE, IO, NOMEM, BUDGET, CANCELLED. */
LODE_API LODE_NODISCARD lode_status lode_graphs_open(lode_job *job, lode_graphs **out,
                                                     const char *path,
                                                     const lode_graph_read_options *options);
/* The same, but several processes share the work; all of them make this call, and each gets all
 * graphs. An uncompressed regular file is cut where graphs begin, and each process reads one part;
 * see lode_dataset_open_together(). Every process reads everything if the file is compressed or not
 * a regular file, if it has a malformed line or a missing or repeated id, or if skip_bad_graphs is
 * set. */
LODE_API LODE_NODISCARD lode_status
lode_graphs_open_together(lode_job *job, lode_graphs **out, const char *path,
                          const lode_graph_read_options *options, const lode_peers *peers);
/* As lode_graphs_open(), but reads from a descriptor to its end, such as a pipe to which another
 * program writes graphs. The descriptor stays open. `name`, which may be NULL, is used in messages
 * as the name of the data. */
LODE_API LODE_NODISCARD lode_status lode_graphs_open_pipe(lode_job *job, lode_graphs **out, int fd,
                                                          const char *name,
                                                          const lode_graph_read_options *options);
/* As lode_graphs_open(), but reads from memory; `name`, which may be NULL, is used in messages. */
LODE_API LODE_NODISCARD lode_status lode_graphs_parse(lode_job *job, lode_graphs **out,
                                                      const void *text, size_t text_bytes,
                                                      const char *name,
                                                      const lode_graph_read_options *options);

/* Graphs by columns, lent for the call. The vertices of graph i have the labels
 * vertex_labels[vertex_offsets[i]] … vertex_labels[vertex_offsets[i + 1] - 1]; within the graph
 * they are numbered 0, 1, 2, …. Its edges are from[k] -> to[k], between vertices with these
 * numbers, for k from edge_offsets[i] to edge_offsets[i + 1] - 1. Offsets need not begin with 0. A
 * label may be any number. Its name is its decimal digits or, if names are given,
 * vertex_names[label] or edge_names[label]; names must be unique and without blanks. */
typedef struct lode_graph_arrays {
    size_t size;
    uint64_t n_graphs;
    const uint64_t *vertex_offsets; /* n_graphs + 1 */
    const uint32_t *vertex_labels;  /* NULL: all vertices have label 0, whose name is "" */
    const uint64_t *edge_offsets;   /* n_graphs + 1 */
    const uint32_t *from, *to;
    const uint32_t *edge_labels; /* NULL: as for vertices */
    const char *const *vertex_names;
    uint64_t n_vertex_names;
    const char *const *edge_names;
    uint64_t n_edge_names;
    bool directed;
    uint8_t reserved[7]; /* 0 */
} lode_graph_arrays;

/* Copies arrays. Errors: INVALID (descending offsets, a vertex that does not exist, a loop, a
 * repeated edge, a label without a name, a repeated name; the message says where), UNSUPPORTED
 * (2^32 graphs or vertices), NOMEM, BUDGET, CANCELLED. */
LODE_API LODE_NODISCARD lode_status lode_graphs_from_arrays(lode_job *job, lode_graphs **out,
                                                            const lode_graph_arrays *arrays);
LODE_API void lode_graphs_free(lode_graphs *data);

/* Sets *is_graphs to whether a file looks like gSpan text; for standard input, pipes and the like,
 * which can be read only once and are not touched, to false. */
LODE_API LODE_NODISCARD lode_status lode_graphs_sniff(lode_job *job, const char *path,
                                                      bool *is_graphs);

/* In the same way, sets *sure to 2 if a file certainly contains SMILES, a table with a column named
 * SMILES, or SDF; to 1 if that is likely, provided that the file contains graphs or molecules; and
 * otherwise to 0. lode_graphs_open() refuses such files; `lode graphs` has them read by
 * lode-molecules. */
LODE_API LODE_NODISCARD lode_status lode_molecules_sniff(lode_job *job, const char *path,
                                                         unsigned *sure);

/* Writes the data set as gSpan text, with the ids and labels it was read with. */
LODE_API LODE_NODISCARD lode_status lode_graphs_write(lode_job *job, const lode_graphs *data,
                                                      const char *path);

/* Fills *out. If `data` is NULL, fills it with zeros and returns false. */
LODE_API bool lode_graphs_profile(const lode_graphs *data, lode_graph_profile *out);
/* Lends the columns of graph i. Past the end, *out has no vertices, and the call returns false. */
LODE_API bool lode_graphs_at(const lode_graphs *data, uint64_t i, lode_graph *out);
/* The name of a label, as in the file. Writes as much as fits, without a terminating zero, and
 * returns the full length. The name for an unlabelled edge is "". */
LODE_API size_t lode_graphs_vertex_label(const lode_graphs *data, uint32_t label, char *buffer,
                                         size_t buffer_bytes);
LODE_API size_t lode_graphs_edge_label(const lode_graphs *data, uint32_t label, char *buffer,
                                       size_t buffer_bytes);
/* All vertex labels, or edge labels, in the order of WHAT A LABEL IS above; lode_graph_profile has
 * their number n. The name of labels[k] is text[offsets[k]] … text[offsets[k + 1] - 1]. `labels`
 * needs room for n, `offsets` for n + 1; `text` receives the names that fit. Each may be NULL.
 * Returns the length of all names in bytes. */
LODE_API size_t lode_graphs_vertex_labels(const lode_graphs *data, uint32_t *labels,
                                          uint64_t *offsets, char *text, size_t text_bytes);
LODE_API size_t lode_graphs_edge_labels(const lode_graphs *data, uint32_t *labels,
                                        uint64_t *offsets, char *text, size_t text_bytes);
/* The id of graph i, and of one of its vertices. Both are written as lode_graphs_vertex_label()
 * writes names. */
LODE_API size_t lode_graphs_name(const lode_graphs *data, uint64_t i, char *buffer,
                                 size_t buffer_bytes);
LODE_API size_t lode_graphs_vertex_name(const lode_graphs *data, uint64_t i, uint32_t vertex,
                                        char *buffer, size_t buffer_bytes);
/* The support s of a graph that is itself a pattern ("t # id * s"); 0 = none. */
LODE_API uint64_t lode_graphs_given_support(const lode_graphs *data, uint64_t i);

/* Counts the graphs of `data` that contain `pattern`, by a subgraph isomorphism test for each:
 * slow, and independent of the miners. Labels of `pattern` are those of the data set `labels`;
 * they are matched by name. */
LODE_API LODE_NODISCARD lode_status lode_graphs_support(lode_job *job, const lode_graphs *data,
                                                        const lode_graphs *labels,
                                                        const lode_graph *pattern, bool induced,
                                                        uint64_t *support);

/* A pattern, lent for the call. Edges are in search order: each but the first shares a vertex with
 * an earlier one. Fields that were not requested are NULL. */
typedef struct lode_graph_pattern {
    size_t size;
    const lode_graph *graph;
    uint64_t support;
    const uint32_t *supporters; /* the `support` graphs that contain the pattern, ascending */
    /* Occurrences: embedded_in[k] is the graph of occurrence k, and pattern vertex v is that
     * graph's vertex embeddings[k * n_vertices + v]. Mappings onto the same vertices and edges
     * count as one occurrence. */
    uint64_t n_embeddings;
    const uint32_t *embedded_in;
    const uint32_t *embeddings;
    /* With classes (lode_graph_options): how many of the supporting graphs each class has; classes
     * are in the order of their names. p is the p-value of the pattern; of more than two classes,
     * the smallest one, which is that of the class tested_class against all others. adjusted_p is
     * the p-value adjusted for all tests; NaN without a significance level. */
    const uint32_t *class_counts;
    uint32_t n_classes;
    uint32_t tested_class;
    double p;
    double adjusted_p;
} lode_graph_pattern;

/* SINKS FOR GRAPH PATTERNS are lode_sinks: what sinks.h says about every sink applies to them.
 * lode_sink_count() makes one that counts. */

/* Return non-zero to stop the job, which then returns LODE_STOPPED. For threads and permitted
 * calls, see lode_batch_fn. */
typedef int (*lode_graph_fn)(void *user, const lode_graph_pattern *pattern);

/* Counts patterns, and computes a hash of the whole result. Equal patterns (up to isomorphism, by
 * name) with equal supports give the same hash, in whatever order they arrive. */
LODE_API LODE_NODISCARD lode_status lode_graph_sink_hash(lode_job *job, lode_sink **out,
                                                         const lode_graphs *data);
/* Calls a function with every pattern. */
LODE_API LODE_NODISCARD lode_status lode_graph_sink_callback(lode_job *job, lode_sink **out,
                                                             lode_graph_fn function, void *user);
/* Writes text to a file, as lode_sink_file() does. */
LODE_API LODE_NODISCARD lode_status lode_graph_sink_file(lode_job *job, lode_sink **out,
                                                         const lode_graphs *data, const char *path,
                                                         const lode_graph_write_options *options);
/* The same text handed to a function, whole patterns at a time, as lode_sink_write() does. */
LODE_API LODE_NODISCARD lode_status lode_graph_sink_write(lode_job *job, lode_sink **out,
                                                          const lode_graphs *data,
                                                          lode_write_fn write, void *user,
                                                          const lode_graph_write_options *options);
/* Keeps everything in memory, as lode_sink_memory() does; see lode_graph_sink_result(). */
LODE_API LODE_NODISCARD lode_status lode_graph_sink_memory(lode_job *job, lode_sink **out);
/* Makes a sink that passes all patterns on to the sink `inner`, which it owns from now on.
 * lode_sink_finish() then draws the `most` most frequent patterns (of equal support, larger ones
 * first) as FOLDER/NNN.svg, with an index.html that shows them all. The folder is created if
 * needed; higher-numbered drawings of an earlier run are removed. If the job is cancelled, the
 * drawings made so far are kept. lode_sink_bytes() and lode_sink_hash_value() are those of `inner`.
 * On failure the caller still owns `inner`. */
LODE_API LODE_NODISCARD lode_status lode_graph_sink_draw(lode_job *job, lode_sink **out,
                                                         const lode_graphs *data,
                                                         const char *folder, uint64_t most,
                                                         lode_sink *inner);

/* A result in memory, by columns. Pattern i has the support supports[i]; its elements in a column
 * are those from X_offsets[i] to X_offsets[i + 1] - 1, so each column is an Arrow large-list:
 *   vertex_labels      labels of its vertices
 *   from, to, edge_labels   its edges, in search order
 *   supporters         graphs that contain it; if not requested, this column and its offsets are
 *                      NULL
 *   embedded_in, embeddings   its occurrences, as in lode_graph_pattern; if not requested, these
 *                      columns and their offsets are NULL. The vertices of pattern i begin at
 *                      embeddings[place_offsets[i]]
 * After lode_sink_finish() patterns are ordered as in a file: by support from the highest, then by
 * number of edges and of vertices from the largest, then by their columns. */
typedef struct lode_graph_result {
    size_t size;
    uint64_t n;
    const uint64_t *supports;
    const uint64_t *vertex_offsets;
    const uint32_t *vertex_labels;
    const uint64_t *edge_offsets;
    const uint32_t *from, *to, *edge_labels;
    const uint64_t *supporter_offsets;
    const uint32_t *supporters;
    const uint64_t *embedding_offsets;
    const uint32_t *embedded_in;
    const uint64_t *place_offsets;
    const uint32_t *embeddings;
} lode_graph_result;

/* Lends what a memory sink holds, until the sink is freed or receives more. For any other sink,
 * fills *out with zeros and returns false. Must not be called while a job runs into the sink. */
LODE_API bool lode_graph_sink_result(const lode_sink *sink, lode_graph_result *out);

/* Mines `data` into `sink`, as lode_mine() does. Does not call lode_sink_finish(). Errors:
 * INVALID, UNSUPPORTED, NOMEM, BUDGET, CANCELLED, STOPPED, and what the sink reports. */
LODE_API LODE_NODISCARD lode_status lode_graphs_mine(lode_job *job, const lode_graphs *data,
                                                     const lode_graph_options *options,
                                                     lode_sink *sink);

/* Prepares the graphs for jobs with the threshold of `options` or a higher one (with `induced`,
 * also for induced patterns), so that these jobs start to search at once. Optional: jobs prepare
 * what they need, for themselves and later jobs. Call it to make the first job start sooner, or if
 * the lowest threshold is known in advance. Prepared data stay until the graphs are freed or memory
 * is short. Errors: INVALID, NOMEM, BUDGET, CANCELLED. */
LODE_API LODE_NODISCARD lode_status lode_graphs_prepare(lode_job *job, const lode_graphs *data,
                                                        const lode_graph_options *options);

/* How graphs are generated.
 * LODE_GRAPHS_OF_PATTERNS, after Kuramochi and Karypis (ggen): graphs are put together from a pool
 * of connected seed patterns that overlap by chance. The seed patterns are frequent, however many
 * labels there are.
 * LODE_GRAPHS_RANDOM, after GraphGen (Cheng, Ke and Ng): random connected graphs with a given
 * number of edges, labels and density. The more labels, the fewer patterns are frequent.
 * LODE_GRAPHS_MOLECULES: graphs like the molecules of a drug library, from rings and functional
 * groups. Vertices are labelled C, N, O, S, F, Cl, Br and I, edges single, double, triple and
 * aromatic. No atom has more bonds than its valence allows. */
typedef enum lode_graph_model {
    LODE_GRAPHS_OF_PATTERNS = 0,
    LODE_GRAPHS_RANDOM,
    LODE_GRAPHS_MOLECULES
} lode_graph_model;

/* Distribution of labels: the k-th has weight 1 / k, or all are equally likely. */
typedef enum lode_label_weights { LODE_LABELS_ZIPF = 0, LODE_LABELS_EVEN } lode_label_weights;

/* A field that is zero has the default in brackets; [5; random 20] means 5, or 20 in the random
 * model. Fields of another model must be zero. The molecules model has only n_graphs, mean_edges
 * and seed. */
typedef struct lode_graphgen_options {
    size_t size;
    uint64_t n_graphs;        /* [1,000] */
    double mean_edges;        /* of a graph [30; random 20, with a variance of 5; molecules 27] */
    double mean_pattern;      /* patterns model: edges of a seed pattern [4] */
    uint32_t n_patterns;      /* patterns model: number of seed patterns [50] */
    uint32_t n_vertex_labels; /* patterns [5], random [20] */
    uint32_t n_edge_labels;   /* patterns [5], random [20] */
    uint64_t seed;            /* [1] */
    lode_graph_model model;
    lode_label_weights label_weights; /* random model */
    double density;                   /* random model: mean of 2 E / (V (V - 1)) [0.3] */
    double kind_share;     /* random model with n_edge_kinds: distinct kinds of edges in a graph,
                            * divided by its edges [0.2] */
    uint32_t n_edge_kinds; /* random model: distinct (label, edge label, label) that may occur;
                            * GraphGen has 100 [any] */
    uint8_t reserved[4];   /* zero */
} lode_graphgen_options;

LODE_API LODE_NODISCARD lode_status lode_generate_graphs(lode_job *job, const char *path,
                                                         const lode_graphgen_options *options);

#ifdef __cplusplus
}
#endif
#endif
