/* lookup.c - see lookup.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/lookup.h"

#include "base/hash.h"
#include "write/core/sink.h"

#define LOOKUP_ID_BITS 40 /* bits of a slot for the pattern; the others are for the hash */
#define LOOKUP_DENSE   32 /* an item of one pattern in 32 gets a row: it is no longer than a list */
#define LOOKUP_WORDS   64 /* words of rows that are combined before a check */
#define LOOKUP_SPARE   ((uint64_t)1 << 20) /* unused entries that a table by item may have */
#define LOOKUP_ASK     4096                /* patterns between checks for a cancel */

/* The patterns that hold an item. */
typedef struct lookup_item {
    uint32_t count;
    bool dense;
    uint64_t at; /* in `lists`, or the row in `rows` */
} lookup_item;

struct lookup {
    lode_job *job;
    keyed key;
    const columns *patterns;
    uint64_t *slots;
    uint64_t n_slots; /* a power of two */
    /* For `above`: */
    uint32_t *places;  /* by item: its place in `items`, plus 1; NULL: it would be too large, … */
    uint64_t n_places; /* items are below this */
    vec_u32 names;     /* … and these are the items, ascending */
    lookup_item *items;
    size_t n_items;
    uint32_t *lists;
    uint64_t *rows;
    size_t row_words;
    uint64_t *supports; /* by rank */
    mem_kept kept;      /* all of this */
};

/* ---- finding a set ---- */

static uint64_t lookup_hash(const lookup *l, const uint32_t *items, size_t n) {
    return keyed_bytes(&l->key, items, n * sizeof *items);
}

static uint64_t lookup_tag(uint64_t hash) {
    return hash >> LOOKUP_ID_BITS << LOOKUP_ID_BITS;
}

static const uint32_t *lookup_pattern(const lookup *l, uint64_t i, size_t *n) {
    const uint64_t *offsets = l->patterns->offsets.data + i;
    *n = (size_t)(offsets[1] - offsets[0]);
    return l->patterns->items.data + offsets[0];
}

uint64_t lookup_prepare(const lookup *l, const uint32_t *items, size_t n) {
    uint64_t hash = lookup_hash(l, items, n);
    __builtin_prefetch(&l->slots[hash & (l->n_slots - 1)]);
    return hash;
}

uint64_t lookup_find(const lookup *l, uint64_t hash, const uint32_t *items, size_t n) {
    for (uint64_t at = hash;; at++) {
        uint64_t slot = l->slots[at & (l->n_slots - 1)];
        if (slot == 0) return LOOKUP_NONE;
        if (lookup_tag(slot) != lookup_tag(hash)) continue;
        uint64_t i = (slot ^ lookup_tag(slot)) - 1;
        size_t size;
        const uint32_t *pattern = lookup_pattern(l, i, &size);
        if (size == n && memcmp(pattern, items, n * sizeof *items) == 0) return i;
    }
}

static lode_status lookup_fill_slots(lookup *l) {
    lode_status status = LODE_OK;
    uint64_t n = columns_count(l->patterns);
    l->n_slots = 16;
    while (l->n_slots * 2 < n * 3) l->n_slots *= 2;
    LODE_TRY(
        mem_keep_zero(&l->job->mem, &l->kept, (void **)&l->slots, l->n_slots * sizeof *l->slots));
    for (uint64_t i = 0; i < n; i++) {
        size_t size;
        const uint32_t *items = lookup_pattern(l, i, &size);
        uint64_t hash = lookup_hash(l, items, size), at = hash & (l->n_slots - 1);
        while (l->slots[at] != 0) at = (at + 1) & (l->n_slots - 1);
        l->slots[at] = lookup_tag(hash) | (i + 1);
        if (i % LOOKUP_ASK == 0 && job_is_cancelled(l->job)) LODE_LEAVE(LODE_CANCELLED);
    }
done:
    return status;
}

/* ---- ranks ---- */

typedef struct lookup_rank {
    uint64_t support;
    uint32_t pattern;
} lookup_rank;

static bool lookup_before(const lookup_rank *a, const lookup_rank *b) {
    return a->support != b->support ? a->support > b->support : a->pattern < b->pattern;
}

#define SORT_NAME   sort_ranks
#define SORT_TYPE   lookup_rank
#define SORT_BEFORE lookup_before
#include "base/sort_body.h"

