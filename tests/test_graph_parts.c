/* test_graph_parts.c - graphs read in parts by several threads, compared with one thread
 *
 * The input is random texts with everything that the format allows, in blocks of a few lines: ids
 * that are numbers, words, missing or repeated; labels of all kinds; supports, comments, line ends
 * of all kinds; and in some texts, something malformed. Both readers must agree on the status, the
 * message, the warnings, every name and every number.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/graphs/graph_parts.h"
#include "graphs.h"
#include "runtime/job.h"

typedef struct shape {
    unsigned n_graphs;
    unsigned ids;    /* of graphs: 0 numbers in order, 1 other numbers, 2 words, 3 some are missing,
                        4 one is there twice */
    unsigned ends;   /* of vertices: 0 in order, 1 other numbers, 2 words */
    unsigned labels; /* 0 few numbers, 1 words, 2 large numbers and none */
    bool supports, notes, returns, bad;
} shape;

static void add_graph_line(graph_text *t, const shape *s, rng *r, unsigned i) {
    unsigned id = s->ids == 1 ? 7 * i + 3 : i;
    if (s->ids == 4 && i == s->n_graphs - 1) id = 0;
    if (s->ids == 2) {
        text_add(t, "t # m%u", i, 0, 0);
    } else if (s->ids == 3 && rng_below(r, 3) == 0) {
        text_add(t, "t", 0, 0, 0);
        return;
    } else {
        text_add(t, "t # %u", id, 0, 0);
    }
    if (s->supports && rng_below(r, 2)) text_add(t, " * %u", 1 + (unsigned)rng_below(r, 9), 0, 0);
}

static void add_end(graph_text *t, const shape *s) {
    text_add(t, s->returns ? "\r\n" : "\n", 0, 0, 0);
}

static void add_label(graph_text *t, const shape *s, rng *r) {
    unsigned label = (unsigned)rng_below(r, 12);
    if (s->labels == 0) text_add(t, " %u", label, 0, 0);
    if (s->labels == 1) text_add(t, " L%u", label, 0, 0);
    if (s->labels == 2 && label > 0) text_add(t, " %u", 4090 + label, 0, 0);
}

static const char *end_form(const shape *s) {
    return s->ends == 2 ? " v%u" : " %u";
}

static unsigned end_number(const shape *s, unsigned v) {
    return s->ends == 1 ? 5 * v + 2 : v;
}

static void add_graph(graph_text *t, const shape *s, rng *r, unsigned i) {
    unsigned n = (unsigned)rng_below(r, 6);
    add_graph_line(t, s, r, i);
    add_end(t, s);
    for (unsigned v = 0; v < n; v++) {
        text_add(t, "v", 0, 0, 0);
        text_add(t, end_form(s), end_number(s, v), 0, 0);
        add_label(t, s, r);
        add_end(t, s);
    }
    for (unsigned v = 1; v < n; v++) {
        if (rng_below(r, 4) == 0) continue; /* some are disconnected */
        text_add(t, "e", 0, 0, 0);
        text_add(t, end_form(s), end_number(s, (unsigned)rng_below(r, v)), 0, 0);
        text_add(t, end_form(s), end_number(s, v), 0, 0);
        add_label(t, s, r);
        add_end(t, s);
    }
    if (s->notes && rng_below(r, 3) == 0) text_add(t, "# t # 5\n\nx 1 2\n t # -1\n", 0, 0, 0);
}

static graph_text make_text(const shape *s, rng *r) {
    static const char *const bad[] = {"e 0 77 1\n", "v 0\nv 0\n", "q\n", "t # 1 2\n",
                                      "t # -1\nv 0\n"};
    graph_text t = {0};
    unsigned at = (unsigned)rng_below(r, s->n_graphs + 1);
    for (unsigned i = 0; i < s->n_graphs; i++) {
        if (s->bad && i == at) text_add(&t, bad[rng_below(r, 5)], 0, 0, 0);
        add_graph(&t, s, r, i);
    }
    text_add(&t, s->notes ? "t # -1\n" : "%%\n", 0, 0, 0);
    return t;
}

/* What a reader has made of a text. */
typedef struct outcome {
    lode_status status;
    char message[300];
    char warnings[600];
    lode_graphs *data;
    lode_job *job;
    bool parallel;
} outcome;

static void note_warning(void *user, lode_log_level level, const char *message) {
    outcome *o = user;
    size_t n = strlen(o->warnings);
    if (level == LODE_LOG_WARNING)
        snprintf(o->warnings + n, sizeof o->warnings - n, "%s\n", message);
}

static void read_text(outcome *o, const graph_text *t, unsigned threads, size_t block) {
    lode_job_options c = {.size = sizeof c, .threads = threads, .log = note_warning, .log_user = o};
    lode_graph_read_options read = {.size = sizeof read};
    *o = (outcome){0};
    if (lode_job_create(&o->job, NULL, &c) != LODE_OK) exit(2);
    o->status = graphs_parse_blocks(o->job, &o->data, t->text, t->n, &read, block);
    snprintf(o->message, sizeof o->message, "%s", lode_job_error(o->job));
    o->parallel = o->job->n_worker_seconds > 1;
}

