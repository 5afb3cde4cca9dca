/* branches.c - see branches.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/engine/branches.h"

#include "base/check.h"
#include "base/vec.h"

/* At most one in BRANCHES_SPLITS branches of the goal is divided again; dividing one takes about as
 * long as searching a node. */
#define BRANCHES_SPLITS 1

/* Branches lighter than this part of an even share are combined with their neighbours. */
#define BRANCHES_SMALL 0.25

void branches_init(branch_list *l, mem *m, uint32_t goal) {
    *l = (branch_list){.mem = m, .goal = goal > 0 ? goal : 1};
}

void branches_free(branch_list *l) {
    if (!l->mem) return;
    mem_free(l->mem, l->list, l->cap * sizeof *l->list);
    mem_free(l->mem, l->heap, l->heap_cap * sizeof *l->heap);
    mem_drop(l->mem, &l->prefixes);
}

/* ---- the heap -------------------------------------------------------------------------------- */

/* Of equal branches, the one added first comes first: the order must be the same in all
 * processes. */
static bool branch_is_heavier(const branch_list *l, size_t a, size_t b) {
    double x = l->list[a].work, y = l->list[b].work;
    return x > y || (x == y && a < b);
}

static void heap_swap(branch_list *l, size_t i, size_t k) {
    size_t number = l->heap[i];
    l->heap[i] = l->heap[k];
    l->heap[k] = number;
}

static lode_status heap_push(branch_list *l, size_t number) {
    lode_status status = LODE_OK;
    if (l->n_heap == l->heap_cap) {
        LODE_TRY(vec_grow(l->mem, (void **)&l->heap, l->n_heap, &l->heap_cap, 1, sizeof *l->heap));
    }
    size_t i = l->n_heap++;
    l->heap[i] = number;
    for (; !l->depth_first && i > 0 && branch_is_heavier(l, l->heap[i], l->heap[(i - 1) / 2]);
         i = (i - 1) / 2) {
        heap_swap(l, i, (i - 1) / 2);
    }
done:
    return status;
}

/* The next to be divided, if it is heavy enough. */
static bool heap_has_heavy(branch_list *l) {
    while (l->depth_first && l->n_heap > 0 && l->list[l->heap[l->n_heap - 1]].work <= l->least) {
        l->n_heap--;
    }
    return l->n_heap > 0 && (l->depth_first || l->list[l->heap[0]].work > l->least);
}

static size_t heap_pop(branch_list *l) {
    if (l->depth_first) return l->heap[--l->n_heap];
    size_t top = l->heap[0], i = 0;
    l->heap[0] = l->heap[--l->n_heap];
    for (;;) {
        size_t best = i, left = 2 * i + 1;
        for (size_t k = left; k < left + 2 && k < l->n_heap; k++) {
            if (branch_is_heavier(l, l->heap[k], l->heap[best])) best = k;
        }
        if (best == i) return top;
        heap_swap(l, i, best);
        i = best;
    }
}

/* ---- the list -------------------------------------------------------------------------------- */

lode_status branches_add(branch_list *l, const engine_branch *b, bool divides) {
    lode_status status = LODE_OK;
    if (l->n == l->cap) {
        LODE_TRY(vec_grow(l->mem, (void **)&l->list, l->n, &l->cap, 1, sizeof *l->list));
    }
    LODE_DEBUG_CHECK(b->own || b->first < b->end,
                     "a branch has the roots %u to %u, which is an empty range", b->first, b->end);
    l->list[l->n++] = *b;
    if (divides) status = heap_push(l, l->n - 1);
done:
    return status;
}

lode_status branches_prefix(branch_list *l, const engine_branch *of, const uint32_t *more,
                            uint32_t n_more, const uint32_t **out) {
    uint32_t *prefix;
    size_t n = of->n_prefix + (size_t)n_more;
    lode_status status = mem_keep(l->mem, &l->prefixes, (void **)&prefix, n * sizeof *prefix);
    if (status != LODE_OK) return status;
    if (of->n_prefix > 0) memcpy(prefix, of->prefix, of->n_prefix * sizeof *prefix);
    if (n_more > 0) memcpy(prefix + of->n_prefix, more, n_more * sizeof *prefix);
    *out = prefix;
    return LODE_OK;
}

void branches_expect(branch_list *l, double work) {
    l->least = work / l->goal;
}

