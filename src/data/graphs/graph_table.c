/* graph_table.c - see graph_table.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/graphs/graph_table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "read/arrays.h"
#include "read/column_names.h"

#define TABLE_BLOCK    ((uint64_t)1 << 14) /* rows between two checks for a stop */
#define TABLE_NOTHING  UINT64_MAX          /* in place of a vertex: there is none */
#define TABLE_NO_LABEL UINT32_MAX

typedef enum table_role {
    TABLE_GRAPH,
    TABLE_FROM,
    TABLE_TO,
    TABLE_LABEL,
    TABLE_FROM_LABEL,
    TABLE_TO_LABEL,
    TABLE_ROLES
} table_role;

/* The names that a column may have. The first three roles need a column. */
static const char *const edges_names[TABLE_ROLES][4] = {
    {"graph", "graph_id", "gid"},
    {"from", "source", "src"},
    {"to", "target", "dst"},
    {"label", "edge_label"},
    {"from_label", "source_label", "src_label"},
    {"to_label", "target_label", "dst_label"},
};

/* A row. Vertices are ids, as in graphs.h. */
typedef struct table_row {
    uint64_t from, to;
    uint32_t graph, label, from_label, to_label;
} table_row;

typedef struct graph_table {
    lode_job *job;
    mem *mem;
    const char *name; /* for messages */
    arrays_source *source;
    lode_graphs *g;
    size_t columns[TABLE_ROLES]; /* SIZE_MAX = there is none */
    bool skip;
    table_row *rows;
    size_t n, cap;
    keymap ids;      /* number of each graph, by its id */
    vec_u64 graphs;  /* ids of graphs */
    vec_u64 order;   /* numbers of the rows, by graph */
    keymap vertices; /* of the current graph: its vertices by id, and its edges */
    keymap edges;
    size_t done; /* rows of graphs that are finished */
} graph_table;

/* ---- errors ---- */

static lode_status edges_wrong(graph_table *t, uint64_t row, const char *format, ...)
    LODE_PRINTF(3, 4);

static lode_status edges_wrong(graph_table *t, uint64_t row, const char *format, ...) {
    char what[200];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return job_fail(t->job, LODE_PARSE, "%s: row %" PRIu64 ": %s", t->name, row + 1, what);
}

/* An id as it was in the table, for a message. */
static const char *edges_id_text(const graph_table *t, uint64_t id, char text[48]) {
    size_t n;
    if (id < GRAPHS_WORD) {
        snprintf(text, 48, "%" PRIu64, id);
    } else {
        const char *word = dict_name(t->g->words, (uint32_t)(id - GRAPHS_WORD), &n);
        snprintf(text, 48, "%.*s", (int)(n < 40 ? n : 40), word);
    }
    return text;
}

/* ---- columns ---- */

static bool edges_is_named(const char *name, table_role role) {
    for (size_t i = 0; i < 4 && edges_names[role][i]; i++) {
        if (columns_alike(name, strlen(name), edges_names[role][i])) return true;
    }
    return false;
}

static lode_status edges_find_columns(graph_table *t) {
    for (unsigned role = 0; role < TABLE_ROLES; role++) {
        t->columns[role] = SIZE_MAX;
        for (size_t i = arrays_n_columns(t->source); i-- > 0;) {
            const arrays_type *type = arrays_type_at(t->source, i);
            if (edges_is_named(type->name, role)) t->columns[role] = i;
        }
        if (t->columns[role] == SIZE_MAX) {
            if (role > TABLE_TO) continue;
            return job_fail(t->job, LODE_PARSE,
                            "%s: there is no column '%s'; expected a table of edges with the "
                            "columns graph, from and to, and as you like label, from_label and "
                            "to_label",
                            t->name, edges_names[role][0]);
        }
        const arrays_type *type = arrays_type_at(t->source, t->columns[role]);
        if (!type->list && type->kind != ARRAYS_OTHER && type->kind != ARRAYS_NULL) continue;
        return job_fail(t->job, LODE_UNSUPPORTED,
                        "%s: column '%.60s' has the Arrow type %s (%.20s); expected numbers, text, "
                        "bools or dates",
                        t->name, type->name,
                        type->list                  ? "list"
                        : type->kind == ARRAYS_NULL ? "null"
                                                    : arrays_type_called(type),
                        type->format);
    }
    return LODE_OK;
}

