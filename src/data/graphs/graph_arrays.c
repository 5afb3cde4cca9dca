/* graph_arrays.c - makes a data set of graphs from arrays of the program
 *
 * All values are checked before the miners use them, because the arrays of a program in another
 * language may be a slice, shifted by one, or from another data set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "base/os.h"
#include "data/graphs/graphs.h"
#include "runtime/valid.h"

#define ARRAYS_CHECK_EVERY ((uint64_t)1 << 16) /* entries between two checks for a stop */

/* One kind of labels: where they come from, and where they go. */
typedef struct label_column {
    const char *what; /* "vertex" or "edge" */
    const uint32_t *given;
    uint64_t first, n; /* of it */
    const char *const *texts;
    uint64_t n_texts;
    dict *names;
    vec_u32 *labels;
    graph_numbers *numbers;
} label_column;

typedef struct arrays_reader {
    lode_job *job;
    lode_graphs *g;
    lode_graph_arrays in;
    keymap edges; /* of the graph in work */
    uint64_t work;
} arrays_reader;

/* Checks from time to time whether the job is to stop; called for every entry of a column. */
static inline lode_status arrays_check(arrays_reader *r) {
    return ++r->work % ARRAYS_CHECK_EVERY == 0 ? job_check(r->job) : LODE_OK;
}

/* ---- offsets -------------------------------------------------------------------------------- */

static lode_status copy_offsets(arrays_reader *r, const char *name, const uint64_t *offsets,
                                vec_u64 *to) {
    lode_status status = LODE_OK;
    uint64_t n = r->in.n_graphs;
    LODE_TRY(vec_u64_reserve(r->g->mem, to, (size_t)n));
    for (uint64_t i = 0; i < n; i++) {
        LODE_TRY(arrays_check(r));
        if (offsets[i + 1] < offsets[i]) {
            LODE_LEAVE(job_fail(r->job, LODE_INVALID,
                                "%s[%" PRIu64 "] is %" PRIu64 ", less than the %" PRIu64
                                " before it; offsets must not decrease",
                                name, i + 1, offsets[i + 1], offsets[i]));
        }
        if (offsets[i + 1] - offsets[i] > UINT32_MAX - 1) {
            LODE_LEAVE(job_fail(r->job, LODE_UNSUPPORTED,
                                "graph %" PRIu64 " has 2^32 or more vertices or edges", i));
        }
        to->data[to->n++] = offsets[i + 1] - offsets[0];
    }
done:
    return status;
}

/* ---- labels --------------------------------------------------------------------------------- */

/* A label must be a word, as in files, so that it can be written to one. */
static bool is_word(const char *text) {
    for (; *text; text++) {
        if ((unsigned char)*text <= ' ' || *text == 0x7f) return false;
    }
    return true;
}

/* Adds the name of a number that is new. */
static lode_status add_name(arrays_reader *r, const label_column *c, uint64_t at, uint32_t number) {
    lode_status status = LODE_OK;
    char digits[16];
    const char *text = digits;
    uint32_t id, next = dict_count(c->names);
    snprintf(digits, sizeof digits, "%" PRIu32, number);
    if (c->texts) {
        if (number >= c->n_texts) {
            return job_fail(r->job, LODE_INVALID,
                            "%s_labels[%" PRIu64 "] is %" PRIu32 ", but there are %" PRIu64
                            " %s names; expected 0 to %" PRIu64,
                            c->what, at, number, c->n_texts, c->what, c->n_texts - 1);
        }
        text = c->texts[number];
        if (!text || !is_word(text)) {
            return job_fail(r->job, LODE_INVALID,
                            "%s_names[%" PRIu32 "] is %s; expected a word without spaces", c->what,
                            number, text ? "not a word" : "NULL");
        }
    }
    LODE_TRY(dict_add(c->names, text, strlen(text), &id));
    if (id != next) {
        LODE_LEAVE(job_fail(r->job, LODE_INVALID,
                            "%s_names[%" PRIu32 "] is '%.40s', the same as %s_names[%" PRIu32
                            "]; names must be unique",
                            c->what, number, text, c->what, c->numbers->of_id.data[id]));
    }
    LODE_TRY(vec_u32_push(r->g->mem, &c->numbers->of_id, number));
done:
    return status;
}

/* Gives every number an id, in the order of their first use. */
static lode_status number_labels(arrays_reader *r, const label_column *c) {
    lode_status status = LODE_OK;
    mem *m = r->g->mem;
    LODE_TRY(vec_u32_reserve(m, c->labels, (size_t)c->n));
    for (uint64_t i = 0; i < c->n; i++) {
        uint32_t number = c->given[c->first + i], next = dict_count(c->names);
        bool found;
        LODE_TRY(arrays_check(r));
        LODE_TRY(keymap_put(&c->numbers->ids, m, number, next, &found));
        if (!found) LODE_TRY(add_name(r, c, c->first + i, number));
        uint32_t id = found ? keymap_find(&c->numbers->ids, number)->value : next;
        c->labels->data[c->labels->n++] = id;
    }
done:
    return status;
}

