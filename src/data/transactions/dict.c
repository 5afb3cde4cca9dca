/* dict.c - see dict.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/dict.h"

#include "base/hash.h"

#define DICT_SLOTS_FIRST 64
#define DICT_ASK_EVERY   16384 /* names between two questions whether to stop */

typedef struct dict_slot {
    uint32_t tag; /* half of the hash; the other half says where to look */
    uint32_t id1; /* id + 1; 0 = free */
} dict_slot;

struct dict {
    mem *mem;
    keyed key; /* a copy of the process's, next to the fields used with it */
    dict_slot *slots;
    size_t n_slots; /* a power of two */
    vec_char text;
    vec_u64 ends; /* ends.data[i]: where name i ends in the text */
    sort_stop stop;
};

lode_status dict_create(mem *m, dict **out) {
    dict *d = NULL;
    lode_status status = mem_zalloc(m, (void **)&d, sizeof *d);
    if (status != LODE_OK) return status;
    d->mem = m;
    d->key = *keyed_process();
    *out = d;
    return LODE_OK;
}

void dict_free(dict *d) {
    if (!d) return;
    mem_free(d->mem, d->slots, d->n_slots * sizeof *d->slots);
    vec_char_free(d->mem, &d->text);
    vec_u64_free(d->mem, &d->ends);
    mem_free(d->mem, d, sizeof *d);
}

void dict_stop_by(dict *d, sort_stop stop) {
    d->stop = stop;
}

/* Asked in loops over many names, with the number of the current one. */
static bool dict_is_stopped(const dict *d, size_t i) {
    return i % DICT_ASK_EVERY == DICT_ASK_EVERY - 1 && d->stop.asked && d->stop.asked(d->stop.user);
}

uint32_t dict_count(const dict *d) {
    return (uint32_t)d->ends.n;
}

const char *dict_name(const dict *d, uint32_t id, size_t *n) {
    uint64_t start = id ? d->ends.data[id - 1] : 0;
    *n = (size_t)(d->ends.data[id] - start);
    return d->text.data + start;
}

size_t dict_bytes(const dict *d) {
    return sizeof *d + d->n_slots * sizeof *d->slots + d->text.cap +
           d->ends.cap * sizeof *d->ends.data;
}

static bool dict_is(const dict *d, uint32_t id, const char *name, size_t n) {
    size_t length;
    const char *text = dict_name(d, id, &length);
    return length == n && memcmp(text, name, n) == 0;
}

/* The slot that holds the name, or the free one where it belongs. */
static dict_slot *dict_probe(const dict *d, uint64_t hash, const char *name, size_t n) {
    uint32_t tag = (uint32_t)(hash >> 32);
    for (size_t at = (size_t)hash;; at++) {
        dict_slot *slot = &d->slots[at & (d->n_slots - 1)];
        if (slot->id1 == 0) return slot;
        if (slot->tag == tag && dict_is(d, slot->id1 - 1, name, n)) return slot;
    }
}

uint32_t dict_find(const dict *d, const char *name, size_t n) {
    return dict_find_prepared(d, keyed_bytes(&d->key, name, n), name, n);
}

const char *dict_names(const dict *d, uint32_t first, uint32_t n, uint64_t *offsets,
                       size_t *bytes) {
    uint64_t start = first ? d->ends.data[first - 1] : 0;
    if (offsets) offsets[0] = 0;
    for (uint32_t i = 0; offsets && i < n; i++) offsets[i + 1] = d->ends.data[first + i] - start;
    *bytes = n > 0 ? (size_t)(d->ends.data[first + n - 1] - start) : 0;
    return d->text.data + start;
}

uint64_t dict_prepare(const dict *d, const char *name, size_t n) {
    uint64_t hash = keyed_bytes(&d->key, name, n);
    if (d->n_slots > 0) __builtin_prefetch(&d->slots[(size_t)hash & (d->n_slots - 1)]);
    return hash;
}

uint32_t dict_find_prepared(const dict *d, uint64_t hash, const char *name, size_t n) {
    if (d->n_slots == 0) return DICT_NONE;
    return dict_probe(d, hash, name, n)->id1 - 1; /* free: 0 - 1 = DICT_NONE */
}

