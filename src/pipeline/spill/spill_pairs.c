/* spill_pairs.c - see spill_pairs.h
 *
 * A root has a counter for each item before it and, if rarer items are needed, for each item after
 * the last root. So a pair of two roots has one counter, that of the rarer root.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/spill/spill_pairs.h"

#include "pipeline/spill/spill_roots.h"
#include "pipeline/spill/spill_rows.h"

typedef struct pair_table {
    spill_job *s;
    const spill_part *part;
    const spill_counts *c;
    spill_pairs *p;
    uint32_t *counts;
    uint32_t *row;    /* the places of a transaction */
    uint64_t *within; /* by place: at most this often with a root of the group */
    mem_kept kept;    /* these arrays */
} pair_table;

/* ---- counters -------------------------------------------------------------------------------- */

/* Items after the last root that have counters with every root. */
static uint32_t pair_tail(const spill_job *s, const spill_pairs *p) {
    return s->cut ? 0 : p->n - p->end;
}

/* Where the counters of a root begin: those of the items before it come first. */
static size_t pair_start(const spill_job *s, const spill_pairs *p, uint32_t place) {
    size_t k = place - p->first;
    return k * p->first + k * (k - (k > 0)) / 2 + k * pair_tail(s, p);
}

/* The counter of a root with another item that has one. */
static uint32_t pair_count(const pair_table *t, uint32_t root, uint32_t other) {
    const spill_pairs *p = t->p;
    if (other > root && other < p->end) {
        uint32_t swap = root;
        root = other;
        other = swap;
    }
    size_t start = pair_start(t->s, p, root);
    return t->counts[other < root ? start + other : start + root + (other - p->end)];
}

static bool pair_is_root(const pair_table *t, uint32_t place) {
    return spill_is_root(t->s, t->p->numbers[place]);
}

/* An item that is no root, though it lies among them: with the roots before it. */
static void pair_add_other(const pair_table *t, uint32_t i, uint32_t weight) {
    uint32_t *counts = t->counts + pair_start(t->s, t->p, t->row[i]);
    for (uint32_t k = 0; k < i; k++) {
        if (t->row[k] >= t->p->first && pair_is_root(t, t->row[k])) counts[t->row[k]] += weight;
    }
}

static void pair_add_row(const pair_table *t, const spill_rows *r) {
    const spill_pairs *p = t->p;
    uint32_t n = 0, roots, *row = t->row;
    for (; n < r->n; n++) row[n] = p->places[r->items[n]];
    for (roots = n; roots > 0 && row[roots - 1] >= p->first; roots--) continue;
    uint32_t end = n;
    while (end > roots && row[end - 1] >= p->end) end--;
    for (uint32_t i = roots; i < end; i++) {
        if (!pair_is_root(t, row[i])) {
            if (!t->s->cut) pair_add_other(t, i, r->weight);
            continue;
        }
        uint32_t *counts = t->counts + pair_start(t->s, p, row[i]);
        for (uint32_t k = 0; k < i; k++) counts[row[k]] += r->weight;
        if (t->s->cut) continue;
        counts += row[i];
        for (uint32_t k = end; k < n; k++) counts[row[k] - p->end] += r->weight;
    }
}

static lode_status pair_count_rows(const pair_table *t) {
    lode_status status = LODE_OK;
    spill_rows rows;
    bool more = true;
    spill_rows_open(&rows, t->s, t->part, t->c);
    for (;;) {
        LODE_TRY(spill_rows_next(&rows, &more));
        if (!more) break;
        pair_add_row(t, &rows);
    }
done:
    spill_rows_close(&rows);
    return status;
}

/* ---- partners -------------------------------------------------------------------------------- */

/* Whether a root and another item can have a counter at all. */
static bool pair_is_counted(const pair_table *t, uint32_t root, uint32_t other) {
    return other != root && (!t->s->cut || other < root);
}

