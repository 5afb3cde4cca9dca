/* cpu_pgm.c - the extensions of one pattern, as plain loops
 *
 * It does what the kernels of a GPU do, step by step and in both layouts: this is how pgm is tested
 * where there is no GPU. Loads are what they are on a CPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/os.h"
#include "base/vec.h"
#include "device/api/paper_ops.h"
#include "device/cpu/cpu_graphs.h"
#include "papers/cpu/cpu_papers.h"

/* A record on its way to its place by code. */
typedef struct cpu_sorted {
    pgm_record code;
    uint32_t number; /* in the order of rows, path vertices and half-edges */
} cpu_sorted;

struct pgm_device {
    backend_graph_device *on;
    pgm_labels labels;
    pgm_times times;
    /* of the last pattern */
    pgm_column last; /* its last column */
    bool by_columns;
    size_t n_records, n_found; /* n_found: so far */
    pgm_record *records;       /* vectors, or four arrays of n_records each */
    pgm_entry *entries;        /* (row, vertex) of each record; pairs, or two arrays */
    cpu_sorted *sorted;
    size_t records_cap, entries_cap, sorted_cap;
    pgm_extension *list;
    size_t n_list, list_cap;
    uint32_t *row; /* vertices of the present row */
    size_t row_cap;
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
    mem_free(m, d->records, d->records_cap * sizeof *d->records);
    mem_free(m, d->entries, d->entries_cap * sizeof *d->entries);
    mem_free(m, d->sorted, d->sorted_cap * sizeof *d->sorted);
    mem_free(m, d->list, d->list_cap * sizeof *d->list);
    mem_free(m, d->row, d->row_cap * sizeof *d->row);
    mem_free(m, d, sizeof *d);
}

/* ---- records in both layouts ---------------------------------------------------------------- */

static void pgm_record_put(pgm_device *d, size_t i, pgm_record r) {
    if (!d->by_columns) {
        d->records[i] = r;
        return;
    }
    uint32_t *to = (uint32_t *)(void *)d->records + i;
    to[0] = r.from;
    to[d->n_records] = r.to;
    to[2 * d->n_records] = r.edge_label;
    to[3 * d->n_records] = r.to_label;
}

static pgm_record pgm_record_get(const pgm_device *d, size_t i) {
    if (!d->by_columns) return d->records[i];
    const uint32_t *at = (const uint32_t *)(const void *)d->records + i;
    size_t n = d->n_records;
    return (pgm_record){at[0], at[n], at[2 * n], at[3 * n]};
}

static pgm_entry pgm_record_entry(const pgm_device *d, size_t i) {
    return pgm_entry_get(d->entries, d->n_records, i, d->by_columns);
}

/* ---- order ---------------------------------------------------------------------------------- */

static bool record_is_forward(const pgm_record *r) {
    return r->to > r->from;
}

/* The column that tells extensions apart: where they begin, or, if they go back, where they end. */
static uint32_t record_other_end(const pgm_record *r) {
    return record_is_forward(r) ? r->from : r->to;
}

static int record_compare(const pgm_record *a, const pgm_record *b) {
    bool forward_a = record_is_forward(a), forward_b = record_is_forward(b);
    if (forward_a != forward_b) return forward_a ? 1 : -1;
    if (record_other_end(a) != record_other_end(b))
        return record_other_end(a) < record_other_end(b) ? -1 : 1;
    if (a->edge_label != b->edge_label) return a->edge_label < b->edge_label ? -1 : 1;
    return a->to_label < b->to_label ? -1 : a->to_label > b->to_label;
}

static bool cpu_sorted_before(const cpu_sorted *a, const cpu_sorted *b) {
    int order = record_compare(&a->code, &b->code);
    return order != 0 ? order < 0 : a->number < b->number;
}

#define SORT_NAME   sort_cpu_records
#define SORT_TYPE   cpu_sorted
#define SORT_BEFORE cpu_sorted_before
#include "base/sort_body.h"

/* ---- extensions ----------------------------------------------------------------------------- */

static void pgm_read_row(pgm_device *d, const pgm_occurrences *o, uint32_t row) {
    for (uint32_t c = o->n_columns; c > 0; c--) {
        const pgm_column *column = &o->columns[c - 1];
        pgm_entry e = pgm_entry_get(column->block, column->n, row, d->by_columns);
        d->row[c - 1] = e.vid;
        row = e.idx;
    }
}

/* Whether a vertex of the row may be the end of a backward edge. */
static bool pgm_is_on_path(const pgm_occurrences *o, uint32_t column) {
    for (uint32_t i = 1; i < o->n_path; i++) {
        if (o->path[i] == column) return true;
    }
    return false;
}

