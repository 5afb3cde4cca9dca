/* families.c - see families.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/families.h"

#include "base/sort.h"

void families_free(families *f, mem *m) {
    vec_u32_free(m, &f->fixed);
    vec_char_free(m, &f->left);
    vec_char_free(m, &f->right);
}

/* ---- the items ----------------------------------------------------------------------------- */

static void family_insert_free(families *f, uint32_t id, uint32_t bit) {
    uint32_t at = f->n_free++;
    for (; at > 0 && f->free[at - 1].id > id; at--) f->free[at] = f->free[at - 1];
    f->free[at] = (family_item){id, bit};
}

static lode_status family_take_items(families *f, const sink_lattice *from) {
    mem *m = f->lines->labels.mem;
    f->fixed.n = 0;
    lode_status status = vec_u32_reserve(m, &f->fixed, from->n_prefix + (size_t)1);
    if (status != LODE_OK) return status;
    for (uint32_t i = 0; i < from->n_prefix; i++) f->fixed.data[i] = from->prefix[i];
    f->fixed.n = from->n_prefix;
    sort_u32(f->fixed.data, f->fixed.n);
    f->n_free = 0;
    for (uint32_t i = 0; i < from->n_perfect; i++) family_insert_free(f, from->perfect[i], 0);
    for (uint32_t i = 0; i < from->n_items; i++)
        family_insert_free(f, from->items[i], (uint32_t)1 << i);
    f->n_left = f->n_free > FAMILY_RIGHT ? f->n_free - FAMILY_RIGHT : 0;
    return LODE_OK;
}

static size_t family_bytes(const families *f) {
    size_t bytes = 0;
    for (size_t i = 0; i < f->fixed.n; i++)
        bytes += f->lines->labels.items[f->fixed.data[i]].length;
    for (uint32_t i = 0; i < f->n_free; i++) bytes += f->lines->labels.items[f->free[i].id].length;
    return bytes;
}

/* ---- tails --------------------------------------------------------------------------------- */

char *families_new_tail(families *f, char *to, uint32_t size, uint64_t support) {
    family_tail *known = &f->tails[support % FAMILY_TAILS];
    char *end = f->lines->format->put_tail(f->lines, to, size, support);
    size_t bytes = (size_t)(end - to);
    if (bytes <= sizeof known->text && f->lines->format->has_plain_tails) {
        known->support = support;
        known->bytes = (uint32_t)bytes;
        memcpy(known->text, to, bytes);
    }
    return end;
}

/* ---- the right side ------------------------------------------------------------------------ */

static void right_append(families *f, uint32_t at, uint32_t id) {
    family_right *r = &f->rights[at];
    char *to = f->right.data + at * f->stride + r->bytes;
    label_copy(&f->lines->labels, to, id);
    r->bytes += f->lines->labels.items[id].length;
    r->size++;
}

/* Adds a free item: every text once without and once with it. */
static void right_double(families *f, family_item item) {
    uint32_t n = f->n_rights;
    for (uint32_t i = 0; i < n; i++) {
        f->rights[n + i] = f->rights[i];
        f->rights[n + i].index |= item.bit;
        label_copy_text(f->right.data + (n + i) * f->stride, f->right.data + i * f->stride,
                        f->rights[i].bytes);
        right_append(f, n + i, item.id);
    }
    f->n_rights = 2 * n;
}

/* Builds the texts, from the first free item of the right side to the end. */
static size_t right_build(families *f) {
    size_t fixed = 0;
    f->n_rights = 1;
    f->rights[0] = (family_right){0};
    uint32_t first = f->n_free > 0 ? f->free[f->n_left].id : 0;
    while (f->n_free > 0 && fixed < f->fixed.n && f->fixed.data[fixed] < first) fixed++;
    size_t left_fixed = fixed;
    for (uint32_t i = f->n_left; i < f->n_free || fixed < f->fixed.n;) {
        bool is_free =
            i < f->n_free && (fixed == f->fixed.n || f->free[i].id < f->fixed.data[fixed]);
        if (is_free) {
            right_double(f, f->free[i++]);
            continue;
        }
        for (uint32_t k = 0; k < f->n_rights; k++) right_append(f, k, f->fixed.data[fixed]);
        fixed++;
    }
    return left_fixed;
}