/* ---- cells ---- */

/* Ids and labels are words, as in gSpan text, in which results are written. */
static lode_status edges_check_word(graph_table *t, const arrays_cell *cell) {
    for (size_t i = 0; i < cell->n; i++) {
        unsigned char c = (unsigned char)cell->text[i];
        if (c > ' ' && c != 0x7f) continue;
        return edges_wrong(t, t->n,
                           "'%.*s' contains a blank or a control character; expected ids and "
                           "labels without",
                           (int)(cell->n < 40 ? cell->n : 40), cell->text);
    }
    return LODE_OK;
}

static lode_status edges_word(graph_table *t, dict *words, const arrays_cell *cell, uint32_t *out) {
    const uint32_t n = dict_count(words);
    lode_status status = dict_add(words, cell->text, cell->n, out);
    return status == LODE_OK && *out == n ? edges_check_word(t, cell) : status;
}

static lode_status edges_cell(graph_table *t, const arrays_column *c, uint64_t i, char *scratch,
                              arrays_cell *cell) {
    const char *wrong = arrays_cell_at(c, i, scratch, cell);
    if (!wrong) return LODE_OK;
    return edges_wrong(t, t->n, "column '%.60s' has %s", c->type->name, wrong);
}

/* The id in a cell; TABLE_NOTHING for a null or an empty text. */
static lode_status edges_id(graph_table *t, const arrays_batch *batch, table_role role, uint64_t i,
                            uint64_t *id) {
    lode_status status = LODE_OK;
    const arrays_column *c = &batch->columns[t->columns[role]];
    const arrays_type *type = c->type;
    char scratch[ARRAYS_SCRATCH];
    arrays_cell cell;
    uint32_t word;
    bool whole = (type->kind == ARRAYS_INT || type->kind == ARRAYS_UINT) && !type->code;
    if (whole && !arrays_is_null(&c->leaf, i)) {
        *id = arrays_number(&c->leaf, type->width, type->kind == ARRAYS_INT, i);
        if (graphs_is_plain(*id)) return LODE_OK;
    }
    *id = TABLE_NOTHING;
    LODE_TRY(edges_cell(t, c, i, scratch, &cell));
    if (cell.n == 0 || graphs_plain_number(cell.text, cell.n, id)) goto done;
    LODE_TRY(edges_word(t, t->g->words, &cell, &word));
    *id = GRAPHS_WORD + word;
done:
    return status;
}

/* The label in a cell; TABLE_NO_LABEL if there is none. */
static lode_status edges_label(graph_table *t, const arrays_batch *batch, table_role role,
                               uint64_t i, uint32_t *label) {
    char scratch[ARRAYS_SCRATCH];
    arrays_cell cell;
    *label = TABLE_NO_LABEL;
    if (t->columns[role] == SIZE_MAX) return LODE_OK;
    lode_status status = edges_cell(t, &batch->columns[t->columns[role]], i, scratch, &cell);
    if (status != LODE_OK || cell.n == 0) return status;
    return edges_word(t, role == TABLE_LABEL ? t->g->edge_names : t->g->vertex_names, &cell, label);
}

/* ---- rows ---- */

