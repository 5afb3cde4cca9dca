/* graph_together.c - see graph_together.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/graphs/graph_together.h"

#include <string.h>

/* What a process tells about its part. */
typedef struct joint_head {
    uint64_t n, n_vertices, n_edges, most_vertices, most_edges;
    uint64_t vertex_ids, supports; /* 1: it has such a column */
    uint64_t top_graph, top_vertex, top_support;
} joint_head;

#define JOINT_NUMBERS (sizeof(joint_head) / sizeof(uint64_t))

enum { JOINT_GRAPHS, JOINT_VERTICES, JOINT_EDGES, JOINT_KINDS };

typedef struct graph_joint {
    peers *p;
    lode_job *job;
    lode_graphs *part, *g;
    joint_head *heads;       /* of all processes */
    joint_head all;          /* sums, and the largest */
    uint64_t *places;        /* where the next piece of each process goes */
    vec_u32 ids, order;      /* of names: local id -> id, and -> its place */
    vec_u64 longs;           /* a column of this process that has to be made first */
    vec_char mine, received; /* the exchanged data */
    mem_kept kept;           /* heads and places */
} graph_joint;

/* ---- the parts of all processes -------------------------------------------------------------- */

static uint64_t joint_graph_id(const lode_graphs *g, uint32_t i) {
    return g->graph_ids.n ? g->graph_ids.data[i] : i;
}

static joint_head joint_describe(const lode_graphs *g) {
    joint_head h = {.n = g->n,
                    .n_vertices = g->labels.n,
                    .n_edges = g->from.n,
                    .most_vertices = g->profile.most_vertices,
                    .most_edges = g->profile.most_edges,
                    .vertex_ids = g->vertex_ids.n > 0,
                    .supports = g->supports.n > 0};
    for (uint32_t i = 0; i < g->n; i++) {
        if (joint_graph_id(g, i) > h.top_graph) h.top_graph = joint_graph_id(g, i);
    }
    for (size_t i = 0; i < g->vertex_ids.n; i++) {
        if (g->vertex_ids.data[i] > h.top_vertex) h.top_vertex = g->vertex_ids.data[i];
    }
    for (size_t i = 0; i < g->supports.n; i++) {
        if (g->supports.data[i] > h.top_support) h.top_support = g->supports.data[i];
    }
    return h;
}

static uint64_t joint_larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static void joint_add(joint_head *all, const joint_head *h) {
    all->n += h->n;
    all->n_vertices += h->n_vertices;
    all->n_edges += h->n_edges;
    all->most_vertices = joint_larger(all->most_vertices, h->most_vertices);
    all->most_edges = joint_larger(all->most_edges, h->most_edges);
    all->vertex_ids |= h->vertex_ids;
    all->supports |= h->supports;
    all->top_graph = joint_larger(all->top_graph, h->top_graph);
    all->top_vertex = joint_larger(all->top_vertex, h->top_vertex);
    all->top_support = joint_larger(all->top_support, h->top_support);
}

static lode_status joint_begin(graph_joint *t) {
    lode_status status = LODE_OK;
    mem *m = &t->job->mem;
    uint32_t n = t->p->to.n;
    LODE_TRY(mem_keep_zero(m, &t->kept, (void **)&t->heads, n * sizeof *t->heads));
    LODE_TRY(mem_keep_zero(m, &t->kept, (void **)&t->places, n * sizeof *t->places));
    LODE_TRY(graphs_create(t->job, &t->g));
    t->g->profile.directed = t->part->profile.directed;
    dict_stop_by(t->g->vertex_names, job_sort_stop(t->job));
    dict_stop_by(t->g->edge_names, job_sort_stop(t->job));
done:
    return status;
}

