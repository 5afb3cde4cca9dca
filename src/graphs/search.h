/* search.h - the depth-first search over patterns that graft and gspan share; a map of the folder
 *
 * Who calls whom; calls go down only:
 *
 *     graft.c  papers/gspan.c                      frontier.c  (frontier.h: groups, for GPUs)
 *         │                                            │
 *     workers.c      threads of a search: begin, end, what they do when they run out of work
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
 * The life of a node: an extension of its parent is taken (take_child), put on the path
 * (path_push_child), emitted and expanded (search_visit; closed and maximal patterns the other way
 * round), its own extensions are taken one by one, also by other workers; when all have come back
 * it leaves the path, and its memory is free again.
 *
 * Where decisions are taken:
 *     which codes are minimal           worker_test(): by guards, else by code_test(); called by
 *                                       scan.c and join.c before they keep an extension
 *     what a scan need not look for     growth_set_filter()
 *     which rows are enough             break_symmetry(), twins_merge()
 *     scan or sibling join              search_expand(), in search.c
 *     closed, maximal                   closed.c, called by emit_node(); closed.c
 *     what goes to the sink             emit_node()
 *     who gets which child              steal_child(), in search.c
 *
 * Two ways to find the extensions of a node (node.h defines row, idx and vid):
 *     gspan   looks at the neighbours of every vertex of the right-most path.
 *     graft   looks at the neighbours of the new vertex only. All other extensions were extensions
 *             of the parent: a row of the new node is joined with every row of the sibling that has
 *             the same idx. Each extension also has a bit set of its graphs, so that most joins
 *             that cannot succeed end before they begin, and the others as soon as too few graphs
 *             are left.
 *             What it looks for is limited by what was found at the same vertex before
 *             (growth.h): children are searched from the last to the first.
 * Both rely on the order of extensions (code_edge_less): only siblings that do not come before the
 * new edge can follow it. An extension whose code is not minimal is not followed. Where the minimal
 * code first differs from it decides what becomes of it in graft:
 *     before the last edge    no code that contains it is minimal: it is dropped
 *     in the last edge        it is kept, for sibling joins
 *
 * Symmetric leaves: when the new edge repeats the last one, its leaf and the last leaf can be
 * swapped (code_edge_repeats). Of two rows that only swap them one is kept (break_symmetry), and
 * nothing can grow from the second leaf.
 *
 * Threads: every worker lets others take children of the nodes of its path, those nearest to the
 * root first. They read the owner's lists where they lie. The owner leaves a node only when all of
 * them have returned, and helps other workers meanwhile.
 *
 * Depth: patterns may have thousands of edges, and threads have small stacks. So the path is a list
 * in the worker's memory, and no function calls itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_SEARCH_H
#define LODE_GRAPHS_SEARCH_H

#include "graphs/node.h"

#define BRANCH_EDGE 3 /* numbers of an edge in the prefix of a branch: see lode_task */

/* What is below the prefix of a branch. */
typedef struct search_found {
    const node *x; /* NULL: nothing */
    lode_status (*add)(struct search_found *found);
    void *user;
} search_found;

/* Goes to a pattern as if it were searched, and says what is below it. */
LODE_NODISCARD lode_status search_survey(worker *w, const engine_branch *b, search_found *found);
/* Leaves the path that the last survey has left for the next one. */
LODE_NODISCARD lode_status search_end_survey(worker *w, lode_status status);
/* How other processes number a type of edges. */
uint32_t search_turn_type(const search *s, uint32_t type);

/* Searches from triples, or branches, that nobody has taken, until there are none. */
LODE_NODISCARD lode_status search_roots(worker *w);
/* Works on a child of another worker's node, to its end. False if there was none to be had. */
bool search_steal(worker *w, lode_status *status);
/* Makes all workers stop; the first reason given counts. */
void search_fail(search *s, lode_status status);
/* Waits for a fraction of a millisecond. */
void search_pause(void);

#endif
