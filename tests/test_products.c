/* test_products.c - classes of rows on every device, driven call by call, against plain enumeration
 *
 * A driver does what backend/products.h says a caller may do: any ranges of rows, any partial
 * results, frames pushed and popped; and writes down every set with its support. The same sets are
 * found by intersecting rows one by one, and what is closed or maximal by trying every other row.
 * On the way, whatever the header promises about a call is checked.
 *
 * LODE_TEST_DEVICES says on which devices; the CPU if it is not set. LODE_TEST_SHAPE=N leaves
 * all but one shape and one kernel out, for tools that take long.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/backend.h"
#include "mining.h"

#define MAX_ROWS  300
#define MAX_SETS  4000
#define LINE_BITS 512

#if defined(__SANITIZE_THREAD__)
#define N_SEEDS 1
#define STEP    6 /* one thread: there is nothing to be found out */
#elif defined(__SANITIZE_ADDRESS__)
#define N_SEEDS 1
#define STEP    1
#else
#define N_SEEDS 2
#define STEP    1
#endif

/* ---- sets that were found -------------------------------------------------------------------- */

typedef struct found_set {
    uint64_t hash; /* of the items, in whatever order */
    uint32_t support, size;
} found_set;

typedef struct found_sets {
    found_set *data;
    size_t n, cap;
} found_sets;

static uint64_t hash_items(const uint32_t *items, size_t n) {
    uint64_t hash = 0;
    for (size_t i = 0; i < n; i++) hash += bits_mix(items[i] + 0x9e3779b97f4a7c15u);
    return hash;
}

static void found_add(found_sets *f, const uint32_t *items, size_t n, uint32_t support) {
    f->data = mining_grow(f->data, &f->cap, f->n + 1, sizeof *f->data);
    f->data[f->n++] = (found_set){hash_items(items, n), support, (uint32_t)n};
}

static int found_order(const void *x, const void *y) {
    const found_set *a = x, *b = y;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return a->support < b->support ? -1 : a->support > b->support;
}

static bool found_equal(found_sets *a, found_sets *b) {
    if (a->n != b->n) return false;
    if (a->n == 0) return true;
    qsort(a->data, a->n, sizeof *a->data, found_order);
    qsort(b->data, b->n, sizeof *b->data, found_order);
    for (size_t i = 0; i < a->n; i++) {
        if (found_order(&a->data[i], &b->data[i]) != 0) return false;
        if (i > 0 && found_order(&a->data[i - 1], &a->data[i]) == 0) return false; /* twice */
    }
    return true;
}

/* ---- data ------------------------------------------------------------------------------------ */

typedef struct shape {
    uint32_t n_rows;
    uint64_t n_columns;
    unsigned low, high; /* per mille of the columns that a row has */
    uint32_t copies;    /* of each row, at most */
    uint32_t min_count; /* to begin with */
} shape;

static const shape shapes[] = {
    {1, 1, 1000, 1000, 1, 1},    {2, 3, 500, 1000, 1, 1},     {5, 64, 100, 900, 1, 1},
    {12, 65, 300, 900, 1, 2},    {13, 130, 500, 900, 1, 5},   {14, 511, 600, 950, 1, 60},
    {16, 513, 800, 1000, 2, 90}, {24, 200, 300, 800, 3, 10},  {30, 1000, 200, 900, 2, 60},
    {40, 512, 50, 700, 1, 20},   {64, 700, 100, 500, 1, 25},  {65, 1025, 300, 600, 4, 150},
    {100, 2000, 20, 300, 1, 60}, {130, 300, 50, 200, 1, 8},   {200, 5000, 100, 260, 1, 220},
    {300, 5000, 2, 60, 1, 6},    {300, 1500, 1, 40, 5, 5},    {20, 5000, 700, 980, 1, 2200},
    {18, 40, 900, 1000, 1, 30},  {257, 640, 150, 350, 1, 35}, {40, 20000, 50, 600, 2, 2500},
};