/* No labels are given: all get the empty label, as in files. It is number 0. */
static lode_status no_labels(arrays_reader *r, const label_column *c) {
    lode_status status = LODE_OK;
    uint32_t id = 0;
    if (c->n == 0) return LODE_OK;
    LODE_TRY(dict_add(c->names, "", 0, &id));
    LODE_TRY(vec_u32_reserve(r->g->mem, c->labels, (size_t)c->n));
    memset(c->labels->data, 0, (size_t)c->n * sizeof *c->labels->data);
    c->labels->n = (size_t)c->n;
done:
    return status;
}

static void forget_numbers(mem *m, graph_numbers *numbers) {
    vec_u32_free(m, &numbers->of_id);
    keymap_free(&numbers->ids, m);
}

/* Sorts the ids by print order, and keeps the program's numbers if they differ from the ids. */
static lode_status settle_labels(arrays_reader *r, const label_column *c) {
    lode_status status = LODE_OK;
    mem *m = r->g->mem;
    graph_numbers *numbers = c->numbers;
    uint32_t *new_ids = NULL, n = dict_count(c->names);
    vec_u32 of_id = {0};
    bool same = true;
    LODE_TRY(mem_resize(m, (void **)&new_ids, 0, n * sizeof *new_ids));
    LODE_TRY(vec_u32_reserve(m, &of_id, n));
    LODE_TRY(graphs_sort_labels(r->job, c->names, c->labels, new_ids));
    of_id.n = n;
    for (uint32_t old = 0; old < n; old++) {
        uint32_t number = numbers->of_id.data[old];
        of_id.data[new_ids[old]] = number;
        keymap_find(&numbers->ids, number)->value = new_ids[old];
        same = same && number == new_ids[old];
    }
    vec_u32 first_order = numbers->of_id;
    numbers->of_id = of_id;
    of_id = first_order;
    if (same) {
        forget_numbers(m, numbers);
        goto done;
    }
    LODE_TRY(vec_u32_reserve(m, &numbers->column, (size_t)c->n));
    for (uint64_t i = 0; i < c->n; i++) {
        LODE_TRY(arrays_check(r));
        numbers->column.data[numbers->column.n++] = c->given[c->first + i];
    }
done:
    vec_u32_free(m, &of_id);
    mem_free(m, new_ids, new_ids ? n * sizeof *new_ids : 0);
    return status;
}

static lode_status copy_labels(arrays_reader *r, const label_column *c) {
    lode_status status = LODE_OK;
    if (!c->given) return no_labels(r, c);
    LODE_TRY(number_labels(r, c));
    LODE_TRY(settle_labels(r, c));
done:
    return status;
}

/* ---- edges ---------------------------------------------------------------------------------- */

static lode_status bad_edge(arrays_reader *r, uint32_t i, uint32_t e, const char *what) {
    uint64_t at = r->in.edge_offsets[i] + e;
    return job_fail(r->job, LODE_INVALID,
                    "graph %" PRIu32 ", edge %" PRIu32 " from %" PRIu32 " to %" PRIu32 ": %s", i, e,
                    r->in.from[at], r->in.to[at], what);
}

static lode_status copy_edge(arrays_reader *r, uint32_t i, uint32_t e) {
    lode_status status = LODE_OK;
    lode_graphs *g = r->g;
    uint64_t at = r->in.edge_offsets[i] + e;
    uint32_t from = r->in.from[at], to = r->in.to[at], n = graphs_n_vertices(g, i);
    bool swap = !g->profile.directed && from > to, found;
    LODE_TRY(arrays_check(r));
    if (from >= n || to >= n) {
        char what[80];
        snprintf(what, sizeof what, "the graph has %" PRIu32 " vertices, numbered from 0", n);
        LODE_LEAVE(bad_edge(r, i, e, what));
    }
    if (from == to)
        LODE_LEAVE(bad_edge(r, i, e, "the edge is a loop; expected two different vertices"));
    uint64_t key = swap ? (uint64_t)to << 32 | from : (uint64_t)from << 32 | to;
    LODE_TRY(keymap_put(&r->edges, &r->job->mem, key, 0, &found));
    if (found) {
        LODE_LEAVE(bad_edge(r, i, e, "duplicate edge; expected every edge once"));
    }
    g->from.data[g->from.n++] = from;
    g->to.data[g->to.n++] = to;
done:
    return status;
}

