/* graph_parts.c - see graph_parts.h
 *
 * This file reports no errors in a text. A thread that finds anything unusual returns PARSE without
 * a message; then all threads stop, and the caller reads the text again in order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/graphs/graph_parts.h"

#include <stdatomic.h>

#include "data/graphs/graph_lines.h"
#include "runtime/parallel.h"

/* Below, starting threads costs more than it saves: half a megabyte takes 4 ms to read. */
#define PARTS_LEAST_BYTES ((uint64_t)512 << 10)
#define PARTS_MEMORY      8 /* bytes a byte of text: columns of parts, which double; the whole */

/* A block of the text, as graphs first … end - 1 of a thread. */
typedef struct parts_block {
    unsigned worker;
    uint32_t first, end;
    uint64_t graph, vertex, edge; /* where they begin in the data set */
} parts_block;

typedef struct parts_worker {
    graph_lines *text;
    input_block in;
    vec_u32 vertex_labels, edge_labels, words; /* local id → id of the data set */
} parts_worker;

typedef struct parts_task {
    lode_job *job;
    input *in;
    const lode_graph_read_options *options;
    parts_worker *workers;
    graph_tally *tallies; /* one for each worker */
    unsigned n_workers;
    pthread_mutex_t lock; /* guards the blocks while they are read */
    parts_block *blocks;  /* in the order of the text */
    size_t n_blocks, cap_blocks;
    lode_graphs *g;
    atomic_bool stop;
    atomic_bool other_ids; /* not every graph has its number as id */
    atomic_size_t next;    /* block to be copied */
} parts_task;