/* Puts all names into empty slots; they are distinct, so there is nothing to compare. */
static lode_status dict_fill(const dict *d, dict_slot *slots, size_t n_slots) {
    for (uint32_t id = 0; id < dict_count(d); id++) {
        if (dict_is_stopped(d, id)) return LODE_CANCELLED;
        size_t n;
        const char *name = dict_name(d, id, &n);
        uint64_t hash = keyed_bytes(&d->key, name, n);
        size_t at = (size_t)hash & (n_slots - 1);
        while (slots[at].id1 != 0) at = (at + 1) & (n_slots - 1);
        slots[at] = (dict_slot){(uint32_t)(hash >> 32), id + 1};
    }
    return LODE_OK;
}

static lode_status dict_make_room(dict *d) {
    if ((d->ends.n + 1) * 3 <= d->n_slots * 2) return LODE_OK;
    size_t n_slots = d->n_slots ? d->n_slots * 2 : DICT_SLOTS_FIRST;
    dict_slot *slots = NULL;
    lode_status status = mem_zalloc(d->mem, (void **)&slots, n_slots * sizeof *slots);
    if (status != LODE_OK) return status;
    status = dict_fill(d, slots, n_slots);
    if (status != LODE_OK) {
        mem_free(d->mem, slots, n_slots * sizeof *slots);
        return status;
    }
    mem_free(d->mem, d->slots, d->n_slots * sizeof *d->slots);
    d->slots = slots;
    d->n_slots = n_slots;
    return LODE_OK;
}

lode_status dict_add(dict *d, const char *name, size_t n, uint32_t *id) {
    lode_status status = LODE_OK;
    uint64_t hash = keyed_bytes(&d->key, name, n);
    dict_slot *slot = d->n_slots ? dict_probe(d, hash, name, n) : NULL;
    if (slot && slot->id1 != 0) {
        *id = slot->id1 - 1;
        return LODE_OK;
    }
    if (d->ends.n >= DICT_NONE - 1) return LODE_UNSUPPORTED;
    LODE_TRY(dict_make_room(d));
    LODE_TRY(vec_u64_reserve(d->mem, &d->ends, 1));
    LODE_TRY(vec_char_reserve(d->mem, &d->text, n + 1)); /* even the empty name has a place */
    LODE_TRY(vec_char_append(d->mem, &d->text, name, n));
    d->ends.data[d->ends.n++] = d->text.n;
    *id = dict_count(d) - 1;
    slot = dict_probe(d, hash, name, n);
    *slot = (dict_slot){(uint32_t)(hash >> 32), *id + 1};
done:
    return status;
}

/* ---- Print order: a merge sort of (key, id), where the key decides most comparisons ---- */

typedef struct dict_entry {
    uint64_t key;
    uint32_t id;
} dict_entry;

static bool dict_all_digits(const dict *d) {
    for (size_t i = 0; i < d->text.n; i++) {
        if ((unsigned char)(d->text.data[i] - '0') > 9) return false;
    }
    for (uint32_t id = 0; id < dict_count(d); id++) {
        size_t n;
        dict_name(d, id, &n);
        if (n == 0) return false;
    }
    return true;
}

static const char *dict_significant(const char *digits, size_t *n) {
    while (*n > 1 && *digits == '0') {
        digits++;
        --*n;
    }
    return digits;
}

/* The first `limit` bytes as a number; the numbers are in the order of the texts. */
static uint64_t dict_leading(const char *text, size_t n, size_t limit) {
    uint64_t key = 0;
    for (size_t i = 0; i < limit; i++) {
        key = key << 8 | (i < n ? (unsigned char)text[i] : 0);
    }
    return key;
}

static uint64_t dict_key(const dict *d, uint32_t id, bool numeric) {
    size_t n;
    const char *text = dict_name(d, id, &n);
    if (!numeric) return dict_leading(text, n, 8);
    text = dict_significant(text, &n);
    return (uint64_t)(n < 255 ? n : 255) << 56 | dict_leading(text, n, 7);
}

static bool dict_text_less(const char *a, size_t n_a, const char *b, size_t n_b) {
    int order = memcmp(a, b, n_a < n_b ? n_a : n_b);
    return order ? order < 0 : n_a < n_b;
}

