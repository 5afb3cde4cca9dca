/* search.h - the depth-first search over patterns shared by graft and gspan; a map of the folder
 *
 * Call graph (only downwards):
 *
 *     graft.c  papers/gspan.c                      frontier.c  (frontier.h: groups, for GPUs)
 *         │                                            │
 *     workers.c      threads of a search: begin, end, idle workers; progress
 *         │
 *     search.c       one thread: the path of nodes, children, stealing from other workers
 *         ├───────────────────┬────────────────────┐
 *     scan.c              join.c               emit.c      a pattern for the sink
 *     extensions found    extensions found         │
 *     by looking at       by joining lists     closed.c    closure check
 *     neighbours          of siblings              ├─ closed.c     super-patterns of one edge more
 *         │                                    leaf_twins.c   induced occurrences
 *         └──────────┬─────────────────────────────┘
 *                node.c    one occurrence with all its vertices
 *
 *     growth.c (what scans look for)  leaf_twins.c (rows that are not needed)
 *     node.h (the types of all these)  code.c (DFS codes)  store.c (the graphs)  list_stack.c
 *     (memory)  workers.c (progress);  apart: brute.c (oracle), match.c (verifies one pattern)
 *
 * The life of a node: an extension of its parent is taken (take_child), pushed on the path
 * (path_push_child), emitted and expanded (search_visit; for closed and maximal patterns in the
 * opposite order). Its own extensions are taken one by one, also by other workers; when all have
 * returned it leaves the path, and its memory is freed.
 *
 * Where decisions are taken:
 *     which codes are minimal           worker_test(): by guards, else by code_test(); called by
 *                                       scan.c and join.c before they keep an extension
 *     what a scan can skip              growth_set_filter()
 *     which rows are enough             break_symmetry(), twins_merge()
 *     scan or sibling join              search_expand(), in search.c
 *     closed, maximal                   closed.c, called by emit_node()
 *     what is sent to the sink          emit_node()
 *     which worker gets which child     steal_child(), in search.c
 *
 * Two ways to find the extensions of a node (node.h defines row, idx and vid):
 *     gspan   scans the neighbours of every vertex of the right-most path.
 *     graft   scans the neighbours of the new vertex only. All other extensions were extensions of
 *             the parent: a row of the new node is joined with every row of the sibling that has
 *             the same idx. Each extension also has a bit set of its graphs, so that most joins
 *             that cannot succeed end before they begin, and the others as soon as too few graphs
 *             are left.
 *             Scans are limited by what was found at the same vertex before (growth.h): children
 *             are searched from the last to the first.
 * Both rely on the order of extensions (code_edge_less): only siblings that do not come before the
 * new edge can follow it. An extension whose code is not minimal is not followed. In graft, the
 * first difference from the minimal code decides whether it is kept:
 *     before the last edge    no code that contains it is minimal: it is dropped
 *     in the last edge        it is kept, for sibling joins
 *
 * Symmetric leaves: when the new edge repeats the last one, its leaf and the last leaf can be
 * swapped (code_edge_repeats). Of two rows that only swap them one is kept (break_symmetry), and
 * nothing can grow from the second leaf.
 *
 * Threads: other workers may take children of the nodes of a worker's path, those nearest to the
 * root first. They read the owner's lists in place. The owner leaves a node only when all of them
 * have returned, and helps other workers meanwhile.
 *
 * Depth: patterns may have thousands of edges, and threads have small stacks. So the path is a list
 * in the worker's memory, and nothing recurses.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_SEARCH_H
#define LODE_GRAPHS_SEARCH_H

#include "graphs/node.h"

#define BRANCH_EDGE 3 /* numbers of an edge in the prefix of a branch: see lode_task */

/* The content of a branch. */
typedef struct search_found {
    const node *x; /* NULL = nothing */
    lode_status (*add)(struct search_found *found);
    void *user;
} search_found;

/* Moves to a pattern as the search would, and returns what is below it. */
LODE_NODISCARD lode_status search_survey(worker *w, const engine_branch *b, search_found *found);
/* Clears the path that the last survey has left for the next one. */
LODE_NODISCARD lode_status search_end_survey(worker *w, lode_status status);
/* The number of an edge type for other processes. */
uint32_t search_turn_type(const search *s, uint32_t type);

/* Searches triples, or branches, that no worker has taken, until there are none. */
LODE_NODISCARD lode_status search_roots(worker *w);
/* Works on a child of another worker's node, to its end. False if there was none. */
bool search_steal(worker *w, lode_status *status);
/* Makes all workers stop; the first reason counts. */
void search_fail(search *s, lode_status status);
/* Waits for a fraction of a millisecond. */
void search_pause(void);

#endif
