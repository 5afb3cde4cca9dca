/* graph_text.h - graph patterns as text: the formats, and their common parts
 *
 * Add:   for a format, write a file with a graph_format, and add a line to formats.def.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_GRAPHS_GRAPH_TEXT_H
#define LODE_WRITE_GRAPHS_GRAPH_TEXT_H

#include "data/graphs/graphs.h"
#include "write/core/csv_style.h"
#include "write/core/sink_text.h"
#include "write/graphs/graph_classes.h"

/* A buffer of text. Patterns are numbered when the text is written, so that each thread can format
 * its own patterns. `places` has the positions where numbers must be inserted. */
typedef struct graph_text {
    mem *mem;
    vec_char text;
    vec_u64 places; /* positions in the text, ascending */
    const lode_graphs *data;
    vec_char name; /* scratch */
    csv_style csv;
    bool utf8;                    /* for csv: names in Latin-1 are converted */
    const graph_classes *classes; /* of the graphs */
} graph_text;

/* The writer of a binary format; all functions are called under the lock of the sink. */
typedef struct graph_writer {
    size_t bytes; /* size of the writer's own data, which is initially zero */
    /* Writes a pattern. */
    LODE_NODISCARD lode_status (*write)(text_sink *sink, void *own, const lode_graph_pattern *p);
    /* Writes the end. `order` is the order of the patterns as one word; NULL = search order. */
    LODE_NODISCARD lode_status (*end)(text_sink *sink, void *own, bool partial, const char *order);
    void (*free)(text_sink *sink, void *own);
} graph_writer;

typedef struct graph_format {
    const graph_writer *writer; /* NULL = the format is text, as the fields below describe */
    const char *title;          /* the first line of the file, or "" */
    bool csv;                   /* a csv format: it may begin with a byte order mark */
    /* Refuses data that the format cannot express; NULL = there are none. */
    LODE_NODISCARD lode_status (*check)(lode_job *job, const lode_graphs *data);
    /* Appends a pattern. */
    LODE_NODISCARD lode_status (*put)(graph_text *o, const lode_graph_pattern *p);
} graph_format;

/* The words of the option --write, ending with NULL. */
extern const char *const graph_format_names[];
/* The formats, in the same order. */
extern const graph_format *const graph_formats[];

enum {
#define LODE_GRAPH_FORMAT(name) +1
    N_GRAPH_FORMATS = 0
#include "write/graphs/formats.def"
#undef LODE_GRAPH_FORMAT
};

void graph_text_free(graph_text *o);

/* The following functions are for formats. Errors: NOMEM, BUDGET. This one appends text. */
LODE_NODISCARD lode_status graph_text_put(graph_text *o, const char *words);
/* Appends a text and a number. */
LODE_NODISCARD lode_status graph_text_number(graph_text *o, const char *before, uint64_t number);
/* Appends a text, and marks the place of the pattern's number after the text. */
LODE_NODISCARD lode_status graph_text_place(graph_text *o, const char *before);
/* Appends `support` as a fraction of the number of graphs. */
LODE_NODISCARD lode_status graph_text_share(graph_text *o, uint64_t support);
/* Appends a text as a JSON string. */
LODE_NODISCARD lode_status graph_text_json(graph_text *o, const char *text, size_t n);
/* Appends a name as a JSON string. */
LODE_NODISCARD lode_status graph_text_json_name(graph_text *o, const dict *names, uint32_t id);
/* Writes the pattern in a notation like SMILES (smiles.h) to o->name. */
LODE_NODISCARD lode_status graph_text_code(graph_text *o, const lode_graph *pattern);

#endif
