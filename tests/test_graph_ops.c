/* test_graph_ops.c - operations on graphs: every device compared with the plain loops of the CPU
 *
 * The input is random graphs, and random matrices and columns over them, which need not be
 * occurrences of any pattern. All devices must compute the same numbers in the same order. The
 * extensions of patterns with columns are also compared with their definition, for every layout and
 * any number of patterns in a batch.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"
#include "device/api/graph_ops.h"
#include "device/api/graph_rows.h"
#include "device/api/paper_ops.h"

#define MOST_VERTICES 4000u
#define N_TYPES       8u
#define N_LABELS      3u
#define MOST_BATCH    9u

/* ---- graphs --------------------------------------------------------------------------------- */

typedef struct random_db {
    backend_graphs g;
    uint32_t offsets[MOST_VERTICES + 1], graph_of[MOST_VERTICES], labels[MOST_VERTICES];
    backend_half half[16 * MOST_VERTICES];
    uint32_t edge_labels[16 * MOST_VERTICES];
    uint32_t from_rank[N_TYPES], pair_rank[N_TYPES];
    uint32_t n_graphs, size; /* vertices of each graph */
} random_db;

static void make_db(random_db *db, rng *r) {
    backend_graphs *g = &db->g;
    db->size = 3 + (uint32_t)rng_below(r, 12);
    db->n_graphs = 1 + (uint32_t)rng_below(r, MOST_VERTICES / db->size);
    *g = (backend_graphs){.n_vertices = db->n_graphs * db->size, .n_types = N_TYPES};
    g->pair_width = 2;
    for (uint32_t v = 0; v < g->n_vertices; v++) {
        uint32_t graph = v / db->size, type = 0;
        db->graph_of[v] = graph;
        db->labels[v] = (uint32_t)rng_below(r, N_LABELS);
        db->offsets[v] = g->n_half;
        for (uint32_t k = (uint32_t)rng_below(r, 6); k > 0; k--) {
            type += (uint32_t)rng_below(r, 3);
            if (type >= N_TYPES) break;
            db->edge_labels[g->n_half] = (uint32_t)rng_below(r, 4);
            db->half[g->n_half++] =
                (backend_half){graph * db->size + (uint32_t)rng_below(r, db->size), type};
        }
    }
    db->offsets[g->n_vertices] = g->n_half;
    for (uint32_t t = 0; t < N_TYPES; t++) {
        db->from_rank[t] = t;
        db->pair_rank[t] = t % 2;
    }
    g->offsets = db->offsets;
    g->half = db->half;
    g->graph_of = db->graph_of;
    g->from_rank = db->from_rank;
    g->pair_rank = db->pair_rank;
}

/* ---- devices -------------------------------------------------------------------------------- */

typedef struct place {
    const backend_graph_ops *ops;
    backend_graph_device *device;
    const pgm_ops *pgm_ops;
    pgm_device *pgm;
} place;

static void *on_device(place p, const void *host, size_t bytes) {
    void *block = NULL;
    if (!CHECK(p.ops->alloc(p.device, bytes ? bytes : 4, &block) == LODE_OK)) exit(1);
    if (host) CHECK(p.ops->upload(p.device, block, host, bytes) == LODE_OK);
    return block;
}

static void drop(place p, void *block, size_t bytes) {
    p.ops->free(p.device, block, bytes ? bytes : 4);
}

/* ---- extend and build ----------------------------------------------------------------------- */

#define MOST_NODES 20u
#define MOST_ROWS  3000u
#define MOST_COLS  6u

typedef struct task {
    backend_node nodes[MOST_NODES];
    backend_candidate candidates[MOST_NODES * 8];
    uint16_t paths[MOST_NODES * MOST_COLS];
    uint32_t *rows[MOST_NODES], *segs[MOST_NODES]; /* on the host */
    backend_graph_batch batch;
} task;

