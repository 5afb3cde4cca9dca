/* test_graph_read.c - gSpan text: what is accepted, what is refused, and writing it again
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "arrow_tables.h"
#include "graphs.h"

static lode_status parse(lode_job *job, lode_graphs **out, const char *text, bool directed,
                         bool skip) {
    lode_graph_read_options o = {.size = sizeof o, .directed = directed, .skip_bad_graphs = skip};
    return lode_graphs_parse(job, out, text, strlen(text), "in", &o);
}

/* The whole data set on one line, with names. */
static void describe(const lode_graphs *d, char *out, size_t bytes) {
    size_t n = 0;
    char a[32], b[32];
    out[0] = 0;
    for (uint64_t i = 0; i < graph_profile_of(d).n_graphs; i++) {
        lode_graph g = graph_at(d, i);
        a[lode_graphs_name(d, i, a, sizeof a - 1)] = 0;
        n += (size_t)snprintf(out + n, bytes - n, "%s%s:", i ? " | " : "", a);
        for (uint32_t v = 0; v < g.n_vertices; v++) {
            a[lode_graphs_vertex_name(d, i, v, a, sizeof a - 1)] = 0;
            b[lode_graphs_vertex_label(d, g.vertex_labels[v], b, sizeof b - 1)] = 0;
            n += (size_t)snprintf(out + n, bytes - n, " %s=%s", a, b);
        }
        for (uint32_t e = 0; e < g.n_edges; e++) {
            a[lode_graphs_edge_label(d, g.edge_labels[e], a, sizeof a - 1)] = 0;
            n += (size_t)snprintf(out + n, bytes - n, " %u-%u(%s)", g.from[e], g.to[e], a);
        }
    }
}

