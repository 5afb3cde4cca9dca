/* recount.c - see recount.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/recount.h"

#include "runtime/parallel.h"

#define RECOUNT_NONE     UINT32_MAX
#define RECOUNT_ASK      1024 /* transactions, or nodes, between checks for a stop */
#define RECOUNT_CHILDREN 8    /* times as many as items are left: then items are looked up */

typedef struct recount_node {
    uint32_t item;
    uint32_t first, n; /* children, ascending by item */
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
    mem_kept kept;
    recount_node *nodes; /* nodes[0] is the root */
    uint32_t n_nodes;
    uint32_t *node_of; /* by set */
    uint32_t *roots;   /* by item: the child of the root; RECOUNT_NONE: none */
    uint64_t *counts;  /* by node; under the lock */
    pthread_mutex_t lock;
    _Atomic size_t next; /* block */
} recount_tree;

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
        t->nodes[t->n_nodes++] = (recount_node){.item = item};
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

static lode_status recount_grow(recount_tree *t, const recount_ref *refs, size_t n) {
    lode_status status = LODE_OK;
    mem *m = &t->job->mem;
    uint64_t size = recount_size(refs, n);
    recount_range *ranges = NULL;
    if (size >= RECOUNT_NONE) {
        return job_fail(t->job, LODE_UNSUPPORTED, "there are too many rules to count them again");
    }
    LODE_TRY(mem_resize(m, (void **)&ranges, 0, size * sizeof *ranges));
    LODE_TRY(mem_keep_zero(m, &t->kept, (void **)&t->nodes, size * sizeof *t->nodes));
    LODE_TRY(mem_keep_zero(m, &t->kept, (void **)&t->counts, size * sizeof *t->counts));
    ranges[0] = (recount_range){0, n, 0};
    t->n_nodes = 1;
    for (uint32_t node = 0; node < t->n_nodes; node++) {
        recount_divide(t, refs, ranges, node);
        if (node % RECOUNT_ASK == 0) LODE_TRY(job_check(t->job));
    }
    LODE_TRY(mem_keep(m, &t->kept, (void **)&t->roots, t->item_bound * sizeof *t->roots));
    for (uint32_t id = 0; id < t->item_bound; id++) t->roots[id] = RECOUNT_NONE;
    for (uint32_t i = 0; i < t->nodes[0].n; i++) {
        t->roots[t->nodes[t->nodes[0].first + i].item] = t->nodes[0].first + i;
    }
done:
    mem_free(m, ranges, ranges ? size * sizeof *ranges : 0);
    return status;
}

static lode_status recount_build(recount_tree *t, const columns *sets) {
    lode_status status = LODE_OK;
    mem *m = &t->job->mem;
    size_t n = (size_t)columns_count(sets);
    sort_stop stop = job_sort_stop(t->job);
    recount_ref *refs = NULL;
    if (n >= RECOUNT_NONE) {
        return job_fail(t->job, LODE_UNSUPPORTED, "there are too many rules to count them again");
    }
    LODE_TRY(mem_resize(m, (void **)&refs, 0, n * sizeof *refs));
    LODE_TRY(mem_keep_zero(m, &t->kept, (void **)&t->node_of, n * sizeof *t->node_of));
    for (size_t i = 0; i < n; i++) {
        uint64_t first = sets->offsets.data[i];
        refs[i] = (recount_ref){sets->items.data + first,
                                (uint32_t)(sets->offsets.data[i + 1] - first), (uint32_t)i};
    }
    if (!sort_recount_refs(refs, n, &stop)) LODE_LEAVE(job_check(t->job));
    status = recount_grow(t, refs, n);
done:
    mem_free(m, refs, refs ? n * sizeof *refs : 0);
    return status;
}

/* ---- transactions --------------------------------------------------------------------------- */

/* What a thread has. */
typedef struct recount_worker {
    recount_tree *t;
    uint64_t *counts; /* by node */
    uint8_t *marks;   /* by item: in the present transaction */
    vec_u32 row;      /* its items, ascending */
    vec_u32 open;     /* nodes whose children are to be visited */
} recount_worker;

static void recount_see(recount_worker *w, uint32_t node, uint64_t weight) {
    w->counts[node] += weight;
    if (w->t->nodes[node].n > 0) w->open.data[w->open.n++] = node;
}