static lode_status copy_edges(arrays_reader *r) {
    lode_status status = LODE_OK;
    lode_graphs *g = r->g;
    size_t n = (size_t)g->edge_start.data[g->n];
    LODE_TRY(vec_u32_reserve(g->mem, &g->from, n));
    LODE_TRY(vec_u32_reserve(g->mem, &g->to, n));
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t n_edges = (uint32_t)(g->edge_start.data[i + 1] - g->edge_start.data[i]);
        keymap_empty(&r->edges);
        for (uint32_t e = 0; e < n_edges; e++) LODE_TRY(copy_edge(r, i, e));
    }
done:
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static lode_status check_columns(lode_job *job, const lode_graph_arrays *a) {
    const char *missing = NULL;
    uint64_t n = a->n_graphs;
    if (n >= UINT32_MAX)
        return job_fail(job, LODE_UNSUPPORTED, "2^32 or more graphs are not supported");
    if (n > 0 && !a->vertex_offsets) missing = "vertex_offsets";
    if (n > 0 && !a->edge_offsets) missing = "edge_offsets";
    bool edges = n > 0 && a->edge_offsets && a->edge_offsets[n] > a->edge_offsets[0];
    if (edges && !a->to) missing = "to";
    if (edges && !a->from) missing = "from";
    if (a->vertex_names && !a->vertex_labels) missing = "vertex_labels";
    if (a->edge_names && !a->edge_labels) missing = "edge_labels";
    return missing ? job_fail(job, LODE_INVALID, "%s is NULL", missing) : LODE_OK;
}

static lode_status copy_arrays(arrays_reader *r) {
    lode_status status = LODE_OK;
    lode_graphs *g = r->g;
    const lode_graph_arrays *a = &r->in;
    g->profile.directed = a->directed;
    LODE_TRY(copy_offsets(r, "vertex_offsets", a->vertex_offsets, &g->vertex_start));
    LODE_TRY(copy_offsets(r, "edge_offsets", a->edge_offsets, &g->edge_start));
    g->n = (uint32_t)a->n_graphs;
    if (g->vertex_start.data[g->n] > UINT32_MAX) {
        LODE_LEAVE(job_fail(r->job, LODE_UNSUPPORTED, "2^32 or more vertices are not supported"));
    }
    LODE_TRY(copy_edges(r));
    label_column vertices = {.what = "vertex",
                             .given = a->vertex_labels,
                             .first = g->n ? a->vertex_offsets[0] : 0,
                             .n = g->vertex_start.data[g->n],
                             .texts = a->vertex_names,
                             .n_texts = a->n_vertex_names,
                             .names = g->vertex_names,
                             .labels = &g->labels,
                             .numbers = &g->vertex_numbers};
    label_column edges = {.what = "edge",
                          .given = a->edge_labels,
                          .first = g->n ? a->edge_offsets[0] : 0,
                          .n = g->edge_start.data[g->n],
                          .texts = a->edge_names,
                          .n_texts = a->n_edge_names,
                          .names = g->edge_names,
                          .labels = &g->edge_labels,
                          .numbers = &g->edge_numbers};
    LODE_TRY(copy_labels(r, &vertices));
    LODE_TRY(copy_labels(r, &edges));
    LODE_TRY(graphs_complete_profile(r->job, g));
done:
    return status;
}

lode_status lode_graphs_from_arrays(lode_job *job, lode_graphs **out,
                                    const lode_graph_arrays *arrays) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    arrays_reader r = {.job = job};
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(arrays));
    LODE_TRY(lease_enter(job, 1, &call));
    job_begin_phase(job, "read");
    LODE_TRY(valid_take(job, VALID_GRAPH_ARRAYS, arrays, &r.in));
    LODE_TRY(check_columns(job, &r.in));
    LODE_TRY(graphs_create(job, &r.g));
    LODE_TRY(copy_arrays(&r));
    r.g->profile.read_seconds = os_seconds() - job->phase_start;
    ctx_home_settle(r.g->home);
    *out = r.g;
    r.g = NULL;
done:
    if (status == LODE_BUDGET && r.g) {
        const lode_graphs *g = r.g;
        uint64_t v = g->vertex_start.data[g->n], e = g->edge_start.data[g->n];
        job->unsure = true;
        job_over_budget(job,
                        graphs_data_bytes(g->n, v, e) + graphs_mining_bytes(v, e, job->threads),
                        "a copy of the graphs");
    }
    keymap_free(&r.edges, &job->mem);
    lode_graphs_free(r.g);
    lease_leave(&call);
    return job_explain(job, status, "copying graphs");
}
