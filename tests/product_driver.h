/* product_driver.h - for test_products.c: searches a root call by call, and checks every promise
 *
 * The driver does what a caller may do according to device/api/products.h: any ranges of rows, any
 * partial results, frames pushed and popped. It records every set with its support.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_PRODUCT_DRIVER_H
#define LODE_TESTS_PRODUCT_DRIVER_H

#include "product_model.h"

/* A class, with its items as row numbers of the root. */
typedef struct level_class {
    uint32_t first, end, n_earlier;
    uint32_t prefix[MAX_ROWS], n_prefix, free_items[MAX_ROWS], n_free;
} level_class;

typedef struct level {
    uint32_t n_rows, n_classes;
    uint32_t *items, *supports;
    level_class *classes;
} level;

typedef struct driver {
    const backend_products *products;
    product_device *device;
    product_config config;
    uint32_t min_count, max_size;
    rng r;
    found_sets out;
    bool fine;
    bool tight, refused; /* the budget may be too small; it was too small */
} driver;

#define DRIVER_CHECK(d, expression) ((d)->fine = CHECK(expression) && (d)->fine)

/* Returns whether to go on after a call that returned this status. */
static inline bool drive_on(driver *d, lode_status status) {
    if (d->tight && status == LODE_BUDGET) {
        d->refused = true;
    } else {
        DRIVER_CHECK(d, status == LODE_OK);
    }
    return d->fine && !d->refused;
}

static inline void level_free(level *l) {
    free(l->items);
    free(l->supports);
    free(l->classes);
}

static inline const level_class *level_class_of(const level *l, uint32_t row) {
    const level_class *c = l->classes;
    while (row >= c->end) c++;
    return c;
}

/* Records a set: with each subset of the free items or, unless the target is all, with all of them.
 */
static inline void drive_add(driver *d, const uint32_t *items, uint32_t n,
                             const uint32_t *free_items, uint32_t n_free, uint32_t support) {
    uint32_t set[2 * MAX_ROWS];
    memcpy(set, items, n * sizeof *set);
    if (d->config.target != LODE_TARGET_ALL) {
        memcpy(set + n, free_items, n_free * sizeof *set);
        found_add(&d->out, set, n + n_free, support);
        return;
    }
    if (n > d->max_size) return;
    found_add(&d->out, set, n, support);
    for (uint32_t i = 0; i < n_free; i++) {
        set[n] = free_items[i];
        drive_add(d, set, n + 1, free_items + i + 1, n_free - i - 1, support);
    }
}

/* A counted row, judged by what device/api/products.h says and not by its inline functions. */
typedef struct drive_row {
    uint32_t row, support;
    const level_class *of;
    const uint32_t *partners, *supports;
    uint32_t n, n_perfect, n_earlier;
    bool subsumed, is_lattice, is_child;
    uint32_t free_items[MAX_ROWS], n_free; /* free items of the class, and perfect partners */
} drive_row;

static inline void drive_look_at(driver *d, const level *l, const product_counted *got,
                                 uint32_t max_added, uint32_t row, drive_row *r) {
    uint64_t from = row > got->first ? got->ends[row - got->first - 1] : 0;
    *r = (drive_row){.row = row,
                     .support = l->supports[row],
                     .of = level_class_of(l, row),
                     .partners = got->partners + from,
                     .supports = got->supports + from,
                     .n = (uint32_t)(got->ends[row - got->first] - from)};
    memcpy(r->free_items, r->of->free_items, r->of->n_free * sizeof *r->free_items);
    r->n_free = r->of->n_free;
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t partner = r->partners[i];
        DRIVER_CHECK(d, partner >= r->of->first && partner < r->of->end && partner != row);
        DRIVER_CHECK(d, i == 0 || r->partners[i - 1] < partner);
        DRIVER_CHECK(d, partner > row || d->config.target != LODE_TARGET_ALL);
        DRIVER_CHECK(d, r->supports[i] >= d->min_count && r->supports[i] <= r->support);
        bool perfect = r->supports[i] == r->support;
        if (perfect) r->free_items[r->n_free++] = l->items[partner];
        r->n_perfect += perfect;
        r->n_earlier += !perfect && partner < row;
        r->subsumed = r->subsumed || (perfect && partner < row);
    }
    uint32_t others = r->n - r->n_perfect - r->n_earlier;
    uint32_t k = got->excludes_earlier ? others : others + r->n_earlier;
    bool leads_on = max_added >= 2 && !r->subsumed && others > 0;
    r->is_lattice = leads_on && k <= got->lattice_items;
    r->is_child = leads_on && k > got->lattice_items;
}

