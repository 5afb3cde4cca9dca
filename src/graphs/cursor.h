/* cursor.h - one row of a node with all its vertices
 *
 * Rows are sorted, so most rows share all but the last vertex or two with the row before. Moving to
 * the next row changes only the columns that differ.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_CURSOR_H
#define LODE_GRAPHS_CURSOR_H

#include "graphs/node.h"

#define CURSOR_NO_ROW UINT32_MAX

/* Starts over the rows of a node. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status cursor_start(worker *w, const node *x);
/* Forgets the row; to be called before the next cursor_start(). */
void cursor_end(worker *w);
/* Frees the arrays of all cursors of a worker. */
void cursor_free(worker *w);

static inline void cursor_move(worker *w, uint32_t row) {
    unsigned last = w->depth, d = last;
    uint32_t *rows = w->rows;
    const node *const *chain = w->chain;
    for (uint32_t r = row;; d--) { /* up to where both rows agree */
        uint32_t before = rows[d];
        if (before == r) break;
        rows[d] = r;
        uint16_t p = chain[d]->position;
        if (p != CODE_NONE && before != CURSOR_NO_ROW) w->position_of[w->vertex_at[p]] = CODE_NONE;
        if (d == 0) {
            d = UINT32_MAX;
            break;
        }
        r = chain[d]->idx[r];
    }
    for (d++; d <= last; d++) {
        uint16_t p = chain[d]->position;
        if (p == CODE_NONE) continue;
        uint32_t vertex = chain[d]->vid[rows[d]];
        w->vertex_at[p] = vertex;
        w->position_of[vertex] = p;
    }
}

#endif
