/* graph_lines.c - see graph_lines.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/graphs/graph_lines.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "read/line_ends.h"

#define READER_CLASSES 8 /* that are listed */
#define READER_WORDS   6 /* of a line that are looked at: one more than any line may have */

typedef struct word {
    const char *at;
    size_t n;
} word;

/* ---- malformed input ------------------------------------------------------------------------ */

/* Takes the graph in work out of the data set again. */
static void reader_drop(graph_lines *r) {
    lode_graphs *g = r->g;
    size_t v = g->vertex_start.data[g->n], e = g->edge_start.data[g->n];
    g->labels.n = v;
    if (g->vertex_ids.n) g->vertex_ids.n = v;
    g->from.n = g->to.n = g->edge_labels.n = e;
    if (g->graph_ids.n) g->graph_ids.n = g->n;
    if (g->supports.n) g->supports.n = g->n;
    g->profile.n_skipped++;
    r->in_graph = false;
    r->skipping = true;
}

static lode_status reader_bad(graph_lines *r, const char *at, const char *format, ...) {
    if (r->part) return LODE_PARSE; /* the reader of the whole file will report the place */
    if (r->skip) {
        reader_drop(r);
        return LODE_OK;
    }
    char what[200];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return job_fail(r->job, LODE_PARSE, "%s:%" PRIu64 ":%zu: %s", input_name(r->in), r->line,
                    (size_t)(at - r->line_start) + 1, what);
}

/* A word in a message, cut if it is long. */
#define WORD_ARGS(w) (int)((w).n < 40 ? (w).n : 40), (w).at

/* ---- words ---------------------------------------------------------------------------------- */

/* Cuts a line into words, at most READER_WORDS; returns how many. */
static unsigned reader_split(const char *at, const char *end, word *words) {
    unsigned n = 0;
    for (;;) {
        while (at < end && graph_lines_is_blank(*at)) at++;
        if (at == end || n == READER_WORDS) return n;
        const char *start = at;
        while (at < end && !graph_lines_is_blank(*at)) at++;
        words[n++] = (word){start, (size_t)(at - start)};
    }
}

static bool word_is(word w, const char *text) {
    return w.n == strlen(text) && memcmp(w.at, text, w.n) == 0;
}

/* The number that a word is; false if its text cannot be made from a number again. */
static bool word_number(word w, uint64_t *number) {
    if (w.n == 0 || w.n > 18 || (w.at[0] == '0' && w.n > 1)) return false;
    *number = 0;
    for (size_t i = 0; i < w.n; i++) {
        if (w.at[i] < '0' || w.at[i] > '9') return false;
        *number = *number * 10 + (uint64_t)(w.at[i] - '0');
    }
    return true;
}

static lode_status reader_id(graph_lines *r, word w, uint64_t *id) {
    if (word_number(w, id)) return LODE_OK;
    uint32_t number;
    lode_status status = dict_add(r->g->words, w.at, w.n, &number);
    if (status == LODE_OK) *id = GRAPHS_WORD + number;
    return status;
}

static lode_status reader_label(graph_lines_labels *cache, word w, uint32_t *label) {
    uint64_t number;
    bool short_cut = word_number(w, &number) && number < GRAPH_LINES_NUMBERS;
    if (short_cut && cache->numbers[number]) {
        *label = cache->numbers[number] - 1;
        return LODE_OK;
    }
    lode_status status = dict_add(cache->names, w.at, w.n, label);
    if (status == LODE_OK && short_cut) cache->numbers[number] = *label + 1;
    return status;
}

/* ---- lines ---------------------------------------------------------------------------------- */

lode_status graph_lines_end(graph_lines *r) {
    lode_status status = LODE_OK;
    lode_graphs *g = r->g;
    r->skipping = false;
    if (!r->in_graph) return LODE_OK;
    LODE_TRY(vec_u64_push(g->mem, &g->vertex_start, g->labels.n));
    LODE_TRY(vec_u64_push(g->mem, &g->edge_start, g->from.n));
    g->n++;
    while (g->class_names && g->classes.n < g->n) {
        LODE_TRY(vec_u32_push(g->mem, &g->classes, DICT_NONE));
    }
    if (g->class_names) g->classes.data[g->n - 1] = r->class_of;
    if (r->class_of != DICT_NONE) r->class_counts.data[r->class_of]++;
    r->in_graph = false;
done:
    return status;
}

