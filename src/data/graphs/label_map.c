/* label_map.c - see label_map.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/graphs/label_map.h"

#include <stdio.h>
#include <string.h>

#include "base/elements.h"
#include "data/graphs/graph_lines.h"

#define LABEL_MAP_MOST_SHOWN 40 /* characters of a label in a message */

typedef enum label_kind { LABEL_VERTEX, LABEL_EDGE, N_LABEL_KINDS } label_kind;

static const char *const label_kinds[N_LABEL_KINDS] = {"vertex", "edge"};

typedef struct label_names {
    dict *from;  /* labels that are given a name */
    dict *names; /* the names */
    vec_u32 to;  /* by label: its name */
} label_names;

typedef struct label_map {
    lode_job *job;
    bool atomic;
    label_names kinds[N_LABEL_KINDS];
    const char *file; /* that is being read; NULL = the option itself */
    uint64_t line;
} label_map;

/* Text that is not terminated. */
typedef struct label_text {
    const char *at;
    size_t n;
} label_text;

#define TEXT_ARGS(t) (int)((t).n < LABEL_MAP_MOST_SHOWN ? (t).n : LABEL_MAP_MOST_SHOWN), (t).at

/* 12 and 1.5 are RDKit's numbers for aromatic bonds. */
static const struct {
    const char *label, *name;
} bonds[] = {{"1", "single"},   {"2", "double"},    {"3", "triple"},
             {"4", "aromatic"}, {"12", "aromatic"}, {"1.5", "aromatic"}};

static bool label_is(label_text t, const char *word) {
    return t.n == strlen(word) && memcmp(t.at, word, t.n) == 0;
}

/* ---- the lines ------------------------------------------------------------------------------ */

static lode_status naming_refuse(const label_map *map, label_text line) {
    const char *expected = "expected 'v LABEL NAME' or 'e LABEL NAME', such as 'v 6 C'";
    if (map->file) {
        return job_fail(map->job, LODE_PARSE, "%s:%llu: '%.*s': %s", map->file,
                        (unsigned long long)map->line, TEXT_ARGS(line), expected);
    }
    return job_fail(map->job, LODE_INVALID,
                    "--labels '%.*s': %s; or atomic, or @FILE for a file of such lines",
                    TEXT_ARGS(line), expected);
}

static lode_status naming_refuse_second(const label_map *map, label_kind kind, label_text label,
                                        label_text name) {
    const label_names *k = &map->kinds[kind];
    label_text first;
    uint32_t id = dict_find(k->from, label.at, label.n);
    first.at = dict_name(k->names, k->to.data[id], &first.n);
    if (map->file) {
        return job_fail(map->job, LODE_PARSE, "%s:%llu: %s label %.*s has two names: %.*s and %.*s",
                        map->file, (unsigned long long)map->line, label_kinds[kind],
                        TEXT_ARGS(label), TEXT_ARGS(first), TEXT_ARGS(name));
    }
    return job_fail(map->job, LODE_INVALID, "--labels: %s label %.*s has two names: %.*s and %.*s",
                    label_kinds[kind], TEXT_ARGS(label), TEXT_ARGS(first), TEXT_ARGS(name));
}

static lode_status naming_add(label_map *map, label_kind kind, label_text label, label_text name) {
    lode_status status = LODE_OK;
    label_names *k = &map->kinds[kind];
    uint32_t from, to;
    LODE_TRY(dict_add(k->from, label.at, label.n, &from));
    LODE_TRY(dict_add(k->names, name.at, name.n, &to));
    if (from == k->to.n) {
        LODE_TRY(vec_u32_push(&map->job->mem, &k->to, to));
    } else if (k->to.data[from] != to) {
        status = naming_refuse_second(map, kind, label, name);
    }
done:
    return status;
}

/* Cuts a line into words; returns how many there are, up to 4. */
static unsigned naming_split(label_text line, label_text words[4]) {
    const char *at = line.at, *end = line.at + line.n;
    unsigned n = 0;
    while (n < 4) {
        while (at < end && graph_lines_is_blank(*at)) at++;
        if (at == end) break;
        const char *start = at;
        while (at < end && !graph_lines_is_blank(*at)) at++;
        words[n++] = (label_text){start, (size_t)(at - start)};
    }
    return n;
}

