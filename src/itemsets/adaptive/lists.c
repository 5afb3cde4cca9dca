/* lists.c - many items, few of them in each transaction: occurrence deliver
 *
 * For every item, the places where it occurs are known. The items before such a place, back to the
 * sentinel, are the conditional transaction: one walk over them counts all extensions of the item
 * at once, and pairs that do not occur are never looked at. A second walk builds the conditional
 * database in the shape that was chosen from what was counted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/sort.h"
#include "itemsets/adaptive/merge.h"
#include "itemsets/adaptive/strips.h"

/* The start of the transaction that holds this place: where its sentinel is. */
static inline uint32_t list_start(const uint32_t *lists, uint32_t place) {
    while (lists[place] < LISTS_END) place--;
    return place;
}

static inline uint32_t list_weight(const lists_db *db, uint32_t start) {
    return db->weights ? db->weights[db->lists[start] - LISTS_END] : 1;
}

/* ---- counting ------------------------------------------------------------------------------ */

static uint64_t count_plain(const lists_db *db, const lists_child *c, uint32_t *counts) {
    const uint32_t *lists = db->lists;
    uint64_t visited = 0;
    for (uint32_t i = 0; i < c->n_places; i++) {
        uint32_t place = c->places[i], at = place - 1;
        list_prefetch(db, c, i);
        for (uint32_t item = lists[at]; item < LISTS_END; item = lists[--at]) counts[item]++;
        visited += place - at;
    }
    return visited;
}

static uint64_t count_whole(const database *db, const lists_child *c, uint32_t *counts) {
    const uint32_t *lists = db->lists.lists;
    uint32_t n = db->items.n;
    uint64_t visited = 0;
    for (uint32_t i = 0; i < c->n_places; i++) {
        uint32_t place = c->places[i], at = place - 1, behind = place + 1;
        list_prefetch(&db->lists, c, i);
        for (uint32_t item = lists[at]; item < LISTS_END; item = lists[--at]) counts[item]++;
        for (uint32_t item = lists[behind]; item < n; item = lists[++behind]) counts[item]++;
        visited += behind - at;
    }
    return visited;
}

/* Any part, and with weights, which are found at the start of a list. */
static uint64_t count_general(const database *db, const lists_child *c, list_part part,
                              uint32_t *counts) {
    const lists_db *l = &db->lists;
    uint64_t visited = 0;
    for (uint32_t i = 0; i < c->n_places; i++) {
        uint32_t place = c->places[i];
        uint32_t start = l->weights || part != LIST_BEHIND ? list_start(l->lists, place - 1) : 0;
        uint32_t first = part == LIST_BEHIND ? place + 1 : start + 1;
        uint32_t end = part == LIST_BEFORE ? place : list_end(db, place);
        uint32_t weight = l->weights ? list_weight(l, start) : 1;
        list_prefetch(l, c, i);
        for (uint32_t at = first; at < end; at++) counts[l->lists[at]] += weight;
        visited += end - first + 1;
    }
    return visited;
}

/* Collects the counters from `first` to below `end` that reach min, in ascending order, and clears
 * all others. */
static uint32_t collect_sweep(uint32_t *counts, uint32_t first, uint32_t end, uint32_t min,
                              uint32_t *found) {
    uint32_t n = 0;
    for (uint32_t from = first; from < end; from += 64) {
        uint32_t to = end - from < 64 ? end : from + 64;
        uint32_t reached = 0;
        for (uint32_t i = from; i < to; i++) reached |= (uint32_t)(counts[i] >= min);
        if (!reached) {
            memset(counts + from, 0, (to - from) * sizeof *counts);
            continue;
        }
        for (uint32_t i = from; i < to; i++) {
            found[n] = i;
            n += counts[i] >= min;
            counts[i] = counts[i] >= min ? counts[i] : 0;
        }
    }
    return n;
}

