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
} scan;

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
    t->support += t->last_graph != graph + 1;
    t->last_graph = graph + 1;
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

#define SCAN_CYCLES 8 /* neighbours looked up at once */

/* Finds the positions of some vertices in a row; CODE_NONE: it does not have the vertex. */
static void scan_find_positions(const worker *w, uint32_t row, const half_edge *h, uint16_t *at,
                                unsigned n) {
    unsigned left = n;
    for (unsigned i = 0; i < n; i++) at[i] = CODE_NONE;
    for (unsigned d = w->depth;; d--) {
        const node *x = w->chain[d];
        uint32_t v = x->vid[row];
        for (unsigned i = 0; i < n; i++) {
            if (h[i].to != v || x->position == CODE_NONE) continue;
            at[i] = x->position;
            if (--left == 0) return;
        }
        if (d == 0) return;
        row = x->idx[row];
    }
}

/* Writes down neighbours of the newest vertex that may be in the row. */
static lode_status scan_find_cycles(scan *s, uint32_t row, uint32_t graph, const half_edge *h,
                                    unsigned n) {
    uint16_t at[SCAN_CYCLES];
    lode_status status = LODE_OK;
    scan_find_positions(s->w, row, h, at, n);
    for (unsigned i = 0; i < n && status == LODE_OK; i++) {
        if (at[i] == CODE_NONE) {
            if (s->forward) status = scan_add_forward(s, s->rightmost, h[i], row, graph);
        } else if (scan_may_close(s, at[i], h[i].type)) {
            status = scan_add_backward(s, at[i], h[i], row, graph);
        }
    }
    return status;
}

/* Only the last vertex of the row is new. Its neighbours that are certainly not in the row are
 * extensions. If only one neighbour may be in the row, it is the vertex that the row came from. So
 * the other vertices of the row are looked at only where a cycle closes. */
static inline lode_status scan_newest(scan *s, size_t fresh, uint32_t row) {
    const store *g = &s->w->s->store;
    uint32_t v = s->x->vid[row], begin = g->offsets[v], end = g->offsets[v + 1];
    if (end - begin <= 1) return LODE_OK;
    uint64_t has = s->x->has[row];
    uint32_t graph = g->graph_of[v];
    half_edge in[SCAN_CYCLES];
    unsigned n_in = 0, n_cycles = 0;
    uint32_t *places = s->w->slot_of + fresh;
    lode_status status =
        list_stack_reach(&s->w->scratch, (s->n_hits + (end - begin)) * sizeof *s->hits);
    if (status != LODE_OK) return status;
    for (uint32_t k = end; k > begin; k--) {
        half_edge h = g->half[k - 1];
        if (h.type < s->root) break;
        if (has >> h.to % 64 & 1) {
            n_in++;
            in[n_cycles++] = h;
            if (n_cycles < SCAN_CYCLES) continue;
            status = scan_find_cycles(s, row, graph, in, n_cycles);
            n_cycles = 0;
            places = s->w->slot_of + fresh; /* it may have moved */
        } else if (s->forward) {
            code_edge edge = {s->rightmost, s->w->code.n_vertices, h.type};
            status = scan_add_hit(s, places + h.type, edge, row, graph, h.to);
        }
        if (status != LODE_OK) return status;
    }
    return n_in > 1 && n_cycles > 0 ? scan_find_cycles(s, row, graph, in, n_cycles) : LODE_OK;
}

/* In a sparse list every row is in another graph, and its edges come from memory, not from a cache.
 * So they are prefetched some rows ahead. */
#define SCAN_AHEAD 8

