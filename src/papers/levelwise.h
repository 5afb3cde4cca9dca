/* levelwise.h - the common skeleton of Apriori: join, prune, count, keep, next level
 *
 * Six algorithms of the papers share it. They differ in how candidates are represented, generated
 * and counted; that is a levelwise_method, one file each (engines.c lists them):
 *
 *
 *     tbi          trie on the host          AND of the two parents' rows
 *     pbi          bit rows, on the device   AND of the two parents' rows
 *     goethals     trie on the host          transactions traverse the trie
 *     gpapriori    lists of k items          AND of k item rows
 *     eqclass      prefixes and members      AND of the cached prefix row and an item row
 *     gpu-apriori  bit rows, all pairs       AND of the two parents' rows, by trees
 *
 * Sets of a level are numbered in the order they were kept. In all but gpu-apriori that order is
 * lexicographic, and sets with equal items but the last form a group; joining set a with those
 * after it in its group gives the candidates.
 *
 * Memory: the number of joins of a level is known in advance. They are made in blocks of left sets
 * whose candidates fit into a share of the budget; if a block of one left set does not fit, the run
 * ends with the number of bytes needed. If there is no list for the row of a kept set, the row is
 * not stored; candidates that need it are counted from the item rows instead.
 *
 * Devices: all of the plan; each counts a part of every block (levelwise_team.h).
 *
 * Files; each calls only later ones: levelwise.c (the run), levelwise_blocks.c, levelwise_rows.c,
 * levelwise_team.c. Methods call all but the first.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_LEVELWISE_H
#define LODE_PAPERS_LEVELWISE_H

#include "data/transactions/vertical.h"
#include "device/api/paper_ops.h"
#include "pipeline/engine/item_task.h"
#include "runtime/list_pool.h"

typedef struct levelwise levelwise;
typedef struct levelwise_member levelwise_member; /* levelwise_team.h */

/* The representation of the frequent sets of a level: trie.h, bit_sets.h. */
typedef struct levelwise_sets {
    size_t state_bytes; /* of levelwise.sets, zeroed */
    /* Starts with the frequent items, which are sets 0 … n - 1. */
    LODE_NODISCARD lode_status (*start)(levelwise *w);
    /* Adds a candidate found frequent. */
    LODE_NODISCARD lode_status (*keep)(levelwise *w, backend_pair pair);
    /* Makes the kept sets the current level. */
    LODE_NODISCARD lode_status (*advance)(levelwise *w);
    /* The k - 1 items of set number `set` of the current level, ascending ranks. */
    void (*items)(const levelwise *w, uint32_t set, uint32_t *out);
    void (*stop)(levelwise *w);
} levelwise_sets;

typedef struct levelwise_method {
    const levelwise_sets *sets;
    bool horizontal;     /* needs no bit rows and no device */
    bool keeps_rows;     /* frequent sets keep their rows, from which the next level is counted */
    bool trees;          /* the device sums words by trees, of the kind set by --reduce */
    double list_share;   /* for lists: fraction of the memory left by the item rows */
    uint32_t paper_rows; /* cache rows that its paper counts as memory, beside the item rows */
    size_t state_bytes;  /* of levelwise.state, zeroed */
    /* Before the first level and after the last one; NULL = nothing to do. */
    LODE_NODISCARD lode_status (*start)(levelwise *w);
    void (*stop)(levelwise *w);
    /* The item that the right set of a pair adds to the left one; NULL = its last item. */
    uint32_t (*extra)(const levelwise *w, backend_pair pair);

    /* Makes the kept sets the current level on the device. *advanced becomes false if they are on
     * the host, which does it then. NULL = they always are. */
    LODE_NODISCARD lode_status (*advance)(levelwise *w, bool *advanced);

    /* Finds the frequent sets of w->k items. NULL = in blocks, by the functions below. */
    LODE_NODISCARD lode_status (*level)(levelwise *w);

    LODE_NODISCARD lode_status (*begin_blocks)(levelwise *w); /* NULL = nothing to do */
    /* Bytes of a candidate while its block is processed. */
    size_t (*candidate_bytes)(const levelwise *w);
    /* Joins the left sets [first, end), which gives at most `bound` candidates: w->pairs and their
     * supports, w->counts. */
    LODE_NODISCARD lode_status (*block)(levelwise *w, uint32_t first, uint32_t end, size_t bound);
} levelwise_method;

struct levelwise {
    engine_task *task;
    const levelwise_method *method;
    lode_paper_options options;
    void *sets, *state; /* of the method's sets, and its own */
    lode_job *job;
    mem *mem;
    vertical v;
    unsigned threads;
    levelwise_member *team; /* the devices; none if the method needs none */
    unsigned n_team;
    /* The backend of the first one, which does what is not divided. */
    const lode_backend *backend;
    backend_device *device;
    const backend_paper_ops *ops;
    backend_papers *papers;
    list_pool pool;
    uint32_t lists_peak; /* of a device, in the previous levels */
    sink_worker *sink;
    uint64_t threshold;

