/* test_generate_graphs.c - generated graphs of all models: golden bytes, shape, errors
 *
 * If a golden hash changes, everybody's generated data change, so it must not change in a patch
 * release.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "generated.h"
#include "jobs.h"

#define GRAPHGEN(...)                                                                              \
    { .size = sizeof(lode_graphgen_options), __VA_ARGS__ }
#define RANDOM(...)    GRAPHGEN(.model = LODE_GRAPHS_RANDOM, __VA_ARGS__)
#define MOLECULES(...) GRAPHGEN(.model = LODE_GRAPHS_MOLECULES, __VA_ARGS__)

/* ---- golden bytes --------------------------------------------------------------------------- */

static const struct golden {
    uint64_t hash;
    lode_graphgen_options options;
} goldens[] = {
    {0x0cb0c0fc82d7a261u, GRAPHGEN(.n_graphs = 9000)},
    {0xc9d74ee5167e544au,
     GRAPHGEN(.n_graphs = 500, .mean_edges = 300, .mean_pattern = 12, .n_patterns = 9,
              .n_vertex_labels = 40, .n_edge_labels = 1, .seed = 7)},
    {0x7cade0fc7e34231bu, RANDOM(.n_graphs = 14000)},
    {0xbf98998114d3ad24u,
     RANDOM(.n_graphs = 500, .mean_edges = 300, .density = 0.9, .n_vertex_labels = 100,
            .label_weights = LODE_LABELS_EVEN, .seed = 7)},
    {0xd80f03b629aa9b13u, RANDOM(.n_graphs = 14000, .n_edge_kinds = 100)},
    {0xb31d0a97cab278f5u,
     RANDOM(.n_graphs = 300, .mean_edges = 500, .density = 0.05, .n_edge_kinds = 800,
            .kind_share = 0.5, .n_edge_labels = 4, .seed = 3)},
    {0xe5190d000e3c2b9eu, MOLECULES(.n_graphs = 6000)},
    {0x92a93d6310fcf0a5u, MOLECULES(.n_graphs = 500, .mean_edges = 200, .seed = 7)},
};

static void test_golden(void) {
    const unsigned threads[] = {1, 2, 4};
    for (size_t i = 0; i < sizeof goldens / sizeof goldens[0]; i += BY_BUILD(1, 1, 2)) {
        for (size_t k = BY_BUILD(0, 1, 2); k < sizeof threads / sizeof threads[0]; k++) {
            lode_job *job = generated_job(threads[k]);
            CHECK_EQUAL(lode_generate_graphs(job, generated_path, &goldens[i].options), LODE_OK);
            CHECK_EQUAL(generated_hash(), goldens[i].hash);
            generated_done(job);
        }
    }
}

/* All defaults written out give the same as none; another seed does not. */
static void check_defaults(lode_graphgen_options few, lode_graphgen_options all) {
    lode_job *job = generated_job(2);
    CHECK_EQUAL(lode_generate_graphs(job, generated_path, &few), LODE_OK);
    uint64_t hash = generated_hash();
    CHECK_EQUAL(lode_generate_graphs(job, generated_path, &all), LODE_OK);
    CHECK_EQUAL(generated_hash(), hash);
    all.seed = 2;
    CHECK_EQUAL(lode_generate_graphs(job, generated_path, &all), LODE_OK);
    CHECK(generated_hash() != hash);
    generated_done(job);
}

static void test_defaults(void) {
    check_defaults((lode_graphgen_options)GRAPHGEN(0),
                   (lode_graphgen_options)GRAPHGEN(.n_graphs = 1000, .mean_edges = 30,
                                                   .mean_pattern = 4, .n_patterns = 50,
                                                   .n_vertex_labels = 5, .n_edge_labels = 5,
                                                   .seed = 1));
    check_defaults((lode_graphgen_options)RANDOM(.seed = 1),
                   (lode_graphgen_options)RANDOM(.n_graphs = 1000, .mean_edges = 20, .density = 0.3,
                                                 .n_vertex_labels = 20, .n_edge_labels = 20,
                                                 .seed = 1));
    check_defaults((lode_graphgen_options)RANDOM(.n_edge_kinds = 100),
                   (lode_graphgen_options)RANDOM(.n_edge_kinds = 100, .kind_share = 0.2));
    check_defaults((lode_graphgen_options)MOLECULES(0),
                   (lode_graphgen_options)MOLECULES(.n_graphs = 1000, .mean_edges = 27, .seed = 1));
}