static void check_good(const char *text, const char *want) {
    lode_job *job = graph_job(1);
    lode_graphs *d = NULL;
    char got[1000];
    if (CHECK(parse(job, &d, text, false, false) == LODE_OK)) {
        describe(d, got, sizeof got);
        CHECK_TEXT(got, want);
    } else {
        fprintf(stderr, "  %s\n", lode_job_error(job));
    }
    lode_graphs_free(d);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

static void check_bad(const char *text, const char *message) {
    lode_job *job = graph_job(1);
    lode_graphs *d = NULL;
    CHECK(parse(job, &d, text, false, false) == LODE_PARSE);
    CHECK(d == NULL);
    CHECK_TEXT(lode_job_error(job), message);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

static void test_tolerant(void) {
    check_good("", "");
    check_good("t # 0\nv 0 C\nv 1 O\ne 0 1 2\n", "0: 0=C 1=O 0-1(2)");
    check_good("t # 0\r\nv 0 C\r\nv 1 O\r\ne 0 1 2\r\nt # -1\r\n", "0: 0=C 1=O 0-1(2)");
    check_good("t # 0\nv 0 C\nv 1 O\ne 0 1", "0: 0=C 1=O 0-1()");
    check_good("t # 7\nv 30 C\nv 4 O\ne 4 30 x\nt # m\nv a C\n", "7: 30=C 4=O 1-0(x) | m: a=C");
    check_good("t # 0\nt # 1\nv 0 C\nv 1 C\n", "0: | 1: 0=C 1=C");
    check_good("\n# comment\n% other\nt # 0\n\n  v  0\tC \n", "0: 0=C");
    check_good("t # 0 * 45\nv 0 C\nx 1 2 3\nt # -1\n\n", "0: 0=C");
    check_good("t 3\nv 0 1\nt\nv 0 2\n", "3: 0=1 | 1: 0=2");
    check_good("t # 0\nv 0\nv 1\ne 0 1\n", "0: 0= 1= 0-1()");
    check_good("t # 0\nv 007 C\nv 7 C\ne 007 7 1\n", "0: 007=C 7=C 0-1(1)");
    check_good("t # 0\nv 0 a\nt # 1\nv 1 a\nt # 2\nv 0 a\n", "0: 0=a | 1: 1=a | 2: 0=a");
}

static void test_intolerant(void) {
    check_bad("t # 0\nv 0 C\ne 0 1 2\n",
              "in:3:5: unknown vertex 1; expected a vertex listed before");
    check_bad("t # 0\nv 0 C\nv 1 C\ne 0 1 2\ne 1 0 3\n",
              "in:5:3: duplicate edge 1 0; expected every edge once");
    check_bad("t # 0\nv 0 C\ne 0 0 2\n",
              "in:3:3: the edge is a loop; expected two different vertices");
    check_bad("t # 0\nv 0 C\nv 0 C\n", "in:3:3: duplicate vertex 0; expected another id");
    check_bad("v 0 C\n", "in:1:1: 'v' outside of a graph; expected t # ID first");
    check_bad("t # -1\nv 0 C\n", "in:2:1: 'v' outside of a graph; expected t # ID first");
    check_bad("t # 0\nz 0 C\n",
              "in:2:1: unexpected 'z'; expected a line that starts with t, v, e or x");
    check_bad("t # 0\nv 0 C D\n", "in:2:1: expected v ID LABEL");
    check_bad("t # 0\nv 0 C\nv 1 C\ne 0\n", "in:4:1: expected e FROM TO LABEL");
    check_bad("t # 0 *\n", "in:1:7: expected the support of the pattern after *");
    check_bad("t # b * 3 x\n", "in:1:11: unexpected 'x'; expected t # ID or t # ID CLASS");
    check_bad("t # b * 3 x y z\n", "in:1:11: unexpected 'x'; expected t # ID or t # ID CLASS");
    check_bad("t # 0 1 2\n", "in:1:7: unexpected '1'; expected t # ID or t # ID CLASS");
}

static void test_directed(void) {
    const char *text = "t # 0\nv 0 a\nv 1 b\ne 0 1 x\ne 1 0 y\n";
    lode_job *job = graph_job(1);
    lode_graphs *d = NULL;
    CHECK(parse(job, &d, text, false, false) == LODE_PARSE);
    CHECK(parse(job, &d, text, true, false) == LODE_OK);
    CHECK_EQUAL(graph_profile_of(d).n_triples, 2);
    lode_graphs_free(d);
    d = NULL;
    CHECK(parse(job, &d, "t # 0\nv 0 a\nv 1 b\ne 0 1 x\ne 0 1 y\n", true, false) == LODE_PARSE);
    lode_job_free(job);
}

static void test_skip(void) {
    const char *text =
        "v 9 x\nt # 0\nv 0 a\nt # 5\nv 3 a\nv 4 b\ne 3 8\ne 3 4 z\nt # 6 * 3\nv 1 c\n"
        "t # 7\nv 0 b\nv 0 b\nt # 8\nv 1 d\n";
    lode_job *job = graph_job(1);
    lode_graphs *d = NULL;
    char got[200];
    CHECK(parse(job, &d, text, false, true) == LODE_OK);
    describe(d, got, sizeof got);
    CHECK_TEXT(got, "0: 0=a | 6: 1=c | 8: 1=d");
    CHECK_EQUAL(graph_profile_of(d).n_skipped, 3);
    CHECK_EQUAL(lode_graphs_given_support(d, 0), 0);
    CHECK_EQUAL(lode_graphs_given_support(d, 1), 3);
    CHECK_EQUAL(lode_graphs_given_support(d, 2), 0);
    lode_graphs_free(d);
    lode_job_free(job);
}

static void test_profile(void) {
    const char *text = "t # 0\nv 0 a\nv 1 b\nv 2 a\ne 0 1 x\ne 1 2 x\nt # 1\nt # 2\nv 0 a\nv 1 c\n";
    lode_job *job = graph_job(1);
    lode_graphs *d = NULL;
    CHECK(parse(job, &d, text, false, false) == LODE_OK);
    lode_graph_profile p = graph_profile_of(d);
    CHECK_EQUAL(p.n_graphs, 3);
    CHECK_EQUAL(p.n_empty, 1);
    CHECK_EQUAL(p.n_disconnected, 1);
    CHECK_EQUAL(p.n_vertices, 5);
    CHECK_EQUAL(p.n_edges, 2);
    CHECK_EQUAL(p.n_vertex_labels, 3);
    CHECK_EQUAL(p.n_triples, 1); /* a-x-b and b-x-a are one */
    CHECK_EQUAL(p.most_vertices, 3);
    lode_graphs_free(d);
    lode_job_free(job);
}

/* Writing and reading again changes nothing. */
static void test_round_trip(void) {
    const char *text = "t # a\nv 3 x\nv k y\ne 3 k 1\nt # 4 * 17\nv 0 x\nv 1 x\ne 1 0\n";
    const char *path = "build/test_graph_read.lg";
    lode_job *job = graph_job(1);
    lode_graphs *d = NULL, *again = NULL;
    char one[300], two[300];
    CHECK(parse(job, &d, text, false, false) == LODE_OK);
    CHECK(lode_graphs_write(job, d, path) == LODE_OK);
    CHECK(lode_graphs_open(job, &again, path, NULL) == LODE_OK);
    describe(d, one, sizeof one);
    describe(again, two, sizeof two);
    CHECK_TEXT(two, one);
    CHECK_EQUAL(lode_graphs_given_support(again, 1), 17);
    CHECK(lode_graphs_write(job, d, "build/none/x") == LODE_IO);
    CHECK(strstr(lode_job_error(job), "cannot write 'build/none/x'") != NULL);
    bool is_graphs = false;
    CHECK(lode_graphs_sniff(job, path, &is_graphs) == LODE_OK && is_graphs);
    CHECK(lode_graphs_sniff(job, "README.md", &is_graphs) == LODE_OK && !is_graphs);
    remove(path);
    lode_graphs_free(d);
    lode_graphs_free(again);
    lode_job_free(job);
}

/* From a pipe, which stays open; a message has the given name, and a job waits until it is
 * cancelled. */
static void test_pipe(void) {
    const char *good = "t # a yes\nv 0 x\nv 1 y\ne 0 1 z\n", *bad = "t # 0\nv 0 x\ne 0 7\n";
    lode_job *job = graph_job(2);
    lode_graphs *d = NULL;
    int ends[2];
    char text[100];
    CHECK(pipe(ends) == 0 && write(ends[1], good, strlen(good)) == (ssize_t)strlen(good));
    close(ends[1]);
    CHECK(lode_graphs_open_pipe(job, &d, ends[0], "in", NULL) == LODE_OK);
    describe(d, text, sizeof text);
    CHECK_TEXT(text, "a: 0=x 1=y 0-1(z)");
    CHECK(close(ends[0]) == 0);
    lode_graphs_free(d);
    d = NULL;
    CHECK(pipe(ends) == 0 && write(ends[1], bad, strlen(bad)) == (ssize_t)strlen(bad));
    close(ends[1]);
    CHECK(lode_graphs_open_pipe(job, &d, ends[0], "in", NULL) == LODE_PARSE && !d);
    CHECK(strncmp(lode_job_error(job), "in:3:", 5) == 0);
    close(ends[0]);
    CHECK(pipe(ends) == 0);
    lode_job_cancel(job);
    CHECK(lode_graphs_open_pipe(job, &d, ends[0], "in", NULL) == LODE_CANCELLED && !d);
    close(ends[0]);
    close(ends[1]);
    CHECK(lode_job_fail(job, LODE_IO, "the other program failed") == LODE_IO);
    CHECK_TEXT(lode_job_error(job), "the other program failed");
    lode_job_free(job);
}

/* Reads a table of edges in batches of all sizes; `want` is the data set, or the message. */
static void check_table(const arrow_cells_text *columns, size_t n, lode_status status, bool skip,
                        const char *want) {
    for (size_t batch = 1; batch < 8; batch += 3) {
        lode_job *job = graph_job(1);
        lode_graph_read_options o = {.size = sizeof o, .skip_bad_graphs = skip};
        struct ArrowArrayStream s = arrow_stream(columns, n, batch);
        lode_graphs *d = NULL;
        char got[1000];
        CHECK_EQUAL(lode_graphs_from_arrow(job, &d, &s, &o), status);
        CHECK(!s.release && arrow_left == 0 && !d == (status != LODE_OK));
        if (d) describe(d, got, sizeof got);
        if (d && skip) CHECK_EQUAL(graph_profile_of(d).n_skipped, 1);
        CHECK_TEXT(d ? got : lode_job_error(job), want);
        lode_graphs_free(d);
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
        lode_job_free(job);
    }
}

static void test_tables(void) {
    arrow_cells_text t[] = {{"to_label", "u", "O ~ ~ N C"}, {"Graph", "u@i", "a b c a b"},
                            {"dst", "i", "2 ~ ~ 9 007"},    {"source", "L", "1 5 ~ 2 5"},
                            {"Label", "s", "1 ~ ~ ~ 7"},    {"from_label", "u", "C ~ ~ ~ P"},
                            {"other", "+l:i", "1 1 1 1 1"}};
    check_table(t, 7, LODE_OK, false, "a: 1=C 2=O 9=N 0-1(1) 1-2() | b: 5=P 7=C 0-1(7) | c:");
    t[2].format = "u";
    check_table(t, 7, LODE_OK, false, "a: 1=C 2=O 9=N 0-1(1) 1-2() | b: 5=P 007=C 0-1(7) | c:");
    t[5].cells = "C ~ ~ N P";
    check_table(t, 7, LODE_PARSE, false,
                "the Arrow stream: row 4: vertex 2 has another label in an earlier row");
    check_table(t, 7, LODE_OK, true, "b: 5=P 007=C 0-1(7) | c:");
    t[5].name = "x";
    t[3].cells = "1 ~ ~ 2 5";
    t[2].cells = "2 6 ~ 9 8";
    check_table(t, 7, LODE_PARSE, false,
                "the Arrow stream: row 2: an edge without its first vertex; expected from and to "
                "or, for a vertex without an edge, from alone");
    t[3].cells = "1 5 ~ 2 8";
    check_table(t, 7, LODE_PARSE, false,
                "the Arrow stream: row 5: the edge is a loop; expected two different vertices");
    t[3].cells = "1 6 ~ 2 8", t[2].cells = "2 8 ~ 9 6";
    check_table(t, 7, LODE_PARSE, false,
                "the Arrow stream: row 5: duplicate edge; expected every edge once");
    t[1].cells = "a b ~ a b";
    check_table(t, 7, LODE_PARSE, false,
                "the Arrow stream: row 3: no graph; expected its name or number");
    t[1] = (arrow_cells_text){"Graph", "u", "a b \x01 a c"};
    check_table(t, 7, LODE_PARSE, false,
                "the Arrow stream: row 3: '?' contains a blank or a control character; expected "
                "ids and labels without");
    t[4] = (arrow_cells_text){"label", "n", "~ ~ ~ ~ ~"};
    check_table(t, 7, LODE_UNSUPPORTED, false,
                "the Arrow stream: column 'label' has the Arrow type null (n); expected numbers, "
                "text, bools or dates");
    t[4] = (arrow_cells_text){"label", "+l:i", "1 1 1 1 1"};
    check_table(t, 7, LODE_UNSUPPORTED, false,
                "the Arrow stream: column 'label' has the Arrow type list (i); expected numbers, "
                "text, bools or dates");
    t[2].name = "y";
    check_table(t, 7, LODE_PARSE, false,
                "the Arrow stream: there is no column 'to'; expected a table of edges with the "
                "columns graph, from and to, and as you like label, from_label and to_label");
}

static unsigned looks_like_molecules(lode_job *job, const char *text) {
    const char *path = "build/test_graph_read.smi";
    unsigned sure = 9;
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
    CHECK(lode_molecules_sniff(job, path, &sure) == LODE_OK);
    remove(path);
    return sure;
}

static void test_molecules(void) {
    lode_job *job = graph_job(1);
    CHECK_EQUAL(looks_like_molecules(job, "CC(=O)O vinegar\nCCO\n"), 2);
    CHECK_EQUAL(looks_like_molecules(job, "CCO\nCO methanol\n"), 1);
    CHECK_EQUAL(looks_like_molecules(job, "\nname;SMILES\n\na;O\n"), 1);
    CHECK_EQUAL(looks_like_molecules(job, "t # 0\nv 0 C\nv 1 O\ne 0 1 1\n"), 0);
    CHECK_EQUAL(looks_like_molecules(job, "milk,bread\nbread\nC\n"), 0);
    CHECK_EQUAL(looks_like_molecules(job, ""), 0);
    lode_job_free(job);
}

int main(void) {
    CHECK_RUN(test_tolerant);
    CHECK_RUN(test_intolerant);
    CHECK_RUN(test_directed);
    CHECK_RUN(test_skip);
    CHECK_RUN(test_profile);
    CHECK_RUN(test_round_trip);
    CHECK_RUN(test_pipe);
    CHECK_RUN(test_tables);
    CHECK_RUN(test_molecules);
    return check_result();
}
