/* cpu_pgm.c - the extensions of patterns with columns, as plain loops
 *
 * It finds what the kernels of a GPU find, in the same order, with columns in both layouts: this is
 * how pgm is tested where there is no GPU. But it sorts no records. A table numbers the extensions
 * as they are met and counts their rows and graphs; only rows of extensions that are listed are put
 * in order. Loads are what they are on a CPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/os.h"
#include "base/vec.h"
#include "device/api/paper_ops.h"
#include "device/cpu/cpu_graphs.h"
#include "papers/cpu/cpu_papers.h"

#define SLOTS_FIRST  ((size_t)1 << 10) /* places of the table at first */
#define ENTRIES_MOST ((size_t)1 << 20) /* of a batch, before its last pattern */

/* An extension that was met. */
typedef struct cpu_slot {
    pgm_record record;
    uint32_t n_rows, support;
    uint32_t graph; /* where it was met last */
    uint32_t next;  /* where its next row goes; BACKEND_GRAPH_NONE: it is not listed */
    size_t place;   /* in the table */
} cpu_slot;

/* A row that can be extended: by which slot, and to which vertex. */
typedef struct cpu_hit {
    uint32_t slot, row, vertex;
} cpu_hit;

struct pgm_device {
    backend_graph_device *on;
    pgm_labels labels;
    pgm_times times;
    bool by_columns;
    /* of the present pattern */
    uint32_t n_columns, n_path;
    const pgm_column *columns;
    const uint16_t *path;
    cpu_slot *slots;
    uint32_t *table; /* slot + 1, by hash of its record; n_places of them: a power of two */
    cpu_hit *hits;
    size_t n_slots, n_places, n_hits;
    /* of the last batch */
    pgm_extension *list;
    pgm_entry *entries; /* the new columns of these, one after the other */
    size_t n_list, n_entries;
    size_t slots_cap, hits_cap, entries_cap, list_cap;
    uint32_t *row; /* vertices of the present row */
    bool *on_path; /* by column: whether a backward edge may end there */
    size_t row_cap, on_path_cap;
};

static lode_status cpu_pgm_open(backend_graph_device *device, const pgm_labels *labels,
                                pgm_device **out) {
    pgm_device *d = NULL;
    lode_status status = mem_zalloc(&device->job->mem, (void **)&d, sizeof *d);
    if (status != LODE_OK) return status;
    d->on = device;
    d->labels = *labels;
    *out = d;
    return LODE_OK;
}

static void cpu_pgm_close(pgm_device *d) {
    if (!d) return;
    mem *m = &d->on->job->mem;
    mem_free(m, d->slots, d->slots_cap * sizeof *d->slots);
    mem_free(m, d->table, d->n_places * sizeof *d->table);
    mem_free(m, d->hits, d->hits_cap * sizeof *d->hits);
    mem_free(m, d->entries, d->entries_cap * sizeof *d->entries);
    mem_free(m, d->list, d->list_cap * sizeof *d->list);
    mem_free(m, d->row, d->row_cap * sizeof *d->row);
    mem_free(m, d->on_path, d->on_path_cap * sizeof *d->on_path);
    mem_free(m, d, sizeof *d);
}

/* Makes room for n things, whose earlier values are not needed. */
static lode_status pgm_need(pgm_device *d, void **array, size_t *cap, size_t n, size_t width) {
    return n <= *cap ? LODE_OK : vec_grow(&d->on->job->mem, array, 0, cap, n, width);
}

/* ---- the table of extensions ---------------------------------------------------------------- */

static bool cpu_record_equals(const pgm_record *a, const pgm_record *b) {
    return a->from == b->from && a->to == b->to && a->edge_label == b->edge_label &&
           a->to_label == b->to_label;
}

static size_t record_hash(const pgm_record *r) {
    uint64_t columns = (uint64_t)r->from << 32 | r->to;
    uint64_t labels = (uint64_t)r->edge_label << 32 | r->to_label;
    uint64_t hash = (columns * 0x9e3779b97f4a7c15u ^ labels) * 0xd6e8feb86659fd93u;
    return (size_t)(hash ^ hash >> 32);
}

