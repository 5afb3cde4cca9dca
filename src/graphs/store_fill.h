/* store_fill.h - the arrays of a store, once its triples are ranked (store_triples.h)
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_STORE_FILL_H
#define LODE_GRAPHS_STORE_FILL_H

#include "graphs/store_triples.h"

/* The edges of triples whose rank is below n_ranks, as CSR arrays. */
typedef struct store_csr {
    uint32_t n_ranks;
    uint32_t *offsets; /* of the vertices, and of their end */
    half_edge *half;   /* by vertex; sorted */
    size_t n;
} store_csr;

/* Fills in all but n_ranks. UNSUPPORTED: there are more than 2^32 half-edges. */
LODE_NODISCARD lode_status store_fill_csr(store_work *w, store_csr *out);
/* Fills in store.graph_of. */
LODE_NODISCARD lode_status store_fill_graph_of(store_work *w);
/* Lists, for each triple, the vertices where its edges begin: those with a half-edge of its even
 * type. */
LODE_NODISCARD lode_status store_fill_roots(store_work *w);

#endif