/* ---- shape ---------------------------------------------------------------------------------- */

enum { MOST_VERTICES = 2000, MOST_LABELS = 128 };

typedef struct shape {
    uint64_t n_graphs, n_vertices, n_edges, n_kinds;
    double density, edges_squared; /* sums over graphs */
    uint64_t vertex_labels[MOST_LABELS];
} shape;

typedef struct one_graph {
    unsigned n_vertices, n_edges;
    unsigned labels[MOST_VERTICES], root[MOST_VERTICES];
    bool joined[MOST_VERTICES][MOST_VERTICES];
} one_graph;

static one_graph graph; /* too large for the stack */
static bool seen_kinds[MOST_LABELS][MOST_LABELS][MOST_LABELS];

static unsigned root_of(unsigned v) {
    while (graph.root[v] != v) v = graph.root[v] = graph.root[graph.root[v]];
    return v;
}

/* Adds up a graph, which must be connected, and forgets it. */
static void end_graph(shape *s) {
    unsigned n = graph.n_vertices, roots = 0;
    if (n == 0) return;
    for (unsigned v = 0; v < n; v++) {
        roots += root_of(v) == v;
        memset(graph.joined[v], 0, n);
    }
    CHECK_EQUAL(roots, 1);
    s->n_graphs++;
    s->n_vertices += n;
    s->n_edges += graph.n_edges;
    s->edges_squared += (double)graph.n_edges * graph.n_edges;
    s->density += 2.0 * graph.n_edges / ((double)n * (n - 1));
    graph.n_vertices = graph.n_edges = 0;
}

/* An edge must be between two vertices that have none. */
static void add_edge(shape *s, unsigned u, unsigned v, unsigned label) {
    if (!CHECK(u < graph.n_vertices && v < graph.n_vertices && u != v && label < MOST_LABELS))
        return;
    CHECK(!graph.joined[u][v]);
    graph.joined[u][v] = graph.joined[v][u] = true;
    graph.root[root_of(u)] = root_of(v);
    graph.n_edges++;
    unsigned a = graph.labels[u], b = graph.labels[v];
    bool *seen = &seen_kinds[a < b ? a : b][a < b ? b : a][label];
    s->n_kinds += !*seen;
    *seen = true;
}

static void add_line(shape *s, const char *line) {
    unsigned a = 0, b = 0, c = 0;
    if (line[0] == 't') {
        end_graph(s);
    } else if (sscanf(line, "v %u %u", &a, &b) == 2) {
        CHECK(a == graph.n_vertices && a < MOST_VERTICES && b < MOST_LABELS);
        graph.root[a] = a;
        graph.labels[graph.n_vertices++] = b;
        s->vertex_labels[b]++;
    } else if (CHECK_EQUAL(sscanf(line, "e %u %u %u", &a, &b, &c), 3)) {
        add_edge(s, a, b, c);
    }
}

static shape shape_of(const lode_graphgen_options *options) {
    shape s = {0};
    lode_job *job = generated_job(0);
    memset(seen_kinds, 0, sizeof seen_kinds);
    CHECK_EQUAL(lode_generate_graphs(job, generated_path, options), LODE_OK);
    char *text = generated_take(NULL), *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        add_line(&s, line);
    }
    end_graph(&s);
    free(text);
    generated_done(job);
    return s;
}

