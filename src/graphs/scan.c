/* scan.c - see scan.h
 *
 * One pass over the rows writes down every hit (row, neighbour, slot of the candidate) and counts
 * rows and graphs of each candidate. Then the frequent candidates that are needed get columns of
 * the right length, and a pass over the hits fills them in.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/scan.h"

#include "graphs/cursor.h"
#include "graphs/scan_state.h"

void scan_free(worker *w) {
    mem *m = &w->s->job->mem;
    mem_free(m, w->slots, w->slots_cap * sizeof *w->slots);
    mem_free(m, w->slot_of, w->lines_cap * store_n_types(&w->s->store) * sizeof *w->slot_of);
}

/* Looks at the neighbours of one vertex of the row. */
static lode_status scan_vertex(scan *s, uint32_t row, uint16_t position) {
    worker *w = s->w;
    const store *g = &w->s->store;
    uint32_t v = w->vertex_at[position], begin = g->offsets[v], end = g->offsets[v + 1];
    uint32_t graph = g->graph_of[v];
    lode_status status =
        list_stack_reach(&w->scratch, (s->n_hits + (end - begin)) * sizeof *s->hits);
    code_edge edge = {position, w->code.n_vertices, 0};
    size_t fresh = SIZE_MAX; /* its line: none yet */
    for (uint32_t k = end; k > begin && status == LODE_OK; k--) {
        half_edge h = g->half[k - 1];
        if (h.type < s->root) break;
        uint16_t at = w->position_of[h.to];
        if (at == CODE_NONE) {
            if (!s->forward) continue;
            edge.type = h.type;
            if (fresh == SIZE_MAX) status = scan_line(w, position, false, &fresh);
            if (status != LODE_OK) break;
            status = scan_add_hit(s, w->slot_of + fresh + h.type, edge, row, graph, h.to);
        } else if (position == s->rightmost && scan_may_close(s, at, h.type)) {
            status = scan_add_backward(s, at, h, row, graph);
        }
    }
    return status;
}

/* ---- the whole path ------------------------------------------------------------------------- */

/* Looks at n positions of all rows. */
static lode_status scan_rows(scan *s, unsigned n) {
    lode_status status = LODE_OK;
    worker *w = s->w;
    const node *x = s->x;
    for (uint32_t row = 0; row < x->n; row++) {
        LODE_TRY(scan_check(s, row));
        scan_prefetch(x, &w->s->store, row);
        cursor_move(w, row);
        for (unsigned k = 0; k < n; k++) LODE_TRY(scan_vertex(s, row, w->to_visit[k]));
    }
done:
    cursor_end(w);
    return status;
}

/* ---- extensions ----------------------------------------------------------------------------- */

static bool scan_slot_before(slot *const *a, slot *const *b) {
    return code_edge_less((*a)->edge, (*b)->edge);
}

#define SORT_NAME   scan_sort_slots
#define SORT_TYPE   slot *
#define SORT_BEFORE scan_slot_before
#include "base/sort_body.h"

/* A bit set for the graphs of a frequent candidate, which is part of the growth. */
static lode_status scan_note_growth(scan *s, slot *t) {
    worker *w = s->w;
    size_t bytes = w->s->n_words * sizeof *t->graphs;
    lode_status status = list_stack_take(&w->growths, bytes, (void **)&t->graphs);
    if (status != LODE_OK) return status;
    memset(t->graphs, 0, bytes);
    s->found->edges[s->found->n++] =
        (growth_edge){t->edge.type, code_is_forward(t->edge), t->graphs, NULL};
    return LODE_OK;
}

/* Makes an extension of a frequent candidate, if it is needed. */
static lode_status scan_keep(scan *s, slot *t) {
    lode_status status = LODE_OK;
    worker *w = s->w;
    node *x = s->x;
    bool join = w->s->join;
    extension e = {.edge = t->edge, .n = t->n, .support = t->support};
    LODE_TRY(worker_test(w, x, &e));
    w->frequent++;
    if (join) LODE_TRY(scan_note_growth(s, t));
    if (!extension_is_kept(join ? x->n_extensions : 0, e.verdict)) goto done;
    LODE_TRY(worker_keep_guards(w, &e));
    LODE_TRY(list_stack_take(&w->lists, ((size_t)t->n + 1) * sizeof *t->idx, (void **)&t->idx));
    LODE_TRY(list_stack_take(&w->lists, (size_t)t->n * sizeof *t->vid, (void **)&t->vid));
    if (code_is_forward(e.edge)) e.growth = growth_below(s->known, e.edge.type);
    t->idx[t->n] = UINT32_MAX; /* see join.c */
    e.idx = t->idx;
    e.vid = t->vid;
    e.graphs = t->graphs;
    x->extensions[x->n_extensions++] = e;
    w->occurrences += t->n;
    t->n = 0; /* from here on, how many rows are filled in */
done:
    return status;
}