/* The place of a record in the table, or the free one where it belongs. */
static size_t slot_place(const pgm_device *d, const pgm_record *r) {
    size_t mask = d->n_places - 1, at = record_hash(r) & mask;
    while (d->table[at] && !cpu_record_equals(&d->slots[d->table[at] - 1].record, r)) {
        at = (at + 1) & mask;
    }
    return at;
}

static void slot_put(pgm_device *d, size_t slot) {
    size_t place = slot_place(d, &d->slots[slot].record);
    d->slots[slot].place = place;
    d->table[place] = (uint32_t)slot + 1;
}

/* Makes room for one slot more; the table stays at most half full. */
static lode_status slots_reserve(pgm_device *d) {
    lode_status status = LODE_OK;
    mem *m = &d->on->job->mem;
    if (d->n_slots == d->slots_cap) {
        LODE_TRY(vec_grow(m, (void **)&d->slots, d->n_slots, &d->slots_cap, 1, sizeof *d->slots));
    }
    if (2 * (d->n_slots + 1) <= d->n_places) return LODE_OK;
    uint32_t *table = NULL;
    size_t n = d->n_places ? 2 * d->n_places : SLOTS_FIRST;
    LODE_TRY(mem_zalloc(m, (void **)&table, n * sizeof *table));
    mem_free(m, d->table, d->n_places * sizeof *d->table);
    d->table = table;
    d->n_places = n;
    for (size_t i = 0; i < d->n_slots; i++) slot_put(d, i);
done:
    return status;
}

static void slots_empty(pgm_device *d) {
    for (size_t i = 0; i < d->n_slots; i++) d->table[d->slots[i].place] = 0;
    d->n_slots = 0;
}

/* Counts a hit. Graphs come in ascending order. */
static lode_status slots_count(pgm_device *d, pgm_record r, uint32_t row, uint32_t vertex) {
    lode_status status = LODE_OK;
    uint32_t graph = d->on->graphs.graph_of[vertex];
    uint32_t number = d->n_places ? d->table[slot_place(d, &r)] : 0;
    if (number == 0) {
        LODE_TRY(slots_reserve(d));
        d->slots[d->n_slots] = (cpu_slot){.record = r, .graph = BACKEND_GRAPH_NONE};
        slot_put(d, d->n_slots);
        number = (uint32_t)++d->n_slots;
    }
    if (d->n_hits == d->hits_cap) {
        LODE_TRY(vec_grow(&d->on->job->mem, (void **)&d->hits, d->n_hits, &d->hits_cap, 1,
                          sizeof *d->hits));
    }
    cpu_slot *slot = &d->slots[number - 1];
    slot->n_rows++;
    slot->support += slot->graph != graph;
    slot->graph = graph;
    d->hits[d->n_hits++] = (cpu_hit){number - 1, row, vertex};
done:
    return status;
}

/* ---- extensions ----------------------------------------------------------------------------- */

static void pgm_read_row(pgm_device *d, uint32_t row) {
    for (uint32_t c = d->n_columns; c > 0; c--) {
        const pgm_column *column = &d->columns[c - 1];
        pgm_entry e = pgm_entry_get(column->block, column->n, row, d->by_columns);
        d->row[c - 1] = e.vid;
        row = e.idx;
    }
}