static bool dict_less(const dict *d, dict_entry x, dict_entry y, bool numeric) {
    if (x.key != y.key) return x.key < y.key;
    size_t n_x, n_y;
    const char *a = dict_name(d, x.id, &n_x);
    const char *b = dict_name(d, y.id, &n_y);
    if (!numeric) return dict_text_less(a, n_x, b, n_y);
    size_t s_x = n_x;
    size_t s_y = n_y;
    a = dict_significant(a, &s_x);
    b = dict_significant(b, &s_y);
    if (s_x != s_y) return s_x < s_y;
    int order = memcmp(a, b, s_x);
    return order ? order < 0 : n_x < n_y;
}

typedef struct dict_sorter {
    const dict *d;
    bool numeric;
    dict_entry *in, *out; /* what is merged, and where to */
} dict_sorter;

/* Merges two sorted runs; false if stopped. */
static bool dict_merge(const dict_sorter *s, size_t from, size_t middle, size_t end) {
    const dict_entry *in = s->in;
    size_t left = from;
    size_t right = middle;
    for (size_t at = from; at < end; at++) {
        bool take_right =
            left == middle || (right < end && dict_less(s->d, in[right], in[left], s->numeric));
        s->out[at] = take_right ? in[right++] : in[left++];
        if (dict_is_stopped(s->d, at)) return false;
    }
    return true;
}

/* Sorts the entries, and returns the array that then holds them: s.in or s.out. NULL if stopped. */
static dict_entry *dict_sort_entries(dict_sorter s) {
    size_t n = s.d->ends.n;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t from = 0; from < n; from += 2 * width) {
            size_t middle = n - from > width ? from + width : n;
            size_t end = n - from > 2 * width ? from + 2 * width : n;
            if (!dict_merge(&s, from, middle, end)) return NULL;
        }
        dict_entry *other = s.in;
        s.in = s.out;
        s.out = other;
    }
    return s.in;
}

/* Writes the names in their new order into `text` and `ends`. */
static lode_status dict_copy_sorted(const dict *d, const dict_entry *order, char *text,
                                    uint64_t *ends, uint32_t *new_ids) {
    uint64_t at = 0;
    for (uint32_t i = 0; i < dict_count(d); i++) {
        if (dict_is_stopped(d, i)) return LODE_CANCELLED;
        size_t n;
        const char *name = dict_name(d, order[i].id, &n);
        memcpy(text + at, name, n);
        at += n;
        ends[i] = at;
        new_ids[order[i].id] = i;
    }
    return LODE_OK;
}

lode_status dict_sort(dict *d, uint32_t *new_ids, bool *numeric) {
    lode_status status = LODE_OK;
    size_t n = d->ends.n;
    dict_entry *entries = NULL;
    vec_char text = {0};
    vec_u64 ends = {0};
    bool digits = dict_all_digits(d);

    LODE_TRY(mem_resize(d->mem, (void **)&entries, 0, 2 * n * sizeof *entries));
    LODE_TRY(vec_char_reserve(d->mem, &text, d->text.n + 1));
    LODE_TRY(vec_u64_reserve(d->mem, &ends, n));
    for (uint32_t id = 0; id < n; id++) {
        if (dict_is_stopped(d, id)) LODE_LEAVE(LODE_CANCELLED);
        entries[id] = (dict_entry){dict_key(d, id, digits), id};
    }
    if (n > 0) {
        const dict_entry *order = dict_sort_entries((dict_sorter){d, digits, entries, entries + n});
        if (!order) LODE_LEAVE(LODE_CANCELLED);
        LODE_TRY(dict_copy_sorted(d, order, text.data, ends.data, new_ids));
        memcpy(d->text.data, text.data, d->text.n);
        memcpy(d->ends.data, ends.data, n * sizeof *ends.data);
        memset(d->slots, 0, d->n_slots * sizeof *d->slots);
        LODE_TRY(dict_fill(d, d->slots, d->n_slots));
    }
    *numeric = digits;
done:
    d->stop = (sort_stop){0};
    vec_u64_free(d->mem, &ends);
    vec_char_free(d->mem, &text);
    mem_free(d->mem, entries, 2 * n * sizeof *entries);
    return status;
}