/* The number of a graph, in the order of first rows. */
static lode_status edges_graph_number(graph_table *t, uint64_t id, uint32_t *number) {
    lode_status status = LODE_OK;
    bool found;
    if (t->n > 0 && t->graphs.data[t->rows[t->n - 1].graph] == id) {
        *number = t->rows[t->n - 1].graph;
        return LODE_OK;
    }
    if (t->graphs.n == UINT32_MAX) {
        LODE_LEAVE(job_fail(t->job, LODE_UNSUPPORTED, "2^32 or more graphs are not supported"));
    }
    *number = (uint32_t)t->graphs.n;
    LODE_TRY(keymap_put(&t->ids, t->mem, id, *number, &found));
    if (found) *number = keymap_find(&t->ids, id)->value;
    if (!found) LODE_TRY(vec_u64_push(t->mem, &t->graphs, id));
done:
    return status;
}

static lode_status edges_take_row(graph_table *t, const arrays_batch *batch, uint64_t i) {
    lode_status status = LODE_OK;
    table_row row;
    uint64_t graph;
    LODE_TRY(edges_id(t, batch, TABLE_GRAPH, i, &graph));
    LODE_TRY(edges_id(t, batch, TABLE_FROM, i, &row.from));
    LODE_TRY(edges_id(t, batch, TABLE_TO, i, &row.to));
    LODE_TRY(edges_label(t, batch, TABLE_LABEL, i, &row.label));
    LODE_TRY(edges_label(t, batch, TABLE_FROM_LABEL, i, &row.from_label));
    LODE_TRY(edges_label(t, batch, TABLE_TO_LABEL, i, &row.to_label));
    if (graph == TABLE_NOTHING) {
        LODE_LEAVE(edges_wrong(t, t->n, "no graph; expected its name or number"));
    }
    if (row.from == TABLE_NOTHING && row.to != TABLE_NOTHING) {
        LODE_LEAVE(edges_wrong(t, t->n,
                               "an edge without its first vertex; expected from and to or, for a "
                               "vertex without an edge, from alone"));
    }
    LODE_TRY(edges_graph_number(t, graph, &row.graph));
    if (t->n == t->cap) {
        LODE_TRY(vec_grow(t->mem, (void **)&t->rows, t->n, &t->cap, 1, sizeof *t->rows));
    }
    t->rows[t->n++] = row;
done:
    return status;
}

static lode_status edges_take_rows(graph_table *t, const input *in) {
    lode_status status = LODE_OK;
    arrays_block block = {0};
    for (;;) {
        uint64_t done = in ? input_bytes_done(in) : t->n, total = in ? input_bytes_total(in) : 0;
        LODE_TRY(job_tick(t->job, done, total));
        LODE_TRY(arrays_next(t->source, TABLE_BLOCK, &block));
        if (block.n == 0) break;
        for (uint64_t i = block.first; i < block.first + block.n; i++) {
            LODE_TRY(edges_take_row(t, block.batch, i));
        }
    }
done:
    arrays_drop(&block);
    return status;
}

/* Sorts the numbers of the rows by graph, and keeps their order within a graph. */
static lode_status edges_sort_rows(graph_table *t) {
    lode_status status = LODE_OK;
    vec_u64 starts = {0};
    LODE_TRY(vec_u64_reserve(t->mem, &starts, t->graphs.n + 1));
    LODE_TRY(vec_u64_reserve(t->mem, &t->order, t->n));
    memset(starts.data, 0, (t->graphs.n + 1) * sizeof *starts.data);
    for (size_t i = 0; i < t->n; i++) starts.data[t->rows[i].graph + 1]++;
    for (size_t i = 0; i < t->graphs.n; i++) starts.data[i + 1] += starts.data[i];
    for (size_t i = 0; i < t->n; i++) t->order.data[starts.data[t->rows[i].graph]++] = i;
    t->order.n = t->n;
done:
    vec_u64_free(t->mem, &starts);
    return status;
}

/* ---- graphs ---- */