/* Counts the extensions of a row at a vertex of the path. */
static lode_status pgm_search_vertex(pgm_device *d, uint32_t least_type, uint32_t row,
                                     uint16_t position) {
    lode_status status = LODE_OK;
    const backend_graphs *g = &d->on->graphs;
    uint32_t v = d->row[position], end = g->offsets[v + 1];
    for (uint32_t k = g->offsets[v]; k < end; k++) {
        if (g->half[k].type < least_type) continue;
        uint32_t to = g->half[k].to, at = 0;
        while (at < d->n_columns && d->row[at] != to) at++;
        bool forward = at == d->n_columns;
        if (!forward && (position != d->path[0] || !d->on_path[at])) continue;
        pgm_record r = {position, at, d->labels.of_half[k], d->labels.of_vertex[to]};
        LODE_TRY(slots_count(d, r, row, to));
    }
    LODE_TRY(cpu_graphs_check(d->on, (size_t)(end - g->offsets[v]) * d->n_columns + 1));
done:
    return status;
}

/* Makes a pattern of a batch the present one. */
static lode_status pgm_begin(pgm_device *d, const pgm_batch *batch, uint32_t pattern) {
    lode_status status = LODE_OK;
    const pgm_pattern *x = &batch->patterns[pattern];
    d->columns = batch->columns + x->first_column;
    d->path = batch->paths + x->first_path;
    d->n_columns = x->n_columns;
    d->n_path = x->n_path;
    LODE_TRY(pgm_need(d, (void **)&d->row, &d->row_cap, d->n_columns, sizeof *d->row));
    LODE_TRY(pgm_need(d, (void **)&d->on_path, &d->on_path_cap, d->n_columns, sizeof *d->on_path));
    memset(d->on_path, 0, d->n_columns * sizeof *d->on_path);
    for (uint32_t i = 1; i < d->n_path; i++) d->on_path[d->path[i]] = true;
    slots_empty(d);
    d->n_hits = 0;
done:
    return status;
}

static lode_status pgm_extend(pgm_device *d, uint32_t least_type) {
    lode_status status = LODE_OK;
    for (uint32_t row = 0; row < d->columns[d->n_columns - 1].n; row++) {
        pgm_read_row(d, row);
        for (uint32_t i = 0; i < d->n_path; i++) {
            LODE_TRY(pgm_search_vertex(d, least_type, row, d->path[i]));
        }
    }
    if (d->n_hits > INT32_MAX) LODE_LEAVE(LODE_UNSUPPORTED);
done:
    return status;
}

/* ---- order ---------------------------------------------------------------------------------- */

static bool record_is_forward(const pgm_record *r) {
    return r->to > r->from;
}

/* The column that tells extensions apart: where they begin, or, if they go back, where they end. */
static uint32_t record_other_end(const pgm_record *r) {
    return record_is_forward(r) ? r->from : r->to;
}

static bool extension_before(const pgm_extension *x, const pgm_extension *y) {
    const pgm_record *a = &x->record, *b = &y->record;
    if (record_is_forward(a) != record_is_forward(b)) return record_is_forward(b);
    if (record_other_end(a) != record_other_end(b)) {
        return record_other_end(a) < record_other_end(b);
    }
    if (a->edge_label != b->edge_label) return a->edge_label < b->edge_label;
    return a->to_label < b->to_label;
}

#define SORT_NAME   sort_extensions
#define SORT_TYPE   pgm_extension
#define SORT_BEFORE extension_before
#include "base/sort_body.h"

/* Lists the extensions of enough graphs, in order, after those of the patterns before. `first` is
 * the number of the slot as yet. */
static lode_status pgm_list(pgm_device *d, uint32_t pattern, uint32_t min_support) {
    lode_status status = LODE_OK;
    sort_stop stop = job_sort_stop(d->on->job);
    size_t before = d->n_list;
    if (d->list_cap - before < d->n_slots) {
        LODE_TRY(vec_grow(&d->on->job->mem, (void **)&d->list, before, &d->list_cap, d->n_slots,
                          sizeof *d->list));
    }
    for (size_t i = 0; i < d->n_slots; i++) {
        cpu_slot *s = &d->slots[i];
        s->next = BACKEND_GRAPH_NONE;
        if (s->support < min_support) continue;
        d->list[d->n_list++] =
            (pgm_extension){s->record, pattern, s->n_rows, s->support, (uint32_t)i};
    }
    if (!sort_extensions(d->list + before, d->n_list - before, &stop)) {
        status = job_check(d->on->job);
    }
done:
    return status;
}

