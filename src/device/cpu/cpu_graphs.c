/* cpu_graphs.c - the operations on graphs as plain loops; see cpu_graphs.h
 *
 * They do what the kernels of a GPU do, on the same tables, so that the search above them can be
 * tested without a GPU. The memory of this "device" is host memory, but a budget for device memory
 * also applies to it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/cpu/cpu_graphs.h"

#include <string.h>

#include "device/api/graph_rows.h"

#define WORK_BYTES 256 /* build() needs none, but a block has some */

static lode_status cpu_graphs_open(lode_job *job, unsigned index, const backend_graphs *graphs,
                                   backend_graph_device **out) {
    backend_graph_device *d = NULL;
    lode_status status = mem_zalloc(&job->mem, (void **)&d, sizeof *d);
    if (status != LODE_OK) return status;
    d->job = job;
    d->graphs = *graphs;
    d->budget = job->device_memory ? (size_t)job->device_memory : SIZE_MAX;
    ledger_join(&d->account, job, "cpu", index);
    *out = d;
    return LODE_OK;
}

static void cpu_graphs_close(backend_graph_device *d) {
    if (!d) return;
    ledger_leave(&d->account);
    mem_free(&d->job->mem, d, sizeof *d);
}

static backend_counters cpu_graphs_counters(const backend_graph_device *d) {
    backend_counters counters = d->counters;
    if (d->budget != SIZE_MAX) counters.memory_peak = d->peak;
    return counters;
}

/* ---- memory --------------------------------------------------------------------------------- */

static lode_status cpu_graphs_alloc(backend_graph_device *d, size_t bytes, void **out) {
    *out = NULL;
    if (bytes == 0) return LODE_OK;
    if (bytes > d->budget - d->used) return LODE_BUDGET;
    lode_status status = ledger_charge(&d->account, bytes);
    if (status != LODE_OK) return status;
    status = mem_resize(&d->job->mem, out, 0, bytes);
    if (status != LODE_OK) {
        ledger_discharge(&d->account, bytes);
        return status;
    }
    d->used += bytes;
    if (d->used > d->peak) d->peak = d->used;
    return LODE_OK;
}

static void cpu_graphs_free(backend_graph_device *d, void *pointer, size_t bytes) {
    if (!pointer) return;
    mem_free(&d->job->mem, pointer, bytes);
    ledger_discharge(&d->account, bytes);
    d->used -= bytes;
}

static size_t cpu_graphs_left(backend_graph_device *d) {
    size_t left = d->budget - d->used, host = mem_left(&d->job->mem),
           all = ledger_left(&d->account);
    if (all < left) left = all;
    return left < host ? left : host;
}

static lode_status cpu_graphs_upload(backend_graph_device *d, void *to, const void *host,
                                     size_t bytes) {
    if (bytes > 0) memcpy(to, host, bytes);
    d->counters.bytes_up += bytes;
    return LODE_OK;
}

static lode_status cpu_graphs_download(backend_graph_device *d, void *host, const void *from,
                                       size_t bytes) {
    if (bytes > 0) memcpy(host, from, bytes);
    d->counters.bytes_down += bytes;
    return LODE_OK;
}

/* ---- extend --------------------------------------------------------------------------------- */

/* A row of a node, and where its extensions are counted. */
typedef struct cpu_row {
    const backend_node *node;
    backend_graph_slots slots;
    backend_row row;
    uint32_t seg; /* number of its graph */
} cpu_row;

static inline void cpu_count_slot(const cpu_row *r, uint32_t slot) {
    const backend_node *node = r->node;
    size_t n_words = (node->n_segs + 31) / 32;
    uint32_t *word = r->slots.bits + node->first_word + slot * n_words + r->seg / 32;
    r->slots.rows[node->first_slot + slot]++;
    if (!(*word >> r->seg % 32 & 1)) r->slots.supports[node->first_slot + slot]++;
    *word |= (uint32_t)1 << r->seg % 32;
}

