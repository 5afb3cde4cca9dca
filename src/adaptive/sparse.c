/* sparse.c - many items, few of them in each transaction: occurrence deliver
 *
 * For every item, the places where it occurs are known. The items before such a place, back to the
 * sentinel, are the conditional transaction: one walk over them counts all extensions of the item
 * at once, and pairs that do not occur are never looked at. A second walk builds the conditional
 * database in the shape that fits what was counted.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "adaptive/adaptive.h"
#include "adaptive/span.h"
#include "adaptive/words.h"
#include "base/sort.h"

#define ROWS_DENSITY   24 /* rows of bits pay if one in so many of them is set */
#define ROWS_ITEMS     16 /* fewer are words at once */
#define MERGE_ITEMS    12 /* fewer items go into a cube, which merges by itself */
#define PREFETCH_AHEAD 8  /* lists */
#define SWEEP_SHARE    8 /* counters are swept in blocks, unless so many times fewer were touched */

/* What one item has led to. */
typedef struct sparse_child {
    child_items items;
    const uint32_t *places;
    uint32_t n_places;
    bool whole;       /* the items behind the places are looked at, too */
    uint64_t visited; /* items looked at */
} sparse_child;

/* Lists in work, and the item of them whose branch is searched. */
typedef struct sparse_node {
    struct sparse_node *above; /* NULL: whoever has called */
    sparse_db db;
    pending plain;
    uint32_t item;
    sparse_child child; /* what it led to */
    arena_mark mark;    /* before it */
    span_split split;
} sparse_node;

/* The items before the places lead on; those behind them are watched. */
typedef enum list_part { LIST_BEFORE, LIST_BEHIND, LIST_WHOLE } list_part;

/* The start of the transaction that holds this place: where its sentinel is. */
static inline uint32_t list_start(const uint32_t *lists, uint32_t place) {
    while (lists[place] < SPARSE_END) place--;
    return place;
}

static inline uint32_t list_weight(const sparse_db *db, uint32_t start) {
    return db->weights ? db->weights[db->lists[start] - SPARSE_END] : 1;
}

/* The lists of an item lie far apart: asks for the one that comes a little later. */
static inline void list_prefetch(const sparse_db *db, const sparse_child *c, uint32_t i) {
    uint32_t later = i + PREFETCH_AHEAD < c->n_places ? i + PREFETCH_AHEAD : i;
    const uint32_t *end = db->lists + c->places[later] - 1;
    __builtin_prefetch(end);
    __builtin_prefetch(end - 16);
}

/* Where the items to look at end: those of the root may go on with items that are not frequent. */
static inline uint32_t list_end(const sparse_db *db, uint32_t place) {
    while (db->lists[place] < db->items.n) place++;
    return place;
}

/* ---- counting ------------------------------------------------------------------------------ */

static uint64_t count_plain(const sparse_db *db, const sparse_child *c, uint32_t *counts) {
    const uint32_t *lists = db->lists;
    uint64_t visited = 0;
    for (uint32_t i = 0; i < c->n_places; i++) {
        uint32_t place = c->places[i], at = place - 1;
        list_prefetch(db, c, i);
        for (uint32_t item = lists[at]; item < SPARSE_END; item = lists[--at]) counts[item]++;
        visited += place - at;
    }
    return visited;
}

/* With weights, which stand at the start, and of any part. */
static uint64_t count_general(const sparse_db *db, const sparse_child *c, list_part part,
                              uint32_t *counts) {
    uint64_t visited = 0;
    for (uint32_t i = 0; i < c->n_places; i++) {
        uint32_t place = c->places[i];
        uint32_t start = db->weights || part != LIST_BEHIND ? list_start(db->lists, place - 1) : 0;
        uint32_t first = part == LIST_BEHIND ? place + 1 : start + 1;
        uint32_t end = part == LIST_BEFORE ? place : list_end(db, place);
        uint32_t weight = db->weights ? list_weight(db, start) : 1;
        list_prefetch(db, c, i);
        for (uint32_t at = first; at < end; at++) counts[db->lists[at]] += weight;
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
static uint32_t collect_walk(const sparse_db *db, const sparse_child *c, list_part part,
                             uint32_t *counts, uint32_t min, uint32_t *found) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_places; i++) {
        uint32_t place = c->places[i];
        uint32_t end = part == LIST_BEFORE ? place : list_end(db, place);
        uint32_t stop = part == LIST_BEHIND ? place : 0;
        for (uint32_t at = end - 1; at != stop && db->lists[at] < SPARSE_END; at--) {
            uint32_t x = db->lists[at];
            bool fresh = counts[x] >= min && counts[x] < SPARSE_END;
            found[n] = x;
            n += fresh;
            if (fresh) counts[x] |= SPARSE_END; /* seen */
            if (counts[x] < min) counts[x] = 0;
        }
    }
    for (uint32_t i = 0; i < n; i++) counts[found[i]] &= ~SPARSE_END;
    sort_u32(found, n);
    return n;
}