    uint32_t k;           /* items of the current candidates */
    uint32_t n_sets;      /* sets of k - 1 items */
    uint64_t n_joins;     /* of their groups */
    vec_u32 group_end;    /* by set: end of its group */
    const uint32_t *last; /* by set: its last item; lent by the method's sets */
    vec_u32 rows;         /* by set: its row, or BACKEND_NO_ROW; only if rows are kept */
    /* With several devices, `rows` refers to the first; far_rows: by set, its row on another one,
     * or BACKEND_NO_ROW; homes: on which one. */
    vec_u32 far_rows, homes;
    vec_u32 kept_left; /* by set kept for the next level: the left set it was joined from */
    vec_u32 kept_rows, kept_far_rows, kept_homes;

    backend_pair *pairs; /* the candidates of the current block */
    size_t n_pairs, cap_pairs;
    vec_u32 counts;
    vec_u32 dst;               /* rows of the block's candidates … */
    vec_u32 dst_homes;         /* … and their devices; empty = the first device */
    vec_u32 work_index, lists; /* scratch of levelwise_join_count */
    vec_u32 prefix, out_ids;   /* scratch for reporting */
    vec_u64 out_supports;

    /* Progress: joins of the current level, and of the two before; the share of the whole search
     * that is done, and the share of the level. */
    double joins[3], done, span;

    engine_level *tally; /* of the current level */
    engine_level spare_tally;
    double lap, device_clock;
    uint64_t level_up, level_down; /* bytes sent and received before the current level */
    bool fused;                    /* the device joins and counts in one step */
};

static inline uint32_t levelwise_extra(const levelwise *w, backend_pair pair) {
    return w->method->extra ? w->method->extra(w, pair) : w->last[pair.b];
}

LODE_NODISCARD lode_status levelwise_run(engine_task *task, const levelwise_method *method);

/* For lode_engine.estimate: the joins of level 2 over whole rows. */
double levelwise_estimate(const engine_task *task);
uint64_t levelwise_need(const engine_sizes *sizes);

/* ---- blocks (levelwise_blocks.c) ---- */

/* Makes room for n candidates in w->pairs and w->counts. */
LODE_NODISCARD lode_status levelwise_reserve(levelwise *w, size_t n);
/* Bytes that the candidates of one block may take. */
size_t levelwise_share(const levelwise *w);
/* Fails: the candidates of a block do not fit into the memory budget. */
lode_status levelwise_too_large(levelwise *w, size_t candidates, size_t bytes);
/* Cuts the level into blocks whose candidates take at most their share of the memory, and runs the
 * method on them. */
LODE_NODISCARD lode_status levelwise_do_blocks(levelwise *w);
/* Reports the frequent pairs of the block. */
LODE_NODISCARD lode_status levelwise_emit(levelwise *w);
/* The same, and keeps them for the next level. */
LODE_NODISCARD lode_status levelwise_settle(levelwise *w);

/* ---- counting by rows (levelwise_rows.c) ---- */

/* Returns rows to the pools of their devices, and empties both lists. Without homes, it is the
 * first device. */
void levelwise_give_rows(levelwise *w, vec_u32 *rows, vec_u32 *homes);

/* Counts the pairs of the block by intersecting the rows of their sets, into lists as long as there
 * are any (w->dst); pairs whose left set has no row are counted from the rows of their items. */
LODE_NODISCARD lode_status levelwise_count_rows(levelwise *w);

/* ---- tables of bits (levelwise_rows.c) ---- */

/* Whether the sets of a level may stay on the device (resident.h): there is one device, and it
 * supports that. */
bool levelwise_may_stay(const levelwise *w);
/* For methods whose sets are a bit table: copies the table of the level to the device … */
LODE_NODISCARD lode_status levelwise_use_sets(levelwise *w, const backend_sets *sets);
/* … and makes it join the left sets [first, end). The candidates are counted in the same step if
 * the device supports that, otherwise by levelwise_count_rows(). */
LODE_NODISCARD lode_status levelwise_join_count(levelwise *w, uint32_t first, uint32_t end,
                                                backend_joined *joined);

/* ---- progress and time (levelwise_team.c) ---- */

/* Assigns the new level its share of the remaining progress. */
void levelwise_begin_progress(levelwise *w);
/* job_check(), and reports the share of the level that is done, from 0 to 1. */
LODE_NODISCARD lode_status levelwise_tick(levelwise *w, double share);
/* Ends a lap: adds the time since the last lap to *seconds, a figure of the report. */
void levelwise_lap(levelwise *w, double *seconds);
/* The same after the device has counted: adds to counting and transfer. */
void levelwise_lap_count(levelwise *w);
/* The same after members of the team have counted: adds the seconds to candidate and counting. The
 * rest is transfer if one of them has its own clock, otherwise counting. */
void levelwise_lap_parts(levelwise *w, double laid_out, double counting, bool clock);
/* The same after it has joined and counted: adds `counting` seconds to counting, the rest to
 * candidates and transfer. */
void levelwise_lap_join(levelwise *w, double counting);

/* ---- the methods, which engines.c lists ---- */

extern const levelwise_method tbi_method, pbi_method, goethals_method;
extern const levelwise_method gpapriori_method, eqclass_method, gpu_apriori_method;

#endif