/* ---- the left side, and lines -------------------------------------------------------------- */

typedef struct family_walk {
    families *f;
    const families_out *out;
    size_t n_fixed; /* of the left side */
} family_walk;

static inline char *family_put_line(families *f, char *to, const family_right *r, size_t left_bytes,
                                    size_t at) {
    to = label_copy_text(to, f->left.data, left_bytes);
    return label_copy_text(to, f->right.data + at * f->stride, r->bytes);
}

/* Which texts of the right side make a frequent set. */
static uint32_t family_pick_rights(const families *f, uint32_t index, uint8_t *picked) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_rights; i++) {
        picked[n] = (uint8_t)i;
        n += f->supports[index | f->rights[i].index] >= f->min;
    }
    return n;
}

/* A left side. */
typedef struct family_left {
    size_t bytes;
    uint32_t index, size;
} family_left;

/* Writes the items of n patterns consecutively; their other numbers go elsewhere. */
static char *family_put_rows(family_walk *w, char *to, const family_left *left,
                             const uint8_t *picked, uint32_t n) {
    families *f = w->f;
    uint32_t sizes[FAMILY_RIGHTS], supports[FAMILY_RIGHTS];
    for (uint32_t i = 0; i < n; i++) {
        const family_right *r = &f->rights[picked[i]];
        to = family_put_line(f, to, r, left->bytes, picked[i]);
        sizes[i] = left->size + r->size;
        supports[i] = f->supports[left->index | r->index];
    }
    w->out->rows(w->out->user, sizes, supports, n);
    return to;
}

static char *family_put_lines(families *f, char *to, const family_left *left, const uint8_t *picked,
                              uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        const family_right *r = &f->rights[picked[i]];
        to = family_put_line(f, to, r, left->bytes, picked[i]);
        uint32_t support = f->supports[left->index | r->index];
        to = families_put_tail(f, to - 1, left->size + r->size, support); /* no last separator */
    }
    return to;
}

static lode_status family_write_lines(family_walk *w, const family_left *left) {
    families *f = w->f;
    uint8_t picked[FAMILY_RIGHTS];
    char *to = NULL;
    uint32_t n = family_pick_rights(f, left->index, picked);
    size_t line_bytes = left->bytes + f->stride + LINES_MORE_MAX;
    lode_status status = w->out->room(w->out->user, n * line_bytes, &to);
    if (status != LODE_OK) return status;
    to = w->out->rows ? family_put_rows(w, to, left, picked, n)
                      : family_put_lines(f, to, left, picked, n);
    w->out->used(w->out->user, to);
    return LODE_OK;
}

/* Writes the lines of all subsets of the remaining free items, from number `at` on; `fixed` is the
 * next fixed item. The recursion is at most FAMILY_FREE deep. */
static lode_status family_walk_left(family_walk *w, uint32_t at, size_t fixed, size_t bytes,
                                    uint32_t index, uint32_t size) {
    families *f = w->f;
    const lines *l = f->lines;
    if (index != 0 && !f->has_gaps && f->supports[index] < f->min) return LODE_OK;
    uint32_t next = at < f->n_left ? f->free[at].id : UINT32_MAX;
    for (; fixed < w->n_fixed && f->fixed.data[fixed] < next; fixed++, size++) {
        char *to = f->left.data + bytes;
        bytes += (size_t)(label_copy(&l->labels, to, f->fixed.data[fixed]) - to);
    }
    if (at == f->n_left) return family_write_lines(w, &(family_left){bytes, index, size});
    lode_status status = family_walk_left(w, at + 1, fixed, bytes, index, size);
    if (status != LODE_OK) return status;
    char *to = f->left.data + bytes;
    bytes += (size_t)(label_copy(&l->labels, to, next) - to);
    return family_walk_left(w, at + 1, fixed, bytes, index | f->free[at].bit, size + 1);
}