/* Ids are kept from the first one on that is not simply the number. */
static lode_status reader_keep(graph_lines *r, vec_u64 *ids, uint64_t number, uint64_t first_plain,
                               uint64_t id) {
    if (r->part) return vec_u64_push(r->g->mem, ids, id);
    if (ids->n == 0 && id == number) return LODE_OK;
    lode_status status = vec_u64_reserve(r->g->mem, ids, (size_t)(first_plain - ids->n + 1));
    if (status != LODE_OK) return status;
    while (ids->n < first_plain) {
        ids->data[ids->n] = ids->n;
        ids->n++;
    }
    ids->data[ids->n++] = id;
    return LODE_OK;
}

static lode_status reader_keep_vertex(graph_lines *r, uint64_t id) {
    lode_graphs *g = r->g;
    uint64_t at = g->labels.n, number = at - g->vertex_start.data[g->n];
    if (g->vertex_ids.n > 0) return vec_u64_push(g->mem, &g->vertex_ids, id);
    if (id == number) return LODE_OK;
    lode_status status = vec_u64_reserve(g->mem, &g->vertex_ids, at + 1);
    if (status != LODE_OK) return status;
    for (uint32_t i = 0; i < g->n; i++) {
        for (uint32_t v = 0; v < graphs_n_vertices(g, i); v++) {
            g->vertex_ids.data[g->vertex_ids.n++] = v;
        }
    }
    for (uint64_t v = 0; v < number; v++) g->vertex_ids.data[g->vertex_ids.n++] = v;
    g->vertex_ids.data[g->vertex_ids.n++] = id;
    return LODE_OK;
}

/* Warns, once, if the id was used before: lists of ids are then ambiguous. */
static lode_status reader_note_graph(graph_lines *r, const word *w, uint64_t id) {
    uint32_t n = r->g->n;
    bool found = false;
    if (r->part || r->warned || (r->graphs.n == 0 && id == n)) return LODE_OK;
    if (r->graphs.n == 0) { /* the first id that is not the number: the others are */
        for (uint32_t i = 0; i < n; i++) {
            lode_status status = keymap_put(&r->graphs, r->mem, i, i, &found);
            if (status != LODE_OK) return status;
        }
    }
    lode_status status = keymap_put(&r->graphs, r->mem, id, n, &found);
    if (status != LODE_OK || !found) return status;
    r->warned = true;
    job_log(r->job, LODE_LOG_WARNING, "%s:%" PRIu64 ": duplicate graph id %.*s; both graphs count",
            input_name(r->in), r->line, WORD_ARGS(*w));
    return LODE_OK;
}

/* Notes the class of a graph. The reader of a part leaves files with classes to that of the whole
 * file. */
static lode_status reader_class(graph_lines *r, word w) {
    lode_status status = LODE_OK;
    lode_graphs *g = r->g;
    if (r->part) return LODE_PARSE;
    if (!g->class_names) LODE_TRY(dict_create(g->mem, &g->class_names));
    LODE_TRY(dict_add(g->class_names, w.at, w.n, &r->class_of));
    if (r->class_of == r->class_counts.n) LODE_TRY(vec_u64_push(r->mem, &r->class_counts, 0));
done:
    return status;
}

lode_status graph_lines_log_classes(graph_lines *r) {
    lode_status status = LODE_OK;
    vec_char text = {0};
    const dict *names = r->g->class_names;
    uint32_t n = names ? dict_count(names) : 0;
    if (n == 0) return LODE_OK;
    for (uint32_t i = 0; i < n && i < READER_CLASSES; i++) {
        word w;
        w.at = dict_name(names, i, &w.n);
        LODE_TRY(vec_char_printf(r->mem, &text, "%s%.*s (%" PRIu64 ")", i > 0 ? ", " : "",
                                 WORD_ARGS(w), r->class_counts.data[i]));
    }
    job_log(r->job, LODE_LOG_INFO,
            "%s: graphs have classes, which --class '*' compares. Classes, with their numbers of "
            "graphs: %.*s%s",
            input_name(r->in), (int)text.n, text.data, n > READER_CLASSES ? ", and others" : "");
done:
    vec_char_free(r->mem, &text);
    return status;
}

