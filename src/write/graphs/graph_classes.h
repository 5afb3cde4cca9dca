/* graph_classes.h - what text formats write about the classes of the graphs of a pattern
 *
 * For each class: how many of its graphs contain the pattern, and their share of the class. Then,
 * for the tested class against all others: growth rate (share / share), odds ratio with its 95%
 * interval, p-value and, after a test, the adjusted p-value. Of two classes, the first one is
 * tested; of more, the one with the smallest p-value, which is then named.
 *
 *     gspan    # class active 22 0.22 inactive 7 0.029 growthRate 7.54 oddsRatio 9.4 … p 1.6e-07
 *     csv      columns count_NAME and share_NAME for each class, growthRate, oddsRatio, …
 *     jsonl    "classes":{"active":{"count":22,"share":0.22},…},"class":"active","oddsRatio":…
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_GRAPHS_GRAPH_CLASSES_H
#define LODE_WRITE_GRAPHS_GRAPH_CLASSES_H

#include "data/graphs/graphs.h"
#include "groups/classes.h"
#include "write/core/class_columns.h"

struct graph_text;

/* The classes of the graphs of a data set, without their graphs. n = 0: there are none. */
typedef struct graph_classes {
    uint32_t n;
    bool adjusted; /* patterns have adjusted p-values */
    uint64_t total;
    uint64_t sizes[CLASSES_MOST];
    char names[CLASSES_MOST][CLASSES_NAME_BYTES];
} graph_classes;

/* Reads the classes of each graph. */
LODE_NODISCARD lode_status graph_classes_find(row_classes *c, lode_job *job,
                                              const lode_graphs *data, const lode_class_options *o);
/* Takes names and numbers of graphs from them. */
void graph_classes_take(graph_classes *c, const row_classes *rows);
/* Reads what formats need of them. `o` may be NULL. */
LODE_NODISCARD lode_status graph_classes_read(graph_classes *c, lode_job *job,
                                              const lode_graphs *data, const lode_class_options *o);

/* The same as numbers, for results in memory: sets the names, and returns the values of a pattern;
 * the tested class is a number from 1. */
void graph_classes_name_columns(const graph_classes *c, class_columns *out);
void graph_classes_row(const graph_classes *c, const lode_graph_pattern *p, double *row);

/* The forms above. They append nothing if there are no classes. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status graph_classes_put_line(struct graph_text *o,
                                                  const lode_graph_pattern *p);
LODE_NODISCARD lode_status graph_classes_put_title(struct graph_text *o, vec_char *title);
LODE_NODISCARD lode_status graph_classes_put_cells(struct graph_text *o,
                                                   const lode_graph_pattern *p, char comma);
LODE_NODISCARD lode_status graph_classes_put_json(struct graph_text *o,
                                                  const lode_graph_pattern *p);

#endif