/* Fills in the columns from some of the hits. */
static void scan_distribute_some(const scan *s, size_t begin, size_t end) {
    const worker *w = s->w;
    const uint32_t *graph_of = w->s->store.graph_of;
    for (size_t i = begin; i < end; i++) {
        hit h = s->hits[i];
        slot *t = &w->slots[h.slot];
        if (t->graphs) {
            uint32_t graph = graph_of[h.vid];
            t->graphs[graph / 64] |= (uint64_t)1 << graph % 64;
        }
        if (!t->idx) continue;
        t->idx[t->n] = h.row;
        t->vid[t->n++] = h.vid;
    }
}

static lode_status scan_distribute(const scan *s) {
    lode_status status = LODE_OK;
    for (size_t begin = 0, end; begin < s->n_hits; begin = end) {
        end = s->n_hits - begin < SCAN_CHECK_EVERY ? s->n_hits : begin + SCAN_CHECK_EVERY;
        scan_distribute_some(s, begin, end);
        if (end < s->n_hits) LODE_TRY(job_check(s->w->s->job));
    }
done:
    return status;
}

static lode_status scan_make_extensions(scan *s, uint32_t room) {
    lode_status status = LODE_OK;
    worker *w = s->w;
    uint64_t min_support = search_threshold(w->s);
    size_t n = 0, hit_bytes = (s->n_hits * sizeof *s->hits + 15) / 16 * 16;
    w->scratch.top = hit_bytes;
    slot **order = NULL;
    LODE_TRY(list_stack_take(&w->scratch, w->n_slots * sizeof *order, (void **)&order));
    for (size_t i = 0; i < w->n_slots; i++) {
        if (w->slots[i].support >= min_support) order[n++] = &w->slots[i];
    }
    scan_sort_slots(order, n, NULL);
    w->candidates += w->n_slots;
    extension **out = &s->x->extensions;
    LODE_TRY(list_stack_take(&w->lists, (n + room) * sizeof **out, (void **)out));
    if (w->s->join) {
        size_t bytes = sizeof *s->found + n * sizeof *s->found->edges;
        LODE_TRY(list_stack_take(&w->growths, bytes, (void **)&s->found));
        s->found->n = 0;
    }
    for (size_t i = 0; i < n; i++) LODE_TRY(scan_keep(s, order[i]));
    if (n > 0) LODE_TRY(scan_distribute(s));
done:
    w->scratch.top = 0;
    return status;
}

/* Makes room, and lists the positions of the right-most path in w->to_visit. */
static lode_status scan_prepare(worker *w, const node *x, unsigned *n) {
    lode_status status = LODE_OK;
    LODE_TRY(cursor_start(w, x)); /* makes room for what follows */
    memset(w->on_path, 0, w->chain_cap * sizeof *w->on_path);
    *n = 0;
    for (uint16_t p = (uint16_t)(w->code.n_vertices - 1); p != CODE_NONE; p = w->code.parents[p]) {
        w->on_path[p] = true;
        w->to_visit[(*n)++] = p;
    }
done:
    return status;
}

/* Forgets the slots and their lines. The newest vertex has a line even if it has no slot. */
static void scan_clear(worker *w, uint16_t rightmost) {
    for (size_t i = 0; i < w->n_slots; i++) {
        w->slot_of[w->slots[i].place] = 0;
        w->line_of[w->slots[i].line] = 0;
    }
    if (w->line_of) w->line_of[2 * (size_t)rightmost] = 0;
    w->n_slots = w->n_lines = 0;
}

static scan scan_begin(worker *w, node *x) {
    scan s = {.w = w, .x = x, .last = w->code.edges[w->code.n_edges - 1], .graph = UINT32_MAX};
    s.root = w->code.edges[0].type;
    s.rightmost = (uint16_t)(w->code.n_vertices - 1);
    s.forward = w->code.n_vertices < w->s->options->max_vertices;
    s.wanted = s.forward ? GROWTH_FORWARD | GROWTH_BACKWARD : GROWTH_BACKWARD;
    s.hits = (hit *)w->scratch.space;
    return s;
}

lode_status scan_path(worker *w, node *x) {
    lode_status status = LODE_OK;
    scan s = scan_begin(w, x);
    unsigned n = 0;
    LODE_TRY(scan_prepare(w, x, &n));
    LODE_TRY(scan_rows(&s, n));
    if (s.n_hits > UINT32_MAX - 1) LODE_LEAVE(LODE_UNSUPPORTED);
    LODE_TRY(scan_make_extensions(&s, 0));
done:
    scan_clear(w, s.rightmost);
    return status;
}

lode_status scan_newest_vertex(worker *w, node *x, const growth_filter *filter, uint32_t room,
                               growth **found) {
    lode_status status = LODE_OK;
    scan s = scan_begin(w, x);
    unsigned n = 0;
    s.by_type = filter->by_type;
    s.graphs = filter->graphs;
    s.known = filter->from;
    s.origin = w->s->store.reverse[x->edge.type];
    LODE_TRY(scan_prepare(w, x, &n));
    LODE_TRY(scan_all_newest(&s));
    if (s.n_hits > UINT32_MAX - 1) LODE_LEAVE(LODE_UNSUPPORTED);
    LODE_TRY(scan_make_extensions(&s, room));
    *found = s.found;
done:
    scan_clear(w, s.rightmost);
    return status;
}