/* The same by walking again, where few were touched. What reaches min keeps its count. */
static uint32_t collect_walk(const database *db, const lists_child *c, list_part part,
                             uint32_t *counts, uint32_t min, uint32_t *found) {
    const uint32_t *lists = db->lists.lists;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_places; i++) {
        uint32_t place = c->places[i];
        uint32_t end = part == LIST_BEFORE ? place : list_end(db, place);
        uint32_t stop = part == LIST_BEHIND ? place : 0;
        for (uint32_t at = end - 1; at != stop && lists[at] < LISTS_END; at--) {
            uint32_t x = lists[at];
            bool fresh = counts[x] >= min && counts[x] < LISTS_END;
            found[n] = x;
            n += fresh;
            if (fresh) counts[x] |= LISTS_END; /* seen */
            if (counts[x] < min) counts[x] = 0;
        }
    }
    for (uint32_t i = 0; i < n; i++) counts[found[i]] &= ~LISTS_END;
    sort_u32(found, n);
    return n;
}

/* Counts one part and appends the frequent items to `found`; all other counters become zero
 * again. */
static lode_status count_occurrences(adaptive *a, const database *db, shape_child *c,
                                     list_part part, found_items *found) {
    lode_status status = LODE_OK;
    uint32_t item = c->items.item, min = adaptive_threshold(a), n = found->n, *all;
    uint32_t *counts = a->scratch.item_counts;
    uint32_t first = part == LIST_BEHIND ? item + 1 : 0;
    uint32_t end = part == LIST_BEFORE ? item : db->items.n;
    bool simple = !db->lists.weights && part != LIST_BEHIND;
    uint64_t visited = !simple               ? count_general(db, &c->lists, part, counts)
                       : part == LIST_BEFORE ? count_plain(&db->lists, &c->lists, counts)
                                             : count_whole(db, &c->lists, counts);
    size_t room = end - first < visited ? end - first : (size_t)visited;
    bool few = visited * SWEEP_SHARE < end - first && c->items.support < LISTS_END;
    LODE_TRY(arena_take(&a->arena, (n + room + 1) * sizeof *all, (void **)&all));
    if (n > 0) memcpy(all, found->items, n * sizeof *all);
    n += few ? collect_walk(db, &c->lists, part, counts, min, all + n)
             : collect_sweep(counts, first, end, min, all + n);
    arena_trim(&a->arena, all, (n + (size_t)1) * sizeof *all);
    *found = (found_items){.items = all, .n = n};
    c->lists.visited += visited;
done:
    return status;
}

/* Whether a child has two transactions and the threshold is two: frequent items are then in
 * both. */
static bool is_frequent_pair(const adaptive *a, const database *db, const lists_child *c) {
    return c->n_places == 2 && adaptive_threshold(a) == 2 && !db->lists.weights && !a->wanted.rules;
}

/* Where the items to look at begin. */
static inline uint32_t list_begin(const lists_db *db, uint32_t place, list_part part) {
    return part == LIST_BEHIND ? place + 1 : list_start(db->lists, place - 1) + 1;
}

/* Appends the items that are in both lists of a pair to `found`. */
static lode_status meet_pair(adaptive *a, const database *db, shape_child *c, list_part part,
                             found_items *found) {
    lode_status status = LODE_OK;
    const uint32_t *lists = db->lists.lists, *places = c->lists.places;
    uint32_t first = list_begin(&db->lists, places[0], part), at = first;
    uint32_t other = list_begin(&db->lists, places[1], part), n = found->n, *all;
    uint32_t end = part == LIST_BEFORE ? places[0] : list_end(db, places[0]);
    LODE_TRY(arena_take(&a->arena, (n + (size_t)(end - first)) * sizeof *all, (void **)&all));
    if (n > 0) memcpy(all, found->items, n * sizeof *all);
    for (; at < end; at++) {
        while (lists[other] < lists[at]) other++;
        all[n] = lists[at];
        n += lists[other] == lists[at];
    }
    for (uint32_t i = found->n; i < n; i++) a->scratch.item_counts[all[i]] = 2;
    *found = (found_items){.items = all, .n = n};
    c->lists.visited += 2 * (end - first);
done:
    return status;
}

static lode_status count_part(adaptive *a, const database *db, shape_child *c, list_part part,
                              found_items *found) {
    if (is_frequent_pair(a, db, &c->lists)) return meet_pair(a, db, c, part, found);
    if (gather_suits(a, db, &c->lists)) return gather_part(a, db, c, part, found);
    return count_occurrences(a, db, c, part, found);
}

/* ---- the closure check ----------------------------------------------------------------------- */

