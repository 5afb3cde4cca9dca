/* graphgen.c - random labelled graphs: options, blocks and text; graph_models.h makes the graphs
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/generate/blocks.h"
#include "extras/generate/graph_models.h"
#include "extras/generate/grown_graph.h"
#include "runtime/valid.h"

#define GRAPHGEN_EDGES ((double)(1 << 17)) /* of a block */

typedef struct graphgen {
    mem *mem;
    lode_graphgen_options o; /* defaults filled in */
    const graph_model *model;
    void *self;
    uint64_t block_graphs;
} graphgen;

/* ---- options -------------------------------------------------------------------------------- */

static lode_status gen_refuse(lode_job *job, const char *what, const char *where) {
    return job_fail(job, LODE_INVALID, "%s %s", what, where);
}

static lode_status gen_check_patterns(lode_job *job, lode_graphgen_options *o) {
    const char *where = "requires random graphs, not graphs from seed patterns";
    if (o->density != 0.0) return gen_refuse(job, "a density", where);
    if (o->n_edge_kinds != 0) return gen_refuse(job, "a number of kinds of edges", where);
    if (o->kind_share != 0.0) return gen_refuse(job, "a share of kinds of edges", where);
    if (o->label_weights != 0) return gen_refuse(job, "a choice of label weights", where);
    if (o->mean_edges == 0.0) o->mean_edges = 30;
    if (o->mean_pattern == 0.0) o->mean_pattern = 4;
    if (o->n_patterns == 0) o->n_patterns = 50;
    if (o->mean_pattern >= 1 && o->mean_pattern <= 1e4) return LODE_OK;
    return job_fail(job, LODE_INVALID, "the mean size of a pattern is %g; it must be at least 1",
                    o->mean_pattern);
}

static lode_status gen_check_kinds(lode_job *job, lode_graphgen_options *o) {
    uint64_t most = edge_kinds_possible(o->n_vertex_labels, o->n_edge_labels);
    if (o->n_edge_kinds == 0) {
        if (o->kind_share == 0.0) return LODE_OK;
        return job_fail(
            job, LODE_INVALID,
            "the share of kinds of edges requires the number of kinds of edges: set both");
    }
    if (o->n_edge_kinds > most) {
        return job_fail(job, LODE_INVALID,
                        "%u kinds of edges are too many: these labels allow at most %llu",
                        o->n_edge_kinds, (unsigned long long)most);
    }
    if (o->kind_share == 0.0) o->kind_share = 0.2;
    if (o->kind_share > 0.0 && o->kind_share <= 1.0) return LODE_OK;
    return job_fail(job, LODE_INVALID,
                    "the share of kinds of edges is %g; it must be above 0 and at most 1",
                    o->kind_share);
}

static lode_status gen_check_random(lode_job *job, lode_graphgen_options *o) {
    const char *where = "requires graphs from seed patterns, not random graphs";
    if (o->mean_pattern != 0.0) return gen_refuse(job, "a mean size of patterns", where);
    if (o->n_patterns != 0) return gen_refuse(job, "a number of patterns", where);
    if (o->mean_edges == 0.0) o->mean_edges = 20;
    if (o->density == 0.0) o->density = 0.3;
    if (!(o->density > 0.0) || o->density > 1.0) {
        return job_fail(job, LODE_INVALID, "the density is %g; it must be above 0 and at most 1",
                        o->density);
    }
    if (o->density < 2.0 / (o->mean_edges + 1.0)) {
        return job_fail(job, LODE_INVALID,
                        "the density is %g; a connected graph of %g edges has at least %.3g",
                        o->density, o->mean_edges, 2.0 / (o->mean_edges + 1.0));
    }
    if (o->n_vertex_labels > GRAPH_MODEL_LABELS || o->n_edge_labels > GRAPH_MODEL_LABELS) {
        return job_fail(job, LODE_INVALID, "random graphs have at most %u labels of each kind",
                        GRAPH_MODEL_LABELS);
    }
    return gen_check_kinds(job, o);
}