static lode_status joint_meet(graph_joint *t) {
    lode_status status = LODE_OK;
    joint_head own = joint_describe(t->part);
    LODE_TRY(peers_agree(t->p, joint_begin(t)));
    LODE_TRY(peers_numbers(t->p, (uint64_t *)&own, JOINT_NUMBERS, (uint64_t *)t->heads));
    for (uint32_t k = 0; k < t->p->to.n; k++) joint_add(&t->all, &t->heads[k]);
    if (t->all.n >= UINT32_MAX || t->all.n_vertices >= UINT32_MAX) status = LODE_UNSUPPORTED;
done:
    return status;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* A name on its way: its length, and its bytes. */
static lode_status joint_list_names(graph_joint *t, const dict *names) {
    lode_status status = LODE_OK;
    mem *m = &t->job->mem;
    t->mine.n = 0;
    for (uint32_t i = 0; i < dict_count(names); i++) {
        size_t n;
        const char *name = dict_name(names, i, &n);
        uint64_t length = n;
        LODE_TRY(vec_char_append(m, &t->mine, &length, sizeof length));
        LODE_TRY(vec_char_append(m, &t->mine, name, n));
    }
    LODE_TRY(vec_u32_reserve(m, &t->ids, dict_count(names) + 1));
    t->ids.n = dict_count(names);
done:
    return status;
}

/* Adds the names from all processes to the dictionary, process by process. Fills t->ids with the
 * ids of this process's names. */
static lode_status joint_add_names(graph_joint *t, dict *all) {
    lode_status status = LODE_OK;
    size_t at = 0;
    for (uint32_t k = 0; k < t->p->to.n; k++) {
        size_t end = at + (size_t)t->p->bytes.data[k];
        for (size_t i = 0; at < end; i++) {
            uint64_t length;
            uint32_t id;
            memcpy(&length, t->received.data + at, sizeof length);
            at += sizeof length;
            LODE_TRY(dict_add(all, t->received.data + at, (size_t)length, &id));
            at += (size_t)length;
            if (k == t->p->to.index) t->ids.data[i] = id;
        }
    }
done:
    return status;
}

/* Puts the names in print order. */
static lode_status joint_sort_names(graph_joint *t, dict *all) {
    vec_u32 none = {0};
    t->order.n = 0;
    lode_status status = vec_u32_reserve(&t->job->mem, &t->order, dict_count(all) + 1);
    if (status == LODE_OK) status = graphs_sort_labels(t->job, all, &none, t->order.data);
    for (size_t i = 0; status == LODE_OK && i < t->ids.n; i++) {
        t->ids.data[i] = t->order.data[t->ids.data[i]];
    }
    return status;
}

static lode_status joint_names(graph_joint *t, const dict *own, dict *all, bool sorted) {
    lode_status status = LODE_OK;
    LODE_TRY(peers_agree(t->p, joint_list_names(t, own)));
    LODE_TRY(peers_gather(t->p, t->mine.data, t->mine.n, &t->received));
    lode_status added = joint_add_names(t, all);
    if (added == LODE_OK && sorted) added = joint_sort_names(t, all);
    LODE_TRY(peers_agree(t->p, added));
done:
    return status;
}

/* Labels become those of the whole. */
static void joint_map_labels(const graph_joint *t, vec_u32 *labels) {
    for (size_t i = 0; i < labels->n; i++) labels->data[i] = t->ids.data[labels->data[i]];
}

static void joint_map_words(const graph_joint *t, vec_u64 *ids) {
    for (size_t i = 0; i < ids->n; i++) {
        uint64_t id = ids->data[i];
        if (id >= GRAPHS_WORD) ids->data[i] = GRAPHS_WORD + t->ids.data[id - GRAPHS_WORD];
    }
}

static lode_status joint_all_names(graph_joint *t) {
    lode_status status = LODE_OK;
    lode_graphs *part = t->part, *g = t->g;
    LODE_TRY(joint_names(t, part->vertex_names, g->vertex_names, true));
    joint_map_labels(t, &part->labels);
    LODE_TRY(joint_names(t, part->edge_names, g->edge_names, true));
    joint_map_labels(t, &part->edge_labels);
    LODE_TRY(joint_names(t, part->words, g->words, false));
    joint_map_words(t, &part->graph_ids);
    joint_map_words(t, &part->vertex_ids);
done:
    return status;
}

/* ---- columns -------------------------------------------------------------------------------- */

/* A column of this process, and where that of all is. */
typedef struct joint_column {
    unsigned of;   /* JOINT_GRAPHS … */
    uint64_t most; /* the largest number in it, or more */
    bool is_long;  /* of 64 bits */
    const void *own;
    void *all;
} joint_column;

static uint64_t joint_count(const joint_head *h, unsigned of) {
    return of == JOINT_GRAPHS ? h->n : of == JOINT_VERTICES ? h->n_vertices : h->n_edges;
}

static lode_status joint_pack(graph_joint *t, const joint_column *c, uint64_t first, size_t n,
                              unsigned width) {
    lode_status status = vec_char_reserve(&t->job->mem, &t->mine, n * width + 1);
    if (status != LODE_OK || n == 0) return status;
    if (c->is_long) {
        peers_narrow_long(t->mine.data, (const uint64_t *)c->own + first, n, width);
    } else {
        peers_narrow(t->mine.data, (const uint32_t *)c->own + first, n, width);
    }
    return LODE_OK;
}

static void joint_unpack(graph_joint *t, const joint_column *c, unsigned width) {
    const char *text = t->received.data;
    for (uint32_t k = 0; k < t->p->to.n; k++) {
        size_t n = (size_t)t->p->bytes.data[k] / width;
        if (n == 0) continue;
        if (c->is_long) {
            peers_widen_long((uint64_t *)c->all + t->places[k], text, n, width);
        } else {
            peers_widen((uint32_t *)c->all + t->places[k], text, n, width);
        }
        t->places[k] += n;
        text += n * width;
    }
}

static lode_status joint_exchange(graph_joint *t, const joint_column *c) {
    lode_status status = LODE_OK;
    uint64_t n_own = joint_count(&t->heads[t->p->to.index], c->of), place = 0;
    unsigned width = peers_width(c->most);
    size_t piece = peers_piece(t->p) / width;
    for (uint32_t k = 0; k < t->p->to.n; k++) {
        t->places[k] = place;
        place += joint_count(&t->heads[k], c->of);
    }
    t->mine.n = 0;
    for (uint64_t first = 0, n;; first += n) {
        n = n_own - first < piece ? n_own - first : piece;
        lode_status packed = joint_pack(t, c, first, (size_t)n, width);
        if (packed == LODE_OK) packed = job_check(t->job);
        LODE_TRY(peers_agree(t->p, packed));
        LODE_TRY(peers_gather(t->p, t->mine.data, (size_t)n * width, &t->received));
        if (t->received.n == 0) break;
        joint_unpack(t, c, width);
    }
done:
    return status;
}

static lode_status joint_make_room(graph_joint *t) {
    lode_status status = LODE_OK;
    lode_graphs *g = t->g;
    const joint_head *all = &t->all;
    g->n = (uint32_t)all->n;
    LODE_TRY(graphs_make_columns(g, all->n_vertices, all->n_edges, all->vertex_ids, all->supports));
    LODE_TRY(vec_u64_reserve(&t->job->mem, &t->longs, t->part->labels.n + t->part->n + 1));
done:
    return status;
}

/* How many vertices, or edges, each graph has; then where each begins. */
static lode_status joint_starts(graph_joint *t, const vec_u64 *own, vec_u64 *all, uint64_t most) {
    for (uint32_t i = 0; i < t->part->n; i++) t->longs.data[i] = own->data[i + 1] - own->data[i];
    joint_column c = {JOINT_GRAPHS, most, true, t->longs.data, all->data + 1};
    lode_status status = joint_exchange(t, &c);
    for (uint32_t i = 0; status == LODE_OK && i < t->g->n; i++) all->data[i + 1] += all->data[i];
    return status;
}

static lode_status joint_graph_ids(graph_joint *t) {
    for (uint32_t i = 0; i < t->part->n; i++) t->longs.data[i] = joint_graph_id(t->part, i);
    joint_column c = {JOINT_GRAPHS, t->all.top_graph >= GRAPHS_WORD ? UINT64_MAX : t->all.top_graph,
                      true, t->longs.data, t->g->graph_ids.data};
    return joint_exchange(t, &c);
}

static lode_status joint_vertex_ids(graph_joint *t) {
    const lode_graphs *part = t->part;
    uint64_t most = joint_larger(t->all.top_vertex, t->all.most_vertices), *to = t->longs.data;
    if (!t->all.vertex_ids) return LODE_OK;
    for (uint32_t i = 0; i < part->n; i++) {
        uint64_t v = part->vertex_start.data[i];
        for (uint64_t k = 0; k < graphs_n_vertices(part, i); k++) {
            *to++ = v + k < part->vertex_ids.n ? part->vertex_ids.data[v + k] : k;
        }
    }
    joint_column c = {JOINT_VERTICES, most >= GRAPHS_WORD ? UINT64_MAX : most, true, t->longs.data,
                      t->g->vertex_ids.data};
    return joint_exchange(t, &c);
}

static lode_status joint_supports(graph_joint *t) {
    const vec_u64 *own = &t->part->supports;
    if (!t->all.supports) return LODE_OK;
    for (uint32_t i = 0; i < t->part->n; i++) t->longs.data[i] = i < own->n ? own->data[i] : 0;
    joint_column c = {JOINT_GRAPHS, t->all.top_support, true, t->longs.data, t->g->supports.data};
    return joint_exchange(t, &c);
}

static lode_status joint_columns(graph_joint *t) {
    lode_status status = LODE_OK;
    const lode_graphs *part = t->part;
    lode_graphs *g = t->g;
    uint64_t vertex = t->all.most_vertices;
    joint_column labels = {JOINT_VERTICES, dict_count(g->vertex_names), false, part->labels.data,
                           g->labels.data};
    joint_column from = {JOINT_EDGES, vertex, false, part->from.data, g->from.data};
    joint_column to = {JOINT_EDGES, vertex, false, part->to.data, g->to.data};
    joint_column edges = {JOINT_EDGES, dict_count(g->edge_names), false, part->edge_labels.data,
                          g->edge_labels.data};
    LODE_TRY(joint_starts(t, &part->vertex_start, &g->vertex_start, vertex));
    LODE_TRY(joint_starts(t, &part->edge_start, &g->edge_start, t->all.most_edges));
    LODE_TRY(joint_graph_ids(t));
    LODE_TRY(joint_vertex_ids(t));
    LODE_TRY(joint_supports(t));
    LODE_TRY(joint_exchange(t, &labels));
    LODE_TRY(joint_exchange(t, &from));
    LODE_TRY(joint_exchange(t, &to));
    LODE_TRY(joint_exchange(t, &edges));
done:
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Ids that are just numbers are not kept. Of an id that is there twice, the line is wanted. */
static lode_status joint_check_ids(graph_joint *t) {
    lode_status status = LODE_OK;
    mem *m = &t->job->mem;
    vec_u64 *ids = &t->g->graph_ids;
    keymap seen = {0};
    size_t plain = 0;
    while (plain < ids->n && ids->data[plain] == plain) plain++;
    if (plain == ids->n) {
        vec_u64_free(t->g->mem, ids);
        return LODE_OK;
    }
    for (size_t i = 0; i < ids->n; i++) {
        bool found;
        LODE_TRY(keymap_put(&seen, m, ids->data[i], 0, &found));
        if (found) LODE_LEAVE(LODE_PARSE);
    }
done:
    keymap_free(&seen, m);
    return status;
}

lode_status graphs_join_peers(peers *p, lode_graphs *part, lode_graphs **out) {
    lode_status status = LODE_OK;
    graph_joint t = {.p = p, .job = p->job, .part = part};
    mem *m = &p->job->mem;
    LODE_TRY(joint_meet(&t));
    LODE_TRY(joint_all_names(&t));
    LODE_TRY(peers_agree(p, joint_make_room(&t)));
    LODE_TRY(joint_columns(&t));
    lode_status checked = joint_check_ids(&t);
    if (checked == LODE_OK) checked = graphs_complete_profile(p->job, t.g);
    LODE_TRY(peers_agree(p, checked));
    *out = t.g;
    t.g = NULL;
done:
    lode_graphs_free(t.g);
    vec_u32_free(m, &t.ids);
    vec_u32_free(m, &t.order);
    vec_u64_free(m, &t.longs);
    vec_char_free(m, &t.mine);
    vec_char_free(m, &t.received);
    mem_drop(m, &t.kept);
    return status;
}
