/* cpu_graph_search.c - the extensions of one pattern, as plain loops
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/vec.h"
#include "cpu/cpu_graphs.h"

void cpu_search_free(backend_graph_device *d) {
    mem *m = &d->job->mem;
    mem_free(m, d->records, d->records_cap * sizeof *d->records);
    mem_free(m, d->list, d->list_cap * sizeof *d->list);
    mem_free(m, d->row, d->row_cap * sizeof *d->row);
}

/* The column by which extensions are sorted: where a forward one begins, or a backward one ends. */
static uint32_t cpu_other_end(const backend_extension *e) {
    return e->target == BACKEND_GRAPH_NEW ? e->position : e->target;
}

static int cpu_compare_codes(const backend_extension *a, const backend_extension *b) {
    bool new_a = a->target == BACKEND_GRAPH_NEW, new_b = b->target == BACKEND_GRAPH_NEW;
    if (new_a != new_b) return new_a ? 1 : -1;
    if (cpu_other_end(a) != cpu_other_end(b)) return cpu_other_end(a) < cpu_other_end(b) ? -1 : 1;
    if (a->edge_label != b->edge_label) return a->edge_label < b->edge_label ? -1 : 1;
    return a->to_label < b->to_label ? -1 : a->to_label > b->to_label;
}

static bool cpu_record_before(const cpu_record *a, const cpu_record *b) {
    int order = cpu_compare_codes(&a->code, &b->code);
    return order != 0 ? order < 0 : a->number < b->number;
}

#define SORT_NAME   cpu_sort_records
#define SORT_TYPE   cpu_record
#define SORT_BEFORE cpu_record_before
#include "base/sort_body.h"

static void cpu_read_row(backend_graph_device *d, const backend_occurrences *o, uint32_t row) {
    for (uint32_t c = o->n_columns; c > 0; c--) {
        d->row[c - 1] = o->columns[c - 1].vid[row];
        if (c > 1) row = o->columns[c - 1].idx[row];
    }
}

static lode_status cpu_add_record(backend_graph_device *d, const cpu_record *record) {
    if (d->n_records == d->records_cap) {
        lode_status status = vec_grow(&d->job->mem, (void **)&d->records, d->n_records,
                                      &d->records_cap, 1, sizeof *d->records);
        if (status != LODE_OK) return status;
    }
    d->records[d->n_records] = *record;
    d->records[d->n_records].number = d->n_records;
    d->n_records++;
    return LODE_OK;
}

/* Whether a vertex of the row may be the end of a backward edge. */
static bool cpu_is_on_path(const backend_occurrences *o, uint32_t column) {
    for (uint32_t i = 1; i < o->n_path; i++) {
        if (o->path[i] == column) return true;
    }
    return false;
}

/* Adds the extensions of a row at one vertex. */
static lode_status cpu_search_vertex(backend_graph_device *d, const backend_occurrences *o,
                                     uint32_t row, uint16_t position) {
    const backend_graphs *g = &d->graphs;
    uint32_t v = d->row[position];
    for (uint32_t k = g->offsets[v]; k < g->offsets[v + 1]; k++) {
        uint32_t to = g->half[k].to, at = 0;
        while (at < o->n_columns && d->row[at] != to) at++;
        bool found = at < o->n_columns;
        if (found && (position != o->path[0] || !cpu_is_on_path(o, at))) continue;
        cpu_record r = {.row = row, .to = to, .code = {.position = position}};
        r.code.target = found ? (uint16_t)at : BACKEND_GRAPH_NEW;
        r.code.edge_label = g->edge_labels[k];
        r.code.to_label = g->vertex_labels[to];
        lode_status status = cpu_add_record(d, &r);
        if (status != LODE_OK) return status;
    }
    return cpu_graphs_check(d, (size_t)(g->offsets[v + 1] - g->offsets[v]) * o->n_columns + 1);
}

/* Cuts the sorted records into extensions. */
static lode_status cpu_list_extensions(backend_graph_device *d) {
    const uint32_t *graph_of = d->graphs.graph_of;
    backend_extension *e = NULL;
    d->n_list = 0;
    for (size_t i = 0; i < d->n_records; i++) {
        const cpu_record *r = &d->records[i];
        bool fresh = i == 0 || cpu_compare_codes(&r->code, &r[-1].code) != 0;
        if (fresh) {
            if (d->n_list == d->list_cap) {
                lode_status status = vec_grow(&d->job->mem, (void **)&d->list, d->n_list,
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

lode_status cpu_search(backend_graph_device *d, const backend_occurrences *o,
                       const backend_extension **list, uint32_t *n) {
    lode_status status = LODE_OK;
    d->n_records = 0;
    d->last = o->columns[o->n_columns - 1];
    if (d->row_cap < o->n_columns) {
        LODE_TRY(
            vec_grow(&d->job->mem, (void **)&d->row, 0, &d->row_cap, o->n_columns, sizeof *d->row));
    }
    for (uint32_t row = 0; row < o->n_rows; row++) {
        cpu_read_row(d, o, row);
        for (uint32_t i = 0; i < o->n_path; i++) LODE_TRY(cpu_search_vertex(d, o, row, o->path[i]));
    }
    if (d->n_records > INT32_MAX) LODE_LEAVE(LODE_UNSUPPORTED);
    sort_stop stop = job_sort_stop(d->job);
    if (!cpu_sort_records(d->records, d->n_records, &stop)) LODE_LEAVE(job_check(d->job));
    LODE_TRY(cpu_list_extensions(d));
    *list = d->list;
    *n = (uint32_t)d->n_list;
done:
    return status;
}

lode_status cpu_search_column(backend_graph_device *d, const backend_extension *e, uint32_t *idx,
                              uint32_t *vid) {
    for (uint32_t i = 0; i < e->n_rows; i++) {
        const cpu_record *r = &d->records[e->first + i];
        bool back = e->target != BACKEND_GRAPH_NEW;
        idx[i] = back ? d->last.idx[r->row] : r->row;
        vid[i] = back ? d->last.vid[r->row] : r->to;
    }
    return LODE_OK;
}
