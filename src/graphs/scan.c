/* scan.c - see scan.h
 *
 * One pass over the rows writes down every hit (row, neighbour, slot of the candidate) and counts
 * rows and graphs of each candidate. Then the frequent candidates that are needed get columns of
 * the right length, and a pass over the hits fills them in.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/scan.h"

#include "graphs/node.h"
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

/* ---- the neighbours of the newest vertex of each row ----------------------------------------- */

/* A neighbour that is not in the row is a hit at once. The others are suspects: their positions in
 * the row are found for all of them together, column by column. After some graphs, the scan looks
 * only for candidates that can still become frequent. */

/* Values of scan.suspected: GROWTH_BACKWARD is wanted, or anything is. */
#define SCAN_CERTAIN 0xcu
#define SCAN_ANY     0xeu

static inline uint8_t scan_wants(const scan *s, uint32_t type) {
    return s->by_type[type] & s->wanted;
}

/* A neighbour of the newest vertex that may be in the row, and so close a cycle. */
typedef struct suspect {
    half_edge to;
    uint32_t row;
    uint32_t at; /* during the search for it: the row in the column above */
} suspect;

static inline suspect *scan_suspects(const worker *w) {
    return (suspect *)(w->lists.space + w->lists.top);
}

/* Updates the state for all rows of a graph; returns false if none of them is wanted. */
static inline bool scan_enter_graph(scan *s, uint32_t graph) {
    const uint64_t *start = s->w->s->store.data->vertex_start.data + graph;
    s->graph = graph;
    s->certain = start[1] - start[0] <= 64;
    s->suspected = s->certain ? SCAN_CERTAIN : s->forward ? SCAN_ANY : SCAN_CERTAIN;
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

/* One suspect of a row is the vertex that the row came from, unless that vertex was known. If only
 * one suspect has the type of that edge, it must be that vertex and is dropped. */
static unsigned scan_drop_origin(const scan *s, suspect *in, unsigned n) {
    unsigned found = 0, at = 0;
    for (unsigned i = 0; i < n; i++) {
        if (in[i].to.type != s->origin) continue;
        found++;
        at = i;
    }
    if (found != 1) return n;
    in[at] = in[n - 1];
    return n - 1;
}

/* In a graph of more than 64 vertices, suspects may not be in the row at all. The caller has
 * reserved room for a hit of each. */
static void scan_sort_out(scan *s, uint32_t row, unsigned *n) {
    suspect *in = scan_suspects(s->w) + s->n_suspects;
    unsigned left = 0;
    for (unsigned i = 0; i < *n; i++) {
        uint8_t wanted = scan_wants(s, in[i].to.type);
        if (scan_row_has(s->w, row, in[i].to.to)) {
            if (wanted & GROWTH_BACKWARD) in[left++] = in[i];
        } else if (wanted & GROWTH_FORWARD) {
            s->hits[s->n_hits++] = (hit){in[i].to.to, in[i].to.type, row};
        }
    }
    *n = left;
}

/* Writes down the suspects of a row: the last n that were found. */
static void scan_suspect(scan *s, uint32_t row, unsigned n) {
    if (!s->origin_known) n = scan_drop_origin(s, scan_suspects(s->w) + s->n_suspects, n);
    if (!s->certain && n > 0) scan_sort_out(s, row, &n);
    s->n_suspects += n;
}

/* The vertex that a row came from; UINT32_MAX if that is not known. */
static inline uint32_t scan_origin(const scan *s, uint32_t row) {
    if (!s->origin_known) return UINT32_MAX;
    const node *c = s->x->parent;
    row = s->x->idx[row];
    for (; c->position != s->x->edge.from; c = c->parent) row = c->idx[row];
    return c->vid[row];
}

/* Room for the hits and suspects of one more row, whose vertex has this many neighbours. */
static inline lode_status scan_reach(scan *s, uint32_t n) {
    worker *w = s->w;
    if (s->n_hits + n <= s->hits_room && s->n_suspects + n <= s->suspects_room) return LODE_OK;
    lode_status status = list_stack_reach(&w->scratch, (s->n_hits + n) * sizeof(hit));
    if (status != LODE_OK) return status;
    status = list_stack_reach(&w->lists, w->lists.top + (s->n_suspects + n) * sizeof(suspect));
    s->hits_room = w->scratch.charged / sizeof(hit);
    s->suspects_room = (w->lists.charged - w->lists.top) / sizeof(suspect);
    return status;
}

/* An edge as one number, so that edges are compared and copied in one step. */
static inline uint64_t scan_pack(uint32_t to, uint32_t type) {
    half_edge h = {to, type};
    uint64_t packed;
    memcpy(&packed, &h, sizeof packed);
    return packed;
}

/* Only the last vertex of the row is new. Its neighbours that are certainly not in the row are
 * extensions; the others are suspects, except for the vertex that the row came from. The loop
 * avoids branches: whether a neighbour is in the row is unpredictable. */
static inline void scan_newest(scan *s, uint32_t row, const half_edge *first,
                               const half_edge *end) {
    const uint8_t *by_type = s->by_type;
    const uint32_t root = s->root;
    const uint64_t has = s->x->has[row], origin = scan_pack(scan_origin(s, row), s->origin);
    const unsigned suspected = s->suspected, forward = s->wanted & GROWTH_FORWARD;
    hit *out = s->hits + s->n_hits;
    suspect *const in = scan_suspects(s->w) + s->n_suspects, *last = in;
    while (end > first) {
        half_edge h = *--end;
        if (h.type < root) break;
        unsigned wanted = by_type[h.type], may_be_in = has >> h.to % 64 & 1;
        *out = (hit){h.to, h.type, row};
        out += wanted & forward & ~may_be_in;
        *last = (suspect){h, row, row};
        last += suspected >> wanted & may_be_in & (scan_pack(h.to, h.type) != origin);
    }
    s->n_hits = (size_t)(out - s->hits);
    if (last > in) scan_suspect(s, row, (unsigned)(last - in));
}

/* Counts the hits that scan_newest() has written down, and finds their slots. */
static lode_status scan_count_hits(scan *s) {
    worker *w = s->w;
    const uint32_t *graph_of = w->s->store.graph_of;
    for (size_t i = s->n_counted; i < s->n_hits; i++) {
        uint32_t type = s->hits[i].slot, *place = &w->slot_of[s->fresh + type];
        uint32_t graph = graph_of[s->hits[i].vid] + 1;
        if (*place == 0) {
            code_edge edge = {s->rightmost, w->code.n_vertices, type};
            lode_status status = scan_new_slot(w, place, edge);
            if (status != LODE_OK) return status;
        }
        slot *t = &w->slots[*place - 1];
        s->hits[i].slot = *place - 1;
        t->n++;
        t->support += t->last_graph != graph;
        t->last_graph = graph;
    }
    s->n_counted = s->n_hits;
    return LODE_OK;
}

/* Looks at the newest vertex of the rows from s->row on, up to those of the last_graph-th graph. */
static lode_status scan_rows_newest(scan *s, uint64_t last_graph) {
    lode_status status = LODE_OK;
    const node *x = s->x;
    const store *g = &s->w->s->store;
    bool wanted = false;
    uint32_t row = s->row;
    /* Whether the vertex that a row came from is wanted, and can be found in a few steps. */
    unsigned steps = 0;
    const node *c = s->x->parent;
    for (; c->position != s->x->edge.from && steps < SCAN_STEPS_BACK; c = c->parent) steps++;
    s->origin_known = scan_wants(s, s->origin) && c->position == s->x->edge.from;
    for (; row < x->n; row++) {
        LODE_TRY(scan_check(s, row));
        scan_prefetch(x, g, row);
        uint32_t v = x->vid[row], graph = g->graph_of[v];
        if (graph != s->graph) {
            if (s->n_graphs == last_graph) break;
            s->n_graphs++;
            wanted = scan_enter_graph(s, graph);
        }
        uint32_t begin = g->offsets[v], end = g->offsets[v + 1];
        if (!wanted || end - begin <= 1) continue;
        LODE_TRY(scan_reach(s, end - begin));
        scan_newest(s, row, g->half + begin, g->half + end);
    }
    s->row = row;
    status = scan_count_hits(s);
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
        if (has_vertex && x->vid[one.at] == one.to.to) {
            if (!scan_may_close(s, x->position, one.to.type)) continue;
            uint32_t graph = s->w->s->store.graph_of[one.to.to];
            LODE_TRY(scan_add_backward(s, x->position, one.to, one.row, graph));
            continue;
        }
        if (!first) one.at = x->idx[one.at];
        all[left++] = one;
    }
    s->n_suspects = left;
done:
    return status;
}

