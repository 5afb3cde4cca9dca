/* stats_graphs.c - lode stats FILE, for a file of graphs
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph_input.h"
#include "stats.h"

static double mean(uint64_t sum, uint64_t n) {
    return n ? (double)sum / (double)n : 0;
}

static void print_graphs(const char *file, const lode_graph_profile *p) {
    cli_print(stdout, "%s (%s graphs, read in %.2f s)\n", file,
              p->directed ? "directed" : "undirected", p->read_seconds);
    printf("  graphs         %s (%s empty, %s not connected)\n", cli_count(p->n_graphs),
           cli_count(p->n_empty), cli_count(p->n_disconnected));
    printf("  vertices       %s, %.2f per graph, most %s\n", cli_count(p->n_vertices),
           mean(p->n_vertices, p->n_graphs), cli_count(p->most_vertices));
    printf("  edges          %s, %.2f per graph, most %s\n", cli_count(p->n_edges),
           mean(p->n_edges, p->n_graphs), cli_count(p->most_edges));
    printf("  vertex labels  %s\n", cli_count(p->n_vertex_labels));
    printf("  edge labels    %s\n", cli_count(p->n_edge_labels));
    printf("  triples        %s (vertex label, edge label, vertex label)\n",
           cli_count(p->n_triples));
    if (p->n_skipped) printf("  skipped        %s malformed graphs\n", cli_count(p->n_skipped));
}

static void print_graph_distributions(const lode_graphs *data, const lode_graph_profile *p) {
    histogram vertices = {{0}}, edges = {{0}};
    for (uint64_t i = 0; i < p->n_graphs; i++) {
        lode_graph g = LODE_INIT(lode_graph);
        lode_graphs_at(data, i, &g);
        histogram_add(&vertices, g.n_vertices);
        histogram_add(&edges, g.n_edges);
    }
    histogram_print(&vertices, "graphs by vertices");
    histogram_print(&edges, "graphs by edges");
}

static const char *const ladder[] = {"90%", "50%", "20%", "10%", "5%", "2%", "1%"};

#define N_LADDER (sizeof ladder / sizeof *ladder)
#define N_SIZES  3

/* The thresholds as counts, and how many patterns of one to three edges reach each. */
typedef struct ladder_counts {
    uint64_t count[N_LADDER], patterns[N_LADDER][N_SIZES];
} ladder_counts;

static int note_pattern(void *user, const lode_graph_pattern *p) {
    ladder_counts *c = user;
    for (size_t k = 0; k < N_LADDER; k++) {
        if (p->support >= c->count[k]) c->patterns[k][p->graph->n_edges - 1]++;
    }
    return 0;
}

/* Counts patterns of up to max_edges edges. */
static lode_status count_patterns(lode_job *job, const lode_graphs *data, uint32_t max_edges,
                                  ladder_counts *c) {
    lode_sink *sink = NULL;
    lode_graph_profile p = cli_graph_profile(data);
    lode_graph_options o = {
        .size = sizeof o, .max_edges = max_edges, .limit_seconds = STATS_SECONDS};
    *c = (ladder_counts){{0}, {{0}}};
    for (size_t k = 0; k < N_LADDER; k++) c->count[k] = stats_count(ladder[k], p.n_graphs);
    o.min_support.numerator = c->count[N_LADDER - 1];
    lode_status status = lode_graph_sink_callback(job, &sink, note_pattern, c);
    if (status == LODE_OK) status = lode_graphs_mine(job, data, &o, sink);
    lode_sink_free(sink);
    return status;
}

static lode_status print_pattern_ladder(lode_job **job, const cli_args *args,
                                        const lode_graphs *data) {
    ladder_counts c;
    uint32_t sizes = N_SIZES;
    uint64_t memory;
    lode_status status = stats_limit(job, args, &memory), ended = LODE_OK;
    if (status == LODE_OK) status = count_patterns(*job, data, sizes, &c);
    while (stats_is_too_much(status) && sizes > 1) { /* fewer edges may be few enough */
        ended = status;
        status = count_patterns(*job, data, --sizes, &c);
    }
    if (stats_is_too_much(status)) {
        ended = status;
        sizes = 0;
    } else if (status != LODE_OK) {
        return status;
    }
    cli_progress_end();
    printf("\npatterns by minimum support\n  %7s %11s %11s %11s %11s\n", "support", "count",
           "1 edge", "2 edges", "3 edges");
    for (size_t k = 0; k < N_LADDER; k++) {
        printf("  %7s %11s", ladder[k], cli_count(c.count[k]));
        for (size_t i = 0; i < N_SIZES; i++) {
            printf(" %11s", i < sizes ? cli_count(c.patterns[k][i]) : "-");
        }
        printf("\n");
    }
    stats_explain(ended, memory);
    return LODE_OK;
}

int stats_graphs(lode_job **job, const cli_args *args) {
    lode_graphs *data = NULL;
    if (args->n_files > 1) {
        cli_error("'%s' contains graphs; give a single file of graphs", args->file);
        return CLI_USAGE;
    }
    lode_status status = cli_open_graphs(*job, args, &data);
    if (status == LODE_OK) {
        lode_graph_profile p = cli_graph_profile(data);
        cli_progress_end();
        print_graphs(args->file, &p);
        print_graph_distributions(data, &p);
        status = print_pattern_ladder(job, args, data);
    }
    int code = status == LODE_OK ? CLI_DONE : cli_fail(*job, status);
    cli_progress_end();
    lode_graphs_free(data);
    return code;
}