static void make_rows(task *j, uint32_t i, const random_db *db, rng *r) {
    backend_node *n = &j->nodes[i];
    uint32_t n_rows = 1 + (uint32_t)rng_below(r, rng_below(r, 3) ? MOST_ROWS : 5), graph = 0;
    n->n_vertices = 1 + (uint32_t)rng_below(r, MOST_COLS);
    j->rows[i] = malloc(n->n_vertices * MOST_ROWS * sizeof(uint32_t));
    j->segs[i] = malloc(MOST_ROWS * sizeof(uint32_t));
    if (!j->rows[i] || !j->segs[i]) exit(2);
    n->n_rows = n_rows;
    uint32_t seg = (uint32_t)rng_below(r, 1000);
    for (uint32_t row = 0; row < n_rows; row++) {
        uint32_t next = graph + (rng_below(r, 3) == 0);
        if (next >= db->n_graphs) next = db->n_graphs - 1;
        seg += row == 0 || next != graph;
        graph = next;
        j->segs[i][row] = seg;
        for (uint32_t c = 0; c < n->n_vertices; c++) {
            j->rows[i][(size_t)c * n_rows + row] =
                graph * db->size + (uint32_t)rng_below(r, db->size);
        }
    }
    n->n_segs = seg - j->segs[i][0] + 1;
}

static void make_node(task *j, uint32_t i, const random_db *db, rng *r) {
    backend_graph_batch *b = &j->batch;
    backend_node *n = &j->nodes[i];
    *n = (backend_node){.first_tile = b->n_tiles, .first_candidate = b->n_candidates};
    make_rows(j, i, db, r);
    n->first_path = b->n_paths;
    n->first_slot = b->n_slots;
    n->first_word = b->n_words;
    n->least_type = (uint32_t)rng_below(r, 3);
    n->parent_type = (uint32_t)rng_below(r, N_TYPES);
    n->n_candidates = (uint32_t)rng_below(r, 8);
    for (uint32_t k = 0; k < n->n_candidates; k++) {
        backend_candidate *c = &j->candidates[b->n_candidates++];
        c->position = (uint16_t)rng_below(r, n->n_vertices);
        c->target = rng_below(r, 3) ? BACKEND_GRAPH_NEW : (uint16_t)rng_below(r, n->n_vertices);
        c->type = (uint32_t)rng_below(r, N_TYPES);
        c->above = rng_below(r, 3) ? BACKEND_GRAPH_NONE : (uint32_t)rng_below(r, n->n_vertices);
    }
    if (rng_below(r, 4)) {
        for (uint32_t c = n->n_vertices; c > 0; c--) {
            if (c == n->n_vertices || rng_below(r, 2)) {
                j->paths[b->n_paths++] = (uint16_t)(c - 1);
                n->n_path++;
            }
        }
        n->n_fresh = rng_below(r, 3) ? N_TYPES : 0;
    }
    uint32_t n_slots = backend_node_slots(n, db->g.pair_width);
    b->n_slots += n_slots;
    b->n_words += (uint64_t)n_slots * ((n->n_segs + 31) / 32);
    b->n_tiles += (n->n_rows + BACKEND_GRAPH_TILE - 1) / BACKEND_GRAPH_TILE;
}

static void make_task(task *j, const random_db *db, rng *r) {
    *j = (task){0};
    j->batch.n_nodes = 1 + (uint32_t)rng_below(r, MOST_NODES);
    for (uint32_t i = 0; i < j->batch.n_nodes; i++) make_node(j, i, db, r);
    j->batch.nodes = j->nodes;
    j->batch.candidates = j->candidates;
    j->batch.paths = j->paths;
}

static void free_task(task *j) {
    for (uint32_t i = 0; i < j->batch.n_nodes; i++) {
        free(j->rows[i]);
        free(j->segs[i]);
    }
}

static size_t matrix_bytes(const backend_node *n) {
    return (size_t)n->n_vertices * n->n_rows * sizeof(uint32_t);
}

/* Puts the matrices on a device; the nodes then point there. */
static void send_task(place p, task *j) {
    for (uint32_t i = 0; i < j->batch.n_nodes; i++) {
        backend_node *n = &j->nodes[i];
        n->rows = on_device(p, j->rows[i], matrix_bytes(n));
        n->segs = on_device(p, j->segs[i], n->n_rows * sizeof *n->segs);
    }
}

static void drop_task(place p, task *j) {
    for (uint32_t i = 0; i < j->batch.n_nodes; i++) {
        backend_node *n = &j->nodes[i];
        drop(p, (void *)(uintptr_t)n->rows, matrix_bytes(n));
        drop(p, (void *)(uintptr_t)n->segs, n->n_rows * sizeof *n->segs);
    }
}

/* Extends; the caller frees what was found. */
static void extend(place p, task *j, unsigned lane, uint64_t *rows, uint32_t *supports) {
    size_t bytes = backend_graph_work(j->batch.n_slots, j->batch.n_words);
    backend_graph_found found = {0};
    j->batch.work = on_device(p, NULL, bytes);
    CHECK(p.ops->extend(p.device, lane, &j->batch) == LODE_OK);
    CHECK(p.ops->found(p.device, lane, &found) == LODE_OK);
    if (j->batch.n_slots > 0) {
        memcpy(rows, found.rows, j->batch.n_slots * sizeof *rows);
        memcpy(supports, found.supports, j->batch.n_slots * sizeof *supports);
    }
    drop(p, j->batch.work, bytes);
}

