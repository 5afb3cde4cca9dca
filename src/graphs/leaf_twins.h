/* leaf_twins.h - merges rows that only differ in the choice among equivalent leaves of the data;
 * and which rows are induced occurrences
 *
 * Twins are vertices of the data with the same single neighbour that look alike from it, such as
 * the hydrogen atoms of a CH3 group. Swapping two of them changes nothing in the graph, so rows
 * that only differ in twins have the same extensions, and one of them is enough:
 *
 *     pattern   C - C - H       data   three H at each C: a pattern with one H has 3 rows at each
 *                   |                  place, one with an H at each of two C has 9, of three C 27;
 *                   H                  after merging, there is 1
 *
 * When an extension becomes a node, rows that continue the same row with twins are merged: only the
 * one whose twin has the smallest number is kept. Extensions keep all of them, because a second
 * leaf at the same vertex needs another twin. It must have a larger number (search.break_symmetry),
 * and the smaller ones are taken first, so no set of leaves is lost.
 * Rows are not merged if the result lists or tests single rows: embeddings, induced, closed,
 * maximal.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_LEAF_TWINS_H
#define LODE_GRAPHS_LEAF_TWINS_H

#include "graphs/node.h"

/* Drops rows of a new node. The worker's code must still be that of its parent. Errors: NOMEM,
 * BUDGET, CANCELLED, STOPPED. */
LODE_NODISCARD lode_status twins_merge(worker *w, node *x);

/* ---- induced occurrences: those whose vertices have no edges but the pattern's --------------- */

/* Whether the row that the cursor is at is an induced occurrence. */
bool induced_row(const worker *w);
/* The work of induced_row(): the total number of neighbours of the row's vertices. */
size_t induced_work(const worker *w);
/* Counts the graphs with an induced occurrence of a node. */
LODE_NODISCARD lode_status induced_support(worker *w, const node *x, uint64_t *support);

#endif