static lode_status lookup_sort(lookup *l, lookup_rank *ranks, size_t n) {
    sort_stop stop = sink_sort_stop(l->job);
    for (size_t i = 0; i < n; i++) {
        ranks[i] = (lookup_rank){l->patterns->supports.data[i], (uint32_t)i};
    }
    return sort_ranks(ranks, n, &stop) ? LODE_OK : LODE_CANCELLED;
}

/* ---- items ---- */

/* Where the item is in `items`; n_items if it is not there. */
static size_t lookup_place(const lookup *l, uint32_t item) {
    if (l->places) return item < l->n_places && l->places[item] ? l->places[item] - 1 : l->n_items;
    size_t low = 0, high = l->names.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->names.data[middle] < item) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < l->names.n && l->names.data[low] == item ? low : l->n_items;
}

static lode_status lookup_number_by_table(lookup *l, uint64_t bound) {
    const vec_u32 *all = &l->patterns->items;
    lode_status status =
        mem_keep_zero(&l->job->mem, &l->kept, (void **)&l->places, bound * sizeof *l->places);
    if (status != LODE_OK) return status;
    l->n_places = bound;
    for (size_t i = 0; i < all->n; i++) l->places[all->data[i]] = 1;
    for (uint64_t i = 0; i < bound; i++) {
        if (l->places[i]) l->places[i] = (uint32_t)++l->n_items;
    }
    return LODE_OK;
}

static lode_status lookup_number_by_names(lookup *l) {
    const vec_u32 *all = &l->patterns->items;
    lode_status status = vec_u32_reserve(&l->job->mem, &l->names, all->n);
    if (status != LODE_OK) return status;
    memcpy(l->names.data, all->data, all->n * sizeof *all->data);
    sort_u32(l->names.data, all->n);
    for (size_t i = 0; i < all->n; i++) {
        uint32_t item = l->names.data[i];
        if (l->n_items == 0 || item != l->names.data[l->n_items - 1]) {
            l->names.data[l->n_items++] = item;
        }
    }
    l->names.n = l->n_items;
    return LODE_OK;
}

/* Numbers the items that occur. */
static lode_status lookup_number(lookup *l) {
    const vec_u32 *all = &l->patterns->items;
    uint64_t bound = 0;
    for (size_t i = 0; i < all->n; i++) {
        if (all->data[i] >= bound) bound = (uint64_t)all->data[i] + 1;
    }
    bool table = bound <= 4 * (uint64_t)all->n + LOOKUP_SPARE;
    return table ? lookup_number_by_table(l, bound) : lookup_number_by_names(l);
}

/* Decides which items get a list and which a row, and makes room. */
static lode_status lookup_lay_out(lookup *l, size_t n) {
    lode_status status = LODE_OK;
    mem *m = &l->job->mem;
    const vec_u32 *all = &l->patterns->items;
    uint64_t n_listed = 0, n_rows = 0;
    LODE_TRY(mem_keep_zero(m, &l->kept, (void **)&l->items, l->n_items * sizeof *l->items));
    for (size_t i = 0; i < all->n; i++) l->items[lookup_place(l, all->data[i])].count++;
    l->row_words = (n + 63) / 64;
    for (size_t i = 0; i < l->n_items; i++) {
        lookup_item *item = &l->items[i];
        item->dense = item->count >= n / LOOKUP_DENSE;
        item->at = item->dense ? n_rows++ * l->row_words : n_listed;
        if (!item->dense) n_listed += item->count;
        item->count = 0;
    }
    LODE_TRY(mem_keep_zero(m, &l->kept, (void **)&l->lists, n_listed * sizeof *l->lists));
    LODE_TRY(
        mem_keep_zero(m, &l->kept, (void **)&l->rows, n_rows * l->row_words * sizeof *l->rows));
done:
    return status;
}