/* Builds the children by all candidates that have rows; returns the words they take. */
static size_t build(place p, task *j, const uint64_t *rows, uint32_t **out) {
    static backend_child children[MOST_NODES * 8];
    backend_build b = {.children = children};
    size_t words = 0;
    for (uint32_t i = 0; i < j->batch.n_nodes; i++) {
        const backend_node *n = &j->nodes[i];
        for (uint32_t k = 0; k < n->n_candidates; k++) {
            uint32_t n_rows = (uint32_t)rows[n->first_slot + k];
            if (n_rows == 0) continue;
            backend_child *c = &children[b.n_children++];
            *c = (backend_child){.from = n->rows, .n_from = n->n_rows, .n_rows = n_rows};
            c->n_vertices = n->n_vertices;
            c->first_tile = b.n_tiles;
            c->first_row = b.n_rows;
            c->candidate = j->candidates[n->first_candidate + k];
            b.n_tiles += (n->n_rows + BACKEND_GRAPH_TILE - 1) / BACKEND_GRAPH_TILE;
            b.n_rows += n_rows;
            words += (size_t)n_rows * (n->n_vertices + (c->candidate.target == BACKEND_GRAPH_NEW));
        }
    }
    size_t total = words + b.n_rows;
    *out = NULL;
    if (b.n_children == 0) return 0;
    uint32_t *block = on_device(p, NULL, total * sizeof *block), *at = block;
    for (uint32_t i = 0; i < b.n_children; i++) {
        backend_child *c = &children[i];
        c->rows = at;
        at += (size_t)c->n_rows * (c->n_vertices + (c->candidate.target == BACKEND_GRAPH_NEW));
    }
    b.segs = at;
    size_t work = p.ops->build_work(p.device, b.n_tiles, b.n_rows);
    b.work = on_device(p, NULL, work);
    CHECK(p.ops->build(p.device, &b) == LODE_OK);
    *out = malloc(total * sizeof **out);
    if (!*out) exit(2);
    CHECK(p.ops->download(p.device, *out, block, total * sizeof **out) == LODE_OK);
    drop(p, b.work, work);
    drop(p, block, total * sizeof *block);
    return total;
}

static void test_batch(place cpu, place other, const random_db *db, rng *r, unsigned lane) {
    task j;
    make_task(&j, db, r);
    uint32_t n = j.batch.n_slots;
    uint64_t *rows = calloc(2 * ((size_t)n + 1), sizeof *rows);
    uint32_t *supports = calloc(2 * ((size_t)n + 1), sizeof *supports), *want, *got;
    if (!rows || !supports) exit(2);
    send_task(cpu, &j);
    extend(cpu, &j, lane, rows, supports);
    size_t n_want = build(cpu, &j, rows, &want);
    drop_task(cpu, &j);
    send_task(other, &j);
    extend(other, &j, lane, rows + n, supports + n);
    size_t n_got = build(other, &j, rows, &got);
    drop_task(other, &j);
    CHECK(memcmp(rows, rows + n, n * sizeof *rows) == 0);
    CHECK(memcmp(supports, supports + n, n * sizeof *supports) == 0);
    if (CHECK_EQUAL(n_want, n_got) && n_want > 0) {
        CHECK(memcmp(want, got, n_want * sizeof *want) == 0);
    }
    free(want);
    free(got);
    free(rows);
    free(supports);
    free_task(&j);
}

/* ---- patterns with columns ------------------------------------------------------------------ */

typedef struct columns {
    pgm_entry *entries[MOST_COLS];
    uint32_t n_rows[MOST_COLS], n;
    uint16_t path[MOST_COLS];
    uint32_t n_path, least_type;
} columns;

