/* eclat.c - the textbook depth-first search, with lists of transactions or rows of bits
 *
 * Problem:  all frequent itemsets. Baselines for comparisons: plain, and on one thread.
 * Method:   a member of a class has the set of transactions that contain the prefix and the member
 *           (its tid set). Intersecting it with the tid sets of the members after it gives the
 *           class whose prefix has this member, too.
 * Forms:    `eclat` stores a tid set as a list of transaction numbers. It marks the first list of
 *           an intersection in a row of bits, so that only the second list is read. The classes of
 *           single items are found by reading their transactions from the item on: most pairs of
 *           items of sparse data occur nowhere, and intersecting them all would take longer.
 *           `eclat-bits` stores a tid set as a row of bits, and intersects all pairs.
 * Order:    members with the fewest transactions come first, which keeps classes small.
 * Wins:     lists on sparse data, rows on dense data; neither against `adaptive`.
 * After:    Zaki, "Scalable algorithms for association mining", IEEE TKDE 12(3), 2000: the
 *           baseline on CPUs of Frontier Expansion.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/os.h"
#include "device/cpu/kernels.h"
#include "itemsets/common/prepare.h"
#include "papers/depth_first.h"
#include "papers/horizontal.h"

#define POLL 1024 /* intersections of rows between two checks for a stop */

/* The tid sets of the members of the class at one depth; depth_member.place says where they are. */
typedef struct tid_sets {
    vec_u32 tids;   /* lists: one after the other, found by the place of the first number */
    uint64_t *rows; /* bits: one after the other, found by their number */
    size_t rows_bytes;
} tid_sets;

typedef struct eclat {
    engine_task *task;
    mem *mem;
    vertical v;
    tid_sets *sets; /* by depth; bits: the rows of depth 0 are those of `v` */
    size_t n_sets, cap_sets;

    /* lists */
    horizontal rows; /* the transactions */
    uint64_t *marks; /* a bit for each transaction; all 0 between intersections */
    size_t marks_bytes;
    uint64_t *places; /* by rank: number of occurrences, then where the list is written; else 0 */
    vec_u32 touched;  /* ranks whose entry in `places` is not 0 */

    /* bits */
    const cpu_kernels *kernels;
} eclat;