/* Counts one part and appends what is frequent to `found`, which has n; the counters of these keep
 * their counts, all others are zero again. */
static lode_status count_part(adaptive *a, const sparse_db *db, sparse_child *c, list_part part,
                              uint32_t **found, uint32_t *n) {
    lode_status status = LODE_OK;
    uint32_t item = c->items.item, min = adaptive_threshold(a), *more;
    uint32_t first = part == LIST_BEHIND ? item + 1 : 0;
    uint32_t end = part == LIST_BEFORE ? item : db->items.n;
    bool simple = !db->weights && part == LIST_BEFORE;
    uint64_t visited =
        simple ? count_plain(db, c, a->counts) : count_general(db, c, part, a->counts);
    size_t room = end - first < visited ? end - first : (size_t)visited;
    bool few = visited * SWEEP_SHARE < end - first && c->items.support < SPARSE_END;
    LODE_TRY(arena_take(&a->arena, (*n + room + 1) * sizeof *more, (void **)&more));
    if (*n > 0) memcpy(more, *found, *n * sizeof *more);
    *n += few ? collect_walk(db, c, part, a->counts, min, more + *n)
              : collect_sweep(a->counts, first, end, min, more + *n);
    arena_trim(&a->arena, more, (*n + (size_t)1) * sizeof *more);
    *found = more;
    c->visited += visited;
done:
    return status;
}

static bool list_holds(const sparse_db *db, uint32_t place, uint32_t item) {
    uint32_t at = place + 1;
    while (db->lists[at] < item) at++;
    return db->lists[at] == item;
}

/* Whether a watched item is in all transactions: one of the first, then, and most of these are
 * missing in the second already, which is gone through beside it. */
static bool is_subsumed(const sparse_db *db, const sparse_child *c) {
    const uint32_t *lists = db->lists;
    if (db->weights) return false; /* transactions that weigh nothing do not count: left to them */
    if (c->n_places == 1) return lists[c->places[0] + 1] < db->items.n;
    uint32_t second = c->places[1] + 1;
    for (uint32_t at = c->places[0] + 1; lists[at] < db->items.n; at++) {
        uint32_t i = 2;
        while (lists[second] < lists[at]) second++;
        if (lists[second] != lists[at]) continue;
        while (i < c->n_places && list_holds(db, c->places[i], lists[at])) i++;
        if (i == c->n_places) return true;
    }
    return false;
}

/* How many of the n items found lead on, and are not in all transactions. */
static uint32_t count_leading(const adaptive *a, const sparse_child *c, const uint32_t *found,
                              uint32_t n) {
    uint32_t leading = 0;
    for (uint32_t i = 0; i < n; i++) leading += a->counts[found[i]] < c->items.support;
    return leading;
}

/* Counts what is in the transactions of an item: the items before it and, where a target watches
 * them, those behind it. Closed sets need these only if there is more than one set below. */
