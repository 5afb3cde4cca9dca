/* leaf_twins.h - merges rows that differ only in equivalent leaves; finds induced occurrences
 *
 * A row is one occurrence of a pattern (node.h). Twins are leaves of the data that have the same
 * neighbour and look alike from there, such as the hydrogen atoms of a CH3 group. Swapping two
 * twins changes nothing in the graph. So rows that differ only in twins have the same extensions,
 * and one of these rows is enough. For example, if the search begins with the edge C - C:
 *
 *     data             pattern          rows                                 rows after merging
 *     H3C - CH3        C - C             2  (two directions)                  2
 *     (ethane)         C - C - H         6  (2 directions * 3 H)              2
 *                      H - C - C - H    18  (2 directions * 3 H * 3 H)        2
 *
 * Rows are merged when an extension becomes a node. Of the node's rows that continue the same row
 * with twins, only the row with the smallest twin (the lowest vertex number) is kept. The extension
 * itself keeps all its rows: the search may add it to the node again, as a second leaf at the same
 * vertex, and that leaf must be another twin. Merging loses no set of leaves, because the second
 * leaf must have a larger number than the first (search.break_symmetry), and the first is the
 * smallest.
 *
 * Rows are not merged if they are reported or tested one by one. This is so for embeddings and for
 * induced, closed and maximal patterns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_LEAF_TWINS_H
#define LODE_GRAPHS_LEAF_TWINS_H

#include "graphs/node.h"

/* Merges the rows of a new node. The DFS code of the worker must still be that of the node's
 * parent. Errors: NOMEM, BUDGET, CANCELLED, STOPPED. */
LODE_NODISCARD lode_status twins_merge(worker *w, node *x);

/* ---- induced occurrences: their vertices have no edges among them but the pattern's ---------- */

/* Whether the row that the cursor is at is an induced occurrence. */
bool induced_row(const worker *w);
/* The work of induced_row(): the total number of neighbours of the row's vertices. */
size_t induced_work(const worker *w);
/* Counts the graphs with an induced occurrence of a node. */
LODE_NODISCARD lode_status induced_support(worker *w, const node *x, uint64_t *support);

#endif