static bool list_holds(const lists_db *db, uint32_t place, uint32_t item) {
    uint32_t at = place + 1;
    while (db->lists[at] < item) at++;
    return db->lists[at] == item;
}

/* Whether an earlier item is in all transactions. It must be in the first one. Most of its items
 * are missing from the second one already, so the two are walked through together. */
static bool lists_are_subsumed(const database *db, const lists_child *c) {
    const uint32_t *lists = db->lists.lists;
    if (db->lists.weights)
        return false; /* the counts decide: some transactions may weigh nothing */
    if (c->n_places == 1) return lists[c->places[0] + 1] < db->items.n;
    uint32_t second = c->places[1] + 1;
    for (uint32_t at = c->places[0] + 1; lists[at] < db->items.n; at++) {
        uint32_t i = 2;
        while (lists[second] < lists[at]) second++;
        if (lists[second] != lists[at]) continue;
        while (i < c->n_places && list_holds(&db->lists, c->places[i], lists[at])) i++;
        if (i == c->n_places) return true;
    }
    return false;
}

/* How many of the items found are not in all transactions. */
static uint32_t count_not_perfect(const adaptive *a, uint32_t support, const found_items *found) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < found->n; i++) n += a->scratch.item_counts[found->items[i]] < support;
    return n;
}

/* Earlier items of a closed set are counted only if there is more than one set below. */
static lode_status count_earlier(adaptive *a, const database *db, shape_child *c,
                                 found_items *found) {
    lode_status status = LODE_OK;
    uint32_t before = found->n;
    bool goes_on = count_not_perfect(a, c->items.support, found) > 1;
    if (goes_on || db->lists.weights) LODE_TRY(count_part(a, db, c, LIST_BEHIND, found));
    c->lists.whole = found->n > before;
done:
    return status;
}

/* Counts the items in the transactions of an item: those before it and, if the target needs them,
 * the earlier items after it. */
static lode_status lists_count(adaptive *a, const database *db, shape_child *c) {
    lode_status status = LODE_OK;
    uint32_t item = c->items.item;
    const uint32_t *starts = db->lists.starts;
    uint32_t n_places = starts[item + 1] - starts[item];
    bool closed = a->wanted.target == LODE_TARGET_CLOSED && !a->wanted.rules;
    bool whole = a->wanted.counts_earlier || (closed && n_places > GATHER_MOST);
    found_items found = {0};
    c->lists = (lists_child){
        .places = db->lists.places + starts[item], .n_places = n_places, .whole = whole};
    c->items.subsumed = closed && !whole && lists_are_subsumed(db, &c->lists);
    if (c->items.subsumed) return LODE_OK;
    LODE_TRY(count_part(a, db, c, whole ? LIST_WHOLE : LIST_BEFORE, &found));
    if (closed && !whole) LODE_TRY(count_earlier(a, db, c, &found));
    if (found.words) c->lists.gathered = found;
    LODE_TRY(child_take(a, found.n, &c->items));
    for (uint32_t i = 0; i < found.n; i++) {
        uint32_t x = found.items[i], support = a->scratch.item_counts[x];
        a->scratch.item_counts[x] = 0;
        if (x != item) child_add(a, &db->items, &c->items, x, support);
    }
done:
    return status;
}

/* ---- the conditional database ---------------------------------------------------------------- */

/* The last item to look at in the list of the i-th place, if they are walked backwards. */
static inline uint32_t last_of(const database *db, const lists_child *c, uint32_t i) {
    list_prefetch(&db->lists, c, i);
    return c->whole ? list_end(db, c->places[i]) - 1 : c->places[i] - 1;
}

static void clear_codes(const adaptive *a, const child_items *k) {
    for (uint32_t i = 0; i < k->n; i++) a->scratch.item_codes[k->numbers[i]] = 0;
}

