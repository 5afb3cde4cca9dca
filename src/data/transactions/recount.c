/* recount.c - see recount.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/recount.h"

#include "base/bits.h"
#include "runtime/parallel.h"

#define RECOUNT_NONE     UINT32_MAX
#define RECOUNT_ASK      1024 /* nodes between checks for a stop */
#define RECOUNT_ROWS     64   /* transactions of a group: bits of a mask */
#define RECOUNT_CHILDREN 8    /* times as many as items are left: then items are looked up */

typedef struct recount_node {
    uint32_t slot;     /* number of its item among the items of the sets, ascending by item */
    uint32_t first, n; /* children, ascending by slot */
} recount_node;

/* A set where it lies. */
typedef struct recount_ref {
    const uint32_t *items;
    uint32_t n, number;
} recount_ref;

typedef struct recount_tree {
    lode_job *job;
    const lode_dataset *data;
    const uint32_t *map;
    uint32_t item_bound;
    bool alone; /* on the calling thread, without progress */
    mem_kept kept;
    recount_node *nodes; /* nodes[0] is the root */
    uint32_t n_nodes;
    uint32_t *node_of; /* by set */
    uint32_t *slots;   /* by item; RECOUNT_NONE: it is in no set */
    uint32_t n_slots;
    uint32_t *roots;  /* by slot: the child of the root; RECOUNT_NONE: none */
    uint64_t *counts; /* by node; under the lock */
    pthread_mutex_t lock;
    _Atomic size_t next; /* block */
} recount_tree;

static lode_status recount_check(const recount_tree *t) {
    if (!t->alone) return job_check(t->job);
    return job_is_cancelled(t->job) ? LODE_CANCELLED : LODE_OK;
}

/* ---- the tree ------------------------------------------------------------------------------- */

static bool recount_before(const recount_ref *a, const recount_ref *b) {
    uint32_t n = a->n < b->n ? a->n : b->n;
    for (uint32_t i = 0; i < n; i++) {
        if (a->items[i] != b->items[i]) return a->items[i] < b->items[i];
    }
    return a->n != b->n ? a->n < b->n : a->number < b->number;
}

#define SORT_NAME   sort_recount_refs
#define SORT_TYPE   recount_ref
#define SORT_BEFORE recount_before
#include "base/sort_body.h"

/* The sets of a node that is not divided yet: refs[first] … refs[end - 1] begin alike. */
typedef struct recount_range {
    size_t first, end;
    uint32_t depth;
} recount_range;

/* Makes the children of a node. */
static void recount_divide(recount_tree *t, const recount_ref *refs, recount_range *ranges,
                           uint32_t node) {
    recount_range r = ranges[node];
    while (r.first < r.end && refs[r.first].n == r.depth) t->node_of[refs[r.first++].number] = node;
    t->nodes[node].first = t->n_nodes;
    for (size_t i = r.first, end; i < r.end; i = end) {
        uint32_t item = refs[i].items[r.depth];
        for (end = i; end < r.end && refs[end].items[r.depth] == item;) end++;
        ranges[t->n_nodes] = (recount_range){i, end, r.depth + 1};
        t->nodes[t->n_nodes++] = (recount_node){.slot = t->slots[item]};
    }
    t->nodes[node].n = t->n_nodes - t->nodes[node].first;
}

/* How many nodes the tree of sorted sets has. */
static uint64_t recount_size(const recount_ref *refs, size_t n) {
    uint64_t nodes = 1;
    for (size_t i = 0; i < n; i++) {
        uint32_t same = 0;
        while (i > 0 && same < refs[i].n && same < refs[i - 1].n &&
               refs[i].items[same] == refs[i - 1].items[same]) {
            same++;
        }
        nodes += refs[i].n - same;
    }
    return nodes;
}

static lode_status recount_too_many(lode_job *job) {
    return job_fail(job, LODE_UNSUPPORTED, "there are too many sets to count them again");
}

/* Numbers the items of the sets. */
static lode_status recount_number(recount_tree *t, const recount_sets *sets) {
    lode_status status = LODE_OK;
    mem *m = &t->job->mem;
    uint64_t end = sets->n > 0 ? sets->offsets[sets->n] : 0;
    LODE_TRY(mem_keep(m, &t->kept, (void **)&t->slots, t->item_bound * sizeof *t->slots));
    for (uint32_t id = 0; id < t->item_bound; id++) t->slots[id] = RECOUNT_NONE;
    for (uint64_t i = 0; i < end; i++) t->slots[sets->items[i]] = 0;
    for (uint32_t id = 0; id < t->item_bound; id++) {
        if (t->slots[id] != RECOUNT_NONE) t->slots[id] = t->n_slots++;
    }
    LODE_TRY(mem_keep(m, &t->kept, (void **)&t->roots, t->n_slots * sizeof *t->roots));
    for (uint32_t slot = 0; slot < t->n_slots; slot++) t->roots[slot] = RECOUNT_NONE;
done:
    return status;
}

