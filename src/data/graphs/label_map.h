/* label_map.h - gives the labels of graphs names: lode_graph_read_options.labels
 *
 *     atomic         vertex labels are atomic numbers: 6 is C; edge labels are bonds: 1 is single
 *     v 6 C          the vertex label 6 is called C
 *     e 1 single     the edge label 1 is called single
 *     @FILE          lines of these two kinds from a file; blank lines and # comments are skipped
 *
 * Names are given when the graphs have been read, so everything that follows knows only them.
 * Labels with the same name become one label. A name given by a line replaces that of `atomic`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_GRAPHS_LABEL_MAP_H
#define LODE_DATA_GRAPHS_LABEL_MAP_H

#include "data/graphs/graphs.h"

/* Names the labels of `g` as `text` says: such lines, one or more; NULL = not at all. A name for a
 * label that does not occur is a warning. Errors: INVALID or PARSE (a malformed line, a label with
 * two names, a vertex label that is no atomic number), NOTFOUND, IO, NOMEM, BUDGET, CANCELLED. */
LODE_NODISCARD lode_status label_map_apply(lode_job *job, lode_graphs *g, const char *text);

#endif