lode_status families_set(families *f, const lines *l, const sink_lattice *from) {
    lode_status status = LODE_OK;
    f->lines = l;
    LODE_TRY(family_take_items(f, from));
    size_t bytes = family_bytes(f) + LINES_MORE_MAX;
    f->stride = (bytes + 63) / 64 * 64;
    f->left.n = f->right.n = 0;
    LODE_TRY(vec_char_reserve(l->labels.mem, &f->left, f->stride));
    LODE_TRY(vec_char_reserve(l->labels.mem, &f->right, f->stride << FAMILY_RIGHT));
    f->supports = from->supports;
    f->min = from->min;
    f->has_gaps = from->has_gaps;
done:
    return status;
}

lode_status families_write(families *f, const families_out *out) {
    family_walk w = {.f = f, .out = out};
    size_t head = 0;
    for (const char *c = f->lines->head; *c; c++) f->left.data[head++] = *c;
    w.n_fixed = right_build(f);
    return family_walk_left(&w, 0, 0, head, 0, 0);
}

/* ---- the text of the last items of a set, looked up by their bits of its mask ---------------- */

bool mask_text_suits(const sort_keys *keys, const lines *l) {
    return keys->mask_words <= MASK_WORDS && keys->n_ranks >= MASK_GROUPS * MASK_GROUP &&
           l->labels.longest <= MASK_LABEL;
}

void mask_text_free(mask_text *t, mem *m) {
    vec_char_free(m, &t->texts);
    t->stride = 0;
}

/* Makes the texts of all subsets of a group, whose items follow each other in the list of all. */
static void mask_text_group(mask_text *t, const lines *l, const uint32_t *items, unsigned group) {
    for (uint32_t s = 0; s < MASK_SUBSETS; s++) {
        char *from = t->texts.data + (group * MASK_SUBSETS + s) * t->stride, *to = from;
        for (unsigned i = 0; i < MASK_GROUP; i++) {
            bool there = s >> (MASK_GROUP - 1 - i) & 1;
            if (there) to = label_copy(&l->labels, to, items[i]);
        }
        t->bytes[group][s] = (uint32_t)(to - from);
    }
}

lode_status mask_text_make(mask_text *t, const sort_keys *keys, const lines *l) {
    size_t longest = MASK_GROUP * (size_t)l->labels.longest + LABEL_PAD;
    size_t stride = (longest + LABEL_PAD - 1) / LABEL_PAD * LABEL_PAD;
    uint32_t n_first = keys->n_ranks - MASK_GROUPS * MASK_GROUP;
    if (t->stride > 0) return LODE_OK;
    lode_status status =
        vec_char_reserve(l->labels.mem, &t->texts, MASK_GROUPS * MASK_SUBSETS * stride + LABEL_PAD);
    if (status != LODE_OK) return status;
    t->stride = stride;
    t->word = (keys->n_ranks - 1) / 64;
    t->up = 63 - (keys->n_ranks - 1) % 64;
    for (unsigned i = 0; i < MASK_WORDS; i++) t->first[i] = 0;
    for (uint32_t i = 0; i < n_first; i++) t->first[i / 64] |= (uint64_t)1 << (63 - i % 64);
    for (unsigned i = 0; i < MASK_GROUPS; i++) {
        mask_text_group(t, l, keys->items + n_first + (size_t)i * MASK_GROUP, i);
    }
    return LODE_OK;
}

/* ---- the text of a batch's prefix, kept from one batch to the next --------------------------- */

/* With room to overshoot; an odd number of cache lines, so that levels do not compete for sets. */
#define PREFIX_LEVEL_BYTES (PREFIX_LEVEL_TEXT + 3 * LABEL_PAD)

void prefix_free(prefix *p, mem *m) {
    vec_u32_free(m, &p->items);
    vec_u32_free(m, &p->lengths);
    vec_u64_free(m, &p->ends);
    vec_char_free(m, &p->levels);
    vec_char_free(m, &p->joined);
    *p = (prefix){0};
}

static char *prefix_level(const prefix *p, size_t d) {
    return p->levels.data + d * PREFIX_LEVEL_BYTES;
}

