/* kinds.c - see kinds.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "kinds.h"

/* ---- itemsets -------------------------------------------------------------------------------- */

static lode_status items_open(lode_job *job, const cli_args *args, const lode_peers *peers,
                              void **data) {
    const lode_read_options *options = lode_options_read(args->options);
    lode_dataset **out = (lode_dataset **)data;
    size_t n = (size_t)args->n_files;
    return peers ? lode_dataset_open_together(job, out, args->files, n, options, peers)
                 : lode_dataset_open_files(job, out, args->files, n, options);
}

static void items_free(void *data) {
    lode_dataset_free(data);
}

static uint64_t items_fingerprint(const void *data) {
    return lode_dataset_fingerprint(data);
}

static uint64_t items_total(const void *data) {
    return lode_dataset_total_weight(data);
}

static lode_status items_divide(lode_job *job, lode_tasks **out, const void *data,
                                const rank_options *o, uint32_t goal) {
    return lode_tasks_create(job, out, data, &o->items, goal);
}

static lode_status items_mine(lode_job *job, const void *data, const rank_options *o,
                              const lode_task_search *search, lode_sink *sink) {
    return lode_mine_tasks(job, data, &o->items, search, sink);
}

static lode_status items_hash_sink(lode_job *job, lode_sink **out, const void *data) {
    return lode_sink_hash(job, out, data);
}

static lode_status items_write_sink(lode_job *job, lode_sink **out, const void *data,
                                    const cli_args *args, lode_write_fn write, void *user) {
    return lode_sink_write(job, out, data, write, user, lode_options_write(args->options));
}

static size_t items_supports(const lode_sink *sink, const uint64_t **supports) {
    lode_result r = LODE_INIT(lode_result);
    bool there = lode_sink_result(sink, &r);
    *supports = r.supports;
    return there ? (size_t)r.n : 0;
}

static rank_request items_request(const cli_args *args, rank_options *o) {
    o->items = *lode_options_mine(args->options);
    return (rank_request){o->items.min_support, o->items.target, o->items.top_k,
                          o->items.limit_patterns, o->items.limit_seconds};
}

static void items_ask_for(rank_options *o, const rank_request *request) {
    o->items.min_support = request->min_support;
    o->items.target = request->target;
    o->items.top_k = request->top_k;
    o->items.limit_patterns = request->limit_patterns;
    o->items.limit_seconds = request->limit_seconds;
}

const rank_kind rank_itemsets = {
    .patterns = LODE_ITEMSETS,
    .size_word = "items",
    .open = items_open,
    .free = items_free,
    .fingerprint = items_fingerprint,
    .total = items_total,
    .divide = items_divide,
    .mine = items_mine,
    .hash_sink = items_hash_sink,
    .memory_sink = lode_sink_memory,
    .write_sink = items_write_sink,
    .supports = items_supports,
    .request = items_request,
    .ask_for = items_ask_for,
};

/* ---- graphs ---------------------------------------------------------------------------------- */

static lode_status graphs_open(lode_job *job, const cli_args *args, const lode_peers *peers,
                               void **data) {
    const lode_graph_read_options *options = lode_options_graph_read(args->options);
    lode_graphs **out = (lode_graphs **)data;
    return peers ? lode_graphs_open_together(job, out, args->file, options, peers)
                 : lode_graphs_open(job, out, args->file, options);
}

static void graphs_free(void *data) {
    lode_graphs_free(data);
}

static uint64_t graphs_print_of(const void *data) {
    return lode_graphs_fingerprint(data);
}

static uint64_t graphs_total(const void *data) {
    lode_graph_profile p = LODE_INIT(lode_graph_profile);
    lode_graphs_profile(data, &p);
    return p.n_graphs;
}

static lode_status graphs_divide(lode_job *job, lode_tasks **out, const void *data,
                                 const rank_options *o, uint32_t goal) {
    return lode_graph_tasks_create(job, out, data, &o->graphs, goal);
}

static lode_status graphs_mine_some(lode_job *job, const void *data, const rank_options *o,
                                    const lode_task_search *search, lode_sink *sink) {
    return lode_graphs_mine_tasks(job, data, &o->graphs, search, sink);
}

static lode_status graphs_make_hash(lode_job *job, lode_sink **out, const void *data) {
    return lode_graph_sink_hash(job, out, data);
}

static lode_status graphs_write_sink(lode_job *job, lode_sink **out, const void *data,
                                     const cli_args *args, lode_write_fn write, void *user) {
    return lode_graph_sink_write(job, out, data, write, user,
                                 lode_options_graph_write(args->options));
}

static size_t graphs_supports(const lode_sink *sink, const uint64_t **supports) {
    lode_graph_result r = LODE_INIT(lode_graph_result);
    bool there = lode_graph_sink_result(sink, &r);
    *supports = r.supports;
    return there ? (size_t)r.n : 0;
}

static rank_request graphs_request(const cli_args *args, rank_options *o) {
    o->graphs = *lode_options_graph(args->options);
    return (rank_request){o->graphs.min_support, o->graphs.target, o->graphs.top_k,
                          o->graphs.limit_patterns, o->graphs.limit_seconds};
}

static void graphs_ask_for(rank_options *o, const rank_request *request) {
    o->graphs.min_support = request->min_support;
    o->graphs.target = request->target;
    o->graphs.top_k = request->top_k;
    o->graphs.limit_patterns = request->limit_patterns;
    o->graphs.limit_seconds = request->limit_seconds;
}

const rank_kind rank_graphs = {
    .patterns = LODE_GRAPHS,
    .size_word = "edges",
    .open = graphs_open,
    .free = graphs_free,
    .fingerprint = graphs_print_of,
    .total = graphs_total,
    .divide = graphs_divide,
    .mine = graphs_mine_some,
    .hash_sink = graphs_make_hash,
    .memory_sink = lode_graph_sink_memory,
    .write_sink = graphs_write_sink,
    .supports = graphs_supports,
    .request = graphs_request,
    .ask_for = graphs_ask_for,
};