/* Returns the tid sets of a depth. Pointers to those of other depths become invalid. */
static lode_status sets_at(eclat *e, size_t depth, tid_sets **out) {
    if (depth == e->n_sets) {
        lode_status status =
            vec_grow(e->mem, (void **)&e->sets, e->n_sets, &e->cap_sets, 1, sizeof *e->sets);
        if (status != LODE_OK) return status;
        e->sets[e->n_sets++] = (tid_sets){0};
    }
    *out = &e->sets[depth];
    (*out)->tids.n = 0;
    return LODE_OK;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Makes the lists of all single items, and the class at depth 0. */
static lode_status lists_of_items(eclat *e, depth_first *d) {
    lode_status status = LODE_OK;
    tid_sets *all;
    uint64_t sum = 0;
    LODE_TRY(sets_at(e, 0, &all));
    LODE_TRY(vec_u32_reserve(e->mem, &all->tids, e->rows.items.n));
    for (uint32_t i = 0; i < e->v.n_items; i++) {
        uint32_t support = (uint32_t)e->v.supports[i];
        LODE_TRY(depth_first_add(d, 0, (depth_member){e->v.ids[i], support, sum}));
        e->places[i] = sum;
        sum += support;
    }
    for (uint64_t t = 0; t < e->rows.n; t++) {
        for (uint64_t i = e->rows.offsets[t]; i < e->rows.offsets[t + 1]; i++) {
            all->tids.data[e->places[e->rows.items.data[i]]++] = (uint32_t)t;
        }
    }
    if (e->v.n_items > 0) memset(e->places, 0, e->v.n_items * sizeof *e->places);
done:
    return status;
}

/* The part of a transaction after an item that it contains. */
static const uint32_t *after_item(const eclat *e, uint32_t t, uint32_t rank, const uint32_t **end) {
    const uint32_t *low = e->rows.items.data + e->rows.offsets[t];
    const uint32_t *high = *end = e->rows.items.data + e->rows.offsets[t + 1];
    while (low < high) {
        const uint32_t *middle = low + (high - low) / 2;
        if (*middle <= rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Counts the items after `rank` in the transactions of a list. */
static lode_status count_after(eclat *e, const uint32_t *tids, uint32_t n, uint32_t rank) {
    e->touched.n = 0;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t *end, *item = after_item(e, tids[k], rank, &end);
        lode_status status = vec_u32_reserve(e->mem, &e->touched, (size_t)(end - item));
        if (status != LODE_OK) return status;
        for (; item < end; item++) {
            if (e->places[*item]++ == 0) e->touched.data[e->touched.n++] = *item;
        }
    }
    return LODE_OK;
}

#define NO_LIST UINT64_MAX

/* The class of a single item. */
static lode_status extend_item(eclat *e, depth_first *d, size_t rank) {
    lode_status status = LODE_OK;
    tid_sets *below;
    uint64_t sum = 0;
    const depth_member first = d->classes[0].members[rank];
    LODE_TRY(sets_at(e, 1, &below));
    const uint32_t *tids = e->sets[0].tids.data + first.place;
    LODE_TRY(count_after(e, tids, first.support, (uint32_t)rank));
    e->task->report->candidates_counted += e->touched.n;
    for (size_t k = 0; k < e->touched.n; k++) {
        uint64_t *place = &e->places[e->touched.data[k]], count = *place;
        bool is_member;
        LODE_TRY(depth_first_judge(
            d, 1, first.support, (depth_member){e->v.ids[e->touched.data[k]], (uint32_t)count, sum},
            &is_member));
        *place = is_member ? sum : NO_LIST;
        if (is_member) sum += count;
    }
    LODE_TRY(vec_u32_reserve(e->mem, &below->tids, sum));
    for (uint32_t k = 0; k < first.support && sum > 0; k++) {
        const uint32_t *end, *item = after_item(e, tids[k], (uint32_t)rank, &end);
        for (; item < end; item++) {
            if (e->places[*item] != NO_LIST) below->tids.data[e->places[*item]++] = tids[k];
        }
    }
done:
    for (size_t k = 0; k < e->touched.n; k++) e->places[e->touched.data[k]] = 0;
    return status;
}

/* Appends the marked numbers of a list. */
static lode_status keep_marked(eclat *e, const uint32_t *tids, size_t n, vec_u32 *into) {
    lode_status status = vec_u32_reserve(e->mem, into, n);
    if (status != LODE_OK) return status;
    uint32_t *to = into->data + into->n;
    for (size_t k = 0; k < n; k++) {
        *to = tids[k];
        to += e->marks[tids[k] / 64] >> tids[k] % 64 & 1;
    }
    into->n = (size_t)(to - into->data);
    return LODE_OK;
}

/* The class of a longer prefix. */
static lode_status extend_list(eclat *e, depth_first *d, size_t depth, size_t at) {
    tid_sets *below;
    lode_status status = sets_at(e, depth + 1, &below);
    if (status != LODE_OK) return status;
    const uint32_t *lists = e->sets[depth].tids.data;
    const depth_member first = d->classes[depth].members[at];
    const uint32_t *tids = lists + first.place;
    for (uint32_t k = 0; k < first.support; k++) e->marks[tids[k] / 64] |= 1ull << tids[k] % 64;
    e->task->report->candidates_counted += d->classes[depth].n - at - 1;
    for (size_t i = at + 1; i < d->classes[depth].n; i++) {
        const depth_member second = d->classes[depth].members[i];
        uint64_t start = below->tids.n;
        bool is_member;
        LODE_TRY(keep_marked(e, lists + second.place, second.support, &below->tids));
        uint32_t support = (uint32_t)(below->tids.n - start);
        LODE_TRY(depth_first_judge(d, depth + 1, first.support,
                                   (depth_member){second.item, support, start}, &is_member));
        if (!is_member) below->tids.n = start;
    }
done:
    for (uint32_t k = 0; k < first.support; k++) e->marks[tids[k] / 64] = 0;
    return status;
}

static lode_status extend_by_lists(depth_first *d, size_t depth, size_t at) {
    lode_status status = LODE_OK;
    eclat *e = d->state;
    LODE_TRY(depth == 0 ? extend_item(e, d, at) : extend_list(e, d, depth, at));
    depth_first_sort(d, depth + 1);
done:
    return status;
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* Makes room for n rows. */
static lode_status reserve_rows(eclat *e, tid_sets *s, size_t n) {
    size_t needed = n * e->v.words * sizeof *s->rows, bytes = 2 * s->rows_bytes;
    if (needed <= s->rows_bytes) return LODE_OK;
    if (bytes < needed) bytes = needed;
    lode_status status = mem_resize(e->mem, (void **)&s->rows, s->rows_bytes, bytes);
    if (status == LODE_OK) s->rows_bytes = bytes;
    return status;
}

static lode_status extend_by_rows(depth_first *d, size_t depth, size_t at) {
    lode_status status = LODE_OK;
    eclat *e = d->state;
    tid_sets *below;
    size_t words = e->v.words, n = 0;
    LODE_TRY(sets_at(e, depth + 1, &below));
    const uint64_t *rows = depth > 0 ? e->sets[depth].rows : e->v.rows;
    const depth_member first = d->classes[depth].members[at];
    e->task->report->candidates_counted += d->classes[depth].n - at - 1;
    for (size_t i = at + 1; i < d->classes[depth].n; i++) {
        const depth_member second = d->classes[depth].members[i];
        bool is_member;
        if (i % POLL == 0) LODE_TRY(job_check(e->task->job));
        LODE_TRY(reserve_rows(e, below, n + 1));
        uint64_t support =
            e->kernels->and_store(below->rows + n * words, rows + first.place * words,
                                  rows + second.place * words, words);
        LODE_TRY(depth_first_judge(d, depth + 1, first.support,
                                   (depth_member){second.item, (uint32_t)support, n}, &is_member));
        n += is_member;
    }
    depth_first_sort(d, depth + 1);
done:
    return status;
}

/* ---- the run --------------------------------------------------------------------------------- */

static lode_status prepare_list_form(eclat *e, depth_first *d) {
    lode_status status = LODE_OK;
    e->marks_bytes = e->task->items.data->profile.n_transactions / 8 + sizeof *e->marks;
    LODE_TRY(prepare_rank(e->task, &e->v));
    LODE_TRY(horizontal_read(e->task->job, &e->rows, e->task->items.data, &e->v));
    LODE_TRY(mem_zalloc(e->mem, (void **)&e->marks, e->marks_bytes));
    LODE_TRY(mem_zalloc(e->mem, (void **)&e->places, e->v.n_items * sizeof *e->places));
    LODE_TRY(lists_of_items(e, d));
done:
    return status;
}

static lode_status prepare_bit_form(eclat *e, depth_first *d) {
    lode_status status = LODE_OK;
    tid_sets *unused;
    e->kernels = cpu_kernels_pick();
    LODE_TRY(prepare_rows(e->task, &e->v, 0, 0));
    LODE_TRY(sets_at(e, 0, &unused));
    for (uint32_t i = 0; i < e->v.n_items; i++) {
        LODE_TRY(depth_first_add(d, 0, (depth_member){e->v.ids[i], (uint32_t)e->v.supports[i], i}));
    }
done:
    return status;
}

static void eclat_free(eclat *e) {
    for (size_t i = 0; i < e->n_sets; i++) {
        vec_u32_free(e->mem, &e->sets[i].tids);
        mem_free(e->mem, e->sets[i].rows, e->sets[i].rows_bytes);
    }
    mem_free(e->mem, e->sets, e->cap_sets * sizeof *e->sets);
    mem_free(e->mem, e->marks, e->marks ? e->marks_bytes : 0);
    mem_free(e->mem, e->places, e->places ? e->v.n_items * sizeof *e->places : 0);
    vec_u32_free(e->mem, &e->touched);
    horizontal_free(e->mem, &e->rows);
    vertical_clear(&e->v);
}

static lode_status eclat_run(engine_task *task, bool bits) {
    lode_status status = LODE_OK;
    eclat e = {.task = task, .mem = &task->job->mem};
    depth_first d = {.task = task, .state = &e, .extend = bits ? extend_by_rows : extend_by_lists};
    double start = os_seconds(), begin;
    LODE_TRY(depth_first_open(&d, 0));
    LODE_TRY(bits ? prepare_bit_form(&e, &d) : prepare_list_form(&e, &d));
    begin = os_seconds();
    task->report->times.preprocess = begin - start;
    status = depth_first_search(&d);
    task->report->times.counting = os_seconds() - begin;
done:
    depth_first_free(&d);
    eclat_free(&e);
    return status;
}

static lode_status eclat_lists_run(engine_task *task) {
    return eclat_run(task, false);
}

static lode_status eclat_bits_run(engine_task *task) {
    return eclat_run(task, true);
}

/* The transactions, all lists, and as much again for the classes of a path. */
static uint64_t eclat_lists_need(const engine_sizes *s) {
    return 4 * s->data.n_occurrences * sizeof(uint32_t) + s->data.n_transactions * 9;
}

/* The rows of the items, and as much again for the classes of a path. */
static uint64_t eclat_bits_need(const engine_sizes *s) {
    return 2 * engine_need_rows(s);
}

const lode_engine lode_engine_eclat = {
    .name = "eclat",
    .summary = "Baseline: depth-first, intersects lists of transactions, as in textbooks.",
    .grows = true,
    .need = eclat_lists_need,
    .run = eclat_lists_run,
};

const lode_engine lode_engine_eclat_bits = {
    .name = "eclat-bits",
    .summary = "Baseline: depth-first, intersects rows of bits, as in textbooks.",
    .grows = true,
    .need = eclat_bits_need,
    .prepare = prepare_engine_rows,
    .run = eclat_bits_run,
};