/* The entry of a hit in the column of its extension; a backward edge keeps that of its row. */
static pgm_entry pgm_entry_of(const pgm_device *d, const pgm_record *r, cpu_hit h) {
    pgm_column last = d->columns[d->n_columns - 1];
    if (record_is_forward(r)) return (pgm_entry){h.row, h.vertex};
    return pgm_entry_get(last.block, last.n, h.row, d->by_columns);
}

/* Puts the rows of the extensions in order that are listed from number `first` on. */
static lode_status pgm_order(pgm_device *d, size_t first) {
    lode_status status = LODE_OK;
    size_t n = d->n_entries;
    for (size_t i = first; i < d->n_list; i++) {
        pgm_extension *e = &d->list[i];
        if (n + e->n_rows > INT32_MAX) LODE_LEAVE(LODE_UNSUPPORTED);
        d->slots[e->first].next = (uint32_t)n;
        e->first = (uint32_t)n;
        n += e->n_rows;
    }
    if (n > d->entries_cap) {
        LODE_TRY(vec_grow(&d->on->job->mem, (void **)&d->entries, d->n_entries, &d->entries_cap,
                          n - d->n_entries, sizeof *d->entries));
    }
    d->n_entries = n;
    for (size_t i = 0; i < d->n_hits; i++) {
        cpu_hit h = d->hits[i];
        cpu_slot *s = &d->slots[h.slot];
        if (s->next != BACKEND_GRAPH_NONE) d->entries[s->next++] = pgm_entry_of(d, &s->record, h);
    }
done:
    return status;
}

static lode_status pgm_search_pattern(pgm_device *d, const pgm_batch *batch, uint32_t pattern) {
    lode_status status = LODE_OK;
    double start = os_seconds();
    size_t first = d->n_list;
    LODE_TRY(pgm_begin(d, batch, pattern));
    LODE_TRY(pgm_extend(d, batch->patterns[pattern].least_type));
    double extended = os_seconds();
    LODE_TRY(pgm_list(d, pattern, batch->min_support));
    double listed = os_seconds();
    LODE_TRY(pgm_order(d, first));
    d->times.extend += extended - start;
    d->times.support += listed - extended;
    d->times.sort += os_seconds() - listed;
done:
    return status;
}

static lode_status cpu_pgm_search(pgm_device *d, const pgm_batch *batch, pgm_found *found) {
    lode_status status = LODE_OK;
    *found = (pgm_found){0};
    d->by_columns = batch->layout.by_columns;
    d->n_list = d->n_entries = 0;
    for (uint32_t i = 0; i < batch->n_patterns && d->n_entries <= ENTRIES_MOST; i++) {
        LODE_TRY(pgm_search_pattern(d, batch, i));
        found->n_patterns++;
        found->n_counted += d->n_slots;
    }
    found->n_list = (uint32_t)d->n_list;
    found->list = d->list;
done:
    return status;
}

static lode_status cpu_pgm_build(pgm_device *d, const pgm_build *list, uint32_t n) {
    double start = os_seconds();
    for (uint32_t k = 0; k < n; k++) {
        const pgm_extension *e = &list[k].extension;
        for (uint32_t i = 0; i < e->n_rows; i++) {
            pgm_entry_put(list[k].block, e->n_rows, i, d->by_columns, d->entries[e->first + i]);
        }
    }
    d->times.column += os_seconds() - start;
    return LODE_OK;
}

static lode_status cpu_pgm_times(pgm_device *d, pgm_times *out) {
    *out = d->times;
    return LODE_OK;
}

const pgm_ops cpu_pgm_ops = {
    .open = cpu_pgm_open,
    .close = cpu_pgm_close,
    .search = cpu_pgm_search,
    .build = cpu_pgm_build,
    .times = cpu_pgm_times,
};