/* Adds a vertex unless the graph has it. Its label may be in any of its rows. */
static lode_status edges_vertex(graph_table *t, uint64_t row, uint64_t id, uint32_t label,
                                uint32_t *number) {
    lode_status status = LODE_OK;
    lode_graphs *g = t->g;
    char text[48];
    const uint64_t first = g->vertex_start.data[g->n];
    bool found;
    if (g->labels.n == UINT32_MAX) {
        LODE_LEAVE(job_fail(t->job, LODE_UNSUPPORTED, "2^32 or more vertices are not supported"));
    }
    *number = (uint32_t)(g->labels.n - first);
    LODE_TRY(keymap_put(&t->vertices, t->mem, id, *number, &found));
    if (!found) {
        LODE_TRY(vec_u64_push(g->mem, &g->vertex_ids, id));
        LODE_TRY(vec_u32_push(g->mem, &g->labels, label));
        goto done;
    }
    *number = keymap_find(&t->vertices, id)->value;
    uint32_t *known = &g->labels.data[first + *number];
    if (*known == TABLE_NO_LABEL) *known = label;
    if (label != TABLE_NO_LABEL && label != *known) {
        LODE_LEAVE(edges_wrong(t, row, "vertex %s has another label in an earlier row",
                               edges_id_text(t, id, text)));
    }
done:
    return status;
}

static lode_status edges_edge(graph_table *t, uint64_t number) {
    lode_status status = LODE_OK;
    const table_row *row = &t->rows[number];
    lode_graphs *g = t->g;
    uint32_t from, to;
    bool found;
    if (row->from == TABLE_NOTHING) goto done;
    LODE_TRY(edges_vertex(t, number, row->from, row->from_label, &from));
    if (row->to == TABLE_NOTHING) goto done;
    LODE_TRY(edges_vertex(t, number, row->to, row->to_label, &to));
    if (from == to) {
        LODE_LEAVE(edges_wrong(t, number, "the edge is a loop; expected two different vertices"));
    }
    bool swap = !g->profile.directed && from > to;
    uint64_t key = swap ? (uint64_t)to << 32 | from : (uint64_t)from << 32 | to;
    LODE_TRY(keymap_put(&t->edges, t->mem, key, 0, &found));
    if (found) LODE_LEAVE(edges_wrong(t, number, "duplicate edge; expected every edge once"));
    LODE_TRY(vec_u32_push(g->mem, &g->from, from));
    LODE_TRY(vec_u32_push(g->mem, &g->to, to));
    LODE_TRY(vec_u32_push(g->mem, &g->edge_labels, row->label));
done:
    return status;
}

/* Takes the vertices and edges of the graph in work out again. */
static void edges_drop_graph(graph_table *t) {
    lode_graphs *g = t->g;
    g->labels.n = g->vertex_ids.n = (size_t)g->vertex_start.data[g->n];
    g->from.n = g->to.n = g->edge_labels.n = (size_t)g->edge_start.data[g->n];
    g->profile.n_skipped++;
    job_clear_message(t->job);
}

static lode_status edges_make_graph(graph_table *t, uint32_t number) {
    lode_status status = LODE_OK, made = LODE_OK;
    lode_graphs *g = t->g;
    keymap_empty(&t->vertices);
    keymap_empty(&t->edges);
    for (; t->done < t->n && t->rows[t->order.data[t->done]].graph == number; t->done++) {
        if (made == LODE_OK) made = edges_edge(t, t->order.data[t->done]);
    }
    if (made == LODE_PARSE && t->skip) {
        edges_drop_graph(t);
        goto done;
    }
    LODE_TRY(made);
    LODE_TRY(vec_u64_push(g->mem, &g->graph_ids, t->graphs.data[number]));
    LODE_TRY(vec_u64_push(g->mem, &g->vertex_start, g->labels.n));
    LODE_TRY(vec_u64_push(g->mem, &g->edge_start, g->from.n));
    g->n++;
done:
    return status;
}

static lode_status edges_make_graphs(graph_table *t) {
    lode_status status = LODE_OK;
    LODE_TRY(edges_sort_rows(t));
    for (uint32_t i = 0; i < t->graphs.n; i++) {
        LODE_TRY(job_tick(t->job, t->done, t->n));
        LODE_TRY(edges_make_graph(t, i));
    }
done:
    return status;
}