/* Looks at all rows, at the newest vertex or at n positions. */
static lode_status scan_rows(scan *s, unsigned n) {
    lode_status status = LODE_OK;
    worker *w = s->w;
    const node *x = s->x;
    const store *g = &w->s->store;
    bool newest = x->has && n == 1;
    size_t fresh, check_at = 0;
    LODE_TRY(scan_line(w, s->rightmost, false, &fresh));
    LODE_TRY(cursor_start(w, x));
    for (uint32_t row = 0; row < x->n; row++) {
        if (row % SCAN_ROWS == 0 && s->n_hits + row >= check_at) {
            LODE_TRY(job_check(w->s->job));
            check_at = s->n_hits + row + SCAN_CHECK_EVERY;
        }
        if (row + 2 * SCAN_AHEAD < x->n) {
            uint32_t far = x->vid[row + 2 * SCAN_AHEAD], near = x->vid[row + SCAN_AHEAD];
            __builtin_prefetch(&g->offsets[far]);
            __builtin_prefetch(&g->graph_of[far]);
            __builtin_prefetch(&g->half[g->offsets[near]]);
        }
        if (newest) {
            LODE_TRY(scan_newest(s, fresh, row));
            continue;
        }
        cursor_move(w, row);
        for (unsigned k = 0; k < n; k++) LODE_TRY(scan_vertex(s, row, w->to_visit[k]));
    }
    if (s->n_hits > UINT32_MAX - 1) LODE_LEAVE(LODE_UNSUPPORTED);
done:
    cursor_end(w);
    return status;
}

static bool scan_slot_before(slot *const *a, slot *const *b) {
    return code_edge_less((*a)->edge, (*b)->edge);
}

#define SORT_NAME   scan_sort_slots
#define SORT_TYPE   slot *
#define SORT_BEFORE scan_slot_before
#include "base/sort_body.h"

/* Makes an extension of a frequent candidate, if it is needed. */
static lode_status scan_keep(scan *s, slot *t) {
    lode_status status = LODE_OK;
    worker *w = s->w;
    node *x = s->x;
    code_verdict verdict;
    bool join = w->s->join;
    LODE_TRY(code_test(&w->code, t->edge, &verdict));
    w->frequent++;
    if (!extension_is_kept(join ? x->n_extensions : 0, verdict)) goto done;
    LODE_TRY(list_stack_take(&w->lists, (size_t)t->n * sizeof *t->idx, (void **)&t->idx));
    LODE_TRY(list_stack_take(&w->lists, (size_t)t->n * sizeof *t->vid, (void **)&t->vid));
    if (join) {
        size_t bytes = w->s->n_words * sizeof *t->graphs;
        LODE_TRY(list_stack_take(&w->lists, bytes, (void **)&t->graphs));
        memset(t->graphs, 0, bytes);
    }
    x->extensions[x->n_extensions++] =
        (extension){t->edge, verdict, t->n, t->support, 0, t->idx, t->vid, t->graphs};
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
        if (!t->idx) continue;
        t->idx[t->n] = h.row;
        t->vid[t->n++] = h.vid;
        if (!t->graphs) continue;
        uint32_t graph = graph_of[h.vid];
        t->graphs[graph / 64] |= (uint64_t)1 << graph % 64;
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
    for (size_t i = 0; i < n; i++) LODE_TRY(scan_keep(s, order[i]));
    if (s->x->n_extensions > 0) LODE_TRY(scan_distribute(s));
done:
    w->scratch.top = 0;
    return status;
}

/* Makes room, and lists the positions to look at in w->to_visit. */
static lode_status scan_prepare(worker *w, const node *x, bool whole_path, unsigned *n) {
    lode_status status = LODE_OK;
    unsigned n_path = 0;
    LODE_TRY(cursor_start(w, x)); /* makes room for what follows */
    memset(w->on_path, 0, w->chain_cap * sizeof *w->on_path);
    for (uint16_t p = (uint16_t)(w->code.n_vertices - 1); p != CODE_NONE; p = w->code.parents[p]) {
        w->on_path[p] = true;
        w->to_visit[n_path++] = p;
    }
    *n = whole_path ? n_path : 1;
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

lode_status scan_extensions(worker *w, node *x, bool whole_path, uint32_t room) {
    lode_status status = LODE_OK;
    scan s = {.w = w, .x = x, .last = w->code.edges[w->code.n_edges - 1]};
    unsigned n = 0;
    s.root = w->code.edges[0].type;
    s.rightmost = (uint16_t)(w->code.n_vertices - 1);
    s.forward = w->code.n_vertices < w->s->options->max_vertices;
    s.hits = (hit *)w->scratch.space;
    LODE_TRY(scan_prepare(w, x, whole_path, &n));
    LODE_TRY(scan_rows(&s, n));
    LODE_TRY(scan_make_extensions(&s, room));
done:
    scan_clear(w, s.rightmost);
    return status;
}
