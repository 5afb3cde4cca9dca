/* item_places.c - see item_places.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "groups/item_places.h"

#include <string.h>

#include "base/bits.h"
#include "runtime/job.h"

#define DENSE_SHARE 32 /* an item in 1 of so many transactions has bits */

static bool item_has_bits(const item_places *o, uint32_t id) {
    return (uint64_t)o->supports[id] * DENSE_SHARE >= o->n_rows;
}

/* The words that an item takes: whole vectors. */
static size_t item_words(const item_places *o, uint32_t id) {
    size_t words = item_has_bits(o, id) ? o->words : ((size_t)o->supports[id] + 1) / 2;
    return (words + PERMUTE_WORDS - 1) / PERMUTE_WORDS * PERMUTE_WORDS;
}

static uint32_t *item_list(const item_places *o, uint32_t id) {
    return (uint32_t *)(void *)(o->memory + o->starts[id]);
}

/* ---- making them ----------------------------------------------------------------------------- */

static lode_status item_places_reserve(item_places *o, const lode_dataset *data) {
    lode_status status = LODE_OK;
    size_t words = 0;
    LODE_TRY(mem_zalloc(o->mem, (void **)&o->starts, o->n_items * sizeof *o->starts));
    LODE_TRY(mem_zalloc(o->mem, (void **)&o->supports, o->n_items * sizeof *o->supports));
    LODE_TRY(mem_zalloc(o->mem, (void **)&o->class_bits,
                        o->classes->n_classes * o->words * sizeof *o->class_bits));
    for (uint32_t id = 0; id < o->n_items; id++) {
        bool left_out = o->classes->items && o->classes->items[id];
        o->supports[id] = left_out ? 0 : (uint32_t)data->item_supports[id];
        o->starts[id] = words;
        words += o->supports[id] > 0 ? item_words(o, id) : 0;
    }
    LODE_TRY(mem_zalloc(o->mem, (void **)&o->memory, words * sizeof *o->memory));
    o->bytes = words * sizeof *o->memory;
done:
    return status;
}

/* Enters the items of a transaction. `ends`: by id, how long its list is. */
static void item_places_enter(item_places *o, uint32_t *ends, uint32_t place, const uint32_t *ids,
                              uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = ids[i];
        if (o->supports[id] == 0) continue;
        if (item_has_bits(o, id)) {
            o->memory[o->starts[id] + place / 64] |= (uint64_t)1 << place % 64;
        } else {
            item_list(o, id)[ends[id]++] = place;
        }
    }
}

lode_status item_places_make(item_places *o, lode_job *job, const lode_dataset *data,
                             const row_classes *classes) {
    lode_status status = LODE_OK;
    uint32_t *ends = NULL;
    *o = (item_places){.mem = &job->mem, .classes = classes, .kernels = permute_kernels_pick()};
    o->n_rows = classes->n_rows;
    o->n_items = data->item_bound;
    o->words = ((size_t)o->n_rows + PERMUTE_BLOCK - 1) / PERMUTE_BLOCK * PERMUTE_WORDS;
    LODE_TRY(dataset_in_memory(job, data));
    LODE_TRY(item_places_reserve(o, data));
    LODE_TRY(mem_zalloc(o->mem, (void **)&ends, o->n_items * sizeof *ends));
    for (uint32_t place = 0; place < o->n_rows; place++) {
        uint32_t n;
        const uint32_t *ids = dataset_row(data, classes->row_of[place], &n);
        if (place % 4096 == 0) LODE_TRY(job_check(job));
        item_places_enter(o, ends, place, ids, n);
        o->class_bits[classes->of[place] * o->words + place / 64] |= (uint64_t)1 << place % 64;
    }
done:
    if (ends) mem_free(o->mem, ends, o->n_items * sizeof *ends);
    if (status != LODE_OK) item_places_free(o);
    return status;
}

void item_places_free(item_places *o) {
    if (!o->mem) return;
    if (o->memory) mem_free(o->mem, o->memory, o->bytes);
    if (o->starts) mem_free(o->mem, o->starts, o->n_items * sizeof *o->starts);
    if (o->supports) mem_free(o->mem, o->supports, o->n_items * sizeof *o->supports);
    if (o->class_bits) {
        mem_free(o->mem, o->class_bits, o->classes->n_classes * o->words * sizeof *o->class_bits);
    }
    *o = (item_places){0};
}

void places_scratch_free(places_scratch *s, mem *m) {
    vec_u64_free(m, &s->bits);
    vec_u32_free(m, &s->places);
    vec_u32_free(m, &s->order);
}