typedef struct input {
    product_root root;
    uint32_t *supports;
    uint64_t *rows;
    uint64_t *starts;
    uint32_t *items;
} input;

static void *take(size_t bytes) {
    void *memory = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!memory) exit(2);
    memset(memory, 0, (bytes + 127) / 64 * 64);
    return memory;
}

static bool bit_at(const uint64_t *row, uint64_t column) {
    return row[column / 64] >> column % 64 & 1;
}

/* The rows of a shape, copies of some, in order of support. */
static input input_make(const shape *s, uint64_t seed) {
    input in = {0};
    rng r = rng_make(seed, s->n_rows);
    size_t words = (size_t)(s->n_columns + LINE_BITS - 1) / LINE_BITS * LINE_BITS / 64;
    uint64_t *rows = take(s->n_rows * words * sizeof *rows);
    uint32_t counts[MAX_ROWS] = {0}, order[MAX_ROWS];
    for (uint32_t row = 0; row < s->n_rows; row++) {
        bool copy = row > 0 && rng_below(&r, s->copies) > 0;
        uint64_t from = row > 0 ? rng_below(&r, row) : 0;
        uint64_t chance = s->low + rng_below(&r, s->high - s->low + (uint64_t)1);
        for (uint64_t c = 0; c < s->n_columns; c++) {
            bool on = copy ? bit_at(rows + from * words, c) : rng_below(&r, 1000) < chance;
            if (on) rows[row * words + c / 64] |= (uint64_t)1 << c % 64;
            counts[row] += on;
        }
    }
    for (uint32_t i = 0; i < s->n_rows; i++) {
        uint32_t at = i;
        for (; at > 0 && counts[order[at - 1]] > counts[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    in.rows = take(s->n_rows * words * sizeof *rows);
    in.supports = take(s->n_rows * sizeof *in.supports);
    for (uint32_t i = 0; i < s->n_rows; i++) {
        memcpy(in.rows + i * words, rows + order[i] * words, words * sizeof *rows);
        in.supports[i] = counts[order[i]];
    }
    free(rows);
    in.root = (product_root){.n_rows = s->n_rows,
                             .supports = in.supports,
                             .n_columns = s->n_columns,
                             .rows = in.rows,
                             .row_words = words};
    return in;
}

/* Leaves out the rows below a support, as whoever opens a device must. */
static void input_drop(input *in, uint32_t min_count) {
    uint32_t n = 0;
    size_t words = in->root.row_words;
    while (n < in->root.n_rows && in->supports[n] < min_count) n++;
    in->root.n_rows -= n;
    memmove(in->supports, in->supports + n, in->root.n_rows * sizeof *in->supports);
    memmove(in->rows, in->rows + n * words, in->root.n_rows * words * sizeof *in->rows);
}

/* The same as lists. */
static product_root input_lists(input *in) {
    const product_root *root = &in->root;
    product_root lists = *root;
    uint64_t n = 0;
    for (uint32_t row = 0; row < root->n_rows; row++) n += in->supports[row];
    in->starts = take((root->n_columns + 1) * sizeof *in->starts);
    in->items = take(n * sizeof *in->items);
    n = 0;
    for (uint64_t c = 0; c < root->n_columns; c++) {
        in->starts[c] = n;
        for (uint32_t row = 0; row < root->n_rows; row++) {
            if (bit_at(in->rows + row * root->row_words, c)) in->items[n++] = row;
        }
    }
    in->starts[root->n_columns] = n;
    lists.rows = NULL;
    lists.row_words = 0;
    lists.starts = in->starts;
    lists.items = in->items;
    return lists;
}

static void input_free(input *in) {
    free(in->rows);
    free(in->supports);
    free(in->starts);
    free(in->items);
}

/* ---- what is wanted, by enumeration ---------------------------------------------------------- */

typedef struct brute {
    const input *in;
    uint32_t min_count;
    lode_target target;
    uint32_t items[MAX_ROWS], n;
    bool used[MAX_ROWS];
    uint64_t n_frequent;
    found_sets out;
} brute;

static uint32_t slow_count(const uint64_t *a, const uint64_t *b, size_t words) {
    uint32_t n = 0;
    for (size_t w = 0; w < words; w++) n += (uint32_t)__builtin_popcountll(a[w] & b[w]);
    return n;
}

static bool brute_wants(const brute *b, const uint64_t *set, uint32_t support) {
    size_t words = b->in->root.row_words;
    if (b->target == LODE_TARGET_ALL) return true;
    uint32_t most = b->target == LODE_TARGET_CLOSED ? support : b->min_count;
    for (uint32_t row = 0; row < b->in->root.n_rows; row++) {
        if (!b->used[row] && slow_count(set, b->in->rows + row * words, words) >= most)
            return false;
    }
    return true;
}

static void brute_extend(brute *b, const uint64_t *set, uint32_t first) {
    size_t words = b->in->root.row_words;
    uint64_t *next = take(words * sizeof *next);
    for (uint32_t row = first; row < b->in->root.n_rows && b->n_frequent <= MAX_SETS; row++) {
        const uint64_t *with = b->in->rows + row * words;
        for (size_t w = 0; w < words; w++) next[w] = with[w] & (set ? set[w] : UINT64_MAX);
        uint32_t support = slow_count(next, next, words);
        if (support < b->min_count) continue;
        b->n_frequent++;
        b->items[b->n++] = row;
        b->used[row] = true;
        if (brute_wants(b, next, support)) found_add(&b->out, b->items, b->n, support);
        brute_extend(b, next, row + 1);
        b->used[row] = false;
        b->n--;
    }
    free(next);
}

/* The lowest threshold from the given one on with not too many sets. */
static uint32_t find_threshold(const input *in, uint32_t min_count) {
    for (;; min_count += 1 + min_count / 8) {
        brute b = {.in = in, .min_count = min_count, .target = LODE_TARGET_ALL};
        brute_extend(&b, NULL, 0);
        free(b.out.data);
        if (b.n_frequent <= MAX_SETS) return min_count;
    }
}

/* ---- the driver ------------------------------------------------------------------------------ */

/* A class with its items by their numbers in the root. */
typedef struct level_class {
    uint32_t first, end, n_watched;
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
    product_how how;
    uint32_t min_count, max_size;
    rng r;
    found_sets out;
    bool fine;
    bool tight, refused; /* a budget may be too small, and was */
} driver;

#define DRIVER_CHECK(d, expression) ((d)->fine = CHECK(expression) && (d)->fine)

/* Whether to go on after a call. */
static bool drive_on(driver *d, lode_status status) {
    if (d->tight && status == LODE_BUDGET) {
        d->refused = true;
    } else {
        DRIVER_CHECK(d, status == LODE_OK);
    }
    return d->fine && !d->refused;
}

static void level_free(level *l) {
    free(l->items);
    free(l->supports);
    free(l->classes);
}

static const level_class *level_class_of(const level *l, uint32_t row) {
    const level_class *c = l->classes;
    while (row >= c->end) c++;
    return c;
}

/* Writes down a set, with all subsets of the free items, or with all of them. */
static void drive_add(driver *d, const uint32_t *items, uint32_t n, const uint32_t *free_items,
                      uint32_t n_free, uint32_t support) {
    uint32_t set[2 * MAX_ROWS];
    memcpy(set, items, n * sizeof *set);
    if (d->how.target != LODE_TARGET_ALL) {
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

/* What the header says about a row that was counted. */
typedef struct drive_row {
    uint32_t row, support;
    const level_class *of;
    const uint32_t *partners, *supports;
    uint32_t n, n_perfect, n_watched;
    bool subsumed, is_cube, is_child;
    uint32_t free_items[MAX_ROWS], n_free; /* those of the class, and the perfect partners */
} drive_row;

static void drive_look_at(driver *d, const level *l, const product_counted *got, uint32_t more,
                          uint32_t row, drive_row *r) {
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
        DRIVER_CHECK(d, partner > row || d->how.target != LODE_TARGET_ALL);
        DRIVER_CHECK(d, r->supports[i] >= d->min_count && r->supports[i] <= r->support);
        bool perfect = r->supports[i] == r->support;
        if (perfect) r->free_items[r->n_free++] = l->items[partner];
        r->n_perfect += perfect;
        r->n_watched += !perfect && partner < row;
        r->subsumed = r->subsumed || (perfect && partner < row);
    }
    uint32_t others = r->n - r->n_perfect - r->n_watched;
    uint32_t k = got->beside ? others : others + r->n_watched;
    bool leads_on = more >= 2 && !r->subsumed && others > 0;
    r->is_cube = leads_on && k <= got->cube;
    r->is_child = leads_on && k > got->cube;
}

/* The results of count() for one row. */
static void drive_take_row(driver *d, const level *l, const drive_row *r, uint32_t more) {
    uint32_t set[MAX_ROWS], n = r->of->n_prefix;
    bool wanted = !r->subsumed && (d->how.target != LODE_TARGET_MAXIMAL || r->n == r->n_perfect);
    memcpy(set, r->of->prefix, n * sizeof *set);
    set[n++] = l->items[r->row];
    if (wanted) drive_add(d, set, n, r->free_items, r->n_free, r->support);
    for (uint32_t i = 0; i < r->n && more == 1; i++) {
        if (r->supports[i] == r->support) continue;
        set[n] = l->items[r->partners[i]];
        drive_add(d, set, n + 1, r->free_items, r->n_free, r->supports[i]);
    }
}

/* The sets of one cube. */
static void drive_take_cube(driver *d, const level *l, const drive_row *r, const uint32_t *sets,
                            const uint32_t *supports, uint64_t n_sets) {
    uint32_t items[PRODUCT_CUBE], k = 0, set[MAX_ROWS], n = r->of->n_prefix;
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

static void drive(driver *d, const level *l, uint32_t depth, uint32_t first, uint32_t end);

/* Adds the class that a row leads to. */
static void level_add(level *to, const level *from, const drive_row *r) {
    to->classes = realloc(to->classes, (to->n_classes + (size_t)1) * sizeof *to->classes);
    size_t n = to->n_rows + (size_t)r->n;
    to->items = realloc(to->items, (n + 1) * sizeof *to->items);
    to->supports = realloc(to->supports, (n + 1) * sizeof *to->supports);
    if (!to->classes || !to->items || !to->supports) exit(2);
    level_class *c = &to->classes[to->n_classes++];
    *c = (level_class){.first = to->n_rows, .n_watched = r->n_watched};
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

static void drive_cubes(driver *d, const level *l, const drive_row *rows, uint32_t n) {
    product_cubes got;
    for (uint32_t first = 0; first < n && d->fine; first = got.end) {
        if (!drive_on(d, d->products->cubes(d->device, first, &got))) return;
        DRIVER_CHECK(d, got.first == first && got.end > first && got.end <= n);
        for (uint32_t i = first; i < got.end && d->fine && d->how.fetch; i++) {
            uint64_t from = i > first ? got.ends[i - first - 1] : 0;
            if (!DRIVER_CHECK(d, got.rows[i - first] == rows[i].row)) return;
            drive_take_cube(d, l, &rows[i], got.sets + from, got.supports + from,
                            got.ends[i - first] - from);
        }
    }
}

static void drive_children(driver *d, const level *l, const drive_row *rows, uint32_t n,
                           uint32_t depth) {
    uint32_t end = 0, n_rows = 0;
    for (uint32_t first = 0; first < n && d->fine && !d->refused; first = end) {
        level below = {0};
        if (!drive_on(d, d->products->push(d->device, first, &end, &n_rows))) return;
        if (!DRIVER_CHECK(d, end > first && end <= n)) return;
        for (uint32_t i = first; i < end && d->how.fetch; i++) level_add(&below, l, &rows[i]);
        DRIVER_CHECK(d, !d->how.fetch || below.n_rows == n_rows);
        if (d->fine) drive(d, &below, depth + 1, 0, n_rows);
        d->products->pop(d->device);
        level_free(&below);
    }
}

/* What was counted with `fetch`: everything about it is looked at. */
static void drive_counted(driver *d, const level *l, const product_counted *got, uint32_t more,
                          uint32_t depth) {
    uint32_t n = got->end - got->first, n_cubes = 0, n_children = 0;
    uint64_t n_subsumed = 0;
    /* The arrays are valid until the next call only. */
    uint64_t *ends = take(n * sizeof *ends);
    uint32_t *partners = take(got->n_partners * sizeof *partners);
    uint32_t *supports = take(got->n_partners * sizeof *supports);
    drive_row *cubes = take(n * sizeof *cubes), *children = take(n * sizeof *children);
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
    DRIVER_CHECK(d, got->cube > 0 && got->cube <= PRODUCT_CUBE);
    for (uint32_t row = got->first; row < got->end && d->fine; row++) {
        drive_look_at(d, l, &kept, more, row, r);
        if (row < r->of->first + r->of->n_watched) {
            DRIVER_CHECK(d, r->n == 0);
            continue;
        }
        n_subsumed += r->subsumed;
        drive_take_row(d, l, r, more);
        if (r->is_cube) cubes[n_cubes++] = *r;
        if (r->is_child) children[n_children++] = *r;
    }
    DRIVER_CHECK(d, got->n_subsumed == n_subsumed);
    DRIVER_CHECK(d, got->n_cubes == n_cubes && got->n_children == n_children);
    drive_cubes(d, l, cubes, n_cubes);
    drive_children(d, l, children, n_children, depth);
    free(ends);
    free(partners);
    free(supports);
    free(cubes);
    free(children);
    free(r);
}

static void drive(driver *d, const level *l, uint32_t depth, uint32_t first, uint32_t end) {
    product_counted got;
    for (; first < end && d->fine && !d->refused; first = got.end) {
        product_ask ask = {.first = first, .end = end, .min_count = d->min_count};
        ask.more = UINT32_MAX;
        if (d->how.target == LODE_TARGET_ALL && d->max_size != UINT32_MAX) {
            ask.more = d->max_size - depth - 1;
        }
        if (rng_below(&d->r, 3) == 0) ask.end = first + 1 + (uint32_t)rng_below(&d->r, end - first);
        if (!drive_on(d, d->products->count(d->device, &ask, &got))) return;
        if (!DRIVER_CHECK(d, got.first == first && got.end > first && got.end <= ask.end)) return;
        if (d->how.fetch) {
            drive_counted(d, l, &got, ask.more, depth);
        } else {
            uint32_t n_cubes = got.n_cubes, n_children = got.n_children;
            drive_cubes(d, l, NULL, n_cubes);
            drive_children(d, l, NULL, n_children, depth);
        }
    }
}

/* Rows of the root in some order of ranges, as consumers that share them would take them. */
static void drive_root(driver *d, const product_root *root) {
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

/* ---- one run --------------------------------------------------------------------------------- */

#define GPU_BYTES ((uint64_t)64 << 20) /* budget there: to take more takes time */

typedef struct place {
    lode_job *job;
    backend_slot slot;
    const char *name;
} place;

static bool is_cpu(const place *p) {
    return p->slot.backend == backend_at(0);
}

/* Sets by size, from a tally. */
static void tally_sizes(const uint64_t *tally, bool whole, uint32_t max_size, uint64_t *sizes) {
    for (uint32_t size = 0; size < PRODUCT_SIZES; size++) {
        for (uint32_t n_free = 0; n_free < PRODUCT_SIZES; n_free++) {
            uint64_t n = tally[size * PRODUCT_SIZES + n_free], choose = 1;
            for (uint32_t j = whole ? n_free : 0; j <= n_free && n > 0; j++) {
                if (size + j <= max_size && size + j < MAX_ROWS) sizes[size + j] += n * choose;
                choose = whole ? 0 : choose * (n_free - j) / (j + 1);
            }
        }
    }
}

static void check_tally(driver *d, const found_sets *want) {
    uint64_t *tally = take((size_t)PRODUCT_SIZES * PRODUCT_SIZES * sizeof *tally);
    uint64_t got[MAX_ROWS] = {0}, wanted[MAX_ROWS] = {0};
    DRIVER_CHECK(d, d->products->tally(d->device, tally) == LODE_OK);
    tally_sizes(tally, d->how.target != LODE_TARGET_ALL, d->max_size, got);
    for (size_t i = 0; i < want->n; i++) wanted[want->data[i].size]++;
    DRIVER_CHECK(d, memcmp(got, wanted, sizeof got) == 0);
    /* Each result is told once. */
    memset(tally, 0, (size_t)PRODUCT_SIZES * PRODUCT_SIZES * sizeof *tally);
    DRIVER_CHECK(d, d->products->tally(d->device, tally) == LODE_OK);
    for (size_t i = 0; i < (size_t)PRODUCT_SIZES * PRODUCT_SIZES; i++) d->fine &= tally[i] == 0;
    DRIVER_CHECK(d, d->fine);
    free(tally);
}

static void check_report(driver *d, uint64_t n_sets) {
    product_report report = d->products->report(d->device);
    uint64_t rows = 0, cubes = 0;
    for (unsigned i = 0; i < PRODUCT_DEPTHS; i++) {
        rows += report.depths[i].rows;
        cubes += report.depths[i].cubes;
    }
    DRIVER_CHECK(d, report.kernel[0] != 0);
    DRIVER_CHECK(d, n_sets == 0 || d->max_size == 1 || rows > 0);
    DRIVER_CHECK(d, cubes <= rows);
}

/* Keeps what is not larger than a size. */
static found_sets sets_up_to(const found_sets *all, uint32_t max_size) {
    found_sets few = {0};
    few.data = take((all->n + 1) * sizeof *few.data);
    for (size_t i = 0; i < all->n; i++) {
        if (all->data[i].size <= max_size) few.data[few.n++] = all->data[i];
    }
    return few;
}

/* Runs once; false if the device has no such kernel. */
static bool check_run(const place *p, const product_root *root, product_how how, uint32_t min_count,
                      uint32_t max_size, const found_sets *all, uint64_t seed) {
    driver d = {.products = p->slot.backend->products,
                .how = how,
                .min_count = min_count,
                .max_size = max_size,
                .r = rng_make(seed, how.step),
                .fine = true};
    found_sets want = sets_up_to(all, max_size);
    lode_status opened = d.products->open(p->job, p->slot.index, 1, root, &how, &d.device);
    if (opened == LODE_OK) {
        drive_root(&d, root);
        if (d.fine && how.fetch) DRIVER_CHECK(&d, found_equal(&d.out, &want));
        if (d.fine && !how.fetch) check_tally(&d, &want);
        check_report(&d, want.n);
        d.products->close(d.device);
    } else if (how.kernel == PRODUCT_AUTO || opened != LODE_UNSUPPORTED) {
        DRIVER_CHECK(&d, opened == LODE_OK);
    }
    if (!d.fine) {
        fprintf(stderr,
                "  %s: %u rows, %" PRIu64
                " columns, %s, target %d, support %u, sizes to %u, kernel "
                "%d, step %u, cubes of %u, %s: %zu of %zu sets; %s\n",
                p->name, root->n_rows, root->n_columns, root->rows ? "bits" : "lists",
                (int)how.target, min_count, max_size, (int)how.kernel, how.step, how.cube,
                how.fetch ? "sets" : "numbers", d.out.n, want.n, lode_job_error(p->job));
    }
    free(d.out.data);
    free(want.data);
    return opened != LODE_UNSUPPORTED;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

static const char *only_shape; /* LODE_TEST_SHAPE */

static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL};
static const product_kernel kernels[] = {PRODUCT_AUTO, PRODUCT_POPC, PRODUCT_MMA, PRODUCT_WGMMA};
/* Below 100, a GPU also takes the root in slices; single steps would take it too long. */
static const uint32_t cpu_steps[] = {0, 1, 50}, gpu_steps[] = {0, 60, 400};
static const uint32_t max_sizes[] = {UINT32_MAX, 1, 2, 3, 5};
static const uint32_t cubes[] = {0, PRODUCT_CUBE, 13};

/* On a GPU, where time is short, not all: lists are not multiplied, and `auto` is one of the
 * others. */
static bool is_tried(const place *p, const product_root *root, product_kernel kernel) {
    if (is_cpu(p)) return true;
    if (only_shape) return kernel == PRODUCT_MMA;
    return root->rows ? kernel != PRODUCT_AUTO : kernel == PRODUCT_AUTO;
}

/* All kernels, steps and kinds of result on one root; sizes in turn. */
static void check_ways(const place *p, const product_root *root, lode_target target,
                       uint32_t min_count, const found_sets *all, uint64_t seed) {
    const uint32_t *steps = is_cpu(p) ? cpu_steps : gpu_steps;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        if (!is_tried(p, root, kernels[k])) continue;
        for (size_t way = 0; way < 6; way++) {
            product_how how = {.target = target,
                               .kernel = kernels[k],
                               .fetch = way % 2 == 0,
                               .step = steps[way / 2],
                               .cube = cubes[(seed + way / 2 + k) % 3]};
            uint32_t most = UINT32_MAX;
            if (target == LODE_TARGET_ALL) most = max_sizes[(seed + way + k) % 5];
            if (!check_run(p, root, how, min_count, most, all, seed + way)) break;
        }
    }
}

static void check_shape(const place *p, const shape *s, uint64_t seed) {
    input in = input_make(s, seed);
    uint32_t min_count = find_threshold(&in, s->min_count);
    input_drop(&in, min_count);
    product_root lists = input_lists(&in);
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        brute b = {.in = &in, .min_count = min_count, .target = targets[t]};
        brute_extend(&b, NULL, 0);
        if (in.root.n_rows > 0) {
            check_ways(p, &in.root, targets[t], min_count, &b.out, seed);
            check_ways(p, &lists, targets[t], min_count, &b.out, seed + 1);
        }
        free(b.out.data);
    }
    input_free(&in);
}

static const place *here;

static void test_shapes(void) {
    unsigned done = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i += STEP) {
        if (only_shape && i != strtoul(only_shape, NULL, 10)) continue;
        done++;
        unsigned n_seeds = is_cpu(here) ? N_SEEDS : 1;
        for (uint64_t seed = 0; seed < n_seeds; seed++) check_shape(here, &shapes[i], seed);
    }
    CHECK(done > 0);
}

/* Copies of one row: all but the first are perfect. Numbers of 64 are too large for a tally. */
static void check_copies(uint32_t n, lode_target target) {
    const shape s = {n, 100, 500, 500, 1000000, 1};
    input in = input_make(&s, n);
    uint64_t *tally = take((size_t)PRODUCT_SIZES * PRODUCT_SIZES * sizeof *tally);
    driver d = {.products = here->slot.backend->products,
                .how = {.target = target},
                .min_count = 1,
                .max_size = UINT32_MAX,
                .fine = true};
    if (CHECK(d.products->open(here->job, here->slot.index, 1, &in.root, &d.how, &d.device) ==
              LODE_OK)) {
        level l = {.n_rows = n};
        drive(&d, &l, 0, 0, n);
        lode_status status = d.products->tally(d.device, tally);
        CHECK_EQUAL(status, n > PRODUCT_SIZES ? LODE_UNSUPPORTED : LODE_OK);
        if (status == LODE_OK) CHECK_EQUAL(tally[PRODUCT_SIZES + n - 1], 1);
        d.products->close(d.device);
    }
    free(tally);
    input_free(&in);
}

static void test_copies(void) {
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        check_copies(2, targets[t]);
        check_copies(PRODUCT_SIZES, targets[t]);
        check_copies(PRODUCT_SIZES + 1, targets[t]);
        check_copies(130, targets[t]);
    }
}

/* Whatever the budget of the host, or of the GPU: all sets, or a refusal, and never more memory
 * than that. */
static void test_budgets(void) {
    const shape s = {90, 900, 150, 450, 2, 40};
    input in = input_make(&s, 3);
    uint32_t min_count = find_threshold(&in, s.min_count);
    input_drop(&in, min_count);
    product_root lists = input_lists(&in);
    unsigned refused = 0, done = 0;
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        brute b = {.in = &in, .min_count = min_count, .target = targets[t]};
        brute_extend(&b, NULL, 0);
        for (double kib = 40; kib < 1000; kib *= 1.06) {
            lode_job *job = NULL;
            lode_job_options o = {.size = sizeof o, .device = here->name, .threads = 1};
            if (is_cpu(here)) {
                o.memory_bytes = (uint64_t)(kib * 1024);
            } else {
                o.device_memory_bytes = (uint64_t)(kib * 1024) * 60;
            }
            driver d = {
                .products = here->slot.backend->products,
                .how = {.target = targets[t], .fetch = true, .cube = cubes[(done + refused) % 3]},
                .min_count = min_count,
                .max_size = UINT32_MAX,
                .fine = true,
                .tight = true};
            const product_root *root = done % 2 ? &in.root : &lists;
            if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
            lode_status status =
                d.products->open(job, here->slot.index, 1, root, &d.how, &d.device);
            if (drive_on(&d, status)) drive_root(&d, root);
            if (!d.refused && !CHECK(found_equal(&d.out, &b.out))) {
                fprintf(stderr, "  %.0f KiB, target %d, %s: %zu of %zu sets; %s\n", kib,
                        (int)targets[t], root->rows ? "bits" : "lists", d.out.n, b.out.n,
                        lode_job_error(job));
            }
            *(d.refused ? &refused : &done) += 1;
            if (status == LODE_OK) d.products->close(d.device);
            CHECK(!is_cpu(here) || (double)lode_ctx_memory_peak(lode_job_ctx(job)) <= kib * 1024);
            CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
            lode_job_free(job);
            free(d.out.data);
        }
        free(b.out.data);
    }
    printf("    %u times refused, %u times done\n", refused, done);
    CHECK(done > 0 && (refused > 0 || strcmp(here->slot.backend->name, "cpu") != 0));
    input_free(&in);
}

/* ---- devices --------------------------------------------------------------------------------- */

static void run_on(const char *device) {
    place p = {.job = mining_job(device), .name = device};
    backend_plan *plan = take(sizeof *plan);
    if (CHECK(backend_make_plan(p.job, device, plan) == LODE_OK)) {
        p.slot = plan->slots[0];
        p.job->device_memory = GPU_BYTES;
        here = &p;
        printf("%s\n", plan->text);
        if (CHECK(p.slot.backend->products != NULL)) {
            CHECK_RUN(test_shapes);
            if (!only_shape) {
                CHECK_RUN(test_copies);
                CHECK_RUN(test_budgets);
            }
        }
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(p.job)), 0);
    }
    free(plan);
    lode_job_free(p.job);
}

int main(void) {
    static const char *const defaults[] = {"cpu"};
    char done[16][64] = {{0}};
    only_shape = getenv("LODE_TEST_SHAPE");
    for (size_t i = 0; i < 16; i++) {
        const char *device = mining_device(defaults, 1, i);
        snprintf(done[i], sizeof done[i], "%s", device);
        if (i > 0 && strcmp(done[0], done[i]) == 0) break; /* all were here */
        run_on(done[i]);
    }
    return check_result();
}