static lode_status reader_graph(graph_lines *r, const word *w, unsigned n) {
    lode_status status = LODE_OK;
    lode_graphs *g = r->g;
    uint64_t id = g->n, support = 0;
    LODE_TRY(graph_lines_end(r));
    unsigned k = n > 1 && word_is(w[1], "#") ? 2 : 1;
    if (k + 1 == n && word_is(w[k], "-1")) goto done;
    id = g->n;
    if (g->n == UINT32_MAX)
        LODE_LEAVE(job_fail(r->job, LODE_UNSUPPORTED, "2^32 or more graphs are not supported"));
    r->in_graph = true;
    r->class_of = DICT_NONE;
    keymap_empty(&r->vertices);
    keymap_empty(&r->edges);
    if (k < n) {
        LODE_TRY(reader_id(r, w[k], &id));
        LODE_TRY(reader_note_graph(r, &w[k++], id));
    } else if (r->part) {
        LODE_LEAVE(LODE_PARSE); /* its id is its number, which is not known */
    }
    LODE_TRY(reader_keep(r, &g->graph_ids, g->n, g->n, id));
    if (k < n && word_is(w[k], "*")) {
        if (++k == n || !word_number(w[k++], &support)) {
            LODE_LEAVE(reader_bad(r, w[k - 1].at, "expected the support of the pattern after *"));
        }
    }
    if (k + 1 == n && support == 0) LODE_TRY(reader_class(r, w[k++]));
    if (k < n) {
        LODE_LEAVE(reader_bad(r, w[k].at, "unexpected '%.*s'; expected t # ID or t # ID CLASS",
                              WORD_ARGS(w[k])));
    }
    if (support > 0 || g->supports.n > 0) {
        while (g->supports.n < g->n) LODE_TRY(vec_u64_push(g->mem, &g->supports, 0));
        LODE_TRY(vec_u64_push(g->mem, &g->supports, support));
    }
done:
    return status;
}

static lode_status reader_vertex(graph_lines *r, const word *w, unsigned n) {
    lode_status status = LODE_OK;
    lode_graphs *g = r->g;
    uint64_t id;
    uint32_t label;
    bool found;
    if (n < 2 || n > 3) return reader_bad(r, w[0].at, "expected v ID LABEL");
    uint64_t number = g->labels.n - g->vertex_start.data[g->n];
    if (number == UINT32_MAX || g->labels.n == UINT32_MAX) {
        return job_fail(r->job, LODE_UNSUPPORTED, "2^32 or more vertices are not supported");
    }
    LODE_TRY(reader_id(r, w[1], &id));
    LODE_TRY(keymap_put(&r->vertices, r->mem, id, (uint32_t)number, &found));
    if (found) {
        LODE_LEAVE(
            reader_bad(r, w[1].at, "duplicate vertex %.*s; expected another id", WORD_ARGS(w[1])));
    }
    LODE_TRY(reader_label(&r->vertex_labels, n > 2 ? w[2] : (word){"", 0}, &label));
    LODE_TRY(reader_keep_vertex(r, id));
    LODE_TRY(vec_u32_push(g->mem, &g->labels, label));
done:
    return status;
}

/* The number of a vertex; *known says whether there is one. */
static lode_status reader_end(graph_lines *r, word w, uint32_t *vertex, bool *known) {
    uint64_t id;
    lode_status status = reader_id(r, w, &id);
    if (status != LODE_OK) return status;
    const keymap_slot *slot = keymap_find(&r->vertices, id);
    *known = slot != NULL;
    if (slot) *vertex = slot->value;
    if (slot) return LODE_OK;
    return reader_bad(r, w.at, "unknown vertex %.*s; expected a vertex listed before",
                      WORD_ARGS(w));
}

static uint64_t reader_edge_key(const graph_lines *r, uint32_t from, uint32_t to) {
    bool swap = !r->g->profile.directed && from > to;
    return swap ? (uint64_t)to << 32 | from : (uint64_t)from << 32 | to;
}