static void test_random_shape(void) {
    const struct {
        double edges, density;
        uint32_t kinds;
    } rows[] = {{20, 0.3, 0},   {40, 0.1, 0},  {40, 0.6, 0},
                {200, 0.05, 0}, {200, 0.8, 0}, {20, 0.3, 90}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i += BY_BUILD(1, 1, 5)) {
        lode_graphgen_options o =
            RANDOM(.n_graphs = 2000, .mean_edges = rows[i].edges, .density = rows[i].density,
                   .n_edge_kinds = rows[i].kinds, .n_vertex_labels = 100, .n_edge_labels = 100);
        shape s = shape_of(&o);
        double n = (double)s.n_graphs, mean = (double)s.n_edges / n;
        double variance = s.edges_squared / n - mean * mean;
        CHECK_EQUAL(s.n_graphs, 2000);
        CHECK(fabs(mean - rows[i].edges) < 0.2);
        CHECK(variance > 4.2 && variance < 6);
        CHECK(fabs(s.density / n - rows[i].density) < 0.1 * rows[i].density);
        CHECK(rows[i].kinds == 0 || (s.n_kinds <= rows[i].kinds && s.n_kinds > rows[i].kinds / 2));
    }
}

/* The first label has the weight 1, the second 1/2 …; or all the same. */
static void test_labels(void) {
    for (unsigned even = 0; even < 2; even++) {
        lode_graphgen_options o = RANDOM(.n_graphs = 2000, .n_vertex_labels = 4,
                                         .label_weights = (lode_label_weights)even);
        shape s = shape_of(&o);
        for (unsigned k = 0; k < 4; k++) {
            double share = (double)s.vertex_labels[k] / (double)s.n_vertices;
            double want = even ? 0.25 : 1.0 / (k + 1) / (1 + 1 / 2.0 + 1 / 3.0 + 1 / 4.0);
            CHECK(fabs(share - want) < 0.01);
        }
    }
}

static void test_pattern_shape(void) {
    lode_graphgen_options o = GRAPHGEN(.n_graphs = 2000, .mean_edges = 20);
    shape s = shape_of(&o);
    double mean = (double)s.n_edges / (double)s.n_graphs;
    CHECK_EQUAL(s.n_graphs, 2000);
    CHECK(mean > 19 && mean < 24); /* the last pattern may be longer than what was left */
}

/* ---- molecules: their atoms, by a table of valences that the generator does not know -------- */

enum { MOST_ATOMS = 512 };

typedef struct atom {
    const char *element;
    unsigned orders, aromatic; /* of its bonds that are not aromatic; number of the others */
    unsigned root;
} atom;

typedef struct molecule {
    atom atoms[MOST_ATOMS];
    unsigned n_atoms, n_bonds;
} molecule;

typedef struct chemistry {
    uint64_t n_molecules, n_atoms, n_bonds, n_aromatic, n_rings, n_carbons, n_oxygens, n_nitrogens;
} chemistry;

static molecule mol;

static unsigned atom_root(unsigned v) {
    while (mol.atoms[v].root != v) v = mol.atoms[v].root = mol.atoms[mol.atoms[v].root].root;
    return v;
}

/* With aromatic bonds, an atom of the ring has two or three; a carbon shares one more electron, and
 * so may a nitrogen that has two neighbours. */
static bool atom_is_valid(const atom *a) {
    static const struct {
        const char *element;
        unsigned valence, in_ring; /* in_ring: neighbours of an aromatic atom; 0 = never aromatic */
    } rows[] = {{"C", 4, 3}, {"N", 3, 3},  {"O", 2, 2},  {"S", 6, 2},
                {"F", 1, 0}, {"Cl", 1, 0}, {"Br", 1, 0}, {"I", 1, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(a->element, rows[i].element) != 0) continue;
        if (strcmp(a->element, "S") == 0 && a->orders > 2 && a->orders != 6) return a->orders == 5;
        if (a->aromatic == 0) return a->orders <= rows[i].valence;
        return a->aromatic >= 2 && a->aromatic + a->orders <= rows[i].in_ring;
    }
    return false;
}