double branches_least(const branch_list *l) {
    return BRANCHES_SMALL * l->least;
}

/* Adds the combined light branches, if there are any, and begins the next group after them. */
static lode_status branches_end_light(branch_list *l, engine_branch *light, uint32_t next) {
    lode_status status = LODE_OK;
    if (light->own || light->work > 0) {
        LODE_TRY(branches_add(l, light, false));
        light->own = false;
    }
    light->work = 0;
    light->first = light->end = next;
done:
    return status;
}

lode_status branches_add_ranks(branch_list *l, const engine_branch *of, const branch_ranks *ranks) {
    lode_status status = LODE_OK;
    double least = branches_least(l);
    engine_branch light = *of;
    light.work = 0;
    light.first = light.end = 0;
    for (uint32_t i = 0; i < ranks->n; i++) {
        double work = ranks->weights[i];
        if (work <= 0) continue;
        bool heavy = work >= least;
        if (heavy || light.work + work > least) {
            LODE_TRY(branches_end_light(l, &light, heavy ? i + 1 : i));
        }
        if (heavy) {
            engine_branch alone = *of;
            alone.own = false;
            alone.first = i;
            alone.end = i + 1;
            alone.work = work;
            LODE_TRY(branches_add(l, &alone, ranks->divides));
        } else {
            light.work += work;
            light.end = i + 1;
        }
    }
    status = branches_end_light(l, &light, ranks->n);
done:
    return status;
}

/* Takes those that were divided out of the list. */
static void branches_compact(branch_list *l) {
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (l->list[i].work >= 0) l->list[n++] = l->list[i];
    }
    l->n = n;
    l->n_heap = 0;
}

bool branches_next(branch_list *l, engine_branch *out) {
    bool enough = l->n_splits >= (size_t)BRANCHES_SPLITS * l->goal;
    if (enough || !heap_has_heavy(l)) {
        branches_compact(l);
        return false;
    }
    size_t i = heap_pop(l);
    LODE_DEBUG_CHECK(l->list[i].work >= 0, "branch %zu is divided twice", i);
    *out = l->list[i];
    l->list[i].work = -1;
    l->n_splits++;
    return true;
}

/* ---- shares ---------------------------------------------------------------------------------- */

typedef struct dealt_branch {
    double work;
    size_t number;
} dealt_branch;

static bool dealt_before(const dealt_branch *a, const dealt_branch *b) {
    return a->work > b->work || (a->work == b->work && a->number < b->number);
}

#define SORT_NAME   sort_dealt
#define SORT_TYPE   dealt_branch
#define SORT_BEFORE dealt_before
#include "base/sort_body.h"

static uint64_t branch_mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

static uint64_t branch_hash(uint64_t hash, const engine_branch *b, uint32_t share) {
    for (uint32_t i = 0; i < b->n_prefix; i++) hash = branch_mix(hash, b->prefix[i]);
    hash = branch_mix(hash, (uint64_t)b->n_prefix << 32 | b->first);
    return branch_mix(hash, (uint64_t)b->end << 32 | share << 1 | b->own);
}

/* The share with the least work so far; of equal ones, the first. */
static uint32_t lightest_share(const double *load, uint32_t n) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < n; i++) {
        if (load[i] < load[best]) best = i;
    }
    return best;
}

lode_status branches_deal(const branch_list *l, uint32_t n_shares, uint32_t *share,
                          uint64_t *hash) {
    lode_status status = LODE_OK;
    mem_kept kept = {0};
    dealt_branch *order;
    double *load;
    LODE_TRY(mem_keep(l->mem, &kept, (void **)&order, (l->n + 1) * sizeof *order));
    LODE_TRY(mem_keep_zero(l->mem, &kept, (void **)&load, n_shares * sizeof *load));
    for (size_t i = 0; i < l->n; i++) order[i] = (dealt_branch){l->list[i].work, i};
    sort_dealt(order, l->n, NULL);
    for (size_t i = 0; i < l->n; i++) {
        uint32_t to = lightest_share(load, n_shares);
        load[to] += order[i].work;
        share[order[i].number] = to + 1;
    }
    *hash = branch_mix(0, n_shares);
    for (size_t i = 0; i < l->n; i++) *hash = branch_hash(*hash, &l->list[i], share[i]);
done:
    mem_drop(l->mem, &kept);
    return status;
}