/* The child of a node for an item, by halving. */
static uint32_t recount_child(const recount_tree *t, const recount_node *node, uint32_t item) {
    uint32_t low = node->first, high = node->first + node->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->nodes[middle].item < item) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < node->first + node->n && t->nodes[low].item == item;
    return found ? low : RECOUNT_NONE;
}

static lode_status recount_visit(recount_worker *w, uint64_t weight) {
    lode_status status = LODE_OK;
    const recount_tree *t = w->t;
    mem *m = &t->job->mem;
    while (w->open.n > 0) {
        const recount_node *node = &t->nodes[w->open.data[--w->open.n]];
        LODE_TRY(vec_u32_reserve(m, &w->open, node->n));
        if (node->n / RECOUNT_CHILDREN <= w->row.n) {
            for (uint32_t i = node->first; i < node->first + node->n; i++) {
                if (w->marks[t->nodes[i].item]) recount_see(w, i, weight);
            }
            continue;
        }
        for (size_t i = 0; i < w->row.n; i++) {
            uint32_t child = recount_child(t, node, w->row.data[i]);
            if (child != RECOUNT_NONE) recount_see(w, child, weight);
        }
    }
done:
    return status;
}

static lode_status recount_row(recount_worker *w, const uint32_t *row, uint32_t n,
                               uint64_t weight) {
    lode_status status = LODE_OK;
    const recount_tree *t = w->t;
    mem *m = &t->job->mem;
    w->row.n = w->open.n = 0;
    LODE_TRY(vec_u32_reserve(m, &w->row, n));
    LODE_TRY(vec_u32_reserve(m, &w->open, n));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = t->map ? t->map[row[i]] : row[i];
        if (id == RECOUNT_NO_ITEM) continue;
        w->row.data[w->row.n++] = id;
        w->marks[id] = 1;
    }
    for (size_t i = 0; i < w->row.n; i++) {
        uint32_t child = t->roots[w->row.data[i]];
        if (child != RECOUNT_NONE) recount_see(w, child, weight);
    }
    status = recount_visit(w, weight);
    for (size_t i = 0; i < w->row.n; i++) w->marks[w->row.data[i]] = 0;
done:
    return status;
}

static lode_status recount_block(recount_worker *w, const data_block *block, unsigned worker) {
    lode_status status = LODE_OK;
    recount_tree *t = w->t;
    for (uint32_t i = 0; i < block->n; i++) {
        uint64_t weight = t->data->weights ? t->data->weights[block->first + i] : 1;
        const uint32_t *row = block->items + block->offsets[i];
        LODE_TRY(recount_row(w, row, block->offsets[i + 1] - block->offsets[i], weight));
        if (i % RECOUNT_ASK != 0) continue;
        LODE_TRY(worker == 0 ? job_tick(t->job, block->first, t->data->profile.n_transactions)
                             : job_check(t->job));
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
    LODE_TRY(mem_keep_zero(m, &kept, (void **)&w.marks, (size_t)t->item_bound + 1));
    for (size_t b; (b = atomic_fetch_add(&t->next, 1)) < t->data->n_blocks;) {
        LODE_TRY(recount_block(&w, &t->data->blocks[b], worker));
    }
    pthread_mutex_lock(&t->lock);
    for (uint32_t i = 0; i < t->n_nodes; i++) t->counts[i] += w.counts[i];
    pthread_mutex_unlock(&t->lock);
done:
    mem_drop(m, &kept);
    vec_u32_free(m, &w.row);
    vec_u32_free(m, &w.open);
    return status;
}

lode_status recount(lode_job *job, const lode_dataset *data, const uint32_t *map,
                    uint32_t item_bound, columns *sets) {
    lode_status status = LODE_OK;
    recount_tree t = {.job = job, .data = data, .map = map, .item_bound = item_bound};
    pthread_mutex_init(&t.lock, NULL);
    LODE_TRY(recount_build(&t, sets));
    LODE_TRY(parallel_run(job, job->threads, false, recount_work, &t));
    for (size_t i = 0; i < sets->supports.n; i++) {
        sets->supports.data[i] = t.counts[t.node_of[i]];
    }
done:
    mem_drop(&job->mem, &t.kept);
    pthread_mutex_destroy(&t.lock);
    return status;
}