static lode_status gen_check_molecules(lode_job *job, lode_graphgen_options *o) {
    const char *where = "cannot be chosen for molecules";
    if (o->n_vertex_labels != 0) return gen_refuse(job, "the number of vertex labels", where);
    if (o->n_edge_labels != 0) return gen_refuse(job, "the number of edge labels", where);
    if (o->mean_pattern != 0.0) return gen_refuse(job, "the mean size of patterns", where);
    if (o->n_patterns != 0) return gen_refuse(job, "the number of patterns", where);
    if (o->density != 0.0) return gen_refuse(job, "the density", where);
    if (o->n_edge_kinds != 0) return gen_refuse(job, "the number of kinds of edges", where);
    if (o->kind_share != 0.0) return gen_refuse(job, "the share of kinds of edges", where);
    if (o->label_weights != 0) return gen_refuse(job, "the label weights", where);
    if (o->mean_edges == 0.0) o->mean_edges = 27;
    return LODE_OK;
}

static lode_status gen_check(lode_job *job, const lode_graphgen_options *given,
                             lode_graphgen_options *o) {
    lode_status valid = valid_take(job, VALID_GRAPHGEN, given, o);
    if (valid != LODE_OK) return valid;
    bool random = o->model == LODE_GRAPHS_RANDOM;
    if (o->n_graphs == 0) o->n_graphs = 1000;
    if (o->seed == 0) o->seed = 1;
    if (o->mean_edges != 0.0 && (!(o->mean_edges >= 1) || o->mean_edges > 1e6)) {
        return job_fail(job, LODE_INVALID, "the mean number of edges is %g; it must be at least 1",
                        o->mean_edges);
    }
    if (o->model == LODE_GRAPHS_MOLECULES) return gen_check_molecules(job, o);
    if (o->n_vertex_labels == 0) o->n_vertex_labels = random ? 20 : 5;
    if (o->n_edge_labels == 0) o->n_edge_labels = random ? 20 : 5;
    return random ? gen_check_random(job, o) : gen_check_patterns(job, o);
}

static const graph_model *const gen_models[] = {
    [LODE_GRAPHS_OF_PATTERNS] = &graph_model_patterns,
    [LODE_GRAPHS_RANDOM] = &graph_model_random,
    [LODE_GRAPHS_MOLECULES] = &graph_model_molecules,
};

/* ---- the whole ------------------------------------------------------------------------------ */

static lode_status gen_block(void *user, uint64_t block, vec_char *text) {
    const graphgen *q = user;
    lode_status status = LODE_OK;
    uint64_t first = block * q->block_graphs, left = q->o.n_graphs - first;
    uint64_t n = left < q->block_graphs ? left : q->block_graphs;
    rng r = rng_make(q->o.seed, 1 + block);
    grown_graph g = {0};
    grown_names names = {q->model->vertex_names, q->model->edge_names};
    void *scratch = NULL;
    LODE_TRY(mem_zalloc(q->mem, &scratch, q->model->scratch_bytes));
    if (q->model->open) LODE_TRY(q->model->open(q->self, scratch));
    for (uint64_t i = 0; i < n; i++) {
        g.labels.n = g.n_edges = 0;
        LODE_TRY(q->model->make(q->self, scratch, &g, &r));
        LODE_TRY(grown_write(&g, q->mem, first + i, names, text));
    }
done:
    if (scratch) {
        q->model->close(q->self, scratch);
        mem_free(q->mem, scratch, q->model->scratch_bytes);
    }
    grown_free(&g, q->mem);
    return status;
}

lode_status lode_generate_graphs(lode_job *job, const char *path,
                                 const lode_graphgen_options *options) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    VALID_CALL(job, VALID_NEEDS(path));
    graphgen q = {.mem = &job->mem};
    LODE_TRY(gen_check(job, options, &q.o));
    q.model = gen_models[q.o.model];
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    LODE_TRY(mem_zalloc(q.mem, &q.self, q.model->bytes));
    LODE_TRY(q.model->prepare(q.self, q.mem, &q.o));
    double graphs = GRAPHGEN_EDGES / q.o.mean_edges;
    q.block_graphs = graphs < 1 ? 1 : (uint64_t)graphs;
    uint64_t n_blocks = (q.o.n_graphs - 1) / q.block_graphs + 1;
    LODE_TRY(blocks_write(job, path, n_blocks, gen_block, &q));
done:
    if (q.self) {
        q.model->free(q.self);
        mem_free(q.mem, q.self, q.model->bytes);
    }
    lease_leave(&call);
    return job_explain(job, status, "generating");
}
