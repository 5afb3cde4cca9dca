/* graph_text.h - graph patterns as text: the formats, and their common parts
 *
 * Add:   a format is a new file with a graph_format, and a line in formats.def.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_GRAPHS_GRAPH_TEXT_H
#define LODE_WRITE_GRAPHS_GRAPH_TEXT_H

#include "data/graphs/graphs.h"
#include "write/core/sink_text.h"

/* A buffer of text. Patterns are numbered when the text is written, so that each thread can format
 * its own: `places` has the positions where numbers must be inserted. */
typedef struct graph_text {
    mem *mem;
    vec_char text;
    vec_u64 places; /* positions in the text, ascending */
    const lode_graphs *data;
    vec_char name; /* scratch */
} graph_text;

/* The writer of a binary format; all functions are called under the lock of the sink. */
typedef struct graph_writer {
    size_t bytes; /* of its own data, initially zero */
    /* `order` is the order of the patterns, in a word; NULL = search order. */
    LODE_NODISCARD lode_status (*write)(text_sink *sink, void *own, const lode_graph_pattern *p);
    /* `order` is the order of the patterns, in a word; NULL: that of the search. */
    LODE_NODISCARD lode_status (*end)(text_sink *sink, void *own, bool partial, const char *order);
    void (*free)(text_sink *sink, void *own);
} graph_writer;

typedef struct graph_format {
    const graph_writer *writer; /* NULL = text, as follows */
    const char *title;          /* first line of the file, or "" */
    bool csv;                   /* a csv format: it may begin with a byte order mark */
    /* Appends a pattern. */
    LODE_NODISCARD lode_status (*put)(graph_text *o, const lode_graph_pattern *p);
} graph_format;

/* The words of the option --write, ending with NULL, and the formats in the same order. */
extern const char *const graph_format_names[];
extern const graph_format *const graph_formats[];

enum {
#define LODE_GRAPH_FORMAT(name) +1
    N_GRAPH_FORMATS = 0
#include "write/graphs/formats.def"
#undef LODE_GRAPH_FORMAT
};

void graph_text_free(graph_text *o);

/* For formats; all but graph_text_code() append. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status graph_text_put(graph_text *o, const char *words);
LODE_NODISCARD lode_status graph_text_number(graph_text *o, const char *before, uint64_t number);
/* Marks the place of the pattern's number. */
LODE_NODISCARD lode_status graph_text_place(graph_text *o, const char *before);
/* Appends `support` as a share of the number of graphs. */
LODE_NODISCARD lode_status graph_text_share(graph_text *o, uint64_t support);
/* Append text, or a name, as a JSON string. */
LODE_NODISCARD lode_status graph_text_json(graph_text *o, const char *text, size_t n);
LODE_NODISCARD lode_status graph_text_json_name(graph_text *o, const dict *names, uint32_t id);
/* Writes the pattern in a notation like SMILES (smiles.h) to o->name. */
LODE_NODISCARD lode_status graph_text_code(graph_text *o, const lode_graph *pattern);

#endif