/* Finds the positions of all suspects, column by column, the newest first. All hits of a candidate
 * are in one column, so they are found in the order of rows. */
static lode_status scan_find_suspects(scan *s) {
    lode_status status = LODE_OK;
    size_t bytes = (s->n_hits + s->n_suspects) * sizeof(hit);
    LODE_TRY(list_stack_reach(&s->w->scratch, bytes));
    for (unsigned d = s->w->depth + 1; d-- > 0 && s->n_suspects > 0;) {
        if (s->n_suspects > SCAN_ROWS) LODE_TRY(job_check(s->w->s->job));
        LODE_TRY(scan_find_in(s, s->w->chain[d], d == 0));
    }
    s->n_counted = s->n_hits;
done:
    return status;
}

/* Forgets what scan_narrow() has noted. */
static void scan_widen(const scan *s, uint8_t *left) {
    for (size_t i = 0; i < s->w->n_slots; i++) left[s->w->slots[i].edge.type] = 0;
}

/* From now on, looks only for candidates that can still become frequent: those that were missing
 * from at most `slack` graphs so far. Returns after how many further graphs the first of these may
 * drop out, or 0 if none is left. */
static uint64_t scan_narrow(scan *s, uint64_t slack) {
    const worker *w = s->w;
    uint8_t *left = growth_left_table(w);
    uint64_t least = UINT64_MAX;
    scan_widen(s, left);
    for (size_t i = 0; i < w->n_slots; i++) {
        const slot *t = &w->slots[i];
        uint64_t missing = s->n_graphs - t->support;
        if (missing > slack) continue;
        left[t->edge.type] |= code_is_forward(t->edge) ? GROWTH_FORWARD : GROWTH_BACKWARD;
        if (slack - missing < least) least = slack - missing;
    }
    s->by_type = left;
    return least == UINT64_MAX ? 0 : least + 1;
}

/* Scans the newest vertex of all rows. Candidates that were missing from too many graphs are not
 * looked for in later ones. If none is left, the scan ends; patterns close to the threshold, which
 * are the most, get there after a few graphs. */
static lode_status scan_all_newest(scan *s) {
    lode_status status = LODE_OK;
    uint64_t support = s->x->support, min_support = search_threshold(s->w->s);
    uint64_t slack = support > min_support ? support - min_support : 0;
    uint64_t least = SCAN_GRAPHS + support / SCAN_PARTS;
    LODE_TRY(scan_line(s->w, s->rightmost, false, &s->fresh));
    for (uint64_t wait = slack + 1; s->row < s->x->n && wait > 0;) {
        LODE_TRY(scan_rows_newest(s, s->n_graphs + (wait < least ? least : wait)));
        LODE_TRY(scan_find_suspects(s));
        if (s->row < s->x->n) wait = scan_narrow(s, slack);
    }
done:
    scan_widen(s, growth_left_table(s->w));
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