static lode_status child_count(adaptive *a, const sparse_db *db, sparse_child *c) {
    lode_status status = LODE_OK;
    uint32_t item = c->items.item, *found = NULL, n = 0;
    c->places = db->places + db->starts[item];
    c->n_places = db->starts[item + 1] - db->starts[item];
    c->visited = 0;
    c->whole = a->target == LODE_TARGET_MAXIMAL;
    LODE_TRY(count_part(a, db, c, c->whole ? LIST_WHOLE : LIST_BEFORE, &found, &n));
    if (a->target == LODE_TARGET_CLOSED) {
        uint32_t before = n;
        c->items.subsumed = is_subsumed(db, c);
        bool goes_on = !c->items.subsumed && count_leading(a, c, found, n) > 1;
        if (goes_on || db->weights) LODE_TRY(count_part(a, db, c, LIST_BEHIND, &found, &n));
        c->whole = n > before;
    }
    LODE_TRY(child_take(a, n, &c->items));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t support = a->counts[found[i]];
        a->counts[found[i]] = 0;
        if (found[i] != item) child_add(a, &db->items, &c->items, found[i], support);
    }
done:
    return status;
}

/* ---- the conditional database ---------------------------------------------------------------- */

/* The last item to look at in the list of the i-th place; they are walked backwards. */
static inline uint32_t last_of(const sparse_db *db, const sparse_child *c, uint32_t i) {
    list_prefetch(db, c, i);
    return c->whole ? list_end(db, c->places[i]) - 1 : c->places[i] - 1;
}

static lode_status child_as_words(adaptive *a, const sparse_db *db, const sparse_child *c) {
    lode_status status = LODE_OK;
    const child_items *k = &c->items;
    uint64_t *bits = a->item_bits, *words;
    uint32_t *weights;
    size_t n = 0;
    LODE_TRY(arena_take(&a->arena, c->n_places * sizeof *words, (void **)&words));
    LODE_TRY(arena_take(&a->arena, c->n_places * sizeof *weights, (void **)&weights));
    for (uint32_t i = 0; i < k->n; i++) bits[k->numbers[i]] = (uint64_t)1 << i;
    for (uint32_t i = 0; i < c->n_places; i++) {
        uint32_t at = last_of(db, c, i);
        uint64_t word = 0;
        for (uint32_t x = db->lists[at]; x < SPARSE_END; x = db->lists[--at]) word |= bits[x];
        words[n] = word;
        weights[n] = list_weight(db, at);
        n += word != 0 && weights[n] != 0;
    }
    for (uint32_t i = 0; i < k->n; i++) bits[k->numbers[i]] = 0;
    if (k->n > MERGE_ITEMS) LODE_TRY(words_merge_for(a, k, words, NULL, weights, &n));
    words_db below = {.items = child_list(k), .words = words, .weights = weights, .n = n};
    status = words_search(a, &below);
done:
    return status;
}

/* Row 0 is for the items that are not frequent, which spares a branch. */
static lode_status child_as_rows(adaptive *a, const sparse_db *db, const sparse_child *c) {
    lode_status status = LODE_OK;
    const child_items *k = &c->items;
    uint64_t *offsets = a->item_bits, *rows;
    size_t words = rows_words(c->n_places);
    size_t bytes = (k->n + (size_t)1) * words * sizeof *rows;
    LODE_TRY(arena_take(&a->arena, bytes, (void **)&rows));
    memset(rows, 0, bytes);
    for (uint32_t i = 0; i < k->n; i++) offsets[k->numbers[i]] = (i + (size_t)1) * words;
    for (uint32_t i = 0; i < c->n_places; i++) {
        uint64_t *column = rows + i / 64, bit = (uint64_t)1 << i % 64;
        uint32_t at = last_of(db, c, i);
        for (uint32_t x = db->lists[at]; x < SPARSE_END; x = db->lists[--at]) {
            column[offsets[x]] |= bit;
        }
    }
    for (uint32_t i = 0; i < k->n; i++) offsets[k->numbers[i]] = 0;
    rows_db below = {.items = child_list(k), .rows = rows + words, .words = words};
    status = rows_search(a, &below);
done:
    return status;
}

/* Copies the conditional transactions, with items renumbered, into lists that end at `end`. */
static uint32_t *project_lists(adaptive *a, const sparse_db *db, const sparse_child *c,
                               uint32_t *end, uint32_t *weights, uint32_t *occurrences) {
    const uint64_t *codes = a->item_bits; /* number + 1 */
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n_places; i++) {
        uint32_t at = last_of(db, c, i), *last = end;
        for (uint32_t x = db->lists[at]; x < SPARSE_END; x = db->lists[--at]) {
            if (codes[x] == 0) continue;
            *--end = (uint32_t)codes[x] - 1;
            occurrences[codes[x]]++;
        }
        if (end == last) continue;
        weights[n] = list_weight(db, at);
        *--end = SPARSE_END + n++;
    }
    return end;
}