static void end_molecule(chemistry *c) {
    unsigned n = mol.n_atoms, roots = 0;
    if (n == 0) return;
    for (unsigned v = 0; v < n; v++) {
        const atom *a = &mol.atoms[v];
        roots += atom_root(v) == v;
        if (!CHECK(atom_is_valid(a))) {
            fprintf(stderr, "  molecule %llu, atom %u: %s with %u and %u aromatic\n",
                    (unsigned long long)c->n_molecules, v, a->element, a->orders, a->aromatic);
        }
        c->n_carbons += strcmp(a->element, "C") == 0;
        c->n_oxygens += strcmp(a->element, "O") == 0;
        c->n_nitrogens += strcmp(a->element, "N") == 0;
    }
    CHECK_EQUAL(roots, 1);
    c->n_molecules++;
    c->n_atoms += n;
    c->n_bonds += mol.n_bonds;
    c->n_rings += mol.n_bonds + 1 - n;
    mol.n_atoms = mol.n_bonds = 0;
}

static void add_bond(chemistry *c, unsigned u, unsigned v, const char *name) {
    static const char *const names[] = {"single", "double", "triple", "aromatic"};
    unsigned order = 0;
    while (order < 4 && strcmp(name, names[order]) != 0) order++;
    if (!CHECK(order < 4 && u < mol.n_atoms && v < mol.n_atoms && u != v)) return;
    atom *a = &mol.atoms[u], *b = &mol.atoms[v];
    a->orders += order == 3 ? 0 : order + 1;
    b->orders += order == 3 ? 0 : order + 1;
    a->aromatic += order == 3;
    b->aromatic += order == 3;
    c->n_aromatic += order == 3;
    mol.atoms[atom_root(u)].root = atom_root(v);
    mol.n_bonds++;
}

static void add_molecule_line(chemistry *c, char *line) {
    unsigned a = 0, b = 0;
    char *name = strrchr(line, ' ') + 1;
    if (line[0] == 't') {
        end_molecule(c);
    } else if (line[0] == 'v') {
        if (!CHECK(mol.n_atoms < MOST_ATOMS)) return;
        mol.atoms[mol.n_atoms] = (atom){.element = name, .root = mol.n_atoms};
        mol.n_atoms++;
    } else if (CHECK_EQUAL(sscanf(line, "e %u %u", &a, &b), 2)) {
        add_bond(c, a, b, name);
    }
}

static chemistry chemistry_of(const lode_graphgen_options *options) {
    chemistry c = {0};
    lode_job *job = generated_job(0);
    CHECK_EQUAL(lode_generate_graphs(job, generated_path, options), LODE_OK);
    char *text = generated_take(NULL), *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        add_molecule_line(&c, line);
    }
    end_molecule(&c);
    free(text);
    generated_done(job);
    return c;
}

/* Valences hold, molecules are connected, and shares are near those of drugs. */
static void test_molecules(void) {
    lode_graphgen_options o = MOLECULES(.n_graphs = 3000, .seed = 5);
    chemistry c = chemistry_of(&o);
    double atoms = (double)c.n_atoms, bonds = (double)c.n_bonds;
    CHECK_EQUAL(c.n_molecules, 3000);
    CHECK(fabs(bonds / 3000 - 27) < 0.4);
    CHECK(fabs((double)c.n_carbons / atoms - 0.73) < 0.02);
    CHECK(fabs((double)c.n_oxygens / atoms - 0.14) < 0.02);
    CHECK(fabs((double)c.n_nitrogens / atoms - 0.10) < 0.02);
    CHECK(fabs((double)c.n_aromatic / bonds - 0.41) < 0.03);
    CHECK(fabs((double)c.n_rings / 3000 - 2.8) < 0.3);
    const lode_graphgen_options ends[] = {MOLECULES(.n_graphs = 500, .mean_edges = 1),
                                          MOLECULES(.n_graphs = 300, .mean_edges = 4),
                                          MOLECULES(.n_graphs = 50, .mean_edges = 300)};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        c = chemistry_of(&ends[i]);
        CHECK_EQUAL(c.n_molecules, ends[i].n_graphs);
        CHECK(fabs((double)c.n_bonds / (double)c.n_molecules / ends[i].mean_edges - 1) < 0.1);
    }
}