/* The results of count() for one row. */
static inline void drive_take_row(driver *d, const level *l, const drive_row *r,
                                  uint32_t max_added) {
    uint32_t set[MAX_ROWS], n = r->of->n_prefix;
    bool wanted = !r->subsumed && (d->config.target != LODE_TARGET_MAXIMAL || r->n == r->n_perfect);
    memcpy(set, r->of->prefix, n * sizeof *set);
    set[n++] = l->items[r->row];
    if (wanted) drive_add(d, set, n, r->free_items, r->n_free, r->support);
    for (uint32_t i = 0; i < r->n && max_added == 1; i++) {
        if (r->supports[i] == r->support) continue;
        set[n] = l->items[r->partners[i]];
        drive_add(d, set, n + 1, r->free_items, r->n_free, r->supports[i]);
    }
}

/* The sets of one lattice. */
static inline void drive_take_lattice(driver *d, const level *l, const drive_row *r,
                                      const uint32_t *sets, const uint32_t *supports,
                                      uint64_t n_sets) {
    uint32_t items[PRODUCT_LATTICE_ITEMS], k = 0, set[MAX_ROWS], n = r->of->n_prefix;
    for (uint32_t i = 0; i < r->n; i++) {
        bool adds = r->supports[i] != r->support && r->partners[i] > r->row;
        if (adds) items[k++] = l->items[r->partners[i]];
    }
    memcpy(set, r->of->prefix, n * sizeof *set);
    set[n++] = l->items[r->row];
    for (uint64_t i = 0; i < n_sets; i++) {
        uint32_t size = n;
        DRIVER_CHECK(d, sets[i] != 0 && sets[i] >> k == 0);
        for (uint32_t p = 0; p < k; p++) {
            if (sets[i] >> p & 1) set[size++] = items[p];
        }
        drive_add(d, set, size, r->free_items, r->n_free, supports[i]);
    }
}

static inline void drive(driver *d, const level *l, uint32_t depth, uint32_t first, uint32_t end);

/* Adds the class that a row leads to. */
static inline void level_add(level *to, const level *from, const drive_row *r) {
    to->classes = realloc(to->classes, (to->n_classes + (size_t)1) * sizeof *to->classes);
    size_t n = to->n_rows + (size_t)r->n;
    to->items = realloc(to->items, (n + 1) * sizeof *to->items);
    to->supports = realloc(to->supports, (n + 1) * sizeof *to->supports);
    if (!to->classes || !to->items || !to->supports) exit(2);
    level_class *c = &to->classes[to->n_classes++];
    *c = (level_class){.first = to->n_rows, .n_earlier = r->n_earlier};
    memcpy(c->prefix, r->of->prefix, r->of->n_prefix * sizeof *c->prefix);
    c->n_prefix = r->of->n_prefix;
    c->prefix[c->n_prefix++] = from->items[r->row];
    memcpy(c->free_items, r->free_items, r->n_free * sizeof *c->free_items);
    c->n_free = r->n_free;
    for (uint32_t i = 0; i < r->n; i++) {
        if (r->supports[i] == r->support) continue;
        to->items[to->n_rows] = from->items[r->partners[i]];
        to->supports[to->n_rows++] = r->supports[i];
    }
    c->end = to->n_rows;
}

static inline void drive_lattices(driver *d, const level *l, const drive_row *rows, uint32_t n) {
    product_lattices got;
    for (uint32_t first = 0; first < n && d->fine; first = got.end) {
        if (!drive_on(d, d->products->lattices(d->device, first, &got))) return;
        DRIVER_CHECK(d, got.first == first && got.end > first && got.end <= n);
        for (uint32_t i = first; i < got.end && d->fine && d->config.fetch; i++) {
            uint64_t from = i > first ? got.ends[i - first - 1] : 0;
            if (!DRIVER_CHECK(d, got.rows[i - first] == rows[i].row)) return;
            drive_take_lattice(d, l, &rows[i], got.sets + from, got.supports + from,
                               got.ends[i - first] - from);
        }
    }
}

static inline void drive_children(driver *d, const level *l, const drive_row *rows, uint32_t n,
                                  uint32_t depth) {
    uint32_t end = 0, n_rows = 0;
    for (uint32_t first = 0; first < n && d->fine && !d->refused; first = end) {
        level below = {0};
        if (!drive_on(d, d->products->push(d->device, first, &end, &n_rows))) return;
        if (!DRIVER_CHECK(d, end > first && end <= n)) return;
        for (uint32_t i = first; i < end && d->config.fetch; i++) level_add(&below, l, &rows[i]);
        DRIVER_CHECK(d, !d->config.fetch || below.n_rows == n_rows);
        if (d->fine) drive(d, &below, depth + 1, 0, n_rows);
        d->products->pop(d->device);
        level_free(&below);
    }
}