/* starts[i + 1] is the number of occurrences of item i; turns it into where its places begin. */
static void find_places(const uint32_t *lists, size_t n, uint32_t *starts, uint32_t n_items,
                        uint32_t *places) {
    for (uint32_t i = 1; i <= n_items; i++) starts[i] += starts[i - 1];
    for (size_t at = n; at-- > 0;) { /* starts[i + 1] is the end of item i, and becomes its start */
        if (lists[at] < SPARSE_END) places[--starts[lists[at] + 1]] = (uint32_t)at;
    }
}

/* What is to be done with lists: one item after the other. */
static lode_status node_open(adaptive *a, const sparse_db *db, sparse_node **out) {
    lode_status status = LODE_OK;
    sparse_node *node;
    LODE_TRY(arena_take(&a->arena, sizeof *node, (void **)&node));
    node->above = NULL;
    node->db = *db;
    node->item = 0;
    span_open(a, &node->split);
    LODE_TRY(pending_take(a, db->items.low, &node->plain));
    *out = node;
done:
    return status;
}

static lode_status child_as_lists(adaptive *a, const sparse_db *db, const sparse_child *c,
                                  sparse_node **out) {
    lode_status status = LODE_OK;
    const child_items *k = &c->items;
    uint32_t *lists, *weights, *starts, *places;
    uint64_t total = 0;
    size_t room = (size_t)c->visited + c->n_places;
    LODE_TRY(arena_take(&a->arena, (room + 1) * sizeof *lists, (void **)&lists));
    LODE_TRY(arena_take(&a->arena, c->n_places * sizeof *weights, (void **)&weights));
    LODE_TRY(arena_take(&a->arena, (k->n + (size_t)2) * sizeof *starts, (void **)&starts));
    memset(starts, 0, (k->n + (size_t)2) * sizeof *starts);
    for (uint32_t i = 0; i < k->n; i++) a->item_bits[k->numbers[i]] = i + (uint64_t)1;
    lists[room] = SPARSE_END; /* where the last list ends */
    uint32_t *first = project_lists(a, db, c, lists + room, weights, starts);
    for (uint32_t i = 0; i < k->n; i++) a->item_bits[k->numbers[i]] = 0;
    for (uint32_t i = 1; i <= k->n; i++) total += starts[i];
    LODE_TRY(arena_take(&a->arena, total * sizeof *places, (void **)&places));
    find_places(first, (size_t)(lists + room - first), starts, k->n, places);
    starts[k->n + 1] = (uint32_t)total; /* what was the end of an item is its start now */
    sparse_db below = {child_list(k), first, places, starts + 1, db->weights ? weights : NULL};
    status = node_open(a, &below, out);
done:
    return status;
}

/* Closed sets, one item that leads on: there is one set below, and no database is made for it. */
static lode_status child_last(adaptive *a, const sparse_db *db, const sparse_child *c) {
    lode_status status = LODE_OK;
    uint32_t item = c->items.numbers[0], *places;
    sparse_child last = {.n_places = 0};
    LODE_TRY(arena_take(&a->arena, c->items.supports[0] * sizeof *places, (void **)&places));
    for (uint32_t i = 0; i < c->n_places; i++) {
        uint32_t at = c->places[i] - 1;
        while (db->lists[at] > item && db->lists[at] < SPARSE_END) at--;
        if (db->lists[at] == item) places[last.n_places++] = c->places[i];
    }
    last.places = places;
    a->nodes++;
    if (!is_subsumed(db, &last)) {
        status = adaptive_emit_one(a, c->items.ids[0], c->items.supports[0]);
    }
done:
    return status;
}

static bool rows_pay(const sparse_db *db, const sparse_child *c) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->items.n; i++) sum += c->items.supports[i];
    return !db->weights && sum * ROWS_DENSITY >= (uint64_t)c->items.n * c->n_places;
}

