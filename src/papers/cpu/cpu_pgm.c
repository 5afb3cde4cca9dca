/* cpu_pgm.c - the extensions of one pattern, as plain loops
 *
 * It does what the kernels of a GPU do: this is how pgm is tested where there is no GPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/pgm_ops.h"
#include "base/vec.h"
#include "cpu/cpu_graphs.h"
#include "papers/cpu/cpu_papers.h"

/* An extension of one occurrence. */
typedef struct cpu_record {
    pgm_extension code;
    uint32_t row, to;
    size_t number; /* in the order of rows, path vertices and half-edges */
} cpu_record;

struct pgm_device {
    backend_graph_device *on;
    pgm_labels labels;
    pgm_column last; /* the last column of the pattern */
    cpu_record *records;
    size_t n_records, records_cap;
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
    mem_free(m, d->list, d->list_cap * sizeof *d->list);
    mem_free(m, d->row, d->row_cap * sizeof *d->row);
    mem_free(m, d, sizeof *d);
}

/* The column that tells extensions apart: where they begin, or, if they go back, where they end. */
static uint32_t record_other_end(const pgm_extension *e) {
    return e->target == BACKEND_GRAPH_NEW ? e->position : e->target;
}

static int record_compare(const pgm_extension *a, const pgm_extension *b) {
    bool new_a = a->target == BACKEND_GRAPH_NEW, new_b = b->target == BACKEND_GRAPH_NEW;
    if (new_a != new_b) return new_a ? 1 : -1;
    if (record_other_end(a) != record_other_end(b))
        return record_other_end(a) < record_other_end(b) ? -1 : 1;
    if (a->edge_label != b->edge_label) return a->edge_label < b->edge_label ? -1 : 1;
    return a->to_label < b->to_label ? -1 : a->to_label > b->to_label;
}

static bool cpu_record_before(const cpu_record *a, const cpu_record *b) {
    int order = record_compare(&a->code, &b->code);
    return order != 0 ? order < 0 : a->number < b->number;
}

#define SORT_NAME   sort_cpu_records
#define SORT_TYPE   cpu_record
#define SORT_BEFORE cpu_record_before
#include "base/sort_body.h"

static void pgm_read_row(pgm_device *d, const pgm_occurrences *o, uint32_t row) {
    for (uint32_t c = o->n_columns; c > 0; c--) {
        d->row[c - 1] = o->columns[c - 1].vid[row];
        if (c > 1) row = o->columns[c - 1].idx[row];
    }
}

static lode_status pgm_add_record(pgm_device *d, const cpu_record *record) {
    if (d->n_records == d->records_cap) {
        lode_status status = vec_grow(&d->on->job->mem, (void **)&d->records, d->n_records,
                                      &d->records_cap, 1, sizeof *d->records);
        if (status != LODE_OK) return status;
    }
    d->records[d->n_records] = *record;
    d->records[d->n_records].number = d->n_records;
    d->n_records++;
    return LODE_OK;
}

/* Whether a vertex of the row may be the end of a backward edge. */
static bool pgm_is_on_path(const pgm_occurrences *o, uint32_t column) {
    for (uint32_t i = 1; i < o->n_path; i++) {
        if (o->path[i] == column) return true;
    }
    return false;
}

static lode_status pgm_search_vertex(pgm_device *d, const pgm_occurrences *o, uint32_t row,
                                     uint16_t position) {
    const backend_graphs *g = &d->on->graphs;
    uint32_t v = d->row[position];
    for (uint32_t k = g->offsets[v]; k < g->offsets[v + 1]; k++) {
        uint32_t to = g->half[k].to, at = 0;
        while (at < o->n_columns && d->row[at] != to) at++;
        bool found = at < o->n_columns;
        if (found && (position != o->path[0] || !pgm_is_on_path(o, at))) continue;
        cpu_record r = {.row = row, .to = to, .code = {.position = position}};
        r.code.target = found ? (uint16_t)at : BACKEND_GRAPH_NEW;
        r.code.edge_label = d->labels.of_half[k];
        r.code.to_label = d->labels.of_vertex[to];
        lode_status status = pgm_add_record(d, &r);
        if (status != LODE_OK) return status;
    }
    return cpu_graphs_check(d->on, (size_t)(g->offsets[v + 1] - g->offsets[v]) * o->n_columns + 1);
}

/* Cuts the sorted records into extensions. */
static lode_status pgm_list(pgm_device *d) {
    const uint32_t *graph_of = d->on->graphs.graph_of;
    pgm_extension *e = NULL;
    d->n_list = 0;
    for (size_t i = 0; i < d->n_records; i++) {
        const cpu_record *r = &d->records[i];
        bool fresh = i == 0 || record_compare(&r->code, &r[-1].code) != 0;
        if (fresh) {
            if (d->n_list == d->list_cap) {
                lode_status status = vec_grow(&d->on->job->mem, (void **)&d->list, d->n_list,
                                              &d->list_cap, 1, sizeof *d->list);
                if (status != LODE_OK) return status;
            }
            e = &d->list[d->n_list++];
            *e = r->code;
            e->first = (uint32_t)i;
        }
        e->n_rows++;
        e->support += fresh || graph_of[r->to] != graph_of[r[-1].to];
    }
    return LODE_OK;
}

static lode_status cpu_pgm_search(pgm_device *d, const pgm_occurrences *o,
                                  const pgm_extension **list, uint32_t *n) {
    lode_status status = LODE_OK;
    d->n_records = 0;
    d->last = o->columns[o->n_columns - 1];
    if (d->row_cap < o->n_columns) {
        LODE_TRY(vec_grow(&d->on->job->mem, (void **)&d->row, 0, &d->row_cap, o->n_columns,
                          sizeof *d->row));
    }
    for (uint32_t row = 0; row < o->n_rows; row++) {
        pgm_read_row(d, o, row);
        for (uint32_t i = 0; i < o->n_path; i++) LODE_TRY(pgm_search_vertex(d, o, row, o->path[i]));
    }
    if (d->n_records > INT32_MAX) LODE_LEAVE(LODE_UNSUPPORTED);
    sort_stop stop = job_sort_stop(d->on->job);
    if (!sort_cpu_records(d->records, d->n_records, &stop)) LODE_LEAVE(job_check(d->on->job));
    LODE_TRY(pgm_list(d));
    *list = d->list;
    *n = (uint32_t)d->n_list;
done:
    return status;
}

static lode_status cpu_pgm_column(pgm_device *d, const pgm_extension *e, uint32_t *idx,
                                  uint32_t *vid) {
    for (uint32_t i = 0; i < e->n_rows; i++) {
        const cpu_record *r = &d->records[e->first + i];
        bool back = e->target != BACKEND_GRAPH_NEW;
        idx[i] = back ? d->last.idx[r->row] : r->row;
        vid[i] = back ? d->last.vid[r->row] : r->to;
    }
    return LODE_OK;
}

const pgm_ops cpu_pgm_ops = {
    .open = cpu_pgm_open,
    .close = cpu_pgm_close,
    .search = cpu_pgm_search,
    .column = cpu_pgm_column,
};