static lode_status lists_make_words(adaptive *a, const database *db, const shape_child *c,
                                    words_db *below) {
    lode_status status = LODE_OK;
    const child_items *k = &c->items;
    const lists_db *l = &db->lists;
    uint64_t *bits = a->scratch.item_codes, *words;
    uint32_t n_places = c->lists.n_places, *weights;
    size_t n = 0;
    LODE_TRY(arena_take(&a->arena, n_places * sizeof *words, (void **)&words));
    LODE_TRY(arena_take(&a->arena, n_places * sizeof *weights, (void **)&weights));
    for (uint32_t i = 0; i < k->n; i++) bits[k->numbers[i]] = (uint64_t)1 << i;
    for (uint32_t i = 0; i < n_places; i++) {
        uint32_t at = c->lists.places[i] - 1, behind = at + 2;
        uint64_t word = 0;
        list_prefetch(l, &c->lists, i);
        for (uint32_t x = l->lists[behind]; c->lists.whole && x < db->items.n;) {
            word |= bits[x];
            x = l->lists[++behind];
        }
        for (uint32_t x = l->lists[at]; x < LISTS_END; x = l->lists[--at]) word |= bits[x];
        words[n] = word;
        weights[n] = list_weight(l, at);
        n += word != 0 && weights[n] != 0;
    }
    clear_codes(a, k);
    word_buffer w = {.words = words, .weights = weights, .n = n};
    if (k->n > MERGE_ITEMS) LODE_TRY(merge_for_target(a, k->addable, &w));
    *below = (words_db){.all = {w.words, w.weights, w.n}};
done:
    return status;
}

/* Row 0 is for the items that are not frequent, which spares a branch. */
static lode_status lists_make_rows(adaptive *a, const database *db, const shape_child *c,
                                   rows_db *below) {
    lode_status status = LODE_OK;
    const child_items *k = &c->items;
    const uint32_t *lists = db->lists.lists;
    uint64_t *offsets = a->scratch.item_codes, *rows;
    size_t words = rows_words(c->lists.n_places);
    size_t bytes = (k->n + (size_t)1) * words * sizeof *rows;
    LODE_TRY(arena_take(&a->arena, bytes, (void **)&rows));
    memset(rows, 0, bytes);
    for (uint32_t i = 0; i < k->n; i++) offsets[k->numbers[i]] = (i + (size_t)1) * words;
    for (uint32_t i = 0; i < c->lists.n_places; i++) {
        uint64_t *column = rows + i / 64, bit = (uint64_t)1 << i % 64;
        uint32_t at = last_of(db, &c->lists, i);
        for (uint32_t x = lists[at]; x < LISTS_END; x = lists[--at]) column[offsets[x]] |= bit;
    }
    clear_codes(a, k);
    *below = (rows_db){.rows = rows + words, .words = words};
done:
    return status;
}

/* Lists that are being built. They are written backwards from `end`. The position of each item is
 * recorded as its next place, so the last place comes first. Infrequent items are also written to
 * the end of a list and then overwritten, and have places that nobody reads: that avoids a
 * branch. */
typedef struct lists_maker {
    uint32_t *lists, *end;
    uint32_t *weights;
    uint32_t *ends; /* by code: where its next place goes, plus one */
    uint32_t *places;
} lists_maker;

/* Counts the places that each code needs: the support of its item or, if transactions have weights,
 * the occurrences found by walking. All other occurrences belong to code 0. */
static void count_places(const adaptive *a, const database *db, const shape_child *c,
                         uint32_t *counts) {
    const uint32_t *lists = db->lists.lists;
    uint64_t others = c->lists.visited;
    for (uint32_t i = 0; i < c->items.n; i++) counts[i + 1] = c->items.supports[i];
    if (db->lists.weights) memset(counts, 0, (c->items.n + (size_t)1) * sizeof *counts);
    for (uint32_t i = 0; i < c->lists.n_places && db->lists.weights; i++) {
        uint32_t at = last_of(db, &c->lists, i);
        for (; lists[at] < LISTS_END; at--) counts[a->scratch.item_codes[lists[at]]]++;
    }
    for (uint32_t i = 1; i <= c->items.n; i++) others -= counts[i];
    counts[0] = (uint32_t)others;
}

/* Copies the conditional transactions, with items renumbered. */
static void project_lists(const adaptive *a, const database *db, const lists_child *c,
                          lists_maker *m) {
    const lists_db *l = &db->lists;
    const uint64_t *codes = a->scratch.item_codes; /* number + 1 */
    uint32_t n = 0, *to = m->end, *ends = m->ends, *places = m->places;
    for (uint32_t i = 0; i < c->n_places; i++) {
        uint32_t at = last_of(db, c, i), *last = to;
        for (uint32_t x = l->lists[at]; x < LISTS_END; x = l->lists[--at]) {
            uint32_t code = (uint32_t)codes[x];
            to[-1] = code - 1;
            places[--ends[code]] = (uint32_t)(to - 1 - m->lists);
            to -= code != 0;
        }
        if (to == last) continue;
        m->weights[n] = list_weight(l, at);
        *--to = LISTS_END + n++;
    }
}