/* Each row continues one of the column before, in its graph; ascending. */
static void make_columns(columns *c, const random_db *db, rng *r) {
    c->n = 1 + (uint32_t)rng_below(r, MOST_COLS);
    c->least_type = (uint32_t)rng_below(r, 3);
    for (uint32_t k = 0; k < c->n; k++) {
        uint32_t n = c->n_rows[k] = 1 + (uint32_t)rng_below(r, 800);
        c->entries[k] = malloc(n * sizeof(pgm_entry));
        if (!c->entries[k]) exit(2);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t above = (uint32_t)((uint64_t)i * (k ? c->n_rows[k - 1] : db->n_graphs) / n);
            uint32_t graph = k ? db->graph_of[c->entries[k - 1][above].vid] : above;
            c->entries[k][i].idx = k ? above : BACKEND_GRAPH_NONE;
            c->entries[k][i].vid = graph * db->size + (uint32_t)rng_below(r, db->size);
        }
        if (k == 0 || (c->n - k) % 3 != 2) c->path[c->n_path++] = (uint16_t)(c->n - 1 - k);
    }
}

/* What a search finds: the list, then the columns of all its extensions as (idx, vid). */
typedef struct outcome {
    pgm_extension *list;
    pgm_entry *entries;
    size_t n_list, n_entries;
} outcome;

static outcome make_outcome(size_t n_list, size_t n_entries) {
    outcome o = {calloc(n_list + 1, sizeof *o.list), calloc(n_entries + 1, sizeof *o.entries),
                 n_list, n_entries};
    if (!o.list || !o.entries) exit(2);
    return o;
}

static void free_outcome(outcome *o) {
    free(o->list);
    free(o->entries);
}

static bool outcome_equal(const outcome *a, const outcome *b) {
    return a->n_list == b->n_list && a->n_entries == b->n_entries &&
           memcmp(a->list, b->list, a->n_list * sizeof *a->list) == 0 &&
           memcmp(a->entries, b->entries, a->n_entries * sizeof *a->entries) == 0;
}

/* A column on the device, in a layout. */
static pgm_column send_column(place p, const pgm_entry *entries, uint32_t n, pgm_layout layout) {
    void *host = malloc(pgm_column_bytes(n));
    if (!host) exit(2);
    for (uint32_t i = 0; i < n; i++) pgm_entry_put(host, n, i, layout.by_columns, entries[i]);
    pgm_column column = {on_device(p, host, pgm_column_bytes(n)), n};
    free(host);
    return column;
}

/* The columns of all extensions, as a device makes them: one after the other in one block. */
static void fetch_columns(place p, pgm_layout layout, outcome *found) {
    size_t bytes = pgm_column_bytes(found->n_entries), at = 0;
    uint8_t *block = on_device(p, NULL, bytes), *host = malloc(bytes + 1);
    pgm_build *builds = calloc(found->n_list + 1, sizeof *builds);
    if (!host || !builds) exit(2);
    for (size_t i = 0; i < found->n_list; i++) {
        builds[i] = (pgm_build){found->list[i], block + pgm_column_bytes(at)};
        at += found->list[i].n_rows;
    }
    if (at > 0) CHECK(p.pgm_ops->build(p.pgm, builds, (uint32_t)found->n_list) == LODE_OK);
    CHECK(p.ops->download(p.device, host, block, bytes) == LODE_OK);
    at = 0;
    for (size_t i = 0; i < found->n_list; i++) {
        size_t n = found->list[i].n_rows;
        for (size_t row = 0; row < n; row++, at++) {
            const uint8_t *column = host + pgm_column_bytes(at - row);
            found->entries[at] = pgm_entry_get(column, n, row, layout.by_columns);
        }
    }
    free(builds);
    free(host);
    drop(p, block, bytes);
}

/* A batch of n patterns on the device. */
typedef struct sent_batch {
    pgm_batch batch;
    pgm_pattern patterns[MOST_BATCH];
    pgm_column columns[MOST_BATCH * MOST_COLS];
    uint16_t paths[MOST_BATCH * MOST_COLS];
} sent_batch;

static void send_batch(place p, const columns *c, uint32_t n, pgm_layout layout, sent_batch *out) {
    pgm_batch *b = &out->batch;
    *b = (pgm_batch){out->patterns, out->columns, out->paths, n, 0, 0, 0, layout};
    for (uint32_t i = 0; i < n; i++) {
        out->patterns[i] =
            (pgm_pattern){b->n_columns, c[i].n, b->n_paths, c[i].n_path, c[i].least_type};
        for (uint32_t k = 0; k < c[i].n; k++) {
            out->columns[b->n_columns++] = send_column(p, c[i].entries[k], c[i].n_rows[k], layout);
        }
        for (uint32_t k = 0; k < c[i].n_path; k++) out->paths[b->n_paths++] = c[i].path[k];
    }
}

