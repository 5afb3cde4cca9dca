/* fuzz_graphs.c - any bytes as a file of graphs; what can be read is mined by two miners
 *
 * The first byte switches options; the rest is the file. Malformed input must fail with a message,
 * or be skipped, and both miners must find the same patterns, by hash.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

#define FUZZ_MOST 400 /* vertices and edges of a data set that is mined */

static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL,
                                      LODE_TARGET_ALL};

static uint64_t mine_hash(lode_job *job, const lode_graphs *data, const char *algorithm,
                          uint8_t options) {
    lode_sink *sink = NULL;
    lode_graph_options o = {.size = sizeof o, .algorithm = algorithm, .max_edges = 4};
    o.min_support.numerator = 1 + (options >> 6);
    o.induced = options >> 2 & 1;
    o.vertices = options >> 3 & 1;
    o.target = targets[options >> 4 & 3];
    fuzz_require(lode_graph_sink_hash(job, &sink, data) == LODE_OK, "no sink");
    fuzz_require(lode_graphs_mine(job, data, &o, sink) == LODE_OK, "mining failed");
    uint64_t hash = lode_sink_hash_value(sink) + lode_sink_patterns(sink);
    lode_sink_free(sink);
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    if (n == 0) return 0;
    fuzz_read r = {0};
    lode_graphs *data = NULL;
    lode_job_options c = {.size = sizeof c, .threads = 1, .memory_bytes = FUZZ_BUDGET};
    lode_graph_read_options o = {
        .size = sizeof o, .directed = bytes[0] & 1, .skip_bad_graphs = bytes[0] >> 1 & 1};
    fuzz_require(lode_job_create(&r.job, NULL, &c) == LODE_OK, "no context");
    lode_status status = lode_graphs_parse(r.job, &data, bytes + 1, n - 1, "input", &o);
    if (status != LODE_OK) {
        fuzz_require(data == NULL, "data in spite of failure");
        fuzz_require(lode_job_error(r.job)[0] != 0, "failure without a message");
    } else {
        lode_graph_profile p = LODE_INIT(lode_graph_profile);
        fuzz_require(lode_graphs_profile(data, &p), "no profile");
        if (p.n_vertices + p.n_edges <= FUZZ_MOST) {
            fuzz_require(mine_hash(r.job, data, "graft", bytes[0]) ==
                             mine_hash(r.job, data, "gspan", bytes[0]),
                         "the miners differ");
        }
    }
    lode_graphs_free(data);
    fuzz_close(&r);
    return 0;
}
