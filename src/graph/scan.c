/* scan.c - see scan.h
 *
 * One pass over the rows writes down every hit (row, neighbour, slot of the candidate) and counts
 * rows and graphs of each candidate. Then the frequent candidates that are needed get columns of
 * the right length, and a pass over the hits fills them in.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graph/scan.h"

#include "graph/cursor.h"

#define SCAN_CHECK_EVERY ((size_t)1 << 20) /* hits between two checks whether the job is to stop */
#define SCAN_ROWS        256               /* rows between two looks at the number of hits */
#define SCAN_LINES       4                 /* at first */

typedef struct hit {
    uint32_t row, vid, slot;
} hit;

typedef struct scan {
    worker *w;
    node *x;
    uint32_t root;      /* types below belong to earlier roots */
    uint16_t rightmost; /* position */
    bool forward;       /* new vertices are allowed */
    code_edge last;     /* of the code */
    hit *hits;
    size_t n_hits;
    /* The newest vertex only: what is looked for (growth.h). */
    const uint8_t *by_type;
    const uint64_t *graphs;
    uint8_t wanted;    /* GROWTH_…, of any type */
    uint8_t wanted_in; /* the same, of a neighbour that may be in the row */
    uint32_t origin;   /* type of the edge back to where the vertex came from */
    uint32_t graph;    /* of the row before */
    bool certain;      /* in this graph, a bit of node.has that is set is certain */
    size_t n_suspects; /* they lie on top of the lists */
    growth *found;
    size_t check_at; /* hits and rows after which to check whether the job is to stop */
} scan;

static inline uint8_t scan_wants(const scan *s, uint32_t type) {
    return s->by_type[type] & s->wanted;
}

void scan_free(worker *w) {
    mem *m = &w->s->job->mem;
    mem_free(m, w->slots, w->slots_cap * sizeof *w->slots);
    mem_free(m, w->slot_of, w->lines_cap * store_n_types(&w->s->store) * sizeof *w->slot_of);
}

static lode_status scan_new_slot(worker *w, uint32_t *place, code_edge edge) {
    if (w->n_slots == w->slots_cap) {
        lode_status status = vec_grow(&w->s->job->mem, (void **)&w->slots, w->n_slots,
                                      &w->slots_cap, 1, sizeof *w->slots);
        if (status != LODE_OK) return status;
    }
    bool back = !code_is_forward(edge);
    slot *t = &w->slots[w->n_slots++];
    *t = (slot){.edge = edge, .place = (size_t)(place - w->slot_of)};
    t->line = 2 * (size_t)(back ? edge.to : edge.from) + back;
    *place = (uint32_t)w->n_slots;
    return LODE_OK;
}

/* Whether an edge from the right-most vertex to position `to` may come next in the code. */
static bool scan_may_close(const scan *s, uint16_t to, uint32_t type) {
    const worker *w = s->w;
    if (!w->on_path[to] || code_has_arc(&w->code, s->rightmost, to, type)) return false;
    if (code_is_forward(s->last)) return true;
    return to > s->last.to || (to == s->last.to && type > s->last.type);
}

/* Room for twice as many lines. */
static lode_status scan_grow_lines(worker *w) {
    mem *m = &w->s->job->mem;
    size_t line = store_n_types(&w->s->store) * sizeof *w->slot_of;
    size_t cap = w->lines_cap ? 2 * w->lines_cap : SCAN_LINES;
    uint32_t *larger = NULL;
    lode_status status = mem_zalloc(m, (void **)&larger, cap * line);
    if (status != LODE_OK) return status;
    if (w->n_lines > 0) memcpy(larger, w->slot_of, w->n_lines * line);
    mem_free(m, w->slot_of, w->lines_cap * line);
    w->slot_of = larger;
    w->lines_cap = cap;
    return LODE_OK;
}

/* Where in slot_of the slots of candidates at a position begin, by type. */
static inline lode_status scan_line(worker *w, uint16_t position, bool back, size_t *offset) {
    uint32_t *line = &w->line_of[2 * (size_t)position + back];
    if (*line == 0) {
        if (w->n_lines == w->lines_cap) {
            lode_status status = scan_grow_lines(w);
            if (status != LODE_OK) return status;
        }
        *line = (uint32_t)++w->n_lines;
    }
    *offset = (*line - 1) * (size_t)store_n_types(&w->s->store);
    return LODE_OK;
}

/* Writes down a hit of the candidate whose entry of slot_of is `place`. There is room for it. */
static inline lode_status scan_add_hit(scan *s, uint32_t *place, code_edge edge, uint32_t row,
                                       uint32_t graph, uint32_t vid) {
    worker *w = s->w;
    if (*place == 0) {
        lode_status status = scan_new_slot(w, place, edge);
        if (status != LODE_OK) return status;
    }
    uint32_t k = *place - 1;
    slot *t = &w->slots[k];
    t->n++;
    if (t->last_graph != graph + 1) {
        t->last_graph = graph + 1;
        t->support++;
    }
    s->hits[s->n_hits++] = (hit){row, vid, k};
    return LODE_OK;
}