/* Parameters at their ends: graphs are connected and simple, and the generator comes to an end. */
static void test_ends(void) {
    const lode_graphgen_options ends[] = {
        RANDOM(.n_graphs = 1),
        RANDOM(.n_graphs = 500, .mean_edges = 1, .density = 1),
        RANDOM(.n_graphs = 50, .mean_edges = 400, .density = 1, .n_vertex_labels = 1),
        RANDOM(.n_graphs = 50, .mean_edges = 400, .density = 0.005),
        RANDOM(.n_graphs = 500, .n_vertex_labels = 1, .n_edge_labels = 1, .n_edge_kinds = 1),
        RANDOM(.n_graphs = 500, .n_vertex_labels = 2, .n_edge_labels = 1, .n_edge_kinds = 3,
               .kind_share = 1),
        RANDOM(.n_graphs = 500, .n_vertex_labels = 100, .n_edge_labels = 2, .n_edge_kinds = 10,
               .density = 1, .kind_share = 1),
        GRAPHGEN(.n_graphs = 500, .mean_edges = 1, .mean_pattern = 1, .n_patterns = 1,
                 .n_vertex_labels = 1, .n_edge_labels = 1),
    };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        CHECK_EQUAL(shape_of(&ends[i]).n_graphs, ends[i].n_graphs);
    }
    lode_graphgen_options all = RANDOM(.n_graphs = 5000, .n_vertex_labels = 3, .n_edge_labels = 2,
                                       .n_edge_kinds = 12, .label_weights = LODE_LABELS_EVEN);
    CHECK_EQUAL(shape_of(&all).n_kinds, 12); /* every kind that there can be */
}

/* ---- errors --------------------------------------------------------------------------------- */

static void check_refused(lode_graphgen_options options, const char *message) {
    lode_job *job = generated_job(1);
    CHECK_EQUAL(lode_generate_graphs(job, generated_path, &options), LODE_INVALID);
    CHECK_TEXT(lode_job_error(job), message);
    CHECK(generated_take(NULL) == NULL);
    generated_done(job);
}

#define REFUSED(options, message) check_refused((lode_graphgen_options)options, message)

static void test_refused(void) {
    const char *no_patterns = "requires random graphs, not graphs from seed patterns";
    const char *no_random = "requires graphs from seed patterns, not random graphs";
    char message[160];
    const char *no_molecules = "cannot be chosen for molecules";
    const struct {
        lode_graphgen_options options;
        const char *what, *where;
    } others[] = {
        {MOLECULES(.n_vertex_labels = 3), "the number of vertex labels", no_molecules},
        {MOLECULES(.n_edge_labels = 3), "the number of edge labels", no_molecules},
        {MOLECULES(.mean_pattern = 3), "the mean size of patterns", no_molecules},
        {MOLECULES(.n_patterns = 3), "the number of patterns", no_molecules},
        {MOLECULES(.density = 0.3), "the density", no_molecules},
        {MOLECULES(.n_edge_kinds = 9), "the number of kinds of edges", no_molecules},
        {MOLECULES(.kind_share = 0.3), "the share of kinds of edges", no_molecules},
        {MOLECULES(.label_weights = LODE_LABELS_EVEN), "the label weights", no_molecules},
        {GRAPHGEN(.density = 0.3), "a density", no_patterns},
        {GRAPHGEN(.n_edge_kinds = 9), "a number of kinds of edges", no_patterns},
        {GRAPHGEN(.kind_share = 0.3), "a share of kinds of edges", no_patterns},
        {GRAPHGEN(.label_weights = LODE_LABELS_EVEN), "a choice of label weights", no_patterns},
        {RANDOM(.n_patterns = 3), "a number of patterns", no_random},
        {RANDOM(.mean_pattern = 3), "a mean size of patterns", no_random},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        snprintf(message, sizeof message, "%s %s", others[i].what, others[i].where);
        check_refused(others[i].options, message);
    }
    REFUSED(GRAPHGEN(.mean_edges = -1), "the mean number of edges is -1; it must be at least 1");
    REFUSED(GRAPHGEN(.mean_pattern = 0.5),
            "the mean size of a pattern is 0.5; it must be at least 1");
    REFUSED(RANDOM(.density = 1.5), "the density is 1.5; it must be above 0 and at most 1");
    REFUSED(RANDOM(.density = -1), "the density is -1; it must be above 0 and at most 1");
    REFUSED(RANDOM(.density = 0.05),
            "the density is 0.05; a connected graph of 20 edges has at least 0.0952");
    REFUSED(RANDOM(.n_vertex_labels = 1000001),
            "random graphs have at most 1000000 labels of each kind");
    REFUSED(RANDOM(.kind_share = 0.5),
            "the share of kinds of edges requires the number of kinds of edges: set both");
    REFUSED(RANDOM(.n_edge_kinds = 7, .n_vertex_labels = 3, .n_edge_labels = 1),
            "7 kinds of edges are too many: these labels allow at most 6");
    REFUSED(RANDOM(.n_edge_kinds = 7, .kind_share = 2),
            "the share of kinds of edges is 2; it must be above 0 and at most 1");
}