static lode_status reader_edge(graph_lines *r, const word *w, unsigned n) {
    lode_status status = LODE_OK;
    lode_graphs *g = r->g;
    uint32_t from = 0, to = 0, label;
    bool known, found;
    if (n < 3 || n > 4) return reader_bad(r, w[0].at, "expected e FROM TO LABEL");
    LODE_TRY(reader_end(r, w[1], &from, &known));
    if (!known) goto done;
    LODE_TRY(reader_end(r, w[2], &to, &known));
    if (!known) goto done;
    if (from == to)
        LODE_LEAVE(reader_bad(r, w[1].at, "the edge is a loop; expected two different vertices"));
    LODE_TRY(keymap_put(&r->edges, r->mem, reader_edge_key(r, from, to), 0, &found));
    if (found) {
        LODE_LEAVE(reader_bad(r, w[1].at, "duplicate edge %.*s %.*s; expected every edge once",
                              WORD_ARGS(w[1]), WORD_ARGS(w[2])));
    }
    LODE_TRY(reader_label(&r->edge_labels, n > 3 ? w[3] : (word){"", 0}, &label));
    LODE_TRY(vec_u32_push(g->mem, &g->from, from));
    LODE_TRY(vec_u32_push(g->mem, &g->to, to));
    LODE_TRY(vec_u32_push(g->mem, &g->edge_labels, label));
done:
    return status;
}

/* Reads a line; `zero` is a zero byte in it, or NULL. */
static lode_status reader_line(graph_lines *r, const char *at, const char *end, const char *zero) {
    word w[READER_WORDS];
    unsigned n = reader_split(at, end, w);
    bool starts = n > 0 && word_is(w[0], "t"); /* a graph, also if something is wrong with it */
    lode_status status = starts ? reader_graph(r, w, n) : LODE_OK;
    if (status != LODE_OK || r->skipping) return status;
    if (zero) return reader_bad(r, zero, "zero byte; expected text");
    if (starts || n == 0 || w[0].at[0] == '#' || w[0].at[0] == '%') return LODE_OK;
    bool known = word_is(w[0], "v") || word_is(w[0], "e") || word_is(w[0], "x");
    if (!known) {
        return reader_bad(
            r, w[0].at, "unexpected '%.*s'; expected a line that starts with t, v, e or x%s",
            WORD_ARGS(w[0]), r->in_graph ? "" : "; for baskets and tables, use `lode itemsets`");
    }
    if (!r->in_graph) {
        return reader_bad(r, w[0].at, "'%.*s' outside of a graph; expected t # ID first",
                          WORD_ARGS(w[0]));
    }
    switch (w[0].at[0]) {
    case 'v': return reader_vertex(r, w, n);
    case 'e': return reader_edge(r, w, n);
    default: return LODE_OK;
    }
}

lode_status graph_lines_block(graph_lines *r, const vec_char *text) {
    lode_status status = LODE_OK;
    const char *at = text->data, *end = at + text->n;
    const char *zero = text->n > 0 ? memchr(at, 0, text->n) : NULL;
    while (at < end) {
        const char *newline = line_find(at, end);
        r->line++;
        r->line_start = at;
        bool here = zero && zero < newline;
        LODE_TRY(reader_line(r, at, newline, here ? zero : NULL));
        if (here) zero = memchr(newline, 0, (size_t)(end - newline));
        at = newline < end ? newline + line_end_bytes(newline, end) : end;
    }
done:
    return status;
}

/* ---- beginning and end ---------------------------------------------------------------------- */

lode_status graph_lines_begin(lode_job *job, graph_lines **out,
                              const lode_graph_read_options *options) {
    lode_status status = LODE_OK;
    graph_lines *r = NULL; /* its caches are too large for the stack */
    LODE_TRY(mem_zalloc(&job->mem, (void **)&r, sizeof *r));
    *r = (graph_lines){.job = job, .mem = &job->mem, .line_start = ""};
    r->skip = options->skip_bad_graphs;
    *out = r;
    LODE_TRY(graphs_create(job, &r->g));
    r->g->profile.directed = options->directed;
    r->vertex_labels.names = r->g->vertex_names;
    r->edge_labels.names = r->g->edge_names;
done:
    return status;
}

void graph_lines_free(graph_lines *r) {
    if (!r) return;
    keymap_free(&r->vertices, r->mem);
    keymap_free(&r->edges, r->mem);
    keymap_free(&r->graphs, r->mem);
    vec_u64_free(r->mem, &r->class_counts);
    lode_graphs_free(r->g);
    mem_free(r->mem, r, sizeof *r);
}
