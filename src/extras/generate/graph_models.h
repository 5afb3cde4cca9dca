/* graph_models.h - the models of lode_generate_graphs()
 *
 * A model is prepared once. Then several threads make blocks of graphs: each block has its own
 * scratch memory and random stream, so that a graph depends neither on the threads nor on other
 * blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_GENERATE_GRAPH_MODELS_H
#define LODE_EXTRAS_GENERATE_GRAPH_MODELS_H

#include "base/rng.h"
#include "extras/generate/grown_graph.h"
#include "lode.h"

typedef struct graph_model {
    /* bytes of `self` and of `scratch`, which the caller allocates and sets to zero */
    size_t bytes, scratch_bytes;
    /* the names of the labels of vertices and edges; NULL = their numbers */
    const char *const *vertex_names, *const *edge_names;
    /* Sets up the model, with random numbers from stream 0. `o` has no defaults left, and must
     * outlive the model. Errors: NOMEM, BUDGET. */
    lode_status (*prepare)(void *self, mem *m, const lode_graphgen_options *o);
    void (*free)(void *self); /* called also after a failed prepare() */
    /* Sets up the scratch memory of a block; NULL = there is nothing to do. Errors: NOMEM,
     * BUDGET. */
    lode_status (*open)(const void *self, void *scratch);
    void (*close)(const void *self, void *scratch); /* called also after a failed open() */
    /* Makes a graph: fills in `g`, which is empty. Errors: NOMEM, BUDGET. */
    lode_status (*make)(const void *self, void *scratch, grown_graph *g, rng *r);
} graph_model;

extern const graph_model graph_model_patterns;  /* seed_patterns.c */
extern const graph_model graph_model_random;    /* random_graphs.c */
extern const graph_model graph_model_molecules; /* molecules.c */

/* Maximum number of vertex labels, and of edge labels, in random graphs. */
#define GRAPH_MODEL_LABELS 1000000u

#endif
