/* twins.c - see twins.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/twins.h"

#include <string.h>

struct twins {
    uint32_t *ids;        /* kind by kind; the first of each is the one that is searched */
    uint32_t *starts;     /* by kind: where its items begin; and the end */
    const uint32_t *rank; /* by item id: the number of its kind, or NO_RANK */
    uint32_t n;           /* kinds */
};

/* ---- finding them ---------------------------------------------------------------------------- */

/* A partition of the items into kinds. Numbers of kinds that have lost all items are used again. */
typedef struct refining {
    uint32_t *kind;  /* of each item */
    uint32_t *size;  /* of each kind */
    uint32_t *split; /* of each kind: the kind its items in the present transaction move to … */
    uint64_t *when;  /* … which is valid if this is the number of that transaction */
    uint32_t *unused;
    uint32_t n_unused;
} refining;

bool twins_pay(const lode_dataset *data, lode_target target, uint32_t n_items) {
    double pairs = 0;
    if (target == LODE_TARGET_ALL || target == LODE_TARGET_TOP) return false;
    if (n_items < TWINS_ITEMS || data->profile.longest < TWINS_ITEMS) return false;
    for (size_t k = 0; k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        for (uint32_t t = 0; t < block->n; t++) {
            double length = block->offsets[t + 1] - block->offsets[t];
            pairs += length * length;
        }
    }
    return pairs > (double)TWINS_PAIRS * (double)data->profile.n_occurrences;
}

static lode_status refine_start(const twins_search *s, refining *r) {
    lode_status status = LODE_OK;
    size_t n = s->items.n + (size_t)1, bytes = n * sizeof(uint32_t);
    arena *from = s->scratch;
    LODE_TRY(arena_take(from, bytes, (void **)&r->kind));
    LODE_TRY(arena_take(from, bytes, (void **)&r->size));
    LODE_TRY(arena_take(from, bytes, (void **)&r->split));
    LODE_TRY(arena_take(from, bytes, (void **)&r->unused));
    LODE_TRY(arena_take(from, n * sizeof *r->when, (void **)&r->when));
    memset(r->kind, 0, bytes);
    memset(r->size, 0, bytes);
    memset(r->when, 0, n * sizeof *r->when);
    r->size[0] = s->items.n;
    r->n_unused = 0;
    for (size_t i = n; i-- > 1;) r->unused[r->n_unused++] = (uint32_t)i;
done:
    return status;
}

/* Separates an item of transaction number `now` from those of its kind that are not in it. */
static inline void refine_item(refining *r, uint32_t item, uint64_t now) {
    uint32_t kind = r->kind[item];
    if (r->size[kind] == 1) return;
    if (r->when[kind] != now) {
        r->when[kind] = now;
        r->split[kind] = r->unused[--r->n_unused];
    }
    r->kind[item] = r->split[kind];
    r->size[r->split[kind]]++;
    if (--r->size[kind] == 0) r->unused[r->n_unused++] = kind;
}

/* Transactions are numbered from 1, because 0 in r->when means that a kind was never split. */
static lode_status refine_all(const twins_search *s, refining *r) {
    lode_status status = LODE_OK;
    const lode_dataset *data = s->task->items.data;
    uint32_t until_check = 0;
    for (size_t k = 0; k < data->n_blocks; k++) {
        const data_block *block = &data->blocks[k];
        for (uint32_t t = 0; t < block->n; t++) {
            uint64_t now = block->first + t + (uint64_t)1;
            for (uint32_t i = block->offsets[t]; i < block->offsets[t + 1]; i++) {
                uint32_t rank = s->rank[block->items[i]];
                if (until_check-- == 0) {
                    until_check = TWINS_CHECK;
                    LODE_TRY(job_check(s->task->job));
                }
                if (rank != NO_RANK) refine_item(r, rank, now);
            }
        }
    }
done:
    return status;
}

/* Numbers the kinds in the order of their first items and stores the numbers in r->split. Stores
 * the number of items of each kind in r->unused. */
static uint32_t number_kinds(uint32_t n_items, refining *r) {
    uint32_t n = 0;
    for (uint32_t i = 0; i <= n_items; i++) r->split[i] = NO_RANK;
    for (uint32_t i = 0; i < n_items; i++) {
        uint32_t kind = r->kind[i];
        if (r->split[kind] == NO_RANK) {
            r->unused[n] = r->size[kind];
            r->split[kind] = n++;
        }
    }
    return n;
}

/* Puts the items of each kind side by side. */
static lode_status twins_lay_out(const twins_search *s, const refining *r, uint32_t n,
                                 twins **out) {
    lode_status status = LODE_OK;
    arena *from = s->keep;
    twins *t;
    uint32_t *next;
    LODE_TRY(arena_take(from, sizeof *t, (void **)&t));
    LODE_TRY(arena_take(from, s->items.n * sizeof *t->ids, (void **)&t->ids));
    LODE_TRY(arena_take(from, (n + (size_t)1) * sizeof *t->starts, (void **)&t->starts));
    LODE_TRY(arena_take(s->scratch, n * sizeof *next, (void **)&next));
    t->starts[0] = 0;
    for (uint32_t k = 0; k < n; k++) {
        next[k] = t->starts[k];
        t->starts[k + 1] = t->starts[k] + r->unused[k];
    }
    for (uint32_t i = 0; i < s->items.n; i++) {
        t->ids[next[r->split[r->kind[i]]]++] = s->items.ids[i];
    }
    t->n = n;
    *out = t;
done:
    return status;
}

