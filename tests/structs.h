/* structs.h - functions that return, as values, structs that the library fills
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_STRUCTS_H
#define LODE_TESTS_STRUCTS_H

#include "lode.h"

static inline lode_profile profile_of(const lode_dataset *data) {
    lode_profile p = LODE_INIT(lode_profile);
    lode_dataset_profile(data, &p);
    return p;
}

static inline lode_graph_profile graph_profile_of(const lode_graphs *data) {
    lode_graph_profile p = LODE_INIT(lode_graph_profile);
    lode_graphs_profile(data, &p);
    return p;
}

static inline lode_graph graph_at(const lode_graphs *data, uint64_t i) {
    lode_graph g = LODE_INIT(lode_graph);
    lode_graphs_at(data, i, &g);
    return g;
}

static inline lode_result result_of(const lode_sink *sink) {
    lode_result r = LODE_INIT(lode_result);
    lode_sink_result(sink, &r);
    return r;
}

#endif