static outcome search(place p, const columns *c, uint32_t n, uint32_t min_support,
                      pgm_layout layout) {
    sent_batch *sent = calloc(1, sizeof *sent);
    pgm_found got = {0};
    size_t n_entries = 0;
    if (!sent) exit(2);
    send_batch(p, c, n, layout, sent);
    sent->batch.min_support = min_support;
    CHECK(p.pgm_ops->search(p.pgm, &sent->batch, &got) == LODE_OK);
    CHECK_EQUAL(got.n_patterns, n);
    CHECK(got.n_counted >= got.n_list);
    for (uint32_t i = 0; i < got.n_list; i++) n_entries += got.list[i].n_rows;
    outcome found = make_outcome(got.n_list, n_entries);
    if (got.n_list > 0) memcpy(found.list, got.list, got.n_list * sizeof *got.list);
    fetch_columns(p, layout, &found);
    for (size_t i = 0; i < found.n_list; i++) found.list[i].first = 0; /* the device's own */
    for (uint32_t k = 0; k < sent->batch.n_columns; k++) {
        drop(p, (void *)(uintptr_t)sent->columns[k].block, pgm_column_bytes(sent->columns[k].n));
    }
    free(sent);
    return found;
}

/* ---- the same by definition ---- */

/* An extension of one row; `key` has the order of the list. */
typedef struct hit {
    uint64_t key;
    pgm_record record;
    pgm_entry entry; /* of the column that it makes */
    uint32_t graph;
} hit;

static bool is_on_path(const columns *c, uint32_t column) {
    for (uint32_t i = 0; i < c->n_path; i++) {
        if (c->path[i] == column) return true;
    }
    return false;
}

static size_t model_row(const random_db *db, const columns *c, uint32_t row, hit *out) {
    uint32_t vertices[MOST_COLS], newest = c->n - 1, at = row;
    size_t n = 0;
    for (uint32_t k = c->n; k > 0; at = c->entries[--k][at].idx) {
        vertices[k - 1] = c->entries[k - 1][at].vid;
    }
    for (uint32_t i = 0; i < c->n_path; i++) {
        uint32_t from = c->path[i], v = vertices[from];
        for (uint32_t h = db->offsets[v]; h < db->offsets[v + 1]; h++) {
            uint32_t end = db->half[h].to, to = 0;
            if (db->half[h].type < c->least_type) continue;
            while (to < c->n && vertices[to] != end) to++;
            bool back = to < c->n;
            if (back && (from != newest || to == newest || !is_on_path(c, to))) continue;
            hit *x = &out[n++];
            x->record = (pgm_record){from, to, db->edge_labels[h], db->labels[end]};
            x->key = (uint64_t)!back << 48 | (uint64_t)(back ? to : from) << 32 |
                     (uint64_t)db->edge_labels[h] << 16 | db->labels[end];
            x->entry = back ? c->entries[newest][row] : (pgm_entry){row, end};
            x->graph = db->graph_of[v];
        }
    }
    return n;
}

/* Lists the extension of the least key that is at least `least`, with its column, unless it is in
 * too few graphs. False: there is none. */
static bool model_next(const hit *hits, size_t n, uint64_t least, uint32_t min_support,
                       outcome *out, uint64_t *key) {
    static uint8_t seen[MOST_VERTICES];
    const hit *first = NULL;
    for (size_t i = 0; i < n; i++) {
        if (hits[i].key >= least && (!first || hits[i].key < first->key)) first = &hits[i];
    }
    if (!first) return false;
    pgm_extension e = {.record = first->record};
    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < n; i++) {
        if (hits[i].key != first->key) continue;
        out->entries[out->n_entries + e.n_rows++] = hits[i].entry;
        e.support += !seen[hits[i].graph];
        seen[hits[i].graph] = 1;
    }
    *key = first->key;
    if (e.support < min_support) return true;
    out->list[out->n_list++] = e;
    out->n_entries += e.n_rows;
    return true;
}

static outcome model_search(const random_db *db, const columns *c, uint32_t min_support) {
    uint32_t n_rows = c->n_rows[c->n - 1];
    hit *hits = calloc((size_t)n_rows * MOST_COLS * 8 + 1, sizeof *hits); /* at most 5 edges each */
    size_t n = 0;
    if (!hits) exit(2);
    for (uint32_t row = 0; row < n_rows; row++) n += model_row(db, c, row, hits + n);
    outcome out = make_outcome(n, n);
    out.n_list = out.n_entries = 0;
    uint64_t key = 0;
    for (uint64_t least = 0; model_next(hits, n, least, min_support, &out, &key);) least = key + 1;
    free(hits);
    return out;
}