/* ---- the whole ---- */

/* Gives the empty label to what has none. */
static lode_status edges_fill_labels(dict *names, vec_u32 *labels) {
    uint32_t empty = TABLE_NO_LABEL;
    for (size_t i = 0; i < labels->n; i++) {
        if (labels->data[i] != TABLE_NO_LABEL) continue;
        lode_status status = empty == TABLE_NO_LABEL ? dict_add(names, "", 0, &empty) : LODE_OK;
        if (status != LODE_OK) return status;
        labels->data[i] = empty;
    }
    return LODE_OK;
}

/* Forgets ids that are the numbers. */
static void edges_forget_ids(lode_graphs *g) {
    bool graphs = true, vertices = true;
    for (uint32_t i = 0; i < g->n; i++) {
        const uint64_t first = g->vertex_start.data[i];
        graphs = graphs && g->graph_ids.data[i] == i;
        for (uint32_t v = 0; v < graphs_n_vertices(g, i) && vertices; v++) {
            vertices = g->vertex_ids.data[first + v] == v;
        }
    }
    if (graphs) vec_u64_free(g->mem, &g->graph_ids);
    if (vertices) vec_u64_free(g->mem, &g->vertex_ids);
}

static lode_status edges_finish(graph_table *t) {
    lode_status status = LODE_OK;
    lode_graphs *g = t->g;
    LODE_TRY(edges_fill_labels(g->vertex_names, &g->labels));
    LODE_TRY(edges_fill_labels(g->edge_names, &g->edge_labels));
    edges_forget_ids(g);
    LODE_TRY(graphs_sort_labels(t->job, g->vertex_names, &g->labels, NULL));
    LODE_TRY(graphs_sort_labels(t->job, g->edge_names, &g->edge_labels, NULL));
    LODE_TRY(graphs_complete_profile(t->job, g));
done:
    return status;
}

/* Says how much memory the rows that were read need. The rest is not known. */
static lode_status edges_explain_budget(const graph_table *t) {
    uint64_t bytes = graphs_data_bytes(t->graphs.n, 2 * t->n, t->n) + t->n * sizeof *t->rows;
    t->job->unsure = true;
    return job_over_budget(t->job, bytes + graphs_mining_bytes(2 * t->n, t->n, t->job->threads),
                           "%s", t->name);
}

static void edges_clear(graph_table *t) {
    arrays_close(t->source);
    mem_free(t->mem, t->rows, t->cap * sizeof *t->rows);
    vec_u64_free(t->mem, &t->graphs);
    vec_u64_free(t->mem, &t->order);
    keymap_free(&t->ids, t->mem);
    keymap_free(&t->vertices, t->mem);
    keymap_free(&t->edges, t->mem);
    lode_graphs_free(t->g);
}

lode_status graph_table_read(lode_job *job, lode_graphs **out, const char *name,
                             struct ArrowArrayStream *stream, input *in,
                             const lode_graph_read_options *options) {
    lode_status status = LODE_OK;
    graph_table t = {.job = job, .mem = &job->mem, .name = name, .skip = options->skip_bad_graphs};
    LODE_TRY(arrays_open(job, &t.source, name, stream, in));
    LODE_TRY(edges_find_columns(&t));
    LODE_TRY(graphs_create(job, &t.g));
    t.g->profile.directed = options->directed;
    dict_stop_by(t.g->vertex_names, job_sort_stop(job));
    dict_stop_by(t.g->edge_names, job_sort_stop(job));
    LODE_TRY(edges_take_rows(&t, in));
    LODE_TRY(edges_make_graphs(&t));
    LODE_TRY(edges_finish(&t));
    *out = t.g;
    t.g = NULL;
done:
    if (status == LODE_BUDGET && t.g) status = edges_explain_budget(&t);
    edges_clear(&t);
    return status;
}
