/* adaptive.h - the map of this folder, and the worker: one thread of the search
 *
 * A node of the search is a prefix and its conditional database: the transactions with the prefix,
 * restricted to the items that are frequent in them. Depending on its size and density, the
 * database has one of these shapes:
 *
 *   lists    transactions as lists of items, and the positions of each item  any number of items
 *   rows     a bit row for each item, a column for each transaction         dense; see shape.c
 *   words    a word of bits and a weight for each distinct transaction      at most 64 items to add
 *   strips   a few words of bits for each item, a bit for each transaction  few transactions
 *   lattice  the supports of all 2^k subsets of k items                     at most LATTICE_ITEMS
 *
 * Call graph, from top to bottom (only downwards):
 *
 *   adaptive.c           the engine: threads, and what is reported before the search
 *     root.c             the database of the empty prefix as one job sees it
 *       base.c           … made from the data set and shared between jobs
 *     plan.c             assigns the items of the root, with their shares of the progress
 *     branch.c           branches of the root for other processes (lode/tasks.h)
 *       walk.c           the search: one loop, depth-first, for all shapes; gives branches away
 *         shape.c        chooses the shape of a database
 *           lists.c rows.c words.c strips.c lattice.c   the shapes, called by a->shapes[]
 *             merge.c    words: merges equal transactions
 *         child.c        what is reported of a child, and which items are searched below it
 *           generators.c which sets are generators; occurrences.c finds their witnesses
 *           rules.c      antecedents of rules instead of sets
 *           twins.c      reports sets with equivalent items
 *   span.c               how walk.c and plan.c divide the progress by expected work
 *   kernels*.c arena.c   loops over words for each instruction set; memory of the search
 *   tuning.h             constants that were measured or guessed
 *
 * The life of a node. walk.c takes one item of a database after the other, from the most frequent
 * to the rarest. For each it
 *   1. counts which items are frequent in the item's transactions       shape->count, child_add()
 *   2. adds the item to the prefix, and reports the set if required     child_enter()
 *   3. chooses the shape of the child's database, and makes that        shape_of_child(), ->make
 *   4. gives the database to an idle worker, or pushes it on the stack and searches its items
 *   5. removes the item from the prefix                                 child_leave()
 * Items are numbered from the most frequent (0) to the rarest, and a set is found in the branch of
 * its rarest item. So a child has the items with smaller numbers than the added item: these may be
 * added next. For closed and maximal sets, a child also has the earlier items, which have larger
 * numbers than the added item. Earlier items are never added, only checked, because sets with an
 * earlier item belong to the branch of that item (the pre-set of DCI-Closed). For rules, a child
 * has the earlier items as well, as consequents. They are called earlier because they come before
 * the added item in the order from the rarest item on; but their own branches are searched later.
 *
 * Where decisions are made:
 *   which shape             shape.c: shape_of_root(), shape_of_child()
 *   closed or not           child_add(): an earlier item in all transactions of the child means
 *                           that the set is not closed, nor is any set below it. Lists detect that
 *                           without counting (lists_are_subsumed() in lists.c), rows from a sample
 *                           (rows.c), and a lattice checks all its sets together (lattice.c)
 *   maximal or not          child_enter(): no other item is frequent in the child
 *   generator or not        generators.c
 *   antecedent of rules     rules.c
 *   which items are dropped, and which are in every transaction         base.c
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_ADAPTIVE_H
#define LODE_ITEMSETS_ADAPTIVE_ADAPTIVE_H

#include "itemsets/adaptive/arena.h"
#include "itemsets/adaptive/kernels.h"
#include "itemsets/adaptive/tuning.h"
#include "pipeline/engine/item_task.h"
#include "runtime/tasks.h"

#define WORD_ITEMS 64
#define NO_RANK    UINT32_MAX /* rank of an item that is infrequent, or in every transaction */
#define WIDE_ITEMS 128        /* items of two words: the second word is for more earlier items */

struct generators;
struct rules_output;
struct shape_ops;
struct database;
typedef struct twins twins;

/* The goal of a search; the same in all workers. */
typedef struct search_wanted {
    lode_target target;
    bool keeps_earlier;          /* databases also have earlier items: see above */
    bool counts_earlier;         /* … and their supports are exact */
    const engine_rules *rules;   /* NULL = search itemsets, not antecedents of rules */
    uint32_t max_size;           /* items of the longest prefix */
    const engine_sample *sample; /* search only a sample; NULL = everything */
} search_wanted;

/* The position of a worker in the search tree. */
typedef struct search_path {
    uint32_t *prefix; /* item ids, in search order */
    uint32_t n_prefix;
    uint32_t *perfect; /* items in every transaction of the prefix: any of them may be added */
    uint32_t n_perfect;
    uint32_t support; /* of the prefix */
    uint32_t root_id; /* for a sample: the id of the root item whose branch is searched */
    bool mute;        /* rebuilding the prefix of a branch: nothing is reported */
    /* Rebuilding the prefix of a branch: items must be added one by one, so no database on the way
     * has the shape of a lattice or of single items. */
    bool one_by_one;
} search_path;

/* Buffers for the work on one node. "Zero": all zero between two nodes. */
typedef struct search_scratch {
    uint32_t *lattice;                /* a counter for each set of LATTICE_ITEMS items */
    uint64_t *lattice_common;         /* by set; closed: the earlier items in all transactions of
                                       * the set; lattice of a strip: the transactions of the set */
    uint32_t *earlier_counts;         /* maximal: weights of earlier items for each set; zero */
    uint32_t *item_counts;            /* lists: a counter for each item of the root; zero */
    uint64_t *item_codes;             /* lists: new numbers of items in the child, and the table
                                       * in which strips are gathered (strips.c); zero */
    uint32_t word_counts[WIDE_ITEMS]; /* words: a counter for each bit */
} search_scratch;

