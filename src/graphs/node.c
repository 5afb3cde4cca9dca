/* node.c - see node.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/node.h"

/* Bytes of all arrays for one entry more. They are by depth or by position. */
#define CURSOR_EACH (sizeof(node *) + 4 * sizeof(uint32_t) + sizeof(uint16_t) + sizeof(bool))

void cursor_free(worker *w) {
    mem_free(&w->s->job->mem, w->chain, w->chain_cap * CURSOR_EACH);
}

static lode_status cursor_grow(worker *w, unsigned n) {
    lode_status status = LODE_OK;
    mem *m = &w->s->job->mem;
    size_t cap = w->chain_cap;
    if (n <= cap) return LODE_OK;
    while (cap < n) cap = cap ? 2 * cap : 64;
    char *block = NULL;
    LODE_TRY(mem_zalloc(m, (void **)&block, cap * CURSOR_EACH));
    /* No row is current here, so there is nothing to keep. */
    cursor_free(w);
    w->chain = (void *)block;
    w->rows = (void *)(w->chain + cap);
    w->vertex_at = w->rows + cap;
    w->line_of = w->vertex_at + cap;
    w->to_visit = (void *)(w->line_of + 2 * cap);
    w->on_path = (void *)(w->to_visit + cap);
    w->chain_cap = (unsigned)cap;
done:
    return status;
}

lode_status cursor_start(worker *w, const node *x) {
    lode_status status = cursor_grow(w, x->depth + 2);
    if (status != LODE_OK) return status;
    w->depth = x->depth;
    for (const node *at = x; at; at = at->parent) {
        w->chain[at->depth] = at;
        w->rows[at->depth] = CURSOR_NO_ROW;
    }
    return LODE_OK;
}

void cursor_end(worker *w) {
    if (!w->rows || w->rows[0] == CURSOR_NO_ROW) return;
    for (unsigned d = 0; d <= w->depth; d++) {
        uint16_t p = w->chain[d]->position;
        if (p != CODE_NONE) w->position_of[w->vertex_at[p]] = CODE_NONE;
    }
    w->rows[0] = CURSOR_NO_ROW; /* the next start may fail */
}