static void check_profile(const outcome *one, const outcome *other) {
    lode_graph_profile a = graph_profile_of(one->data), b = graph_profile_of(other->data);
    a.read_seconds = b.read_seconds = 0;
    CHECK(memcmp(&a, &b, sizeof a) == 0);
}

/* A name, by the function that writes it; at least one byte longer than any. */
#define NAME(buffer, call) ((buffer)[call] = 0)

static void check_names(const lode_graphs *a, const lode_graphs *b, uint64_t i) {
    char x[40], y[40];
    lode_graph g = graph_at(a, i);
    NAME(x, lode_graphs_name(a, i, x, sizeof x - 1));
    NAME(y, lode_graphs_name(b, i, y, sizeof y - 1));
    CHECK_TEXT(x, y);
    CHECK_EQUAL(lode_graphs_given_support(a, i), lode_graphs_given_support(b, i));
    for (uint32_t v = 0; v < g.n_vertices; v++) {
        NAME(x, lode_graphs_vertex_name(a, i, v, x, sizeof x - 1));
        NAME(y, lode_graphs_vertex_name(b, i, v, y, sizeof y - 1));
        CHECK_TEXT(x, y);
    }
}

static void check_same(const outcome *one, const outcome *other) {
    CHECK_EQUAL(one->status, other->status);
    CHECK_TEXT(one->message, other->message);
    CHECK_TEXT(one->warnings, other->warnings);
    if (one->status != LODE_OK || other->status != LODE_OK) return;
    check_profile(one, other);
    uint64_t n = graph_profile_of(one->data).n_graphs;
    if (n != graph_profile_of(other->data).n_graphs) return;
    for (uint64_t i = 0; i < n; i++) {
        lode_graph a = graph_at(one->data, i), b = graph_at(other->data, i);
        if (!CHECK(a.n_vertices == b.n_vertices && a.n_edges == b.n_edges)) return;
        for (uint32_t v = 0; v < a.n_vertices; v++) {
            CHECK_EQUAL(a.vertex_labels[v], b.vertex_labels[v]);
        }
        for (uint32_t e = 0; e < a.n_edges; e++) {
            CHECK(a.from[e] == b.from[e] && a.to[e] == b.to[e]);
            CHECK_EQUAL(a.edge_labels[e], b.edge_labels[e]);
        }
        check_names(one->data, other->data, i);
    }
}

static void forget(outcome *o) {
    lode_graphs_free(o->data);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(o->job)), 0);
    lode_job_free(o->job);
}

static void test_random(void) {
    rng r = rng_make(11, 0);
    unsigned n_parallel = 0;
    for (unsigned k = 0; k < 600; k++) {
        shape s = {.n_graphs = (unsigned)rng_below(&r, k % 10 == 0 ? 400 : 40),
                   .ids = (unsigned)rng_below(&r, 5),
                   .ends = (unsigned)rng_below(&r, 3),
                   .labels = (unsigned)rng_below(&r, 3),
                   .supports = rng_below(&r, 3) == 0,
                   .notes = rng_below(&r, 3) == 0,
                   .returns = rng_below(&r, 3) == 0,
                   .bad = rng_below(&r, 4) == 0};
        if (s.n_graphs == 0) s.n_graphs = 1;
        graph_text t = make_text(&s, &r);
        outcome one, other;
        read_text(&one, &t, 1, 0);
        read_text(&other, &t, 2 + (unsigned)rng_below(&r, 4), 16 + (size_t)rng_below(&r, 300));
        check_same(&one, &other);
        CHECK(!one.parallel);
        n_parallel += other.parallel;
        forget(&one);
        forget(&other);
        free(t.text);
    }
    CHECK(n_parallel > 500);
}

/* A budget that one thread can live with, and threads with two copies cannot. */
static void test_budget(void) {
    rng r = rng_make(12, 0);
    shape s = {.n_graphs = 4000, .labels = 1};
    graph_text t = make_text(&s, &r);
    outcome one;
    read_text(&one, &t, 1, 0);
    size_t peak = 0;
    for (size_t budget = (size_t)100 << 10; budget < (size_t)4 << 20; budget += budget / 4) {
        lode_job *job = NULL;
        lode_graphs *data = NULL;
        lode_graph_read_options read = {.size = sizeof read};
        lode_job_options c = {.size = sizeof c, .threads = 4, .memory_bytes = budget};
        if (lode_job_create(&job, NULL, &c) != LODE_OK) exit(2);
        lode_status status = graphs_parse_blocks(job, &data, t.text, t.n, &read, 4096);
        CHECK(status == LODE_OK || status == LODE_BUDGET);
        CHECK((status == LODE_OK) == (lode_job_error(job)[0] == 0));
        if (status == LODE_OK && peak == 0) peak = budget;
        if (data) CHECK_EQUAL(graph_profile_of(data).n_edges, graph_profile_of(one.data).n_edges);
        lode_graphs_free(data);
        lode_job_free(job);
    }
    CHECK(peak > 0);
    forget(&one);
    free(t.text);
}

int main(void) {
    CHECK_RUN(test_random);
    CHECK_RUN(test_budget);
    return check_result();
}