/* What a batch of patterns should find. */
static outcome model_batch(const random_db *db, const columns *c, uint32_t n,
                           uint32_t min_support) {
    outcome each[MOST_BATCH];
    size_t n_list = 0, n_entries = 0;
    for (uint32_t i = 0; i < n; i++) {
        each[i] = model_search(db, &c[i], min_support);
        n_list += each[i].n_list;
        n_entries += each[i].n_entries;
    }
    outcome all = make_outcome(n_list, n_entries);
    all.n_list = all.n_entries = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (size_t k = 0; k < each[i].n_list; k++) {
            all.list[all.n_list] = each[i].list[k];
            all.list[all.n_list++].pattern = i;
        }
        memcpy(all.entries + all.n_entries, each[i].entries,
               each[i].n_entries * sizeof *all.entries);
        all.n_entries += each[i].n_entries;
        free_outcome(&each[i]);
    }
    return all;
}

static void test_search(place cpu, place other, const random_db *db, rng *r) {
    static const uint32_t sizes[] = {1, 1, 3, MOST_BATCH};
    columns c[MOST_BATCH] = {0};
    uint32_t n = sizes[rng_below(r, 4)], min_support = (uint32_t)rng_below(r, 4);
    for (uint32_t i = 0; i < n; i++) make_columns(&c[i], db, r);
    outcome want = model_batch(db, c, n, min_support);
    for (int k = 0; k < 4; k++) {
        pgm_layout layout = {k % 2, k / 2};
        outcome plain = search(cpu, c, n, min_support, layout);
        outcome got = search(other, c, n, min_support, layout);
        CHECK(outcome_equal(&want, &plain));
        CHECK(outcome_equal(&want, &got));
        free_outcome(&plain);
        free_outcome(&got);
    }
    free_outcome(&want);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < c[i].n; k++) free(c[i].entries[k]);
    }
}

/* Times are of work that was done, and only grow. */
static void test_times(place p, pgm_times before) {
    pgm_times now = {0};
    CHECK(p.pgm_ops->times(p.pgm, &now) == LODE_OK);
    CHECK(now.extend > before.extend && now.sort >= before.sort);
    CHECK(now.support >= before.support && now.column >= before.column);
}

/* ---- all ------------------------------------------------------------------------------------ */

static place open_place(lode_job *job, const lode_backend *backend, const random_db *db) {
    place p = {.ops = backend->graphs, .pgm_ops = backend->papers->pgm};
    pgm_labels labels = {db->labels, db->edge_labels, 2, 3};
    if (!CHECK(p.ops->open(job, 0, &db->g, &p.device) == LODE_OK) ||
        !CHECK(p.pgm_ops->open(p.device, &labels, &p.pgm) == LODE_OK)) {
        fprintf(stderr, "  %s\n", lode_job_error(job));
        exit(1);
    }
    return p;
}

static void close_place(place p) {
    p.pgm_ops->close(p.pgm);
    p.ops->close(p.device);
}

static void test_backend(const lode_backend *backend) {
    static random_db db;
    for (uint64_t seed = 0; seed < 60; seed++) {
        rng r = rng_make(seed, 4711);
        lode_job *job = NULL;
        if (lode_job_create(&job, NULL, NULL) != LODE_OK) exit(2);
        make_db(&db, &r);
        place cpu = open_place(job, backend_at(0), &db), other = open_place(job, backend, &db);
        for (unsigned i = 0; i < 4; i++) test_batch(cpu, other, &db, &r, i % 2);
        for (unsigned i = 0; i < 2; i++) test_search(cpu, other, &db, &r);
        pgm_times halfway = {0};
        CHECK(other.pgm_ops->times(other.pgm, &halfway) == LODE_OK);
        test_search(cpu, other, &db, &r);
        test_times(other, halfway);
        close_place(cpu);
        close_place(other);
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
        lode_job_free(job);
    }
}

int main(void) {
    unsigned tested = 0;
    /* The CPU against itself: that the operations can be called like this at all. */
    test_backend(backend_at(0));
    for (size_t i = 1; backend_at(i); i++) {
        char detail[LODE_REPORT_TEXT];
        if (!backend_at(i)->graphs || !backend_at(i)->probe(detail, sizeof detail)) continue;
        test_backend(backend_at(i));
        tested++;
    }
    if (tested == 0) printf("    the CPU only: there is no GPU\n");
    return check_result();
}
