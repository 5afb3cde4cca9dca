/* graphs_from_arrays.c - graphs from arrays, and frequent subgraphs as arrays
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "lode.h"

/* Two molecules, C-C-O and O-C-C-O, whose vertices are labelled by atomic number. Graph i has the
 * vertices from vertex_offsets[i] on, which its edges call 0, 1, 2, … */
static const uint64_t vertex_offsets[] = {0, 3, 7}, edge_offsets[] = {0, 2, 5};
static const uint32_t atoms[] = {6, 6, 8, 8, 6, 6, 8};
static const uint32_t from[] = {0, 1, 0, 1, 2}, to[] = {1, 2, 1, 2, 3};

/* Labels of the result are the numbers of the input. */
static void print_result(const lode_graph_result *r) {
    for (uint64_t i = 0; i < r->n; i++) {
        const uint32_t *labels = r->vertex_labels + r->vertex_offsets[i];
        printf("in %llu graphs:", (unsigned long long)r->supports[i]);
        for (uint64_t e = r->edge_offsets[i]; e < r->edge_offsets[i + 1]; e++) {
            printf(" %u-%u", labels[r->from[e]], labels[r->to[e]]);
        }
        putchar('\n');
    }
}

int main(void) {
    lode_graph_arrays arrays = {.size = sizeof arrays, .n_graphs = 2};
    lode_graph_options options = {.size = sizeof options, .min_support = {.numerator = 2}};
    lode_graph_result result = {.size = sizeof result};
    lode_job *job = NULL;
    lode_graphs *data = NULL;
    lode_sink *sink = NULL;

    arrays.vertex_offsets = vertex_offsets;
    arrays.vertex_labels = atoms;
    arrays.edge_offsets = edge_offsets;
    arrays.from = from;
    arrays.to = to; /* edges have no labels here */
    if (lode_job_create(&job, NULL, NULL) != LODE_OK) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    lode_status status = lode_graphs_from_arrays(job, &data, &arrays);
    if (status == LODE_OK) status = lode_graph_sink_memory(job, &sink);
    if (status == LODE_OK) status = lode_graphs_mine(job, data, &options, sink);
    if (status == LODE_OK) status = lode_sink_finish(sink, false); /* sorts the result */
    if (status == LODE_OK && lode_graph_sink_result(sink, &result)) {
        print_result(&result); /* lent until the sink is freed */
    } else {
        fprintf(stderr, "%s\n", lode_job_error(job));
    }

    lode_sink_free(sink);
    lode_graphs_free(data);
    lode_job_free(job);
    return status == LODE_OK ? 0 : 1;
}
