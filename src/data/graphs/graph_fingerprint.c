/* graph_fingerprint.c - a hash of graphs: lode_graphs_fingerprint
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/bits.h"
#include "data/graphs/graphs.h"

static uint64_t print_add(uint64_t hash, uint64_t value) {
    return bits_mix(hash ^ value) + 0x9e3779b97f4a7c15u;
}

static uint64_t print_names(uint64_t hash, const dict *names) {
    uint32_t count = names ? dict_count(names) : 0;
    for (uint32_t id = 0; id < count; id++) {
        size_t n;
        const char *name = dict_name(names, id, &n);
        for (size_t i = 0; i < n; i++) hash = print_add(hash, (unsigned char)name[i]);
        hash = print_add(hash, n);
    }
    return print_add(hash, count);
}

static uint64_t print_column(uint64_t hash, const vec_u32 *column) {
    for (size_t i = 0; i < column->n; i++) hash = print_add(hash, column->data[i]);
    return print_add(hash, column->n);
}

uint64_t lode_graphs_fingerprint(const lode_graphs *data) {
    if (!data) return 0;
    uint64_t hash = print_add(data->profile.directed, data->n);
    hash = print_names(print_names(hash, data->vertex_names), data->edge_names);
    for (uint32_t i = 0; i < data->n; i++) {
        hash = print_add(hash, data->vertex_start.data[i + 1]);
        hash = print_add(hash, data->edge_start.data[i + 1]);
    }
    hash = print_column(print_column(hash, &data->labels), &data->edge_labels);
    return print_column(print_column(hash, &data->from), &data->to);
}
