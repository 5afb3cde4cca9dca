/* test_graph_arrays.c - graphs from arrays, and results in memory
 *
 * Random graphs are passed as text and as arrays, with other numbers or names as labels; the result
 * must be the same. A result in memory must have the same patterns that a callback receives.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "faulty.h"
#include "graphs.h"
#include "jobs.h"

#define N_LABELS 6

/* Labels as the program calls them: far apart, and not in the order of their names. */
static uint32_t number_of(uint32_t label) {
    return (N_LABELS - label) * 700000001u % 4000000007u;
}

static const char *const names[N_LABELS] = {"0", "1", "2", "3", "4", "5"};
static const char *const turned[N_LABELS] = {"5", "4", "3", "2", "1", "0"};

typedef enum naming { PLAIN, NUMBERS, NAMES, TURNED, N_NAMINGS } naming;

static uint32_t outside(naming how, uint32_t label) {
    return how == NUMBERS ? number_of(label) : how == TURNED ? N_LABELS - 1 - label : label;
}

static uint32_t inside(naming how, uint32_t number) {
    for (uint32_t l = 0; l < N_LABELS; l++) {
        if (outside(how, l) == number) return l;
    }
    CHECK(false);
    return 0;
}

/* ---- arrays from a data set that was read ---------------------------------------------------- */

typedef struct arrays {
    uint64_t vertex_offsets[64], edge_offsets[64];
    uint32_t vertex_labels[1000], from[2000], to[2000], edge_labels[2000];
    lode_graph_arrays a;
} arrays;

static uint32_t label_of_text(const lode_graphs *data, bool vertex, uint32_t label) {
    char text[8] = "";
    if (vertex) lode_graphs_vertex_label(data, label, text, sizeof text - 1);
    if (!vertex) lode_graphs_edge_label(data, label, text, sizeof text - 1);
    return (uint32_t)(text[0] - '0');
}

/* Offsets begin with 3, as those of a slice. */
static void fill_arrays(arrays *to, const lode_graphs *data, bool directed, naming how) {
    uint64_t v = 3, e = 3, n = graph_profile_of(data).n_graphs;
    *to = (arrays){0};
    for (uint64_t i = 0; i < n; i++) {
        lode_graph g = graph_at(data, i);
        to->vertex_offsets[i] = v;
        to->edge_offsets[i] = e;
        for (uint32_t k = 0; k < g.n_vertices; k++) {
            to->vertex_labels[v++] = outside(how, label_of_text(data, true, g.vertex_labels[k]));
        }
        for (uint32_t k = 0; k < g.n_edges; k++, e++) {
            to->from[e] = g.from[k];
            to->to[e] = g.to[k];
            to->edge_labels[e] = outside(how, label_of_text(data, false, g.edge_labels[k]));
        }
    }
    to->vertex_offsets[n] = v;
    to->edge_offsets[n] = e;
    to->a = (lode_graph_arrays){.size = sizeof to->a,
                                .n_graphs = n,
                                .vertex_offsets = to->vertex_offsets,
                                .vertex_labels = to->vertex_labels,
                                .edge_offsets = to->edge_offsets,
                                .from = to->from,
                                .to = to->to,
                                .edge_labels = to->edge_labels,
                                .directed = directed};
    if (how < NAMES) return;
    to->a.vertex_names = to->a.edge_names = how == NAMES ? names : turned;
    to->a.n_vertex_names = to->a.n_edge_names = N_LABELS;
}

/* ---- patterns ------------------------------------------------------------------------------- */

typedef struct collector {
    found *f;
    naming how;
    const lode_graphs *data; /* whose labels are spoken of */
} collector;