static lode_status recount_grow(recount_tree *t, const recount_ref *refs, size_t n) {
    lode_status status = LODE_OK;
    mem *m = &t->job->mem;
    uint64_t size = recount_size(refs, n);
    recount_range *ranges = NULL;
    if (size >= RECOUNT_NONE) return recount_too_many(t->job);
    LODE_TRY(mem_resize(m, (void **)&ranges, 0, size * sizeof *ranges));
    LODE_TRY(mem_keep_zero(m, &t->kept, (void **)&t->nodes, size * sizeof *t->nodes));
    LODE_TRY(mem_keep_zero(m, &t->kept, (void **)&t->counts, size * sizeof *t->counts));
    ranges[0] = (recount_range){0, n, 0};
    t->n_nodes = 1;
    for (uint32_t node = 0; node < t->n_nodes; node++) {
        recount_divide(t, refs, ranges, node);
        if (node % RECOUNT_ASK == 0) LODE_TRY(recount_check(t));
    }
    for (uint32_t i = 0; i < t->nodes[0].n; i++) {
        uint32_t child = t->nodes[0].first + i;
        t->roots[t->nodes[child].slot] = child;
    }
done:
    mem_free(m, ranges, ranges ? size * sizeof *ranges : 0);
    return status;
}

static bool recount_stops(void *tree) {
    return recount_check(tree) != LODE_OK;
}

static lode_status recount_build(recount_tree *t, const recount_sets *sets) {
    lode_status status = LODE_OK;
    mem *m = &t->job->mem;
    size_t n = sets->n;
    sort_stop stop = {recount_stops, t};
    recount_ref *refs = NULL;
    if (n >= RECOUNT_NONE) return recount_too_many(t->job);
    LODE_TRY(recount_number(t, sets));
    LODE_TRY(mem_resize(m, (void **)&refs, 0, n * sizeof *refs));
    LODE_TRY(mem_keep_zero(m, &t->kept, (void **)&t->node_of, n * sizeof *t->node_of));
    for (size_t i = 0; i < n; i++) {
        uint64_t first = sets->offsets[i];
        refs[i] = (recount_ref){sets->items + first, (uint32_t)(sets->offsets[i + 1] - first),
                                (uint32_t)i};
    }
    if (!sort_recount_refs(refs, n, &stop)) LODE_LEAVE(recount_check(t));
    status = recount_grow(t, refs, n);
done:
    mem_free(m, refs, refs ? n * sizeof *refs : 0);
    return status;
}

/* ---- transactions --------------------------------------------------------------------------- */

/* What a thread has. */
typedef struct recount_worker {
    recount_tree *t;
    uint64_t *counts;        /* by node */
    uint64_t *masks;         /* by slot: the transactions of the present group with this item */
    vec_u32 present;         /* the slots whose mask is not zero */
    vec_u64 open;            /* nodes whose children are to be visited, each with its mask */
    const uint32_t *weights; /* of the transactions of the group; NULL: each counts once */
} recount_worker;

static uint64_t recount_weigh(const recount_worker *w, uint64_t mask) {
    uint64_t sum = 0;
    if (!w->weights) return bits_count(mask);
    for (; mask; mask &= mask - 1) sum += w->weights[__builtin_ctzll(mask)];
    return sum;
}

static void recount_see(recount_worker *w, uint32_t node, uint64_t mask) {
    w->counts[node] += recount_weigh(w, mask);
    if (w->t->nodes[node].n == 0) return;
    w->open.data[w->open.n++] = node;
    w->open.data[w->open.n++] = mask;
}

/* The child of a node for an item, by halving. */
static uint32_t recount_child(const recount_tree *t, const recount_node *node, uint32_t slot) {
    uint32_t low = node->first, high = node->first + node->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->nodes[middle].slot < slot) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < node->first + node->n && t->nodes[low].slot == slot;
    return found ? low : RECOUNT_NONE;
}

static lode_status recount_visit(recount_worker *w) {
    lode_status status = LODE_OK;
    const recount_tree *t = w->t;
    while (w->open.n > 0) {
        uint64_t mask = w->open.data[--w->open.n];
        const recount_node *node = &t->nodes[w->open.data[--w->open.n]];
        LODE_TRY(vec_u64_reserve(&t->job->mem, &w->open, 2 * (size_t)node->n));
        if (node->n / RECOUNT_CHILDREN <= w->present.n) {
            for (uint32_t i = node->first; i < node->first + node->n; i++) {
                uint64_t both = mask & w->masks[t->nodes[i].slot];
                if (both) recount_see(w, i, both);
            }
            continue;
        }
        for (size_t i = 0; i < w->present.n; i++) {
            uint32_t slot = w->present.data[i];
            uint64_t both = mask & w->masks[slot];
            uint32_t child = both ? recount_child(t, node, slot) : RECOUNT_NONE;
            if (child != RECOUNT_NONE) recount_see(w, child, both);
        }
    }
done:
    return status;
}