static lode_status prefix_grow(prefix *p, mem *m, size_t n) {
    lode_status status = LODE_OK;
    size_t levels = n < PREFIX_LEVEL_TEXT ? n + 1 : PREFIX_LEVEL_TEXT; /* an item has a byte */
    LODE_TRY(vec_u32_reserve(m, &p->items, n + PREFIX_STEP));
    LODE_TRY(vec_u32_reserve(m, &p->lengths, n + PREFIX_STEP));
    LODE_TRY(vec_u64_reserve(m, &p->ends, n + 1));
    LODE_TRY(vec_char_reserve(m, &p->levels, levels * PREFIX_LEVEL_BYTES));
    p->ends.data[0] = 0;
    p->room = n;
done:
    return status;
}

/* Puts the end of the items after the first n. */
static void prefix_cut(prefix *p, size_t n) {
    p->n = n;
    memset(p->lengths.data + n, 0, PREFIX_STEP * sizeof *p->lengths.data);
}

static void prefix_push(prefix *p, const lines *l, uint32_t item) {
    size_t n = p->n, bytes = p->ends.data[n], place = prefix_place(p, item);
    uint32_t length = l->labels.items[item].length;
    const char *from = prefix_level(p, n);
    char *to = label_copy_text(prefix_level(p, n + 1), from, place);
    label_copy_text(label_copy(&l->labels, to, item), from + place, bytes - place);
    p->items.data[n] = item;
    p->lengths.data[n] = length;
    p->lengths.data[n + PREFIX_STEP] = 0;
    p->ends.data[n + 1] = bytes + length;
    p->n = n + 1;
}

static lode_status prefix_join(prefix *p, const lines *l, const uint32_t *items, size_t n) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < n; i++) bytes += l->labels.items[items[i]].length;
    if (bytes > UINT32_MAX) return LODE_UNSUPPORTED;
    lode_status status = vec_char_reserve(l->labels.mem, &p->joined, bytes + LABEL_PAD);
    if (status != LODE_OK) return status;
    memcpy(p->items.data, items, n * sizeof *items);
    sort_u32(p->items.data, n);
    prefix_cut(p, n);
    char *end = p->joined.data;
    for (size_t i = 0; i < n; i++) {
        p->lengths.data[i] = l->labels.items[p->items.data[i]].length;
        end = label_copy(&l->labels, end, p->items.data[i]);
    }
    p->text = p->joined.data;
    p->text_bytes = bytes;
    p->n_levels = 0; /* the items of the levels are gone */
    return LODE_OK;
}

/* Brings the text up to the first n items of a batch. */
static lode_status prefix_advance(prefix *p, const lines *l, const uint32_t *items, size_t n) {
    /* Goes back to the last level that is also one of this batch. */
    size_t most = p->n_levels < n ? p->n_levels : n, same = 0;
    while (same < most && p->items.data[same] == items[same]) same++;
    if (same != p->n || same == 0) prefix_cut(p, same);
    p->n_levels = same;
    while (p->n < n) {
        uint32_t item = items[p->n];
        bool fits = p->ends.data[p->n] + l->labels.items[item].length <= PREFIX_LEVEL_TEXT;
        if (!fits) return prefix_join(p, l, items, n);
        prefix_push(p, l, item);
    }
    p->n_levels = n;
    p->text = prefix_level(p, n);
    p->text_bytes = p->ends.data[n];
    return LODE_OK;
}

lode_status prefix_set(prefix *p, const lines *l, const lode_batch *batch) {
    lode_status status = LODE_OK;
    size_t n = batch->n_prefix;
    p->empty = n == 0;
    if (p->empty) {
        p->text_bytes = 0;
        return LODE_OK;
    }
    if (n >= p->room) LODE_TRY(prefix_grow(p, l->labels.mem, 2 * n + PREFIX_STEP));
    LODE_TRY(prefix_advance(p, l, batch->prefix, n - 1));
    p->last = batch->prefix[n - 1];
    p->place = prefix_place(p, p->last);
done:
    return status;
}