static void test_cancel(void) {
    lode_graphgen_options o = RANDOM(.n_edge_kinds = 100);
    lode_job *job = generated_job(2);
    lode_job_cancel(job);
    CHECK_EQUAL(lode_generate_graphs(job, generated_path, &o), LODE_CANCELLED);
    CHECK(generated_take(NULL) == NULL);
    generated_done(job);
}

/* Memory that fails once, at the `left`-th time that more is wanted. */
typedef struct failing {
    long left;
    size_t bytes;
} failing;

static void *failing_resize(void *user, void *old, size_t old_bytes, size_t new_bytes,
                            size_t align) {
    failing *f = user;
    void *fresh = NULL;
    if (new_bytes > 0) {
        if (--f->left == 0) return NULL;
        fresh = aligned_alloc(align, (new_bytes + align - 1) / align * align);
        if (!fresh) exit(2);
        if (old) memcpy(fresh, old, old_bytes < new_bytes ? old_bytes : new_bytes);
    }
    free(old);
    f->bytes += new_bytes;
    f->bytes -= old_bytes;
    return fresh;
}

static void check_memory(lode_graphgen_options o) {
    bool done = false;
    for (long k = 3; !done; k++) { /* the first two are the context and the job */
        failing f = {.left = k};
        lode_job *job = NULL;
        lode_job_options options = {.size = sizeof options, .threads = 1};
        CHECK_EQUAL(job_with_memory(&job, &options, failing_resize, &f), LODE_OK);
        lode_status status = lode_generate_graphs(job, generated_path, &o);
        done = f.left > 0;
        CHECK_EQUAL(status, done ? LODE_OK : LODE_NOMEM);
        char *text = generated_take(NULL);
        CHECK((text != NULL) == done);
        free(text);
        generated_done(job);
        CHECK_EQUAL(f.bytes, 0);
    }
}

static void test_memory(void) {
    check_memory((lode_graphgen_options)GRAPHGEN(.n_graphs = 300));
    check_memory((lode_graphgen_options)RANDOM(.n_graphs = 300));
    check_memory((lode_graphgen_options)RANDOM(.n_graphs = 300, .n_edge_kinds = 100));
    check_memory((lode_graphgen_options)MOLECULES(.n_graphs = 300));
}

int main(void) {
    generated_setup();
    CHECK_RUN(test_golden);
    CHECK_RUN(test_defaults);
    CHECK_RUN(test_random_shape);
    CHECK_RUN(test_labels);
    CHECK_RUN(test_pattern_shape);
    CHECK_RUN(test_molecules);
    CHECK_RUN(test_ends);
    CHECK_RUN(test_refused);
    CHECK_RUN(test_cancel);
    CHECK_RUN(test_memory);
    generated_teardown();
    return check_result();
}
