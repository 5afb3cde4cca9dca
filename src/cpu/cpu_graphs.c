/* cpu_graphs.c - the operations on graphs as plain loops
 *
 * They do what the kernels of a GPU do, on the same tables: this is how the search above them is
 * tested where there is no GPU. Memory of the "device" is that of the host; a budget for device
 * memory holds here, too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu/cpu_graphs.h"

#include <string.h>

#define FIRST_BYTES 256 /* what blocks are rounded up to */

static lode_status graphs_open(lode_job *job, unsigned index, const backend_graphs *graphs,
                               backend_graph_device **out) {
    backend_graph_device *d = NULL;
    lode_status status = mem_zalloc(&job->mem, (void **)&d, sizeof *d);
    if (status != LODE_OK) return status;
    d->job = job;
    d->graphs = *graphs;
    d->budget = job->device_memory ? (size_t)job->device_memory : SIZE_MAX;
    ledger_join(&d->seat, job, "cpu", index);
    *out = d;
    return LODE_OK;
}

static void graphs_close(backend_graph_device *d) {
    if (!d) return;
    ledger_leave(&d->seat);
    mem_free(&d->job->mem, d, sizeof *d);
}

static backend_counters graphs_counters(const backend_graph_device *d) {
    backend_counters counters = d->counters;
    if (d->budget != SIZE_MAX) counters.memory_peak = d->peak;
    return counters;
}

/* ---- memory --------------------------------------------------------------------------------- */

static lode_status graphs_alloc(backend_graph_device *d, size_t bytes, void **out) {
    *out = NULL;
    if (bytes == 0) return LODE_OK;
    if (bytes > d->budget - d->used) return LODE_BUDGET;
    lode_status status = ledger_charge(&d->seat, bytes);
    if (status != LODE_OK) return status;
    status = mem_resize(&d->job->mem, out, 0, bytes);
    if (status != LODE_OK) {
        ledger_discharge(&d->seat, bytes);
        return status;
    }
    d->used += bytes;
    if (d->used > d->peak) d->peak = d->used;
    return LODE_OK;
}

static void graphs_free(backend_graph_device *d, void *pointer, size_t bytes) {
    if (!pointer) return;
    mem_free(&d->job->mem, pointer, bytes);
    ledger_discharge(&d->seat, bytes);
    d->used -= bytes;
}

static size_t graphs_left(backend_graph_device *d) {
    size_t left = d->budget - d->used, host = mem_left(&d->job->mem), all = ledger_left(&d->seat);
    if (all < left) left = all;
    return left < host ? left : host;
}

static lode_status graphs_upload(backend_graph_device *d, void *to, const void *host,
                                 size_t bytes) {
    if (bytes > 0) memcpy(to, host, bytes);
    d->counters.bytes_up += bytes;
    return LODE_OK;
}

static lode_status graphs_download(backend_graph_device *d, void *host, const void *from,
                                   size_t bytes) {
    if (bytes > 0) memcpy(host, from, bytes);
    d->counters.bytes_down += bytes;
    return LODE_OK;
}

/* ---- one row -------------------------------------------------------------------------------- */

/* A row of a matrix. */
typedef struct row_view {
    const uint32_t *at; /* its entry in the first column */
    size_t stride;
    uint32_t n;
} row_view;

static uint32_t row_vertex(row_view r, uint32_t column) {
    return r.at[column * r.stride];
}

/* The column where a row has the vertex; n if it does not. */
static uint32_t row_find(row_view r, uint32_t vertex) {
    uint32_t c = 0;
    while (c < r.n && row_vertex(r, c) != vertex) c++;
    return c;
}

/* Whether the half-edge of the leg's type extends the row. */
static bool leg_takes(const backend_leg *leg, row_view r, uint32_t to) {
    if (leg->target != BACKEND_GRAPH_NEW) return to == row_vertex(r, leg->target);
    if (leg->above != BACKEND_GRAPH_NONE && to <= row_vertex(r, leg->above)) return false;
    return row_find(r, to) == r.n;
}

/* ---- extend --------------------------------------------------------------------------------- */

typedef struct slots {
    uint64_t *rows;
    uint32_t *supports;
    uint32_t *bits;
} slots;

static slots batch_slots(const backend_graph_batch *b) {
    slots s = {.rows = b->work};
    s.supports = (uint32_t *)(s.rows + b->n_slots);
    s.bits = s.supports + b->n_slots;
    return s;
}

static void hit(slots s, const backend_node *node, uint32_t slot, uint32_t seg) {
    size_t n_words = (node->n_segs + 31) / 32;
    uint32_t *word = s.bits + node->first_word + slot * n_words + seg / 32;
    s.rows[node->first_slot + slot]++;
    if (!(*word >> seg % 32 & 1)) s.supports[node->first_slot + slot]++;
    *word |= (uint32_t)1 << seg % 32;
}

/* The half-edges of a vertex that have a type: *begin … *end - 1. They are sorted by it. */
static void find_type(const backend_graphs *g, uint32_t v, uint32_t type, uint32_t *begin,
                      uint32_t *end) {
    uint32_t low = g->offsets[v], high = g->offsets[v + 1], last = high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (g->half[middle].type < type) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *begin = low;
    while (low < last && g->half[low].type == type) low++;
    *end = low;
}