/* Collects a pattern, with labels as in the text. */
static int collect(void *user, const lode_graph_pattern *p) {
    collector *c = user;
    uint32_t vertex_labels[FORM_MAX], edge_labels[64];
    lode_graph_pattern plain = *p;
    if (!CHECK(p->graph->n_vertices <= FORM_MAX && p->graph->n_edges <= 64)) return 1;
    for (uint32_t v = 0; v < p->graph->n_vertices; v++) {
        uint32_t label = p->graph->vertex_labels[v];
        vertex_labels[v] = inside(c->how, label);
        if (c->how == NUMBERS) continue;
        CHECK_EQUAL(label_of_text(c->data, true, label), vertex_labels[v]);
    }
    for (uint32_t e = 0; e < p->graph->n_edges; e++) {
        edge_labels[e] = inside(c->how, p->graph->edge_labels[e]);
    }
    lode_graph graph = *p->graph;
    graph.vertex_labels = vertex_labels;
    graph.edge_labels = edge_labels;
    plain.graph = &graph;
    return find_pattern(c->f, &plain);
}

/* Row i of a result as a pattern. */
static lode_graph_pattern result_at(const lode_graph_result *r, uint64_t i, lode_graph *graph) {
    uint64_t v = r->vertex_offsets[i], e = r->edge_offsets[i];
    lode_graph_pattern p = {.support = r->supports[i]};
    *graph = (lode_graph){.n_vertices = (uint32_t)(r->vertex_offsets[i + 1] - v),
                          .n_edges = (uint32_t)(r->edge_offsets[i + 1] - e),
                          .vertex_labels = r->vertex_labels + v,
                          .from = r->from + e,
                          .to = r->to + e,
                          .edge_labels = r->edge_labels + e};
    p.graph = graph;
    if (r->supporter_offsets) {
        uint64_t at = r->supporter_offsets[i];
        CHECK_EQUAL(r->supporter_offsets[i + 1] - at, p.support);
        p.supporters = r->supporters + at;
    }
    if (r->embedding_offsets) {
        uint64_t at = r->embedding_offsets[i];
        p.n_embeddings = r->embedding_offsets[i + 1] - at;
        p.embedded_in = r->embedded_in + at;
        p.embeddings = r->embeddings + r->place_offsets[i];
        CHECK_EQUAL(r->place_offsets[i + 1] - r->place_offsets[i],
                    p.n_embeddings * p.graph->n_vertices);
    }
    return p;
}

static bool before(const lode_graph_pattern *p, const lode_graph_pattern *q) {
    if (p->support != q->support) return p->support > q->support;
    if (p->graph->n_edges != q->graph->n_edges) return p->graph->n_edges > q->graph->n_edges;
    return p->graph->n_vertices >= q->graph->n_vertices;
}

/* Mines into memory, and collects what is there. */
static found find_in_memory(lode_job *job, const lode_graphs *data, const lode_graph_options *o,
                            naming how) {
    found f = {.directed = graph_profile_of(data).directed};
    collector c = {&f, how, data};
    lode_sink *sink = NULL;
    lode_graph_result r = {.size = sizeof r}, count = {.size = sizeof count};
    if (lode_graph_sink_memory(job, &sink) != LODE_OK) exit(2);
    f.status = lode_graphs_mine(job, data, o, sink);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    CHECK(lode_graph_sink_result(sink, &r));
    CHECK(r.n > 0 || r.vertex_offsets[0] == 0);
    CHECK(!r.supporter_offsets || o->supporters);
    CHECK(!r.embedding_offsets || o->embeddings);
    for (uint64_t i = 0; i < r.n; i++) {
        lode_graph graph, other;
        lode_graph_pattern p = result_at(&r, i, &graph);
        if (i > 0) {
            lode_graph_pattern last = result_at(&r, i - 1, &other);
            CHECK(before(&last, &p));
        }
        collect(&c, &p);
    }
    CHECK_EQUAL(r.n, lode_sink_patterns(sink));
    lode_sink_free(sink);
    if (lode_sink_count(job, &sink) != LODE_OK) exit(2);
    CHECK(!lode_graph_sink_result(sink, &count));
    lode_sink_free(sink);
    if (f.n > 1) qsort(f.list, f.n, sizeof *f.list, compare_found);
    return f;
}