/* Searches below the child; if it becomes lists, these are the next to be worked on. */
static lode_status child_search(adaptive *a, const sparse_db *db, const sparse_child *c,
                                sparse_node **out) {
    const child_items *k = &c->items;
    if (a->target == LODE_TARGET_CLOSED && k->low == 1 && !db->weights) return child_last(a, db, c);
    bool few = k->n <= WORD_ITEMS;
    if (few && k->n > ROWS_ITEMS && rows_pay(db, c)) {
        few = !rows_stay_cheap(a, k, rows_expected_sets(a, k, k->n));
    }
    if (few) return child_as_words(a, db, c);
    return rows_pay(db, c) ? child_as_rows(a, db, c) : child_as_lists(a, db, c, out);
}

/* ---- the search ---------------------------------------------------------------------------- */

/* Goes to the child of an item, and searches below it or leaves lists to be worked on in *out. */
static lode_status child_open(adaptive *a, const sparse_db *db, uint32_t item, pending *plain,
                              sparse_child *c, sparse_node **out) {
    lode_status status = LODE_OK;
    child_begin(a, &db->items, item, &c->items);
    LODE_TRY(adaptive_check(a));
    LODE_TRY(child_count(a, db, c));
    LODE_TRY(child_filter(a, &c->items));
    LODE_TRY(child_enter(a, &c->items, plain));
    if (child_leads_on(a, &c->items)) status = child_search(a, db, c, out);
done:
    return status;
}

static void node_leave_child(adaptive *a, sparse_node *node) {
    span_leave(a);
    child_leave(a, &node->child.items);
    arena_return(&a->arena, node->mark);
    node->item++;
}

/* The next item of a node; *out is what to go on with, if that is not the node. */
static lode_status node_step(adaptive *a, sparse_node *node, sparse_node **out) {
    const item_list *items = &node->db.items;
    uint32_t item = node->item;
    if (items->supports[item] < adaptive_threshold(a) || adaptive_ends(a)) {
        if (items->supports[item] >= adaptive_threshold(a)) {
            pending_add(&node->plain, items->ids[item], items->supports[item]);
        }
        node->item++;
        return LODE_OK;
    }
    span_enter(a, &node->split, items, item, items->low);
    node->mark = arena_here(&a->arena);
    lode_status status = child_open(a, &node->db, item, &node->plain, &node->child, out);
    if (status == LODE_OK && !*out) node_leave_child(a, node);
    return status;
}

/* Works off a node and everything below it. */
static lode_status node_search(adaptive *a, sparse_node *node) {
    lode_status status = LODE_OK;
    while (node) {
        sparse_node *below = NULL;
        if (node->item < node->db.items.low) {
            LODE_TRY(node_step(a, node, &below));
            if (!below) continue;
            below->above = node;
            node = below;
        } else {
            LODE_TRY(pending_emit(a, &node->plain));
            span_close(a, &node->split);
            node = node->above;
            if (node) node_leave_child(a, node);
        }
    }
done:
    return status;
}

lode_status sparse_search_root(adaptive *a, const sparse_db *db, uint32_t item) {
    lode_status status = LODE_OK;
    sparse_child c;
    sparse_node *below = NULL;
    arena_mark mark = arena_here(&a->arena);
    if (db->items.supports[item] < adaptive_threshold(a) || adaptive_ends(a)) {
        return adaptive_check(a);
    }
    LODE_TRY(child_open(a, db, item, NULL, &c, &below));
    LODE_TRY(node_search(a, below));
    child_leave(a, &c.items);
    arena_return(&a->arena, mark);
done:
    return status;
}

lode_status sparse_probe_root(adaptive *a, const sparse_db *db, uint32_t item, double *work) {
    sparse_child c;
    arena_mark mark = arena_here(&a->arena);
    child_begin(a, &db->items, item, &c.items);
    lode_status status = child_count(a, db, &c);
    if (status == LODE_OK) status = span_weigh_child(a, &c.items, work);
    *work += SPAN_STEP * (double)c.visited;
    child_leave(a, &c.items);
    arena_return(&a->arena, mark);
    return status;
}
