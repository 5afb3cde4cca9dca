/* subgraphs.c - the closed frequent subgraphs of a file, and the first place where each occurs
 *
 *     subgraphs FILE SUPPORT        for example: subgraphs molecules.lg 10%
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "lode.h"

/* Names are not zero-terminated, and may be longer than the buffer. */
static int shown(size_t length) {
    return (int)(length < 32 ? length : 32);
}

static int print_pattern(void *user, const lode_graph_pattern *p) {
    const lode_graphs *data = user;
    char a[32], b[32], c[32];
    printf("in %llu graphs:", (unsigned long long)p->support);
    for (uint32_t e = 0; e < p->graph->n_edges; e++) {
        const uint32_t *labels = p->graph->vertex_labels;
        size_t n = lode_graphs_vertex_label(data, labels[p->graph->from[e]], a, sizeof a);
        size_t m = lode_graphs_edge_label(data, p->graph->edge_labels[e], b, sizeof b);
        size_t k = lode_graphs_vertex_label(data, labels[p->graph->to[e]], c, sizeof c);
        printf("%s %.*s -%.*s- %.*s", e ? "," : "", shown(n), a, shown(m), b, shown(k), c);
    }
    size_t n = lode_graphs_name(data, p->embedded_in[0], a, sizeof a);
    printf(", first in %.*s at", shown(n), a);
    for (uint32_t v = 0; v < p->graph->n_vertices; v++) {
        n = lode_graphs_vertex_name(data, p->embedded_in[0], p->embeddings[v], a, sizeof a);
        printf(" %.*s", shown(n), a);
    }
    putchar('\n');
    return 0; /* continue */
}

int main(int argc, char **argv) {
    lode_job *job = NULL;
    lode_graphs *data = NULL;
    lode_sink *sink = NULL;
    lode_graph_options options = LODE_INIT(lode_graph_options);
    options.target = LODE_TARGET_CLOSED;
    char message[200];

    if (argc != 3) {
        fprintf(stderr, "usage: subgraphs FILE SUPPORT\n");
        return 2;
    }
    options.embeddings = true;
    if (lode_threshold_parse(argv[2], &options.min_support, message, sizeof message) != LODE_OK) {
        fprintf(stderr, "the support %s\n", message);
        return 2;
    }
    if (lode_job_create(&job, NULL, NULL) != LODE_OK) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    lode_status status = lode_graphs_open(job, &data, argv[1], NULL);
    if (status == LODE_OK) status = lode_graph_sink_callback(job, &sink, print_pattern, data);
    if (status == LODE_OK) status = lode_graphs_mine(job, data, &options, sink);
    if (status == LODE_OK) {
        uint64_t n = lode_sink_patterns(sink);
        printf("%llu pattern%s\n", (unsigned long long)n, n == 1 ? "" : "s");
    } else {
        fprintf(stderr, "%s\n", lode_job_error(job));
    }
    lode_sink_free(sink);
    lode_graphs_free(data);
    lode_job_free(job);
    return status == LODE_OK ? 0 : 1;
}