static found find_by_call(lode_job *job, const lode_graphs *data, const lode_graph_options *o,
                          naming how) {
    found f = {.directed = graph_profile_of(data).directed};
    collector c = {&f, how, data};
    lode_sink *sink = NULL;
    if (lode_graph_sink_callback(job, &sink, collect, &c) != LODE_OK) exit(2);
    f.status = lode_graphs_mine(job, data, o, sink);
    lode_sink_free(sink);
    if (f.n > 1) qsort(f.list, f.n, sizeof *f.list, compare_found);
    return f;
}

/* ---- the same graphs in both ways ----------------------------------------------------------- */

static void check_names(const lode_graphs *data, naming how) {
    uint32_t labels[N_LABELS];
    uint64_t offsets[N_LABELS + 1] = {0}, n = graph_profile_of(data).n_vertex_labels;
    char text[100];
    CHECK(n <= N_LABELS);
    size_t bytes = lode_graphs_vertex_labels(data, labels, offsets, text, sizeof text);
    CHECK(bytes == offsets[n] && lode_graphs_vertex_labels(data, NULL, NULL, NULL, 0) == bytes);
    for (uint64_t k = 0; k < n; k++) {
        char name[32];
        size_t length = lode_graphs_vertex_label(data, labels[k], name, sizeof name);
        CHECK_EQUAL(length, offsets[k + 1] - offsets[k]);
        CHECK(memcmp(name, text + offsets[k], length) == 0);
        if (how != NUMBERS) CHECK_EQUAL(outside(how, (uint32_t)(name[0] - '0')), labels[k]);
    }
}

/* A pattern's support as the checker counts it, by labels of another data set. */
static void check_supports(lode_job *job, const lode_graphs *data, const lode_graphs *plain,
                           naming how) {
    uint64_t support = 0, same = 0;
    lode_graph g = graph_at(data, 0), h = graph_at(plain, 0);
    if (g.n_edges == 0) return;
    uint32_t v[2] = {g.vertex_labels[g.from[0]], g.vertex_labels[g.to[0]]}, zero = 0, one = 1;
    uint32_t w[2] = {h.vertex_labels[h.from[0]], h.vertex_labels[h.to[0]]};
    lode_graph p = {sizeof(lode_graph), 2, 1, v, &zero, &one, g.edge_labels},
               q = {sizeof(lode_graph), 2, 1, w, &zero, &one, h.edge_labels};
    CHECK_EQUAL(lode_graphs_support(job, data, data, &p, false, &support), LODE_OK);
    CHECK_EQUAL(lode_graphs_support(job, plain, plain, &q, false, &same), LODE_OK);
    CHECK(support > 0 && support == same);
    if (how == NUMBERS) return;
    CHECK_EQUAL(lode_graphs_support(job, plain, data, &p, false, &same), LODE_OK);
    CHECK_EQUAL(support, same);
}