/* ---- intersecting ---------------------------------------------------------------------------- */

/* Copies the items; the rarest is first. */
static lode_status set_order(const item_places *o, mem *m, places_scratch *s, item_set set) {
    s->order.n = 0;
    lode_status status = vec_u32_reserve(m, &s->order, set.n_prefix + (size_t)1);
    if (status != LODE_OK) return status;
    uint32_t *items = s->order.data;
    if (set.n_prefix > 0) memcpy(items, set.prefix, set.n_prefix * sizeof *items);
    items[set.n_prefix] = set.last;
    s->order.n = set.n_prefix + (size_t)1;
    for (size_t i = 1; i < s->order.n; i++) {
        if (o->supports[items[i]] >= o->supports[items[0]]) continue;
        uint32_t kept = items[0];
        items[0] = items[i];
        items[i] = kept;
    }
    return LODE_OK;
}

static bool list_has(const uint32_t *list, uint32_t n, uint32_t place) {
    uint32_t low = 0;
    while (low < n) {
        uint32_t middle = low + (n - low) / 2;
        if (list[middle] < place) {
            low = middle + 1;
        } else {
            n = middle;
        }
    }
    return list[low] == place;
}

static bool item_has(const item_places *o, uint32_t id, uint32_t place) {
    if (item_has_bits(o, id)) return o->memory[o->starts[id] + place / 64] >> place % 64 & 1;
    const uint32_t *list = item_list(o, id);
    return place <= list[o->supports[id] - 1] && list_has(list, o->supports[id], place);
}

/* The places of a set whose rarest item has a list. */
static lode_status set_filter(const item_places *o, mem *m, places_scratch *s) {
    const uint32_t *items = s->order.data, *list = item_list(o, items[0]);
    uint32_t n = o->supports[items[0]], kept = 0;
    s->places.n = 0;
    lode_status status = vec_u32_reserve(m, &s->places, n);
    if (status != LODE_OK) return status;
    for (uint32_t i = 0; i < n; i++) {
        size_t k = 1;
        while (k < s->order.n && item_has(o, items[k], list[i])) k++;
        s->places.data[kept] = list[i];
        kept += k == s->order.n;
    }
    s->places.n = kept;
    return LODE_OK;
}

#define ROWS_AT_ONCE 64

/* The bits of a set whose items all have bits. */
static lode_status set_intersect(const item_places *o, mem *m, places_scratch *s) {
    const uint64_t *rows[ROWS_AT_ONCE];
    s->bits.n = 0;
    lode_status status = vec_u64_reserve(m, &s->bits, o->words);
    if (status != LODE_OK) return status;
    for (size_t done = 0; done < s->order.n;) {
        uint32_t k = 0;
        if (done > 0) rows[k++] = s->bits.data;
        while (k < ROWS_AT_ONCE && done < s->order.n) {
            rows[k++] = o->memory + o->starts[s->order.data[done++]];
        }
        o->kernels->intersect(rows, k, o->words, s->bits.data);
    }
    return LODE_OK;
}

lode_status item_places_find(const item_places *o, mem *m, places_scratch *s, item_set set) {
    lode_status status = LODE_OK;
    LODE_TRY(set_order(o, m, s, set));
    if (!item_has_bits(o, s->order.data[0])) return set_filter(o, m, s);
    LODE_TRY(set_intersect(o, m, s));
    s->places.n = 0;
    LODE_TRY(vec_u32_reserve(m, &s->places, (size_t)o->supports[s->order.data[0]] + PERMUTE_MORE));
    s->places.n = o->kernels->list(s->bits.data, o->words, s->places.data);
done:
    return status;
}

lode_status item_places_count(const item_places *o, mem *m, places_scratch *s, item_set set,
                              uint64_t counts[CLASSES_MOST]) {
    lode_status status = LODE_OK;
    const row_classes *c = o->classes;
    memset(counts, 0, CLASSES_MOST * sizeof *counts);
    LODE_TRY(set_order(o, m, s, set));
    if (item_has_bits(o, s->order.data[0])) {
        LODE_TRY(set_intersect(o, m, s));
        for (uint32_t k = 0; k < c->n_classes; k++) {
            counts[k] = o->kernels->common(s->bits.data, o->class_bits + k * o->words, o->words);
        }
        return LODE_OK;
    }
    LODE_TRY(set_filter(o, m, s));
    for (size_t i = 0; i < s->places.n; i++) counts[c->of[s->places.data[i]]]++;
done:
    return status;
}