/* Items of the root that a worker has taken together, consecutively. Their pairs are counted in one
 * pass over the rows of the root, which may be larger than a cache. */
typedef struct root_block {
    uint32_t first, next, end; /* items [first, end) are taken, and `next` is searched next */
    double weight;             /* expected work of the items not searched yet … */
    double span;               /* … and their share of the progress */
    uint32_t *counts;          /* counts[i * ROOT_BLOCK + k]: transactions with item i of the root
                                * and the k-th item of the block; NULL = not used */
    bool counted;              /* `counts` is valid for this block */
} root_block;

/* A worker's data about the root, the database of the empty prefix. */
typedef struct search_root {
    const struct database *rows; /* the root, if its shape is rows; otherwise NULL */
    root_block block;            /* the items of the root that this worker has taken */
    const uint32_t *rank;        /* by item id: its number in the root, or NO_RANK */
    uint32_t n_always;           /* items in every transaction; their ranks precede the root's */
    const twins *twins;          /* equivalent items, searched as one; NULL = none */
} search_root;

/* Buffers to report sets with the twins of their items (twins.h). `prefix`: the items of the
 * prefix. `chosen`: for generators, which twin of each of these items is chosen. `ids`, `supports`:
 * the items to report with that prefix, and their supports. */
typedef struct twin_room {
    uint32_t *prefix, *chosen, *ids;
    uint64_t *supports;
} twin_room;

/* Takes branches that no worker has begun, for other processes; see lode_job_ask_task(). */
typedef struct root_giver {
    bool (*take)(void *run, engine_branch *out); /* false: there is none */
    void *run;
} root_giver;

/* Where this worker may give branches to. */
typedef struct search_sharing {
    tasks *tasks;            /* exchange with other workers; NULL = this is the only worker */
    const root_giver *giver; /* set if other processes may ask for branches; otherwise NULL */
} search_sharing;

/* Work done by a worker, and the part of it not reported yet. */
typedef struct search_progress {
    bool owner; /* runs on the thread that called lode, which calls the progress callback … */
    unsigned until_tick; /* … after this many more nodes */
    uint64_t nodes;      /* searched so far */
    double span;         /* share of the progress that the current branch still owns (span.h) */
    uint64_t span_cost;  /* nanoseconds spent on dividing spans */
    progress_local unreported;
} search_progress;

/* One thread of the search. */
typedef struct adaptive {
    engine_task *task;
    lode_job *job;
    const adaptive_kernels *kernels;
    const struct shape_ops *const *shapes; /* by shape_kind */
    search_wanted wanted;
    search_root root;
    search_path path;
    search_scratch scratch;
    arena arena; /* databases of the path */
    sink_worker *out;
    struct rules_output *antecedents; /* receives antecedents (rules.h); NULL = sets are searched */
    struct generators *generators;    /* of this worker; NULL = another target */
    twin_room twin_room;
    search_sharing sharing;
    search_progress progress;
} adaptive;

/* Items of a database: their ids, and their supports in it. The first `addable` may be added to the
 * prefix, the others are earlier items. */
typedef struct item_list {
    uint32_t n, addable;
    const uint32_t *ids;
    const uint32_t *supports;
} item_list;

/* Whether earlier items are needed: to test whether a set has a superset, or as consequents of
 * rules. */
static inline bool adaptive_keeps_earlier(lode_target target, bool rules) {
    return rules || target == LODE_TARGET_CLOSED || target == LODE_TARGET_MAXIMAL;
}

static inline bool adaptive_task_keeps_earlier(const engine_task *task) {
    return adaptive_keeps_earlier(task->items.options->target, task->items.rules != NULL);
}

/* The number of items of the longest prefix: a set of max_size items or, for rules, an antecedent
 * of max_lhs items (its consequents are counted at its own node). */
static inline uint32_t adaptive_task_longest(const engine_task *task) {
    return task->items.rules ? task->items.rules->max_lhs : task->items.options->max_size;
}

/* Whether an item may be added to the prefix at all: for rules, only if it may be in
 * antecedents. */
static inline bool adaptive_may_add(const adaptive *a, uint32_t id) {
    return !a->wanted.rules || a->wanted.rules->roles[id] & ENGINE_ROLE_LHS;
}

/* Whether nothing is searched below a set that has one more item than the prefix: the set has
 * max_size items, and the target does not depend on other items in its transactions. */
static inline bool adaptive_ends(const adaptive *a) {
    return !a->wanted.keeps_earlier && a->path.n_prefix + (uint64_t)1 >= a->wanted.max_size;
}

/* The current minimum support, which may rise during the search. */
static inline uint32_t adaptive_threshold(const adaptive *a) {
    uint64_t threshold = job_threshold(a->job);
    return threshold < UINT32_MAX ? (uint32_t)threshold : UINT32_MAX;
}

/* Whether all sets of a few items can be counted, and reported, together as a lattice. */
static inline bool adaptive_uses_lattices(const adaptive *a) {
    return a->wanted.target != LODE_TARGET_GENERATORS && !a->root.twins;
}

/* Counts a node. Returns another status than OK if the job must stop. The owner also reports
 * progress, once every ADAPTIVE_TICK nodes. */
static inline LODE_NODISCARD lode_status adaptive_check(adaptive *a) {
    a->progress.nodes++;
    if (a->progress.owner && a->progress.until_tick-- == 0) {
        a->progress.until_tick = ADAPTIVE_TICK;
        return job_tick(a->job, 0, 0);
    }
    return job_check(a->job);
}

#endif