static void compare_one(const graph_text *t, bool directed, const lode_graph_options *o,
                        unsigned threads) {
    lode_job *job = graph_job(threads);
    lode_graphs *plain = graph_data(job, t, directed), *data = NULL;
    static arrays a;
    found wanted = find_by_call(job, plain, o, PLAIN);
    /* Labels of a text are dense: of names that all occur they are the numbers themselves. */
    for (naming how = NUMBERS; how < N_NAMINGS; how++) {
        fill_arrays(&a, plain, directed, how);
        if (!CHECK_EQUAL(lode_graphs_from_arrays(job, &data, &a.a), LODE_OK)) {
            fprintf(stderr, "%s\n", lode_job_error(job));
            exit(1);
        }
        check_names(data, how);
        check_supports(job, data, plain, how);
        found called = find_by_call(job, data, o, how);
        found held = find_in_memory(job, data, o, how);
        CHECK(found_equal(&wanted, &called) && found_equal(&wanted, &held));
        lode_graph g = graph_at(data, 0);
        for (uint32_t v = 0; v < g.n_vertices; v++) {
            CHECK_EQUAL(g.vertex_labels[v], a.vertex_labels[a.vertex_offsets[0] + v]);
        }
        free(called.list);
        free(held.list);
        lode_graphs_free(data);
    }
    free(wanted.list);
    lode_graphs_free(plain);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

static void test_same(void) {
    for (unsigned i = 0; i < 48; i++) {
        random_shape s = {.n_graphs = 12,
                          .max_vertices = 7,
                          .max_edges = 9,
                          .vertex_labels = 3,
                          .edge_labels = 2,
                          .kind = i % GRAPH_KINDS,
                          .directed = i % 3 == 0};
        static const char *const engines[] = {"graft", "gspan", "frontier", "brute"};
        lode_graph_options o = options_for(engines[i % 4], i % 5 == 4 ? LODE_TARGET_CLOSED : 0);
        o.max_edges = 5;
        o.supporters = i % 2;
        o.embeddings = i % 4 >= 2;
        o.vertices = i % 7 == 0;
        if (i % 11 == 5) o.target = LODE_TARGET_TOP, o.top_k = 10;
        /* Every label occurs, so that the numbers of the text are its ids. */
        graph_text t = random_graphs(i, &s);
        text_add(&t, "t # 99\nv 0 0\nv 1 1\nv 2 2\ne 0 1 0\ne 1 2 1\n", 0, 0, 0);
        compare_one(&t, s.directed, &o, 1 + i % 2);
        free(t.text);
    }
}

/* The order of a result is that of a file. */
static void test_order(void) {
    const char *path = "graph_arrays.order.lg";
    random_shape s = {40, 9, 12, 2, 2, KIND_ANY, false};
    graph_text t = random_graphs(7, &s);
    lode_job *job = graph_job(2);
    lode_graphs *data = graph_data(job, &t, false), *file = NULL;
    lode_graph_options o = options_for("graft", LODE_TARGET_ALL);
    lode_sink *sink = NULL, *memory = NULL;
    lode_graph_result r = {.size = sizeof r};
    o.max_edges = 6;
    CHECK_EQUAL(lode_graph_sink_file(job, &sink, data, path, NULL), LODE_OK);
    CHECK_EQUAL(lode_graph_sink_memory(job, &memory), LODE_OK);
    CHECK_EQUAL(lode_graphs_mine(job, data, &o, sink), LODE_OK);
    CHECK_EQUAL(lode_graphs_mine(job, data, &o, memory), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    CHECK_EQUAL(lode_sink_finish(memory, false), LODE_OK);
    CHECK(lode_graph_sink_result(memory, &r));
    CHECK_EQUAL(lode_graphs_open(job, &file, path, NULL), LODE_OK);
    CHECK(r.n > 50 && r.n == graph_profile_of(file).n_graphs);
    for (uint64_t i = 0; i < r.n; i++) {
        lode_graph graph;
        lode_graph_pattern p = result_at(&r, i, &graph);
        lode_graph g = graph_at(file, i);
        CHECK_EQUAL(p.support, lode_graphs_given_support(file, i));
        CHECK(p.graph->n_edges == g.n_edges && p.graph->n_vertices == g.n_vertices);
        CHECK(memcmp(p.graph->vertex_labels, g.vertex_labels, g.n_vertices * 4) == 0);
        CHECK(memcmp(p.graph->from, g.from, g.n_edges * 4) == 0);
        CHECK(memcmp(p.graph->to, g.to, g.n_edges * 4) == 0);
    }
    lode_sink_free(sink);
    lode_sink_free(memory);
    lode_graphs_free(data);
    lode_graphs_free(file);
    lode_job_free(job);
    remove(path);
    free(t.text);
}

/* ---- what is wrong with arrays -------------------------------------------------------------- */

typedef struct two {
    uint64_t vertex_offsets[3], edge_offsets[3];
    uint32_t vertex_labels[5], from[3], to[3], edge_labels[3];
    const char *names[4];
    lode_graph_arrays a;
} two;

static void fill_two(two *t) {
    *t = (two){.vertex_offsets = {0, 3, 5},
               .edge_offsets = {0, 2, 3},
               .vertex_labels = {0, 1, 2, 1, 2},
               .from = {0, 1, 1},
               .to = {1, 2, 0},
               .edge_labels = {0, 1, 0},
               .names = {"C", "N", "O", "C"}};
    t->a = (lode_graph_arrays){.size = sizeof t->a,
                               .n_graphs = 2,
                               .vertex_offsets = t->vertex_offsets,
                               .vertex_labels = t->vertex_labels,
                               .edge_offsets = t->edge_offsets,
                               .from = t->from,
                               .to = t->to,
                               .edge_labels = t->edge_labels};
}

static void refused(two *t, lode_status wanted, const char *message) {
    lode_job *job = graph_job(1);
    lode_graphs *data = NULL;
    CHECK_EQUAL(lode_graphs_from_arrays(job, &data, &t->a), wanted);
    CHECK(data == NULL);
    if (!strstr(lode_job_error(job), message)) CHECK_TEXT(lode_job_error(job), message);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    fill_two(t);
}

static void test_refused(void) {
    two t;
    fill_two(&t);
    t.to[2] = 2;
    refused(&t, LODE_INVALID, "graph 1, edge 0 from 1 to 2: the graph has 2 vertices");
    t.to[1] = 1;
    refused(&t, LODE_INVALID, "graph 0, edge 1 from 1 to 1: the edge is a loop");
    t.to[1] = 0;
    refused(&t, LODE_INVALID, "graph 0, edge 1 from 1 to 0: duplicate edge");
    t.vertex_offsets[1] = 6;
    refused(&t, LODE_INVALID, "vertex_offsets[2] is 5, less than the 6 before it");
    t.edge_offsets[2] = 1;
    refused(&t, LODE_INVALID, "edge_offsets[2] is 1, less than the 2");
    t.a.to = NULL;
    refused(&t, LODE_INVALID, "to is NULL");
    t.a.vertex_offsets = NULL;
    refused(&t, LODE_INVALID, "vertex_offsets is NULL");
    t.a.size = 3;
    refused(&t, LODE_INVALID, "size");
    t.a.n_graphs = UINT32_MAX;
    refused(&t, LODE_UNSUPPORTED, "2^32 or more graphs");
    t.a.vertex_names = t.names;
    t.a.n_vertex_names = 2;
    refused(&t, LODE_INVALID, "vertex_labels[2] is 2, but there are 2 vertex names");
    t.a.vertex_names = t.names;
    t.a.n_vertex_names = 4;
    t.vertex_labels[4] = 3;
    refused(&t, LODE_INVALID, "vertex_names[3] is 'C', the same as vertex_names[0]");
    t.a.edge_names = t.names;
    t.a.n_edge_names = 2;
    t.names[1] = "a b";
    refused(&t, LODE_INVALID, "edge_names[1] is not a word");
    t.a.edge_names = t.names;
    t.a.n_edge_names = 2;
    t.names[1] = NULL;
    refused(&t, LODE_INVALID, "edge_names[1] is NULL");
    t.a.edge_names = t.names;
    t.a.edge_labels = NULL;
    refused(&t, LODE_INVALID, "edge_labels is NULL");
}

/* A directed graph may have an edge both ways; and none need be labelled. */
static void test_unlabelled(void) {
    two t;
    lode_job *job = graph_job(1);
    lode_graphs *data = NULL;
    fill_two(&t);
    t.to[1] = 0;
    t.a.directed = true;
    t.a.vertex_labels = t.a.edge_labels = NULL;
    CHECK_EQUAL(lode_graphs_from_arrays(job, &data, &t.a), LODE_OK);
    lode_graph_profile p = graph_profile_of(data);
    CHECK(p.directed && p.n_graphs == 2 && p.n_edges == 3 && p.n_vertex_labels == 1);
    CHECK_EQUAL(graph_at(data, 1).vertex_labels[1], 0);
    CHECK_EQUAL(lode_graphs_vertex_label(data, 0, NULL, 0), 0);
    lode_graphs_free(data);
    lode_graph_arrays none = {.size = sizeof none};
    CHECK_EQUAL(lode_graphs_from_arrays(job, &data, &none), LODE_OK);
    CHECK_EQUAL(graph_profile_of(data).n_graphs, 0);
    lode_graphs_free(data);
    lode_job_free(job);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Mines with a budget into memory; the number of patterns, or 0, and what would be enough. */
static uint64_t mine_with(const graph_text *t, uint64_t budget, uint64_t *needed) {
    lode_job *job = NULL;
    lode_job_options c = {.size = sizeof c, .threads = 2, .memory_bytes = budget};
    lode_sink *sink = NULL;
    lode_graph_options o = options_for("graft", LODE_TARGET_ALL);
    lode_graph_result r = {.size = sizeof r};
    o.max_edges = 8;
    o.embeddings = o.supporters = true;
    if (lode_job_create(&job, NULL, &c) != LODE_OK) exit(2);
    lode_graphs *data = graph_data(job, t, false);
    CHECK_EQUAL(lode_graph_sink_memory(job, &sink), LODE_OK);
    lode_status status = lode_graphs_mine(job, data, &o, sink);
    *needed = lode_job_memory_needed(job);
    CHECK(status == LODE_OK || (status == LODE_BUDGET && *needed > budget));
    if (status == LODE_BUDGET) CHECK(lode_sink_patterns(sink) > 1000);
    CHECK_EQUAL(lode_sink_finish(sink, false), status);
    CHECK(lode_graph_sink_result(sink, &r));
    CHECK(status == LODE_OK || r.n == 0);
    lode_sink_free(sink);
    lode_graphs_free(data);
    lode_job_free(job);
    return status == LODE_OK ? r.n : 0;
}

static void test_budget(void) {
    random_shape s = {60, 9, 16, 2, 1, KIND_CLIQUE, false};
    graph_text t = random_graphs(5, &s);
    uint64_t needed = 0, budget = (uint64_t)10 << 20, most = (uint64_t)1 << 30, n_refused = 0;
    uint64_t n = mine_with(&t, 0, &needed);
    CHECK(n > 1000);
    for (; budget < most && mine_with(&t, budget, &needed) != n; budget = needed) n_refused++;
    CHECK(budget < most && n_refused > 0 && n_refused < 3);
    free(t.text);
}

/* Every allocation fails once. */
static void test_faults(void) {
    random_shape s = {6, 6, 7, 3, 2, KIND_ANY, false};
    graph_text t = random_graphs(3, &s);
    lode_job *job = graph_job(1);
    lode_graphs *plain = graph_data(job, &t, false);
    static arrays a;
    fill_arrays(&a, plain, false, TURNED);
    lode_graphs_free(plain);
    lode_job_free(job);
    lode_status status = LODE_NOMEM;
    for (uint64_t at = 0; status != LODE_OK && CHECK(at < 2000); at++) {
        faulty memory = {.fail_at = at};
        lode_job_options c = {.size = sizeof c, .threads = 1};
        lode_graph_options o = options_for("graft", LODE_TARGET_ALL);
        lode_graphs *data = NULL;
        lode_sink *sink = NULL;
        o.embeddings = o.supporters = true;
        job = NULL;
        pthread_mutex_init(&memory.lock, NULL);
        status = job_with_memory(&job, &c, faulty_resize, &memory);
        if (status == LODE_OK) status = lode_graphs_from_arrays(job, &data, &a.a);
        if (status == LODE_OK) status = lode_graph_sink_memory(job, &sink);
        if (status == LODE_OK) status = lode_graphs_mine(job, data, &o, sink);
        if (status == LODE_OK) status = lode_sink_finish(sink, false);
        CHECK(status == LODE_OK || status == LODE_NOMEM);
        lode_sink_free(sink);
        lode_graphs_free(data);
        lode_job_free(job);
        CHECK(memory.live == 0 && !memory.wrong_size);
        pthread_mutex_destroy(&memory.lock);
    }
    free(t.text);
}

int main(void) {
    CHECK_RUN(test_same);
    CHECK_RUN(test_order);
    CHECK_RUN(test_refused);
    CHECK_RUN(test_unlabelled);
    if (BY_BUILD(true, true, false)) CHECK_RUN(test_budget); /* is about memory */
    CHECK_RUN(test_faults);
    return check_result();
}