bool graph_parts_suit(lode_job *job, uint64_t bytes, size_t block_bytes) {
    if (job->wish == 1 || bytes == UINT64_MAX) return false;
    if (block_bytes > 0) return true;
    return bytes >= PARTS_LEAST_BYTES && bytes <= mem_left(&job->mem) / PARTS_MEMORY;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Whether a line that begins a graph begins at p, which is not the first byte. */
static bool parts_begins(const char *p, const char *end) {
    bool starts = p[-1] == '\n' || p[-1] == '\r';
    return starts && end - p > 1 && p[0] == 't' && (p[1] == ' ' || p[1] == '\t');
}

/* An input_cut_fn: graphs end where others begin. */
static size_t parts_cut(const char *text, size_t n, char separator, cut_what what) {
    (void)separator;
    const char *end = text + n;
    if (what != CUT_ALL) {
        for (const char *p = text + 1; p < end; p++) {
            if (parts_begins(p, end)) return (size_t)(p - text);
        }
        return 0;
    }
    for (const char *p = end - 1; p > text; p--) {
        if (parts_begins(p, end)) return (size_t)(p - text);
    }
    return 0;
}

/* Notes which graphs of a thread a block has become. */
static lode_status parts_note(parts_task *t, unsigned index, uint32_t first) {
    lode_status status = LODE_OK;
    const parts_worker *w = &t->workers[index];
    size_t at = (size_t)w->in.sequence;
    pthread_mutex_lock(&t->lock);
    if (at >= t->cap_blocks) {
        LODE_TRY(vec_grow(&t->job->mem, (void **)&t->blocks, t->n_blocks, &t->cap_blocks,
                          at + 1 - t->n_blocks, sizeof *t->blocks));
    }
    t->blocks[at] = (parts_block){.worker = index, .first = first, .end = w->text->g->n};
    if (at >= t->n_blocks) t->n_blocks = at + 1;
done:
    pthread_mutex_unlock(&t->lock);
    return status;
}

static lode_status parts_read_some(void *arg, unsigned index) {
    lode_status status = LODE_OK;
    parts_task *t = arg;
    parts_worker *w = &t->workers[index];
    while (!atomic_load_explicit(&t->stop, memory_order_relaxed) && !lease_gives(t->job)) {
        LODE_TRY(index == 0 ? job_tick(t->job, input_bytes_done(t->in), input_bytes_total(t->in))
                            : job_check(t->job));
        LODE_TRY(input_next(t->in, &w->in));
        if (w->in.text.n == 0) break;
        uint32_t first = w->text->g->n;
        LODE_TRY(graph_lines_block(w->text, &w->in.text));
        LODE_TRY(graph_lines_end(w->text));
        LODE_TRY(parts_note(t, index, first));
    }
done:
    if (status != LODE_OK) atomic_store(&t->stop, true);
    return status;
}

static lode_status parts_begin(parts_task *t) {
    lode_status status = LODE_OK;
    mem *m = &t->job->mem;
    LODE_TRY(mem_zalloc(m, (void **)&t->workers, t->n_workers * sizeof *t->workers));
    LODE_TRY(mem_zalloc(m, (void **)&t->tallies, t->n_workers * sizeof *t->tallies));
    for (unsigned i = 0; i < t->n_workers; i++) {
        LODE_TRY(graph_lines_begin(t->job, &t->workers[i].text, t->options));
        t->workers[i].text->part = true;
    }
    input_set_cut(t->in, parts_cut, 0);
done:
    return status;
}

/* ---- what is common to all ------------------------------------------------------------------ */

/* Adds the names of a thread; `ids` receives their numbers. */
static lode_status parts_add_names(mem *m, dict *all, const dict *names, vec_u32 *ids) {
    lode_status status = LODE_OK;
    uint32_t n = dict_count(names);
    LODE_TRY(vec_u32_reserve(m, ids, n));
    for (uint32_t i = 0; i < n; i++) {
        size_t bytes;
        const char *name = dict_name(names, i, &bytes);
        LODE_TRY(dict_add(all, name, bytes, &ids->data[i]));
    }
    ids->n = n;
done:
    return status;
}

/* Puts labels in print order, and what the threads know of them. */
static lode_status parts_sort_labels(parts_task *t, dict *names, bool of_edges) {
    lode_status status = LODE_OK;
    mem *m = &t->job->mem;
    vec_u32 none = {0}, order = {0};
    uint32_t n = dict_count(names);
    LODE_TRY(vec_u32_reserve(m, &order, n + 1));
    LODE_TRY(graphs_sort_labels(t->job, names, &none, order.data));
    for (unsigned i = 0; i < t->n_workers; i++) {
        vec_u32 *ids = of_edges ? &t->workers[i].edge_labels : &t->workers[i].vertex_labels;
        for (size_t k = 0; k < ids->n; k++) ids->data[k] = order.data[ids->data[k]];
    }
done:
    vec_u32_free(m, &order);
    return status;
}

static lode_status parts_join_names(parts_task *t) {
    lode_status status = LODE_OK;
    mem *m = &t->job->mem;
    lode_graphs *g = t->g;
    dict_stop_by(g->vertex_names, job_sort_stop(t->job));
    dict_stop_by(g->edge_names, job_sort_stop(t->job));
    for (unsigned i = 0; i < t->n_workers; i++) {
        parts_worker *w = &t->workers[i];
        const lode_graphs *own = w->text->g;
        LODE_TRY(parts_add_names(m, g->vertex_names, own->vertex_names, &w->vertex_labels));
        LODE_TRY(parts_add_names(m, g->edge_names, own->edge_names, &w->edge_labels));
        LODE_TRY(parts_add_names(m, g->words, own->words, &w->words));
    }
    LODE_TRY(parts_sort_labels(t, g->vertex_names, false));
    LODE_TRY(parts_sort_labels(t, g->edge_names, true));
done:
    return status;
}

/* Says where each block belongs; PARSE if there are more than 32 bits can number. */
static lode_status parts_place(parts_task *t, uint64_t *n_vertices, uint64_t *n_edges) {
    uint64_t n = 0, v = 0, e = 0;
    for (size_t i = 0; i < t->n_blocks; i++) {
        parts_block *b = &t->blocks[i];
        const lode_graphs *own = t->workers[b->worker].text->g;
        b->graph = n;
        b->vertex = v;
        b->edge = e;
        n += b->end - b->first;
        v += own->vertex_start.data[b->end] - own->vertex_start.data[b->first];
        e += own->edge_start.data[b->end] - own->edge_start.data[b->first];
    }
    if (n >= UINT32_MAX || v >= UINT32_MAX) return LODE_PARSE;
    t->g->n = (uint32_t)n;
    *n_vertices = v;
    *n_edges = e;
    return LODE_OK;
}

/* Makes the columns; those that only some texts need, if a thread has one. */
static lode_status parts_columns(parts_task *t) {
    lode_status status = LODE_OK;
    uint64_t n_vertices, n_edges;
    bool vertex_ids = false, supports = false;
    LODE_TRY(parts_place(t, &n_vertices, &n_edges));
    for (unsigned i = 0; i < t->n_workers; i++) {
        vertex_ids = vertex_ids || t->workers[i].text->g->vertex_ids.n > 0;
        supports = supports || t->workers[i].text->g->supports.n > 0;
    }
    LODE_TRY(graphs_make_columns(t->g, n_vertices, n_edges, vertex_ids, supports));
done:
    return status;
}

/* ---- copying -------------------------------------------------------------------------------- */

static void parts_copy_labels(uint32_t *to, const uint32_t *from, size_t n, const uint32_t *ids) {
    for (size_t i = 0; i < n; i++) to[i] = ids[from[i]];
}

static uint64_t parts_id(const parts_worker *w, uint64_t id) {
    return id < GRAPHS_WORD ? id : GRAPHS_WORD + w->words.data[id - GRAPHS_WORD];
}

/* Copies where graphs begin, their ids, and their supports. */
static void parts_copy_graphs(parts_task *t, const parts_block *b) {
    const parts_worker *w = &t->workers[b->worker];
    const lode_graphs *own = w->text->g;
    lode_graphs *g = t->g;
    bool other = false;
    uint64_t v = own->vertex_start.data[b->first], e = own->edge_start.data[b->first];
    for (uint32_t i = b->first; i < b->end; i++) {
        uint64_t at = b->graph + (i - b->first);
        g->vertex_start.data[at + 1] = own->vertex_start.data[i + 1] - v + b->vertex;
        g->edge_start.data[at + 1] = own->edge_start.data[i + 1] - e + b->edge;
        g->graph_ids.data[at] = parts_id(w, own->graph_ids.data[i]);
        if (g->supports.n) g->supports.data[at] = i < own->supports.n ? own->supports.data[i] : 0;
        other = other || g->graph_ids.data[at] != at;
    }
    if (other) atomic_store_explicit(&t->other_ids, true, memory_order_relaxed);
}

static void parts_copy_vertex_ids(parts_task *t, const parts_block *b) {
    const parts_worker *w = &t->workers[b->worker];
    const lode_graphs *own = w->text->g;
    uint64_t *to = t->g->vertex_ids.data + b->vertex;
    if (t->g->vertex_ids.n == 0) return;
    for (uint32_t i = b->first; i < b->end; i++) {
        uint64_t v = own->vertex_start.data[i], n = graphs_n_vertices(own, i);
        for (uint64_t k = 0; k < n; k++) {
            bool kept = v + k < own->vertex_ids.n;
            *to++ = kept ? parts_id(w, own->vertex_ids.data[v + k]) : k;
        }
    }
}

static void parts_copy(parts_task *t, const parts_block *b) {
    const parts_worker *w = &t->workers[b->worker];
    const lode_graphs *own = w->text->g;
    lode_graphs *g = t->g;
    uint64_t v = own->vertex_start.data[b->first], e = own->edge_start.data[b->first];
    size_t n_vertices = (size_t)(own->vertex_start.data[b->end] - v);
    size_t n_edges = (size_t)(own->edge_start.data[b->end] - e);
    parts_copy_graphs(t, b);
    parts_copy_vertex_ids(t, b);
    if (n_vertices > 0) {
        parts_copy_labels(g->labels.data + b->vertex, own->labels.data + v, n_vertices,
                          w->vertex_labels.data);
    }
    if (n_edges == 0) return;
    memcpy(g->from.data + b->edge, own->from.data + e, n_edges * sizeof *own->from.data);
    memcpy(g->to.data + b->edge, own->to.data + e, n_edges * sizeof *own->to.data);
    parts_copy_labels(g->edge_labels.data + b->edge, own->edge_labels.data + e, n_edges,
                      w->edge_labels.data);
}

static lode_status parts_copy_some(void *arg, unsigned index) {
    lode_status status = LODE_OK;
    parts_task *t = arg;
    size_t i;
    (void)index;
    while (!lease_gives(t->job) && (i = atomic_fetch_add(&t->next, 1)) < t->n_blocks) {
        LODE_TRY(job_check(t->job));
        parts_copy(t, &t->blocks[i]);
    }
done:
    return status;
}

/* Once all are copied: a graph ends where the next begins, which may be in another block. */
static lode_status parts_tally_some(void *arg, unsigned index) {
    lode_status status = LODE_OK;
    parts_task *t = arg;
    size_t i;
    while (!lease_gives(t->job) && (i = atomic_fetch_add(&t->next, 1)) < t->n_blocks) {
        uint64_t first = t->blocks[i].graph, n = t->blocks[i].end - t->blocks[i].first;
        for (uint64_t k = 0; k < n; k++) {
            LODE_TRY(graph_tally_add(&t->tallies[index], t->job, t->g, (uint32_t)(first + k)));
        }
    }
done:
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Ids that are just numbers are not kept. Of an id that is there twice, the line is wanted. */
static lode_status parts_check_ids(parts_task *t) {
    lode_status status = LODE_OK;
    mem *m = &t->job->mem;
    vec_u64 *ids = &t->g->graph_ids;
    keymap seen = {0};
    if (!atomic_load(&t->other_ids)) {
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

static lode_status parts_region(parts_task *t, parallel_fn work) {
    atomic_store(&t->next, 0);
    unsigned n = t->job->threads < t->n_workers ? t->job->threads : t->n_workers;
    return parallel_run(t->job, n, false, work, t);
}

static lode_status parts_join(parts_task *t) {
    lode_status status = LODE_OK;
    LODE_TRY(graphs_create(t->job, &t->g));
    t->g->profile.directed = t->options->directed;
    LODE_TRY(parts_join_names(t));
    LODE_TRY(parts_columns(t));
    LODE_TRY(parts_region(t, parts_copy_some));
    LODE_TRY(parts_check_ids(t));
    graphs_begin_profile(t->g);
    LODE_TRY(parts_region(t, parts_tally_some));
    LODE_TRY(graphs_end_profile(t->job, t->g, t->tallies, t->n_workers));
done:
    return status;
}

static void parts_clear(parts_task *t) {
    mem *m = &t->job->mem;
    for (unsigned i = 0; t->workers && i < t->n_workers; i++) {
        parts_worker *w = &t->workers[i];
        graph_lines_free(w->text);
        vec_char_free(m, &w->in.text);
        vec_u32_free(m, &w->vertex_labels);
        vec_u32_free(m, &w->edge_labels);
        vec_u32_free(m, &w->words);
        if (t->tallies) graph_tally_free(&t->tallies[i], t->job);
    }
    mem_free(m, t->workers, t->workers ? t->n_workers * sizeof *t->workers : 0);
    mem_free(m, t->tallies, t->tallies ? t->n_workers * sizeof *t->tallies : 0);
    mem_free(m, t->blocks, t->cap_blocks * sizeof *t->blocks);
    lode_graphs_free(t->g);
    pthread_mutex_destroy(&t->lock);
}

lode_status graph_parts_read(lode_job *job, lode_graphs **out, input *in,
                             const lode_graph_read_options *options, bool *done_all) {
    lode_status status = LODE_OK;
    unsigned n = job->threads < PARALLEL_MAX ? job->threads : PARALLEL_MAX;
    parts_task t = {.job = job, .in = in, .options = options, .n_workers = n};
    pthread_mutex_init(&t.lock, NULL);
    LODE_TRY(parts_begin(&t));
    LODE_TRY(parallel_run(job, n, false, parts_read_some, &t));
    LODE_TRY(parts_join(&t));
    *out = t.g;
    t.g = NULL;
done:
    *done_all = status == LODE_OK;
    parts_clear(&t);
    if (status == LODE_OK || status == LODE_CANCELLED || status == LODE_STOPPED) return status;
    job_clear_message(job);
    return LODE_OK;
}