static lode_status lists_make_lists(adaptive *a, const database *db, const shape_child *c,
                                    lists_db *below) {
    lode_status status = LODE_OK;
    const child_items *k = &c->items;
    lists_maker m;
    uint32_t total = 0, *starts;
    size_t room = (size_t)c->lists.visited + c->lists.n_places + 1, n = k->n + (size_t)2;
    LODE_TRY(arena_take(&a->arena, (room + 1) * sizeof *m.lists, (void **)&m.lists));
    LODE_TRY(arena_take(&a->arena, c->lists.n_places * sizeof *m.weights, (void **)&m.weights));
    LODE_TRY(arena_take(&a->arena, n * sizeof *starts, (void **)&starts));
    LODE_TRY(arena_take(&a->arena, n * sizeof *m.ends, (void **)&m.ends));
    LODE_TRY(arena_take(&a->arena, room * sizeof *m.places, (void **)&m.places));
    for (uint32_t i = 0; i < k->n; i++) a->scratch.item_codes[k->numbers[i]] = i + (uint64_t)1;
    count_places(a, db, c, m.ends);
    for (uint32_t i = 0; i <= k->n; i++) {
        starts[i] = total;
        total += m.ends[i];
        m.ends[i] = total;
    }
    starts[k->n + 1] = total;
    m.end = m.lists + room;
    *m.end = LISTS_END; /* where the last list ends */
    project_lists(a, db, &c->lists, &m);
    for (uint32_t i = 1; i <= k->n; i++) { /* of the others there may be fewer */
        LODE_DEBUG_CHECK(m.ends[i] == starts[i],
                         "the list of places of code %u begins at %u instead of %u", i, m.ends[i],
                         starts[i]);
    }
    clear_codes(a, k);
    const uint32_t *weights = db->lists.weights ? m.weights : NULL;
    *below = (lists_db){m.lists, m.places, starts + 1, weights};
done:
    return status;
}

/* Reports the one closed set below a child with one item to add, if it is closed. */
static lode_status lists_emit_last(adaptive *a, const database *db, const shape_child *c) {
    lode_status status = LODE_OK;
    const uint32_t *lists = db->lists.lists;
    uint32_t item = c->items.numbers[0], *places;
    lists_child last = {.n_places = 0};
    LODE_TRY(arena_take(&a->arena, c->items.supports[0] * sizeof *places, (void **)&places));
    for (uint32_t i = 0; i < c->lists.n_places; i++) {
        uint32_t at = c->lists.places[i] - 1;
        while (lists[at] > item && lists[at] < LISTS_END) at--;
        if (lists[at] == item) places[last.n_places++] = c->lists.places[i];
    }
    last.places = places;
    a->progress.nodes++;
    if (!lists_are_subsumed(db, &last)) {
        status = adaptive_emit_one(a, c->items.ids[0], c->items.supports[0]);
    }
done:
    return status;
}

static lode_status lists_make(adaptive *a, const database *db, shape_child *c, database *below) {
    switch (below->shape) {
    case SHAPE_WORDS: return lists_make_words(a, db, c, &below->words);
    case SHAPE_ROWS: return lists_make_rows(a, db, c, &below->rows);
    case SHAPE_STRIPS: return gather_make_strips(a, c, &below->strips);
    case SHAPE_SINGLES: return lists_emit_last(a, db, c);
    default: return lists_make_lists(a, db, c, &below->lists);
    }
}

static double lists_open_cost(const database *db, const shape_child *c) {
    (void)db;
    return SPAN_STEP * (double)c->lists.visited;
}

/* No child of lists is given away: those below that become rows or words are. */
const shape_ops lists_shape = {.name = "lists",
                               .node_per_child = true,
                               .count = lists_count,
                               .make = lists_make,
                               .open_cost = lists_open_cost};
