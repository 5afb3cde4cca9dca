/* patterns_write.c - see patterns_write.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/patterns_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool row_is_number(const store_handle *h, uint32_t column) {
    lode_column c = LODE_INIT(lode_column);
    return lode_store_column(h->store, column, &c) &&
           (c.type == LODE_COLUMN_COUNT || c.type == LODE_COLUMN_REAL);
}

static lode_status row_add_column(row_writer *w, const char *name, store_failure *why) {
    uint32_t column = 0;
    bool known = lode_store_column_find(w->handle->store, name, &column);
    why->status = LODE_INVALID;
    if (!known || !row_is_number(w->handle, column)) {
        snprintf(why->message, sizeof why->message,
                 "measures: this result has no numeric column '%.100s'", name);
        return LODE_INVALID;
    }
    if (w->n_columns == ROWS_MEASURES) {
        snprintf(why->message, sizeof why->message, "measures: at most %d measures", ROWS_MEASURES);
        return LODE_INVALID;
    }
    why->status = LODE_OK;
    w->columns[w->n_columns] = column;
    w->names[w->n_columns++] = name;
    return LODE_OK;
}

lode_status row_writer_init(row_writer *w, store_handle *h, text *out, const char *measures,
                            store_failure *why) {
    *w = (row_writer){.handle = h, .out = out, .vertices = UINT32_MAX, .edges = UINT32_MAX};
    (void)lode_measure_find("lift", &w->lift);
    if (h->info.kind == LODE_GRAPHS) {
        (void)lode_store_column_find(h->store, "vertices", &w->vertices);
        (void)lode_store_column_find(h->store, "edges", &w->edges);
    }
    if (!measures || !*measures) return LODE_OK;
    w->list = strdup(measures);
    if (!w->list) return LODE_NOMEM;
    for (char *rest = w->list, *name; (name = strsep(&rest, ",")) != NULL;) {
        lode_status status = row_add_column(w, name, why);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

void row_writer_clear(row_writer *w) {
    free(w->list);
    w->list = NULL;
}

/* ["a","b"] */
static void row_write_items(store_handle *h, text *out, const uint32_t *items, uint32_t n) {
    text_char(out, '[');
    for (uint32_t i = 0; i < n; i++) {
        size_t bytes;
        const char *name = lode_store_item_name(h->store, items[i], &bytes);
        if (i > 0) text_char(out, ',');
        text_json_bytes(out, name, bytes);
    }
    text_char(out, ']');
}

static void row_count(text *out, const char *name, uint64_t n) {
    text_printf(out, ",\"%s\":%llu", name, (unsigned long long)n);
}

static void row_real(text *out, const char *name, double x) {
    text_printf(out, ",\"%s\":", name);
    text_json_number(out, x);
}

/* NaN if the total is unknown. */
static double row_share(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : NAN;
}

static void row_write_rule(row_writer *w, const lode_store_row *row) {
    const lode_counts *c = &row->counts;
    lode_rule rule = {.size = sizeof rule, .counts = *c};
    text_put(w->out, ",\"body\":");
    row_write_items(w->handle, w->out, row->items, row->n_items);
    text_put(w->out, ",\"head\":");
    row_write_items(w->handle, w->out, row->rhs, row->n_rhs);
    row_count(w->out, "both", c->both);
    row_count(w->out, "body_count", c->lhs);
    row_count(w->out, "head_count", c->rhs);
    row_real(w->out, "support", row_share(c->both, c->total));
    row_real(w->out, "confidence", row_share(c->both, c->lhs));
    row_real(w->out, "lift", lode_measure_value(w->lift, &rule));
}

static void row_write_itemset(row_writer *w, const lode_store_row *row) {
    text_put(w->out, ",\"items\":");
    row_write_items(w->handle, w->out, row->items, row->n_items);
    row_count(w->out, "count", row->counts.both);
    row_real(w->out, "support", row_share(row->counts.both, row->counts.total));
}

/* ---- graphs --------------------------------------------------------------------------------- */

lode_status row_graph(row_writer *w, const lode_store_row *row, code_graph *out) {
    double vertices = 0, edges = 0;
    *out = (code_graph){0};
    if (w->vertices == UINT32_MAX || w->edges == UINT32_MAX) return LODE_OK;
    lode_status status = lode_store_value(w->handle->store, row->row, w->vertices, &vertices);
    if (status == LODE_OK) {
        status = lode_store_value(w->handle->store, row->row, w->edges, &edges);
    }
    if (status != LODE_OK) return status;
    (void)code_read(row->text, row->text_bytes, (uint32_t)vertices, (uint32_t)edges, out);
    return LODE_OK;
}

static lode_status row_write_graph(row_writer *w, const lode_store_row *row) {
    code_graph g;
    lode_status status = row_graph(w, row, &g);
    if (status != LODE_OK) return status;
    text_put(w->out, ",\"code\":");
    text_json_bytes(w->out, row->text, row->text_bytes);
    text_put(w->out, ",\"vertices\":[");
    for (uint32_t i = 0; i < g.n_vertices; i++) {
        if (i > 0) text_char(w->out, ',');
        text_json_bytes(w->out, g.vertices[i].words, g.vertices[i].bytes);
    }
    text_put(w->out, "],\"edges\":[");
    for (uint32_t i = 0; i < g.n_edges; i++) {
        text_printf(w->out, "%s[%u,%u,", i > 0 ? "," : "", g.edges[i].from, g.edges[i].to);
        text_json_bytes(w->out, g.edges[i].label.words, g.edges[i].label.bytes);
        text_char(w->out, ']');
    }
    text_char(w->out, ']');
    row_count(w->out, "count", row->counts.both);
    row_real(w->out, "support", row_share(row->counts.both, row->counts.total));
    code_graph_free(&g);
    return LODE_OK;
}

/* ---- a row ---------------------------------------------------------------------------------- */

static lode_status row_write_values(row_writer *w, uint64_t row) {
    text_put(w->out, ",\"values\":{");
    for (unsigned i = 0; i < w->n_columns; i++) {
        double x;
        lode_status status = lode_store_value(w->handle->store, row, w->columns[i], &x);
        if (status != LODE_OK) return status;
        if (i > 0) text_char(w->out, ',');
        text_json_string(w->out, w->names[i]);
        text_char(w->out, ':');
        text_json_number(w->out, x);
    }
    text_char(w->out, '}');
    return LODE_OK;
}

lode_status row_write(row_writer *w, uint64_t row) {
    lode_store_row found = LODE_INIT(lode_store_row);
    lode_status status = lode_store_row_at(w->handle->store, row, &found);
    if (status != LODE_OK) return status;
    text_printf(w->out, "{\"row\":%llu", (unsigned long long)row);
    switch (w->handle->info.kind) {
    case LODE_RULES: row_write_rule(w, &found); break;
    case LODE_GRAPHS: status = row_write_graph(w, &found); break;
    default: row_write_itemset(w, &found); break;
    }
    if (status == LODE_OK) status = row_write_values(w, row);
    text_char(w->out, '}');
    return status;
}