/* Fills in the masks of the items of transactions [from, end) of a block. */
static lode_status recount_mark(recount_worker *w, const data_block *block, uint32_t from,
                                uint32_t end) {
    lode_status status = LODE_OK;
    const recount_tree *t = w->t;
    w->present.n = 0;
    LODE_TRY(vec_u32_reserve(&t->job->mem, &w->present, t->n_slots));
    for (uint32_t i = from; i < end; i++) {
        for (uint32_t k = block->offsets[i]; k < block->offsets[i + 1]; k++) {
            uint32_t id = t->map ? t->map[block->items[k]] : block->items[k];
            uint32_t slot = id < t->item_bound ? t->slots[id] : RECOUNT_NONE;
            if (slot == RECOUNT_NONE) continue;
            if (!w->masks[slot]) w->present.data[w->present.n++] = slot;
            w->masks[slot] |= (uint64_t)1 << (i - from);
        }
    }
done:
    return status;
}

static lode_status recount_group(recount_worker *w, const data_block *block, uint32_t from) {
    lode_status status = LODE_OK;
    const recount_tree *t = w->t;
    uint32_t end = block->n - from < RECOUNT_ROWS ? block->n : from + RECOUNT_ROWS;
    w->open.n = 0;
    w->weights = t->data->weights ? t->data->weights + block->first + from : NULL;
    LODE_TRY(recount_mark(w, block, from, end));
    LODE_TRY(vec_u64_reserve(&t->job->mem, &w->open, 2 * w->present.n));
    for (size_t i = 0; i < w->present.n; i++) {
        uint32_t slot = w->present.data[i], child = t->roots[slot];
        if (child != RECOUNT_NONE) recount_see(w, child, w->masks[slot]);
    }
    LODE_TRY(recount_visit(w));
    for (size_t i = 0; i < w->present.n; i++) w->masks[w->present.data[i]] = 0;
done:
    return status;
}

static lode_status recount_block(recount_worker *w, const data_block *block, unsigned worker) {
    lode_status status = LODE_OK;
    const recount_tree *t = w->t;
    bool ticks = worker == 0 && !t->alone;
    for (uint32_t i = 0; i < block->n; i += RECOUNT_ROWS) {
        LODE_TRY(recount_group(w, block, i));
        LODE_TRY(ticks ? job_tick(t->job, block->first, t->data->profile.n_transactions)
                       : recount_check(t));
    }
done:
    return status;
}

static lode_status recount_work(void *arg, unsigned worker) {
    lode_status status = LODE_OK;
    recount_tree *t = arg;
    mem *m = &t->job->mem;
    mem_kept kept = {0};
    recount_worker w = {.t = t};
    LODE_TRY(mem_keep_zero(m, &kept, (void **)&w.counts, t->n_nodes * sizeof *w.counts));
    LODE_TRY(mem_keep_zero(m, &kept, (void **)&w.masks, t->n_slots * sizeof *w.masks));
    for (size_t b; (b = atomic_fetch_add(&t->next, 1)) < t->data->n_blocks;) {
        LODE_TRY(recount_block(&w, &t->data->blocks[b], worker));
    }
    pthread_mutex_lock(&t->lock);
    for (uint32_t i = 0; i < t->n_nodes; i++) t->counts[i] += w.counts[i];
    pthread_mutex_unlock(&t->lock);
done:
    mem_drop(m, &kept);
    vec_u32_free(m, &w.present);
    vec_u64_free(m, &w.open);
    return status;
}

static lode_status recount_run(recount_tree *t, const recount_sets *sets) {
    lode_status status = LODE_OK;
    pthread_mutex_init(&t->lock, NULL);
    LODE_TRY(recount_build(t, sets));
    LODE_TRY(t->alone ? recount_work(t, 0)
                      : parallel_run(t->job, t->job->threads, false, recount_work, t));
    for (size_t i = 0; i < sets->n; i++) sets->supports[i] = t->counts[t->node_of[i]];
done:
    mem_drop(&t->job->mem, &t->kept);
    pthread_mutex_destroy(&t->lock);
    return status;
}

lode_status recount(lode_job *job, const lode_dataset *data, const uint32_t *map,
                    uint32_t item_bound, const recount_sets *sets) {
    recount_tree t = {.job = job, .data = data, .map = map, .item_bound = item_bound};
    return recount_run(&t, sets);
}

lode_status recount_alone(lode_job *job, const lode_dataset *data, const recount_sets *sets) {
    recount_tree t = {.job = job, .data = data, .item_bound = data->item_bound, .alone = true};
    return recount_run(&t, sets);
}