static lode_status naming_line(label_map *map, label_text line) {
    label_text words[4];
    unsigned n = naming_split(line, words);
    if (n == 0 || (map->file && words[0].at[0] == '#')) return LODE_OK;
    bool vertex = label_is(words[0], "v");
    if (n != 3 || !(vertex || label_is(words[0], "e"))) return naming_refuse(map, line);
    return naming_add(map, vertex ? LABEL_VERTEX : LABEL_EDGE, words[1], words[2]);
}

/* Takes the next line off a text. */
static label_text label_take_line(label_text *rest) {
    const char *end = memchr(rest->at, '\n', rest->n);
    size_t n = end ? (size_t)(end - rest->at) : rest->n, step = end ? n + 1 : n;
    label_text line = {rest->at, n};
    rest->at += step;
    rest->n -= step;
    return line;
}

static lode_status naming_file(label_map *map, label_text name) {
    lode_status status = LODE_OK;
    mem *m = &map->job->mem;
    input *in = NULL;
    input_block block = {0};
    vec_char path = {0};
    LODE_TRY(vec_char_append(m, &path, name.at, name.n));
    LODE_TRY(vec_char_append(m, &path, "", 1));
    LODE_TRY(input_open(map->job, &in, path.data));
    map->file = input_name(in);
    map->line = 0;
    for (;;) {
        LODE_TRY(input_next(in, &block));
        label_text rest = {block.text.data, block.text.n};
        if (rest.n == 0) break;
        while (rest.n > 0) {
            map->line++;
            LODE_TRY(naming_line(map, label_take_line(&rest)));
        }
    }
done:
    map->file = NULL;
    input_close(in);
    vec_char_free(m, &block.text);
    vec_char_free(m, &path);
    return status;
}

static lode_status naming_read(label_map *map, const char *text) {
    lode_status status = LODE_OK;
    label_text rest = {text, strlen(text)};
    for (unsigned i = 0; i < N_LABEL_KINDS; i++) {
        LODE_TRY(dict_create(&map->job->mem, &map->kinds[i].from));
        LODE_TRY(dict_create(&map->job->mem, &map->kinds[i].names));
    }
    while (rest.n > 0) {
        label_text line = label_take_line(&rest);
        if (label_is(line, "atomic")) {
            map->atomic = true;
        } else if (line.n > 1 && line.at[0] == '@') {
            LODE_TRY(naming_file(map, (label_text){line.at + 1, line.n - 1}));
        } else {
            LODE_TRY(naming_line(map, line));
        }
    }
done:
    return status;
}

static void naming_free(label_map *map) {
    for (unsigned i = 0; i < N_LABEL_KINDS; i++) {
        label_names *k = &map->kinds[i];
        dict_free(k->from);
        dict_free(k->names);
        vec_u32_free(&map->job->mem, &k->to);
    }
}

/* ---- names for the labels of graphs --------------------------------------------------------- */

/* The element of an atomic number; NULL if the label is none. */
static const char *element_of(label_text label) {
    size_t number = 0;
    if (label.n == 0 || label.n > 3 || label.at[0] == '0') return NULL;
    for (size_t i = 0; i < label.n; i++) {
        if (label.at[i] < '0' || label.at[i] > '9') return NULL;
        number = number * 10 + (size_t)(label.at[i] - '0');
    }
    return element_symbol(number);
}

static const char *bond_of(label_text label) {
    for (size_t i = 0; i < sizeof bonds / sizeof *bonds; i++) {
        if (label_is(label, bonds[i].label)) return bonds[i].name;
    }
    return NULL;
}

/* Replaces a label by its name, if it has one. */
static lode_status naming_name(const label_map *map, label_kind kind, label_text *label) {
    const label_names *k = &map->kinds[kind];
    uint32_t from = dict_find(k->from, label->at, label->n);
    if (from != DICT_NONE) {
        label->at = dict_name(k->names, k->to.data[from], &label->n);
        return LODE_OK;
    }
    if (!map->atomic) return LODE_OK;
    const char *name = kind == LABEL_VERTEX ? element_of(*label) : bond_of(*label);
    if (name) {
        *label = (label_text){name, strlen(name)};
    } else if (kind == LABEL_VERTEX) {
        return job_fail(map->job, LODE_INVALID,
                        "--labels atomic: the vertex label '%.*s' is not an atomic number (1 to "
                        "%u); give such labels names with --labels 'v LABEL NAME' or a file",
                        TEXT_ARGS(*label), (unsigned)ELEMENTS_MOST);
    }
    return LODE_OK;
}