static lode_status extend_leg(backend_graph_device *d, const backend_node *node,
                              const backend_leg *leg, row_view r, uint32_t slot, uint32_t seg,
                              slots s) {
    uint32_t k, end;
    find_type(&d->graphs, row_vertex(r, leg->position), leg->type, &k, &end);
    size_t work = (size_t)(end - k) * r.n + 1;
    for (; k < end; k++) {
        if (leg_takes(leg, r, d->graphs.half[k].to)) hit(s, node, slot, seg);
    }
    return cpu_graphs_check(d, work);
}

static lode_status extend_newest(backend_graph_device *d, const backend_node *node,
                                 const uint16_t *path, row_view r, uint32_t seg, slots s) {
    const backend_graphs *g = &d->graphs;
    uint32_t v = row_vertex(r, node->n_vertices - 1);
    for (uint32_t k = g->offsets[v]; k < g->offsets[v + 1]; k++) {
        backend_half h = g->half[k];
        if (h.type < node->least_type) continue;
        uint32_t at = row_find(r, h.to), i = 1;
        if (at == r.n) {
            if (node->n_fresh > 0) hit(s, node, node->n_legs + g->from_rank[h.type], seg);
            continue;
        }
        while (i < node->n_path && path[i] != at) i++;
        if (i == node->n_path || (i == 1 && h.type == node->parent_type)) continue;
        hit(s, node, node->n_legs + node->n_fresh + i * g->pair_width + g->pair_rank[h.type], seg);
    }
    return cpu_graphs_check(d, (size_t)(g->offsets[v + 1] - g->offsets[v]) * r.n + 1);
}

static lode_status graphs_extend(backend_graph_device *d, unsigned index,
                                 const backend_graph_batch *b) {
    lode_status status = LODE_OK;
    slots s = batch_slots(b);
    if (b->n_slots > 0) memset(b->work, 0, backend_graph_work(b->n_slots, b->n_words));
    for (uint32_t i = 0; i < b->n_nodes; i++) {
        const backend_node *node = &b->nodes[i];
        for (uint32_t row = 0; row < node->n_rows; row++) {
            row_view r = {node->rows + row, node->n_rows, node->n_vertices};
            uint32_t seg = node->segs[row] - node->segs[0];
            for (uint32_t k = 0; k < node->n_legs; k++) {
                LODE_TRY(extend_leg(d, node, &b->legs[node->first_leg + k], r, k, seg, s));
            }
            if (node->n_path > 0) {
                LODE_TRY(extend_newest(d, node, b->paths + node->first_path, r, seg, s));
            }
        }
    }
    d->found[index] = (backend_graph_found){s.rows, s.supports};
done:
    return status;
}

static lode_status graphs_found(backend_graph_device *d, unsigned index,
                                backend_graph_found *found) {
    *found = d->found[index];
    return LODE_OK;
}

/* ---- build ---------------------------------------------------------------------------------- */

static size_t graphs_build_work(backend_graph_device *d, uint32_t n_tiles, uint32_t n_rows) {
    (void)d, (void)n_tiles, (void)n_rows;
    return FIRST_BYTES;
}

static lode_status build_row(backend_graph_device *d, const backend_child *c, row_view r,
                             uint32_t *n) {
    uint32_t k, end;
    find_type(&d->graphs, row_vertex(r, c->leg.position), c->leg.type, &k, &end);
    size_t work = 2 * (size_t)(end - k) * r.n + 1;
    for (; k < end; k++) {
        uint32_t to = d->graphs.half[k].to;
        if (!leg_takes(&c->leg, r, to)) continue;
        uint32_t *out = c->rows + *n;
        for (uint32_t column = 0; column < c->n_vertices; column++) {
            out[(size_t)column * c->n_rows] = row_vertex(r, column);
        }
        if (c->leg.target == BACKEND_GRAPH_NEW) out[(size_t)c->n_vertices * c->n_rows] = to;
        ++*n;
    }
    return cpu_graphs_check(d, work);
}

static lode_status graphs_build(backend_graph_device *d, const backend_build *b) {
    lode_status status = LODE_OK;
    uint32_t seg = 0;
    for (uint32_t i = 0; i < b->n_children; i++) {
        const backend_child *c = &b->children[i];
        uint32_t n = 0;
        for (uint32_t row = 0; row < c->n_from && n < c->n_rows; row++) {
            row_view r = {c->from + row, c->n_from, c->n_vertices};
            LODE_TRY(build_row(d, c, r, &n));
        }
        for (uint32_t row = 0; row < n; row++) {
            const uint32_t *graph_of = d->graphs.graph_of;
            seg += row == 0 || graph_of[c->rows[row]] != graph_of[c->rows[row - 1]];
            b->segs[c->first_row + row] = seg;
        }
    }
done:
    return status;
}

const backend_graph_ops cpu_graph_ops = {
    .open = graphs_open,
    .close = graphs_close,
    .counters = graphs_counters,
    .alloc = graphs_alloc,
    .free = graphs_free,
    .left = graphs_left,
    .upload = graphs_upload,
    .download = graphs_download,
    .extend = graphs_extend,
    .found = graphs_found,
    .build_work = graphs_build_work,
    .build = graphs_build,
};