static lode_status lookup_fill_items(lookup *l) {
    lode_status status = LODE_OK;
    mem *m = &l->job->mem;
    size_t n = (size_t)columns_count(l->patterns);
    lookup_rank *ranks = NULL;
    if (n >= UINT32_MAX) return LODE_UNSUPPORTED;
    LODE_TRY(mem_resize(m, (void **)&ranks, 0, n * sizeof *ranks));
    LODE_TRY(lookup_sort(l, ranks, n));
    LODE_TRY(lookup_number(l));
    LODE_TRY(lookup_lay_out(l, n));
    LODE_TRY(mem_keep_zero(m, &l->kept, (void **)&l->supports, n * sizeof *l->supports));
    for (uint32_t rank = 0; rank < n; rank++) {
        size_t size;
        const uint32_t *items = lookup_pattern(l, ranks[rank].pattern, &size);
        l->supports[rank] = ranks[rank].support;
        for (size_t i = 0; i < size; i++) {
            lookup_item *item = &l->items[lookup_place(l, items[i])];
            if (item->dense) {
                l->rows[item->at + rank / 64] |= (uint64_t)1 << rank % 64;
            } else {
                l->lists[item->at + item->count] = rank;
            }
            item->count++;
        }
        if (rank % LOOKUP_ASK == 0 && job_is_cancelled(l->job)) LODE_LEAVE(LODE_CANCELLED);
    }
done:
    mem_free(m, ranks, ranks ? n * sizeof *ranks : 0);
    return status;
}

/* ---- finding a superset ---- */

static bool lookup_has(const lookup *l, const lookup_item *item, uint32_t rank) {
    if (item->dense) return l->rows[item->at + rank / 64] >> rank % 64 & 1;
    const uint32_t *list = l->lists + item->at;
    size_t low = 0, high = item->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list[middle] < rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < item->count && list[low] == rank;
}

/* Goes through the list of the item that has the shortest. */
static uint64_t lookup_by_list(const lookup *l, const lookup_item *shortest, const uint32_t *items,
                               size_t n) {
    for (uint32_t i = 0; i < shortest->count; i++) {
        uint32_t rank = l->lists[shortest->at + i];
        size_t k = 0;
        for (; k < n; k++) {
            const lookup_item *item = &l->items[lookup_place(l, items[k])];
            if (item != shortest && !lookup_has(l, item, rank)) break;
        }
        if (k == n) return l->supports[rank];
    }
    return 0;
}

/* All items have rows: finds the first bit that is set in all of them. */
static uint64_t lookup_by_rows(const lookup *l, const uint32_t *items, size_t n) {
    uint64_t both[LOOKUP_WORDS];
    for (size_t from = 0; from < l->row_words; from += LOOKUP_WORDS) {
        size_t some = l->row_words - from < LOOKUP_WORDS ? l->row_words - from : LOOKUP_WORDS;
        uint64_t any = 0;
        for (size_t k = 0; k < n; k++) {
            const uint64_t *row = l->rows + l->items[lookup_place(l, items[k])].at + from;
            any = 0;
            for (size_t w = 0; w < some; w++) {
                both[w] = k == 0 ? row[w] : both[w] & row[w];
                any |= both[w];
            }
            if (!any) break;
        }
        for (size_t w = 0; any && w < some; w++) {
            if (both[w]) return l->supports[(from + w) * 64 + (size_t)__builtin_ctzll(both[w])];
        }
    }
    return 0;
}

uint64_t lookup_above(const lookup *l, const uint32_t *items, size_t n) {
    const lookup_item *shortest = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t place = lookup_place(l, items[i]);
        if (place == l->n_items) return 0;
        const lookup_item *item = &l->items[place];
        if (!item->dense && (!shortest || item->count < shortest->count)) shortest = item;
    }
    return shortest ? lookup_by_list(l, shortest, items, n) : lookup_by_rows(l, items, n);
}

/* ---- making and freeing ---- */

lode_status lookup_create(lode_job *job, lookup **out, const columns *c, bool above) {
    lode_status status = LODE_OK;
    lookup *l = NULL;
    LODE_TRY(mem_zalloc(&job->mem, (void **)&l, sizeof *l));
    l->job = job;
    l->key = *keyed_process();
    l->patterns = c;
    LODE_TRY(lookup_fill_slots(l));
    if (above) LODE_TRY(lookup_fill_items(l));
    *out = l;
    l = NULL;
done:
    lookup_free(l);
    return status;
}

void lookup_free(lookup *l) {
    if (!l) return;
    mem *m = &l->job->mem;
    mem_drop(m, &l->kept);
    vec_u32_free(m, &l->names);
    mem_free(m, l, sizeof *l);
}