/* Names the labels of one kind. *merged: two of them have become one. */
static lode_status naming_rename(const label_map *map, label_kind kind, lode_graphs *g,
                                 bool *merged) {
    lode_status status = LODE_OK;
    mem *m = &map->job->mem;
    dict **names = kind == LABEL_VERTEX ? &g->vertex_names : &g->edge_names, *renamed = NULL;
    vec_u32 *labels = kind == LABEL_VERTEX ? &g->labels : &g->edge_labels;
    uint32_t *ids = NULL, n = dict_count(*names);
    LODE_TRY(dict_create(g->mem, &renamed));
    LODE_TRY(mem_resize(m, (void **)&ids, 0, n * sizeof *ids));
    for (uint32_t id = 0; id < n; id++) {
        label_text label;
        label.at = dict_name(*names, id, &label.n);
        LODE_TRY(naming_name(map, kind, &label));
        LODE_TRY(dict_add(renamed, label.at, label.n, &ids[id]));
    }
    for (size_t i = 0; i < labels->n; i++) labels->data[i] = ids[labels->data[i]];
    *merged = *merged || dict_count(renamed) < n;
    dict_free(*names);
    *names = renamed;
    renamed = NULL;
    LODE_TRY(graphs_sort_labels(map->job, *names, labels, NULL));
done:
    dict_free(renamed);
    mem_free(m, ids, ids ? n * sizeof *ids : 0);
    return status;
}

/* Warns about names for labels that do not occur. */
static void naming_warn_unused(const label_map *map, label_kind kind, const dict *names) {
    const dict *from = map->kinds[kind].from;
    uint32_t n = dict_count(from), unused = 0;
    label_text first = {0};
    for (uint32_t id = 0; id < n; id++) {
        label_text label;
        label.at = dict_name(from, id, &label.n);
        if (dict_find(names, label.at, label.n) == DICT_NONE && unused++ == 0) first = label;
    }
    if (unused == 0) return;
    job_log(map->job, LODE_LOG_WARNING,
            "--labels: %u of the %u %s labels that are given names do not occur in the graphs, "
            "such as %.*s",
            unused, n, label_kinds[kind], TEXT_ARGS(first));
}

/* Notes that there are edge labels that `atomic` does not know. */
static void naming_note_bonds(const label_map *map, const dict *names) {
    for (uint32_t id = 0; map->atomic && id < dict_count(names); id++) {
        label_text label;
        label.at = dict_name(names, id, &label.n);
        if (label.n == 0 || bond_of(label)) continue;
        if (dict_find(map->kinds[LABEL_EDGE].from, label.at, label.n) != DICT_NONE) continue;
        job_log(map->job, LODE_LOG_INFO,
                "--labels atomic: the edge label '%.*s' is not a bond (1 to 4); it keeps its name, "
                "unless --labels 'e %.*s NAME' gives it another",
                TEXT_ARGS(label), TEXT_ARGS(label));
        return;
    }
}

static lode_status naming_apply(const label_map *map, lode_graphs *g) {
    lode_status status = LODE_OK;
    bool merged = false;
    naming_warn_unused(map, LABEL_VERTEX, g->vertex_names);
    naming_warn_unused(map, LABEL_EDGE, g->edge_names);
    naming_note_bonds(map, g->edge_names);
    LODE_TRY(naming_rename(map, LABEL_VERTEX, g, &merged));
    LODE_TRY(naming_rename(map, LABEL_EDGE, g, &merged));
    if (merged) {
        g->profile.n_empty = g->profile.n_disconnected = 0;
        LODE_TRY(graphs_complete_profile(map->job, g));
    }
done:
    return status;
}

lode_status label_map_apply(lode_job *job, lode_graphs *g, const char *text) {
    label_map map = {.job = job};
    if (!text) return LODE_OK;
    lode_status status = naming_read(&map, text);
    if (status == LODE_OK) status = naming_apply(&map, g);
    naming_free(&map);
    return status;
}
