/* test_graph_frontier.c - frontier with little device memory, and requests that it refuses
 *
 * A data set large enough for several groups is mined with less and less device memory: the result
 * must stay the same, the budget must hold, and groups must move to the host and back; if even a
 * single pattern does not fit, the job must say so. LODE_TEST_DEVICES names a device other than the
 * CPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs.h"

static const random_shape shape = {.n_graphs = BY_BUILD(400, 400, 200),
                                   .max_vertices = 12,
                                   .max_edges = 14,
                                   .vertex_labels = 2,
                                   .edge_labels = 1,
                                   .kind = KIND_ANY};

static found mine(const graph_text *t, const lode_graph_options *o, uint64_t device_memory) {
    graph_device = getenv("LODE_TEST_DEVICES");
    graph_device_memory = device_memory;
    found f = find_all(t, false, o, 2);
    graph_device = NULL;
    graph_device_memory = 0;
    return f;
}

static void test_memory(const graph_text *t, lode_graph_options *o) {
    o->algorithm = "graft";
    found want = find_all(t, false, o, 1);
    CHECK_EQUAL(want.status, LODE_OK);
    CHECK(want.n > 100);
    o->algorithm = "frontier";
    bool moved = false, refused = false;
    uint64_t smallest = 0;
    for (uint64_t memory = 32 << 20; !refused && memory > 4096;
         memory -= memory / BY_BUILD(4, 2, 2)) {
        found got = mine(t, o, memory);
        refused = got.status == LODE_BUDGET;
        CHECK(refused || found_equal(&want, &got));
        CHECK(refused || got.report.engine.device_memory_peak > 0);
        CHECK(got.report.engine.device_memory_peak <= memory);
        moved |= !refused && got.report.engine.groups_moved > 0;
        if (!refused) smallest = memory;
        free(got.list);
    }
    /* What a GPU needs at least is more than this data. */
    CHECK(moved || getenv("LODE_TEST_DEVICES"));
    CHECK(refused);
    printf("    %zu patterns, device memory down to %u KiB\n", want.n, (unsigned)(smallest >> 10));
    free(want.list);
}

/* Both halves of the answer to the question which options go with which device. */
static void test_choice(const graph_text *t) {
    static const struct {
        const char *algorithm, *device;
        lode_graph_records records;
        lode_graph_loads loads;
        lode_status status;
    } cases[] = {
        {"graft", "cpu", 0, 0, LODE_OK},
        {"graft", "cpu", LODE_GRAPH_RECORDS_COLUMNS, 0, LODE_INVALID},
        {"graft", "cpu", 0, LODE_GRAPH_LOADS_PLAIN, LODE_INVALID},
        {"auto", "cpu", LODE_GRAPH_RECORDS_COLUMNS, 0, LODE_INVALID},
        {"gspan", "cpu", LODE_GRAPH_RECORDS_COLUMNS, 0, LODE_INVALID},
        {"gspan", "cpu", 0, LODE_GRAPH_LOADS_PLAIN, LODE_INVALID},
        {"pgm", "cpu", LODE_GRAPH_RECORDS_COLUMNS, 0, LODE_OK},
        {"pgm", "cpu", 0, LODE_GRAPH_LOADS_PLAIN, LODE_INVALID},
        {"frontier", "cpu", 0, 0, LODE_OK},
        {"frontier", "cpu", LODE_GRAPH_RECORDS_COLUMNS, 0, LODE_INVALID},
        {"frontier", "cpu*2", 0, 0, LODE_UNSUPPORTED},
        {"frontier", "nothing", 0, 0, LODE_INVALID},
    };
    lode_paper_options papers = LODE_INIT(lode_paper_options);
    lode_graph_options o = {.size = sizeof o, .min_support = {.numerator = 300}, .papers = &papers};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        o.algorithm = cases[i].algorithm;
        papers.records = cases[i].records;
        papers.loads = cases[i].loads;
        graph_device = cases[i].device;
        found got = find_all(t, false, &o, 1);
        if (!CHECK_EQUAL(got.status, cases[i].status)) {
            fprintf(stderr, "  %s on %s\n", cases[i].algorithm, cases[i].device);
        }
        free(got.list);
    }
    graph_device = NULL;
}

int main(void) {
    graph_text t = random_graphs(7, &shape);
    lode_graph_options o = {.size = sizeof o, .min_support = {.numerator = 12}};
    test_memory(&t, &o);
    o.embeddings = o.supporters = true;
    o.min_support.numerator = BY_BUILD(30, 30, 16);
    test_memory(&t, &o);
    if (!getenv("LODE_TEST_DEVICES")) test_choice(&t);
    free(t.text);
    return check_result();
}
