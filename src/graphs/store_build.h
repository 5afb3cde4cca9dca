/* store_build.h - builds a store of graphs: its triples, then its arrays
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_STORE_BUILD_H
#define LODE_GRAPHS_STORE_BUILD_H

#include <stdatomic.h>

#include "graphs/store.h"

/* ---- the triples of all edges, found by all threads, and how threads share graphs ------------ */

/* Graphs are divided into ranges with about the same number of edges. A thread takes one after the
 * other, and numbers the triples that it finds in its own table. At the end, the supports of all
 * tables are summed, the triples are ranked together, and the ranks are copied to every table. So
 * no thread waits for another, and the result does not depend on which thread took which range:
 * ranks follow from supports and labels.
 *
 * Later passes over the same ranges (store_build.c) find the number of each edge's triple in
 * `of_edge`, and the rank of that triple in the table of the thread that had the range. */

#define STORE_CHECK_EVERY ((size_t)1 << 16) /* steps between two checks for a stop */

typedef struct triple {
    uint32_t from_label, edge_label, to_label;
    uint32_t last_graph; /* while counting: 1 + the last graph that had it */
    uint64_t support, n_edges;
    uint32_t rank; /* triples that are kept have ranks from 0 on; the others have larger ranks */
} triple;

typedef struct triple_table triple_table;

typedef struct store_work store_work;
typedef lode_status (*store_range_fn)(store_work *w, uint32_t range, unsigned worker);

struct store_work {
    lode_job *job;
    store *s;
    const lode_graphs *data;
    uint32_t n_ranges;
    unsigned n_workers;
    triple_table *tables; /* by worker */
    uint16_t *table_of;   /* by range: the worker that had it */
    uint32_t *of_edge;    /* by edge: the number of its triple in that worker's table */
    mem_kept kept;        /* holds these three arrays */
    store_range_fn fn;    /* the current operation on ranges */
    atomic_uint next;     /* the next range to take */
    void *arg;            /* what fn needs */
};

/* Allocates scratch memory of the job. Call store_work_close(), also after a failure. */
LODE_NODISCARD lode_status store_work_open(store_work *w, lode_job *job, store *s);
void store_work_close(store_work *w);

/* Counts the triples and ranks them. Triples that are kept get the ranks 0, 1, …, rarest first; the
 * others get the ranks after these. Makes the types of the triples that are kept. Sets *min_count
 * to the lowest threshold that the store can serve, which may be lower than before. */
LODE_NODISCARD lode_status store_count_triples(store_work *w, uint64_t *min_count);

/* Whether an undirected edge must be reversed, so that the smaller label comes first. */
static inline bool store_is_turned(const lode_graphs *g, uint32_t a, uint32_t b) {
    return !g->profile.directed && a > b;
}

/* Checks for a stop from time to time; called at every step of a long loop. */
static inline lode_status store_check(lode_job *job, size_t *steps) {
    return ++*steps % STORE_CHECK_EVERY == 0 ? job_check(job) : LODE_OK;
}

/* ---- the arrays of a store, once its triples are ranked -------------------------------------- */

/* The edges of triples whose rank is below n_ranks, as CSR arrays. */
typedef struct store_csr {
    uint32_t n_ranks;
    uint32_t *offsets; /* as in store */
    half_edge *half;
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