/* Writes down an edge to a new vertex. */
static inline lode_status scan_add_forward(scan *s, uint16_t position, half_edge h, uint32_t row,
                                           uint32_t graph) {
    size_t offset;
    lode_status status = scan_line(s->w, position, false, &offset);
    if (status != LODE_OK) return status;
    code_edge edge = {position, s->w->code.n_vertices, h.type};
    return scan_add_hit(s, s->w->slot_of + offset + h.type, edge, row, graph, h.to);
}

/* Writes down an edge that closes a cycle. */
static lode_status scan_add_backward(scan *s, uint16_t to, half_edge h, uint32_t row,
                                     uint32_t graph) {
    size_t offset;
    lode_status status = scan_line(s->w, to, true, &offset);
    if (status != LODE_OK) return status;
    code_edge edge = {s->rightmost, to, h.type};
    return scan_add_hit(s, s->w->slot_of + offset + h.type, edge, row, graph, s->x->vid[row]);
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

/* ---- the newest vertex ---------------------------------------------------------------------- */

/* A neighbour of the newest vertex that may be in the row, and so close a cycle. */
typedef struct suspect {
    uint32_t row, to, type;
    uint32_t at; /* while it is looked for: the row in the column above */
} suspect;

static inline suspect *scan_suspects(const worker *w) {
    return (suspect *)(w->lists.space + w->lists.top);
}

/* Notes what holds for all rows of a graph; false: none of them is wanted. */
static inline bool scan_enter_graph(scan *s, uint32_t graph) {
    const uint64_t *start = s->w->s->store.data->vertex_start.data + graph;
    s->graph = graph;
    s->certain = start[1] - start[0] <= 64;
    s->wanted_in = s->certain ? GROWTH_BACKWARD : s->wanted;
    return !s->graphs || growth_has_graph(s->graphs, graph);
}

/* Whether a row has a vertex. */
static bool scan_row_has(const worker *w, uint32_t row, uint32_t vertex) {
    for (unsigned d = w->depth;; d--) {
        const node *x = w->chain[d];
        if (x->vid[row] == vertex) return true;
        if (d == 0) return false;
        row = x->idx[row];
    }
}

/* Of the suspects of a row, one is the vertex that the row came from. If a single one has the type
 * of that edge, it is the one, and need not be looked for. */
static unsigned scan_drop_origin(const scan *s, suspect *in, unsigned n) {
    unsigned found = 0, at = 0;
    for (unsigned i = 0; i < n; i++) {
        if (in[i].type != s->origin) continue;
        found++;
        at = i;
    }
    if (found != 1) return n;
    in[at] = in[n - 1];
    return n - 1;
}

/* In a graph of more than 64 vertices, suspects need not be in the row at all. */
static lode_status scan_sort_out(scan *s, uint32_t row, unsigned *n) {
    lode_status status = LODE_OK;
    suspect *in = scan_suspects(s->w) + s->n_suspects;
    unsigned left = 0;
    for (unsigned i = 0; i < *n; i++) {
        uint8_t wanted = scan_wants(s, in[i].type);
        if (scan_row_has(s->w, row, in[i].to)) {
            if (wanted & GROWTH_BACKWARD) in[left++] = in[i];
        } else if (wanted & GROWTH_FORWARD) {
            half_edge h = {in[i].to, in[i].type};
            LODE_TRY(scan_add_forward(s, s->rightmost, h, row, s->graph));
        }
    }
    *n = left;
done:
    return status;
}

/* Writes down the suspects of a row: the last n that were found. */
static lode_status scan_suspect(scan *s, uint32_t row, unsigned n) {
    n = scan_drop_origin(s, scan_suspects(s->w) + s->n_suspects, n);
    lode_status status = s->certain || n == 0 ? LODE_OK : scan_sort_out(s, row, &n);
    s->n_suspects += n;
    return status;
}

/* Only the last vertex of the row is new. Its neighbours that are certainly not in the row are
 * extensions; the others are suspects. If there is one only, it is the vertex that the row came
 * from. */
static inline lode_status scan_newest(scan *s, size_t fresh, uint32_t row, uint32_t v) {
    worker *w = s->w;
    const half_edge *half = w->s->store.half;
    const uint8_t *by_type = s->by_type;
    uint32_t begin = w->s->store.offsets[v], end = w->s->store.offsets[v + 1], root = s->root;
    uint64_t has = s->x->has[row];
    uint8_t any = s->wanted, any_in = s->wanted_in;
    unsigned n_in = 0;
    lode_status status = list_stack_reach(&w->scratch, (s->n_hits + end - begin) * sizeof(hit));
    if (status != LODE_OK) return status;
    size_t top = w->lists.top + (s->n_suspects + end - begin) * sizeof(suspect);
    if ((status = list_stack_reach(&w->lists, top)) != LODE_OK) return status;
    suspect *in = scan_suspects(w) + s->n_suspects;
    for (uint32_t k = end; k > begin; k--) {
        uint32_t type = half[k - 1].type, to = half[k - 1].to;
        if (type < root) break;
        uint8_t wanted = by_type[type] & any;
        if (has >> to % 64 & 1) {
            in[n_in] = (suspect){row, to, type, row};
            n_in += (wanted & any_in) != 0;
        } else if (wanted & GROWTH_FORWARD) {
            code_edge edge = {s->rightmost, w->code.n_vertices, type};
            status = scan_add_hit(s, w->slot_of + fresh + type, edge, row, s->graph, to);
            if (status != LODE_OK) return status;
        }
    }
    return n_in > 0 ? scan_suspect(s, row, n_in) : LODE_OK;
}

/* In a sparse list every row is in another graph, and its edges come from memory, not from a cache.
 * So they are prefetched some rows ahead. */
#define SCAN_AHEAD 8

static inline void scan_prefetch(const node *x, const store *g, uint32_t row) {
    if (row + 2 * SCAN_AHEAD >= x->n) return;
    uint32_t far = x->vid[row + 2 * SCAN_AHEAD], near = x->vid[row + SCAN_AHEAD];
    __builtin_prefetch(&g->offsets[far]);
    __builtin_prefetch(&g->graph_of[far]);
    __builtin_prefetch(&g->half[g->offsets[near]]);
}

/* Checks whether the job is to stop, after so many hits and rows. */
static inline lode_status scan_check(scan *s, uint32_t row) {
    if (row % SCAN_ROWS != 0 || s->n_hits + row < s->check_at) return LODE_OK;
    s->check_at = s->n_hits + row + SCAN_CHECK_EVERY;
    return job_check(s->w->s->job);
}

/* Looks at the newest vertex of all rows. */
static lode_status scan_rows_newest(scan *s) {
    lode_status status = LODE_OK;
    const node *x = s->x;
    const store *g = &s->w->s->store;
    size_t fresh;
    bool wanted = false;
    LODE_TRY(scan_line(s->w, s->rightmost, false, &fresh));
    for (uint32_t row = 0; row < x->n; row++) {
        LODE_TRY(scan_check(s, row));
        scan_prefetch(x, g, row);
        uint32_t v = x->vid[row], graph = g->graph_of[v];
        if (g->offsets[v + 1] - g->offsets[v] <= 1) continue;
        if (graph != s->graph) wanted = scan_enter_graph(s, graph);
        if (wanted) LODE_TRY(scan_newest(s, fresh, row, v));
    }
done:
    return status;
}

/* Looks for the suspects in one column, and then goes up to the column above. */
static lode_status scan_find_in(scan *s, const node *x, bool first) {
    lode_status status = LODE_OK;
    suspect *all = scan_suspects(s->w);
    size_t left = 0, n = s->n_suspects;
    bool has_vertex = x->position != CODE_NONE;
    for (size_t i = 0; i < n; i++) {
        suspect one = all[i];
        if (has_vertex && x->vid[one.at] == one.to) {
            if (!scan_may_close(s, x->position, one.type)) continue;
            half_edge h = {one.to, one.type};
            uint32_t graph = s->w->s->store.graph_of[one.to];
            LODE_TRY(scan_add_backward(s, x->position, h, one.row, graph));
            continue;
        }
        if (!first) one.at = x->idx[one.at];
        all[left++] = one;
    }
    s->n_suspects = left;
done:
    return status;
}

/* Finds the positions of all suspects, column by column from the newest to the first. All hits of a
 * candidate are in one column, so they are found in the order of rows. */
static lode_status scan_find_suspects(scan *s) {
    lode_status status = LODE_OK;
    size_t bytes = (s->n_hits + s->n_suspects) * sizeof(hit);
    LODE_TRY(list_stack_reach(&s->w->scratch, bytes));
    for (unsigned d = s->w->depth + 1; d-- > 0 && s->n_suspects > 0;) {
        if (s->n_suspects > SCAN_ROWS) LODE_TRY(job_check(s->w->s->job));
        LODE_TRY(scan_find_in(s, s->w->chain[d], d == 0));
    }
done:
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
        (growth_edge){t->edge.type, code_is_forward(t->edge), t->graphs};
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
    LODE_TRY(list_stack_take(&w->lists, (size_t)t->n * sizeof *t->idx, (void **)&t->idx));
    LODE_TRY(list_stack_take(&w->lists, (size_t)t->n * sizeof *t->vid, (void **)&t->vid));
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
    s.origin = w->s->store.reverse[x->edge.type];
    LODE_TRY(scan_prepare(w, x, &n));
    LODE_TRY(scan_rows_newest(&s));
    LODE_TRY(scan_find_suspects(&s));
    if (s.n_hits > UINT32_MAX - 1) LODE_LEAVE(LODE_UNSUPPORTED);
    LODE_TRY(scan_make_extensions(&s, room));
    *found = s.found;
done:
    scan_clear(w, s.rightmost);
    return status;
}