/* Checks everything that count() delivered with `fetch`, and goes on below it. */
static inline void drive_counted(driver *d, const level *l, const product_counted *got,
                                 uint32_t max_added, uint32_t depth) {
    uint32_t n = got->end - got->first, n_lattices = 0, n_children = 0;
    uint64_t n_subsumed = 0;
    /* The arrays are valid until the next call only. */
    uint64_t *ends = take(n * sizeof *ends);
    uint32_t *partners = take(got->n_partners * sizeof *partners);
    uint32_t *supports = take(got->n_partners * sizeof *supports);
    drive_row *lattices = take(n * sizeof *lattices), *children = take(n * sizeof *children);
    drive_row *r = take(sizeof *r);
    product_counted kept = *got;
    memcpy(ends, got->ends, n * sizeof *ends);
    if (got->n_partners > 0) {
        memcpy(partners, got->partners, got->n_partners * sizeof *partners);
        memcpy(supports, got->supports, got->n_partners * sizeof *supports);
    }
    kept.ends = ends;
    kept.partners = partners;
    kept.supports = supports;
    DRIVER_CHECK(d, ends[n - 1] == got->n_partners);
    DRIVER_CHECK(d, got->lattice_items > 0 && got->lattice_items <= PRODUCT_LATTICE_ITEMS);
    for (uint32_t row = got->first; row < got->end && d->fine; row++) {
        drive_look_at(d, l, &kept, max_added, row, r);
        if (row < r->of->first + r->of->n_earlier) {
            DRIVER_CHECK(d, r->n == 0);
            continue;
        }
        n_subsumed += r->subsumed;
        drive_take_row(d, l, r, max_added);
        if (r->is_lattice) lattices[n_lattices++] = *r;
        if (r->is_child) children[n_children++] = *r;
    }
    DRIVER_CHECK(d, got->n_subsumed == n_subsumed);
    DRIVER_CHECK(d, got->n_lattices == n_lattices && got->n_children == n_children);
    drive_lattices(d, l, lattices, n_lattices);
    drive_children(d, l, children, n_children, depth);
    free(ends);
    free(partners);
    free(supports);
    free(lattices);
    free(children);
    free(r);
}

static inline void drive(driver *d, const level *l, uint32_t depth, uint32_t first, uint32_t end) {
    product_counted got;
    for (; first < end && d->fine && !d->refused; first = got.end) {
        product_request request = {.first = first, .end = end, .min_count = d->min_count};
        request.max_added = UINT32_MAX;
        if (d->config.target == LODE_TARGET_ALL && d->max_size != UINT32_MAX) {
            request.max_added = d->max_size - depth - 1;
        }
        if (rng_below(&d->r, 3) == 0)
            request.end = first + 1 + (uint32_t)rng_below(&d->r, end - first);
        if (!drive_on(d, d->products->count(d->device, &request, &got))) return;
        if (!DRIVER_CHECK(d, got.first == first && got.end > first && got.end <= request.end))
            return;
        if (d->config.fetch) {
            drive_counted(d, l, &got, request.max_added, depth);
        } else {
            uint32_t n_lattices = got.n_lattices, n_children = got.n_children;
            drive_lattices(d, l, NULL, n_lattices);
            drive_children(d, l, NULL, n_children, depth);
        }
    }
}

/* Takes the rows of the root in random ranges, as consumers that share them would. */
static inline void drive_root(driver *d, const product_root *root) {
    level l = {.n_rows = root->n_rows, .n_classes = 1};
    l.items = take(root->n_rows * sizeof *l.items);
    l.supports = take(root->n_rows * sizeof *l.supports);
    l.classes = take(sizeof *l.classes);
    l.classes[0].end = root->n_rows;
    for (uint32_t i = 0; i < root->n_rows; i++) l.items[i] = i;
    if (root->n_rows > 0) memcpy(l.supports, root->supports, root->n_rows * sizeof *l.supports);
    uint32_t first = 0, end = root->n_rows;
    while (first < end && d->fine && !d->refused) {
        uint32_t n = 1 + (uint32_t)rng_below(&d->r, end - first);
        if (rng_below(&d->r, 2) == 0) {
            drive(d, &l, 0, first, first + n);
            first += n;
        } else {
            drive(d, &l, 0, end - n, end);
            end -= n;
        }
    }
    level_free(&l);
}

#endif