/* The extensions of a row at a vertex of the path: counts them or, if `write`, lists them. */
static lode_status pgm_search_vertex(pgm_device *d, const pgm_occurrences *o, uint32_t row,
                                     uint16_t position, bool write) {
    const backend_graphs *g = &d->on->graphs;
    uint32_t v = d->row[position];
    for (uint32_t k = g->offsets[v]; k < g->offsets[v + 1]; k++) {
        uint32_t to = g->half[k].to, at = 0;
        while (at < o->n_columns && d->row[at] != to) at++;
        bool forward = at == o->n_columns;
        if (!forward && (position != o->path[0] || !pgm_is_on_path(o, at))) continue;
        size_t i = d->n_found++;
        if (!write) continue;
        pgm_record r = {position, at, d->labels.of_half[k], d->labels.of_vertex[to]};
        pgm_record_put(d, i, r);
        pgm_entry_put(d->entries, d->n_records, i, d->by_columns, (pgm_entry){row, to});
    }
    return cpu_graphs_check(d->on, (size_t)(g->offsets[v + 1] - g->offsets[v]) * o->n_columns + 1);
}

static lode_status pgm_search_rows(pgm_device *d, const pgm_occurrences *o, bool write) {
    lode_status status = LODE_OK;
    d->n_found = 0;
    for (uint32_t row = 0; row < d->last.n; row++) {
        pgm_read_row(d, o, row);
        for (uint32_t i = 0; i < o->n_path; i++) {
            LODE_TRY(pgm_search_vertex(d, o, row, o->path[i], write));
        }
    }
done:
    return status;
}

/* Makes room for n things, whose earlier values are not needed. */
static lode_status pgm_need(pgm_device *d, void **array, size_t *cap, size_t n, size_t width) {
    return n <= *cap ? LODE_OK : vec_grow(&d->on->job->mem, array, 0, cap, n, width);
}

/* Counts the extensions of all rows, then lists them. */
static lode_status pgm_extend(pgm_device *d, const pgm_occurrences *o) {
    lode_status status = LODE_OK;
    LODE_TRY(pgm_need(d, (void **)&d->row, &d->row_cap, o->n_columns, sizeof *d->row));
    LODE_TRY(pgm_search_rows(d, o, false));
    size_t n = d->n_records = d->n_found;
    if (n > INT32_MAX) LODE_LEAVE(LODE_UNSUPPORTED);
    LODE_TRY(pgm_need(d, (void **)&d->records, &d->records_cap, n, sizeof *d->records));
    LODE_TRY(pgm_need(d, (void **)&d->entries, &d->entries_cap, n, sizeof *d->entries));
    LODE_TRY(pgm_need(d, (void **)&d->sorted, &d->sorted_cap, n, sizeof *d->sorted));
    LODE_TRY(pgm_search_rows(d, o, true));
done:
    return status;
}

static lode_status pgm_sort(pgm_device *d) {
    for (size_t i = 0; i < d->n_records; i++) {
        d->sorted[i] = (cpu_sorted){pgm_record_get(d, i), (uint32_t)i};
    }
    sort_stop stop = job_sort_stop(d->on->job);
    bool done = sort_cpu_records(d->sorted, d->n_records, &stop);
    return done ? LODE_OK : job_check(d->on->job);
}

/* Cuts the sorted records into extensions. */
static lode_status pgm_list(pgm_device *d) {
    lode_status status = LODE_OK;
    const uint32_t *graph_of = d->on->graphs.graph_of;
    pgm_record before = {0};
    uint32_t graph = 0;
    d->n_list = 0;
    for (size_t i = 0; i < d->n_records; i++) {
        uint32_t number = d->sorted[i].number, graph_before = graph;
        pgm_record r = pgm_record_get(d, number);
        bool fresh = i == 0 || record_compare(&r, &before) != 0;
        before = r;
        graph = graph_of[pgm_record_entry(d, number).vid];
        if (fresh) {
            if (d->n_list == d->list_cap) {
                LODE_TRY(vec_grow(&d->on->job->mem, (void **)&d->list, d->n_list, &d->list_cap, 1,
                                  sizeof *d->list));
            }
            d->list[d->n_list++] = (pgm_extension){.record = r, .first = (uint32_t)i};
        }
        pgm_extension *e = &d->list[d->n_list - 1];
        e->n_rows++;
        e->support += fresh || graph != graph_before;
    }
done:
    return status;
}

static lode_status cpu_pgm_search(pgm_device *d, const pgm_occurrences *o,
                                  const pgm_extension **list, uint32_t *n) {
    lode_status status = LODE_OK;
    double start = os_seconds();
    d->last = o->columns[o->n_columns - 1];
    d->by_columns = o->layout.by_columns;
    LODE_TRY(pgm_extend(d, o));
    double extended = os_seconds();
    LODE_TRY(pgm_sort(d));
    double sorted = os_seconds();
    LODE_TRY(pgm_list(d));
    d->times.extend += extended - start;
    d->times.sort += sorted - extended;
    d->times.support += os_seconds() - sorted;
    *list = d->list;
    *n = (uint32_t)d->n_list;
done:
    return status;
}

static lode_status cpu_pgm_column(pgm_device *d, const pgm_extension *e, void *block) {
    double start = os_seconds();
    bool forward = record_is_forward(&e->record);
    for (uint32_t i = 0; i < e->n_rows; i++) {
        pgm_entry entry = pgm_record_entry(d, d->sorted[e->first + i].number);
        if (!forward) entry = pgm_entry_get(d->last.block, d->last.n, entry.idx, d->by_columns);
        pgm_entry_put(block, e->n_rows, i, d->by_columns, entry);
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
    .column = cpu_pgm_column,
    .times = cpu_pgm_times,
};
