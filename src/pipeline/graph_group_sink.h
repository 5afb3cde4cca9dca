/* graph_group_sink.h - a sink that counts the groups of the graphs of each pattern, and tests them
 *
 * Without a test, it passes every pattern on. With a test, it keeps the patterns that may turn out
 * to be significant, and raises the threshold of the job as the test falls.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_GRAPH_GROUP_SINK_H
#define LODE_PIPELINE_GRAPH_GROUP_SINK_H

#include "groups/extents.h"
#include "groups/group_test.h"
#include "pipeline/run.h"
#include "write/graphs/graph_columns.h"

typedef struct groups_sink {
    lode_sink base;
    lode_sink *to; /* of the caller */
    const lode_graph_options *asked;
    lode_class_options options;
    row_classes classes;
    long double *logs;
    fisher_test fishers[CLASSES_MOST]; /* by test */
    uint32_t n_fishers;
    group_test *test; /* NULL: every pattern is passed on */
    extents tested;
    graph_columns kept; /* of all workers, under the lock */
    vec_u64 keys;       /* of the patterns kept, each plus 2^63, so that they sort */
} groups_sink;

/* Makes the sink for a task, whose sink gets the patterns. Errors: those of classes and tests. */
LODE_NODISCARD lode_status groups_open(const engine_task *task, groups_sink **out);
/* Keeps only the patterns with the key `most` or a lower one, and at least this support. */
void groups_prune(graph_columns *kept, vec_u64 *keys, fisher_p most, uint64_t least);

/* Keys as words that sort like them. */
static inline uint64_t groups_pack(fisher_p key) {
    return (uint64_t)key ^ (uint64_t)1 << 63;
}

static inline fisher_p groups_unpack(uint64_t word) {
    return (fisher_p)(word ^ (uint64_t)1 << 63);
}

#endif