/* The half-edges of a vertex that have a type: *begin … *end - 1. They are sorted by it. */
static void cpu_find_type(const backend_graphs *g, uint32_t v, uint32_t type, uint32_t *begin,
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

static lode_status cpu_extend_candidate(backend_graph_device *d, const backend_candidate *c,
                                        const cpu_row *r, uint32_t slot) {
    uint32_t k, end;
    cpu_find_type(&d->graphs, backend_row_vertex(r->row, c->position), c->type, &k, &end);
    size_t work = (size_t)(end - k) * r->row.n + 1;
    for (; k < end; k++) {
        if (backend_row_takes(r->row, c, d->graphs.half[k].to)) cpu_count_slot(r, slot);
    }
    return cpu_graphs_check(d, work);
}

static lode_status cpu_extend_newest(backend_graph_device *d, const uint16_t *path,
                                     const cpu_row *r) {
    const backend_graphs *g = &d->graphs;
    uint32_t v = backend_row_vertex(r->row, r->node->n_vertices - 1);
    for (uint32_t k = g->offsets[v]; k < g->offsets[v + 1]; k++) {
        uint32_t slot = backend_row_slot(r->row, g, r->node, path, g->half[k]);
        if (slot != BACKEND_GRAPH_NONE) cpu_count_slot(r, slot);
    }
    return cpu_graphs_check(d, (size_t)(g->offsets[v + 1] - g->offsets[v]) * r->row.n + 1);
}

static lode_status cpu_graphs_extend(backend_graph_device *d, unsigned lane,
                                     const backend_graph_batch *b) {
    lode_status status = LODE_OK;
    cpu_row r = {.slots = backend_graph_slots_of(b)};
    if (b->n_slots > 0) memset(b->work, 0, backend_graph_work(b->n_slots, b->n_words));
    for (uint32_t i = 0; i < b->n_nodes; i++) {
        const backend_node *node = r.node = &b->nodes[i];
        const backend_candidate *candidates = b->candidates + node->first_candidate;
        for (uint32_t row = 0; row < node->n_rows; row++) {
            r.row = (backend_row){node->rows + row, node->n_rows, node->n_vertices};
            r.seg = node->segs[row] - node->segs[0];
            for (uint32_t k = 0; k < node->n_candidates; k++) {
                LODE_TRY(cpu_extend_candidate(d, &candidates[k], &r, k));
            }
            if (node->n_path == 0) continue;
            LODE_TRY(cpu_extend_newest(d, b->paths + node->first_path, &r));
        }
    }
    d->found[lane] = (backend_graph_found){r.slots.rows, r.slots.supports};
done:
    return status;
}

static lode_status cpu_graphs_found(backend_graph_device *d, unsigned lane,
                                    backend_graph_found *found) {
    *found = d->found[lane];
    return LODE_OK;
}

/* ---- build ---------------------------------------------------------------------------------- */

static size_t cpu_graphs_build_work(backend_graph_device *d, uint32_t n_tiles, uint32_t n_rows) {
    (void)d, (void)n_tiles, (void)n_rows;
    return WORK_BYTES;
}

/* Adds the extensions of a row to a child that has *n rows so far. */
static lode_status cpu_build_row(backend_graph_device *d, const backend_child *c, backend_row r,
                                 uint32_t *n) {
    uint32_t k, end;
    const backend_candidate *by = &c->candidate;
    cpu_find_type(&d->graphs, backend_row_vertex(r, by->position), by->type, &k, &end);
    size_t work = 2 * (size_t)(end - k) * r.n + 1;
    for (; k < end; k++) {
        uint32_t to = d->graphs.half[k].to;
        if (backend_row_takes(r, by, to)) backend_child_write(c, (*n)++, r, to);
    }
    return cpu_graphs_check(d, work);
}

static lode_status cpu_graphs_build(backend_graph_device *d, const backend_build *b) {
    lode_status status = LODE_OK;
    uint32_t seg = 0;
    for (uint32_t i = 0; i < b->n_children; i++) {
        const backend_child *c = &b->children[i];
        uint32_t n = 0;
        for (uint32_t row = 0; row < c->n_from && n < c->n_rows; row++) {
            backend_row r = {c->from + row, c->n_from, c->n_vertices};
            LODE_TRY(cpu_build_row(d, c, r, &n));
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
    .open = cpu_graphs_open,
    .close = cpu_graphs_close,
    .counters = cpu_graphs_counters,
    .alloc = cpu_graphs_alloc,
    .free = cpu_graphs_free,
    .left = cpu_graphs_left,
    .on_host = true,
    .upload = cpu_graphs_upload,
    .download = cpu_graphs_download,
    .extend = cpu_graphs_extend,
    .found = cpu_graphs_found,
    .build_work = cpu_graphs_build_work,
    .build = cpu_graphs_build,
};