/* Makes the first of each kind the items of the search. */
static lode_status keep_first(twins_search *s, const twins *t) {
    lode_status status = LODE_OK;
    uint32_t *ids, *supports, *rank;
    size_t bound = s->task->items.data->item_bound;
    LODE_TRY(arena_take(s->keep, t->n * sizeof *ids, (void **)&ids));
    LODE_TRY(arena_take(s->keep, t->n * sizeof *supports, (void **)&supports));
    LODE_TRY(arena_take(s->keep, bound * sizeof *rank, (void **)&rank));
    memset(rank, 0xff, bound * sizeof *rank);
    for (uint32_t k = 0; k < t->n; k++) {
        ids[k] = t->ids[t->starts[k]];
        supports[k] = s->items.supports[s->rank[ids[k]]];
    }
    for (uint32_t k = 0; k < t->n; k++) rank[ids[k]] = k;
    s->rank = rank;
    s->items = (item_list){t->n, t->n, ids, supports};
done:
    return status;
}

lode_status twins_find(twins_search *s, const twins **out) {
    lode_status status = LODE_OK;
    refining r;
    twins *found;
    LODE_TRY(refine_start(s, &r));
    LODE_TRY(refine_all(s, &r));
    uint32_t n = number_kinds(s->items.n, &r);
    if (n > s->items.n / TWINS_SHARE) return LODE_OK;
    LODE_TRY(twins_lay_out(s, &r, n, &found));
    LODE_TRY(keep_first(s, found));
    found->rank = s->rank;
    *out = found;
done:
    return status;
}

/* ---- reporting sets -------------------------------------------------------------------------- */

/* The twins of an item, itself included. An item that is in every transaction has none. */
static uint32_t twins_of(const twins *t, const uint32_t *id, const uint32_t **out) {
    uint32_t rank = t->rank[*id];
    *out = rank == NO_RANK ? id : t->ids + t->starts[rank];
    return rank == NO_RANK ? 1 : t->starts[rank + 1] - t->starts[rank];
}

lode_status twins_open(adaptive *a, const twins *t, uint32_t n_frequent) {
    lode_status status = LODE_OK;
    size_t n = n_frequent + (size_t)1;
    a->root.twins = t;
    if (!a->root.twins) return LODE_OK;
    LODE_TRY(arena_take(&a->arena, n * sizeof *a->twin_room.prefix, (void **)&a->twin_room.prefix));
    if (!a->generators) return LODE_OK;
    LODE_TRY(arena_take(&a->arena, n * sizeof *a->twin_room.chosen, (void **)&a->twin_room.chosen));
    LODE_TRY(arena_take(&a->arena, n * sizeof *a->twin_room.ids, (void **)&a->twin_room.ids));
    LODE_TRY(
        arena_take(&a->arena, n * sizeof *a->twin_room.supports, (void **)&a->twin_room.supports));
done:
    return status;
}

/* Reports the set with all twins of its items. */
static lode_status twins_emit_together(adaptive *a, uint32_t id, uint64_t support) {
    const uint32_t *kind;
    uint32_t n = 0;
    for (uint32_t i = 0; i <= a->path.n_prefix; i++) {
        uint32_t size =
            twins_of(a->root.twins, i < a->path.n_prefix ? &a->path.prefix[i] : &id, &kind);
        memcpy(a->twin_room.prefix + n, kind, size * sizeof *kind);
        n += size;
    }
    lode_batch batch = {.prefix = a->twin_room.prefix,
                        .n_prefix = n - 1,
                        .items = a->twin_room.prefix + n - 1,
                        .supports = &support,
                        .n = 1};
    return sink_emit(a->out, &batch);
}

/* Goes on to the next combination of one twin for each item of the prefix; returns false after the
 * last. */
static bool twins_choose_next(adaptive *a) {
    const uint32_t *kind;
    for (uint32_t i = a->path.n_prefix; i-- > 0;) {
        uint32_t size = twins_of(a->root.twins, &a->path.prefix[i], &kind);
        a->twin_room.chosen[i] = a->twin_room.chosen[i] + 1 < size ? a->twin_room.chosen[i] + 1 : 0;
        a->twin_room.prefix[i] = kind[a->twin_room.chosen[i]];
        if (a->twin_room.chosen[i] > 0) return true;
    }
    return false;
}

/* Reports every set that has one twin of each item. */
static lode_status twins_emit_choices(adaptive *a, const uint32_t *ids, const uint64_t *supports,
                                      uint32_t n) {
    lode_status status = LODE_OK;
    lode_batch batch = {.prefix = a->twin_room.prefix,
                        .n_prefix = a->path.n_prefix,
                        .items = a->twin_room.ids,
                        .supports = a->twin_room.supports};
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *kind;
        uint32_t size = twins_of(a->root.twins, &ids[i], &kind);
        for (uint32_t k = 0; k < size; k++) {
            a->twin_room.ids[batch.n] = kind[k];
            a->twin_room.supports[batch.n++] = supports[i];
        }
    }
    for (uint32_t i = 0; i < a->path.n_prefix; i++) {
        a->twin_room.chosen[i] = 0;
        a->twin_room.prefix[i] = a->path.prefix[i];
    }
    do {
        LODE_TRY(job_check(a->job));
        LODE_TRY(sink_emit(a->out, &batch));
    } while (twins_choose_next(a));
done:
    return status;
}

lode_status twins_emit(adaptive *a, const uint32_t *ids, const uint64_t *supports, uint32_t n) {
    lode_status status = LODE_OK;
    if (a->generators) return twins_emit_choices(a, ids, supports, n);
    for (uint32_t i = 0; i < n; i++) LODE_TRY(twins_emit_together(a, ids[i], supports[i]));
done:
    return status;
}