static void pair_mark_partners(const pair_table *t) {
    const spill_pairs *p = t->p;
    uint64_t least = spill_least(t->s);
    for (uint32_t root = p->first; root < p->end; root++) {
        uint64_t *bits = p->partners + (size_t)(root - p->first) * p->words;
        if (!pair_is_root(t, root)) continue;
        bits[root / 64] |= (uint64_t)1 << root % 64;
        for (uint32_t k = 0; k < p->n; k++) {
            if (!pair_is_counted(t, root, k) || pair_count(t, root, k) < least) continue;
            bits[k / 64] |= (uint64_t)1 << k % 64;
        }
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

static uint32_t pair_support(const pair_table *t, uint32_t place) {
    return t->c->supports[t->p->numbers[place]];
}

/* Adds `more` occurrences of an item with roots of the group; the size of the group grows. */
static void pair_widen(const pair_table *t, uint32_t place, uint64_t more, spill_size *size) {
    uint64_t most = pair_support(t, place), before = t->within[place];
    uint64_t now = before + more < most ? before + more : most;
    t->within[place] = now;
    size->n_kinds += before == 0 && now > 0;
    size->n_items += now - before;
}

/* Adds a root to the group. */
static void pair_add_root(const pair_table *t, uint32_t root, spill_size *size) {
    const spill_pairs *p = t->p;
    const uint64_t *bits = spill_partners(p, root);
    uint64_t support = pair_support(t, root);
    size->n_rows += support;
    if (size->n_rows > t->c->n_rows) size->n_rows = t->c->n_rows;
    for (uint32_t w = 0; w < p->words; w++) {
        for (uint64_t word = bits[w]; word != 0; word &= word - 1) {
            uint32_t k = w * 64 + (uint32_t)__builtin_ctzll(word);
            pair_widen(t, k, k == root ? support : pair_count(t, root, k), size);
        }
    }
}

/* Returns the first root of the largest group that ends before `end` and fits; the group has at
 * least one root. A part that is already on disk is divided into at least two groups. With room
 * NULL, everything fits. */
static uint32_t pair_reach(const pair_table *t, uint32_t end, const uint64_t *room,
                           spill_size *size) {
    const spill_pairs *p = t->p;
    uint32_t first = end - 1, least = p->first + (t->part->run && end == p->end);
    memset(t->within, 0, p->n * sizeof *t->within);
    *size = (spill_size){0};
    pair_add_root(t, first, size);
    while (first > least && !spill_begins(t->s, p->numbers[first])) {
        spill_size larger = *size;
        if (pair_is_root(t, first - 1)) pair_add_root(t, first - 1, &larger);
        if (room && !spill_fits(t->s, *room, larger.n_rows, larger.n_items, larger.n_kinds)) break;
        *size = larger;
        first--;
    }
    /* The most bytes on disk: a length and a weight for each row, and every item. */
    uint64_t row = spool_varint_bytes(t->s->whole->profile.longest) + (t->s->weighted ? 2 : 0);
    size->n_bytes = size->n_rows * row + size->n_items * spool_varint_bytes(t->s->n);
    return first;
}

static void pair_take_groups(const pair_table *t, uint64_t room, spill_groups *out) {
    const spill_pairs *p = t->p;
    spill_size size;
    for (uint32_t end = p->end, first; end > p->first; end = first) {
        first = end - 1;
        if (!pair_is_root(t, end - 1)) continue;
        bool last = out->n + 1 == SPILL_BINS; /* all that is left; it will be divided again */
        first = pair_reach(t, end, last ? NULL : &room, &size);
        out->list[out->n++] =
            (spill_group){.first = p->numbers[first], .end = p->numbers[end - 1] + 1, .size = size};
        out->n_bytes += size.n_bytes;
        out->n_items += size.n_items;
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static void pair_number(spill_pairs *p, const spill_part *part, const spill_counts *c, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (i == part->first) p->first = p->n;
        if (i == part->end) p->end = p->n;
        if (c->supports[i] == 0) continue;
        p->places[i] = p->n;
        p->numbers[p->n++] = i;
    }
    if (part->end == n) p->end = p->n;
}

static lode_status pair_open(spill_job *s, const spill_part *part, const spill_counts *c,
                             spill_pairs *p) {
    lode_status status = LODE_OK;
    mem *m = s->mem;
    LODE_TRY(mem_keep(m, &p->kept, (void **)&p->places, s->n * sizeof *p->places));
    LODE_TRY(mem_keep(m, &p->kept, (void **)&p->numbers, (c->n_items + 1u) * sizeof *p->numbers));
    pair_number(p, part, c, s->n);
    p->words = (p->n + 63) / 64;
    size_t bytes = (size_t)c->n_within * p->words * sizeof *p->partners;
    status = mem_keep_zero(m, &p->kept, (void **)&p->partners, bytes);
done:
    return status;
}

/* Whether counters and bits take a bearable share of the memory. */
static bool pair_fits(const spill_job *s, const spill_counts *c) {
    size_t left = mem_left(s->mem), n = c->n_items, roots = c->n_within;
    if (n > SPILL_PAIR_ITEMS || s->job->spill_by_order) return false;
    size_t counters = roots * (n - roots) + roots * (roots - (roots > 0)) / 2;
    size_t bytes = counters * sizeof(uint32_t) + roots * (n / 64 + 1) * sizeof(uint64_t);
    return left == SIZE_MAX || bytes <= left / SPILL_PAIR_SHARE;
}

static lode_status pair_table_open(pair_table *t) {
    lode_status status = LODE_OK;
    mem *m = t->s->mem;
    const spill_pairs *p = t->p;
    size_t bytes = pair_start(t->s, p, p->end) * sizeof *t->counts, n = p->n + 1u;
    LODE_TRY(mem_keep_zero(m, &t->kept, (void **)&t->counts, bytes));
    LODE_TRY(mem_keep(m, &t->kept, (void **)&t->row, n * sizeof *t->row));
    LODE_TRY(mem_keep(m, &t->kept, (void **)&t->within, n * sizeof *t->within));
done:
    return status;
}

lode_status spill_choose_by_pairs(spill_job *s, const spill_part *part, const spill_counts *c,
                                  spill_pairs *p, spill_groups *out) {
    lode_status status = LODE_OK;
    pair_table t = {.s = s, .part = part, .c = c, .p = p};
    *p = (spill_pairs){0};
    if (!pair_fits(s, c)) return LODE_OK;
    LODE_TRY(pair_open(s, part, c, p));
    uint64_t room = spill_room(s);
    LODE_TRY(pair_table_open(&t));
    LODE_TRY(pair_count_rows(&t));
    pair_mark_partners(&t);
    pair_take_groups(&t, room, out);
    p->known = true;
done:
    mem_drop(s->mem, &t.kept);
    return status;
}

void spill_pairs_free(spill_job *s, spill_pairs *p) {
    mem_drop(s->mem, &p->kept);
    *p = (spill_pairs){0};
}
