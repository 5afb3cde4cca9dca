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
 *     neighbours          of siblings              │
 *         │                                    leaf_twins.c   induced occurrences
 *         └──────────┬─────────────────────────────┘
 *                node.c    the cursor: one occurrence with all its vertices
 *
 *     Also used: growth.c (what scans look for), leaf_twins.c (merges rows), early.c (branches
 *     without closed patterns), node.h (the types of all these), code.c (DFS codes), store.c (the
 *     graphs), list_stack.c (memory). Apart: brute.c (oracle), match.c (verifies one pattern).
 *
 * The life of a node: it is taken as an extension of its parent (take_child), pushed on the path
 * (path_push_child), emitted and expanded (search_visit; for closed and maximal patterns in the
 * opposite order). Then its own extensions are taken one by one, also by other workers. When these
 * have all been searched, the node leaves the path, and its memory is freed.
 *
 * Where decisions are taken:
 *     which codes are minimal           worker_test(): the guards of the node's code decide, if
 *                                       they can (code.h), else code_test(); called by scan.c and
 *                                       join.c before they keep an extension
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
 *             that cannot succeed are not even begun, and the others end as soon as too few graphs
 *             are left.
 *             Children are searched from the last to the first, so that most scans are limited to
 *             what an earlier scan found at the same vertex, in the branch of a sibling (growth.h).
 * Both rely on the order of extensions (code_edge_less): after an edge is added, only siblings that
 * do not come before that edge in this order can be added next. An extension whose code is not
 * minimal is not followed. Where its code first differs from a smaller code of the same pattern
 * decides whether graft keeps the extension:
 *     before the last edge    it is dropped: no code that contains its code is minimal
 *     in the last edge        it is kept, for sibling joins
 *
 * Symmetric leaves: if the new edge repeats the last one, its leaf and the last leaf can be swapped
 * (code_edge_repeats). Of two rows that differ only by that swap, one is kept (break_symmetry), and
 * nothing can grow from the second leaf.
 *
 * Threads: a worker without work takes a child of a node on the path of another worker, the owner.
 * It prefers nodes near the root, and reads the owner's lists in place. The owner leaves a node
 * only when no other worker is busy with a child of that node; while it waits, it helps others.
 *
 * Depth: patterns may have thousands of edges, and threads have small stacks. So the path is a list
 * in the worker's memory, and nothing recurses.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_SEARCH_H
#define LODE_GRAPHS_SEARCH_H

#include "graphs/node.h"

#define BRANCH_EDGE 3 /* how many numbers encode an edge in the prefix of a branch (lode_task) */

/* What a survey has found. */
typedef struct search_found {
    const node *x; /* the node of the pattern, with its extensions; NULL = there is none */
    lode_status (*add)(struct search_found *found); /* called when `x` is set */
    void *user;
} search_found;

/* Moves to the pattern of a branch as the search would, and calls found->add() with its node. The
 * path then stays at that node, so that a survey of a similar branch takes less work. */
LODE_NODISCARD lode_status search_survey(worker *w, const engine_branch *b, search_found *found);
/* Takes down the path that the last survey has left. Returns `status`, or a failure. */
LODE_NODISCARD lode_status search_end_survey(worker *w, lode_status status);
/* Converts an edge type from the numbers of the store to those of branches (graph_branch.h), or
 * back: both directions are the same calculation. */
uint32_t search_turn_type(const search *s, uint32_t type);

/* Takes triples (store.h) that no worker has taken, and searches all patterns that begin with them,
 * until no triple is left. If the task has branches, takes these instead of triples. */
LODE_NODISCARD lode_status search_roots(worker *w);
/* Takes a child of another worker's node, and searches the branch of that child. Returns false if
 * no worker had a child to take. */
bool search_steal(worker *w, lode_status *status);
/* If `status` is a failure, makes all workers stop; the first failure counts. */
void search_fail(search *s, lode_status status);
/* Waits for a fraction of a millisecond. */
void search_pause(void);

#endif
