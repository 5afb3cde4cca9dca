/* lode/arrow.h - tables of other libraries as data sets, and results for them; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ARROW_H
#define LODE_ARROW_H

#include "lode/graphs.h"
#include "lode/rules.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The two structs of the Arrow C data interface, as its specification defines them. The guard is
 * the standard one, so other headers that define them can be included in any order. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

/* The struct of the Arrow C stream interface, in the same way. */
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/* Reads a table from a stream, such as a query's result, a frame of polars, or a file of pyarrow.
 * The data set is the same as if the table were read from a CSV file with a header:
 *
 *     lists    a column of lists: each row is a transaction (item_column names the column, unless
 *              there is only one)
 *     long     one (transaction, item) pair per row: tid_column and item_column or, without these,
 *              columns with usual names, or the first two
 *     onehot   columns of bools or counts: each row is a transaction
 *
 * Cells may be integers, floats, decimals, bools, strings (utf8, large_utf8, string_view), dates,
 * timestamps, dictionaries of these, and lists of these. A null is no item; in tid_column it is
 * malformed. Names are the text of the cells: 7, 1.5, true, 2026-01-31, 2026-01-31T08:30:00. A
 * stream of lists, without a table, is read like its only column. Other types are allowed in
 * columns that are not used.
 *
 * `options` (may be NULL) are as for lode_dataset_open(); `format` may be AUTO, TABLE, ONEHOT or,
 * for lists, BASKET; `separator` and `n_parts` must not be set. Messages name rows, counted from 1.
 *
 * The stream is read batch by batch, one call at a time, on any thread of the job. It is released
 * in every case, also on failure. Errors: as lode_dataset_open(); IO if the stream fails, with its
 * own message; PARSE if an array is not what its schema says; UNSUPPORTED for a type that cannot be
 * read. */
LODE_API LODE_NODISCARD lode_status lode_dataset_from_arrow(lode_job *job, lode_dataset **out,
                                                            struct ArrowArrayStream *stream,
                                                            const lode_read_options *options);

/* Reads graphs from a table of edges, with one edge per row. Columns are found by name (case,
 * blanks and punctuation do not matter); others are ignored:
 *
 *     graph                  the graph; also graph_id, gid
 *     from, to               its two vertices; also source, target and src, dst
 *     label                  the label of the edge (optional); also edge_label
 *     from_label, to_label   the labels of the vertices (optional); also source_label,
 *                            target_label and src_label, dst_label
 *
 * Rows may be in any order. A row without `to` is a vertex, and a row without `from` and `to` only
 * names a graph, so every data set of graphs can be written as a table. A null or an empty text is
 * nothing. The label of a vertex may be in any of its rows. Ids and labels are the text of the
 * cells, as for lode_dataset_from_arrow(), and must not contain blanks. Graphs and vertices are
 * numbered in the order of their first rows; the data set is the same as if they were read from
 * gSpan text in this order.
 *
 * lode_graphs_open() reads Arrow files and Parquet files in the same way. The stream is released in
 * every case. Errors: as lode_graphs_open(), and as lode_dataset_from_arrow() for the stream; PARSE
 * if a column is missing, or for a loop, a repeated edge or two labels of one vertex; UNSUPPORTED
 * if one of these columns has a null or nested type. */
LODE_API LODE_NODISCARD lode_status lode_graphs_from_arrow(lode_job *job, lode_graphs **out,
                                                           struct ArrowArrayStream *stream,
                                                           const lode_graph_read_options *options);

/* Moves the content of a memory sink for itemsets into an array of structs:
 *
 *     items     large_list<item>    item: dictionary<int32, large_utf8> (names) or, if items are
 *                                   numbers (lode_dataset_has_numbers()), uint32
 *     count     uint64
 *
 * `data` is the data set that was mined. Offsets, items and counts are moved, not copied: the sink
 * is empty afterwards (its totals, such as lode_sink_patterns(), stay) and may be freed, as may the
 * job and the data set. Release schema and array by calling their `release`, on any thread; until
 * then, their memory counts towards the budget of the context. Children may be moved out of them,
 * as the specification allows. Call this function after lode_sink_finish(), not while a job runs.
 * On failure the sink is unchanged. Errors: INVALID (not a memory sink for itemsets), NOMEM,
 * BUDGET. */
LODE_API LODE_NODISCARD lode_status lode_result_arrow(lode_sink *sink, const lode_dataset *data,
                                                      struct ArrowSchema *schema,
                                                      struct ArrowArray *array);

/* The same for rules. The columns are body (the antecedent) and head (the consequent), lists of
 * items as above, and the counts `both` (of antecedent and consequent together), `body_count` and
 * `head_count` (uint64). The total number of transactions is not a column: see
 * lode_rule_result.total. Counts are moved; items are copied, because the sink stores antecedents
 * and consequents in one array. */
LODE_API LODE_NODISCARD lode_status lode_rule_result_arrow(lode_sink *sink,
                                                           const lode_dataset *data,
                                                           struct ArrowSchema *schema,
                                                           struct ArrowArray *array);

#ifdef __cplusplus
}
#endif
#endif
