/* names.c - many names of items in one call: all names, or look-ups
 *
 * Names are passed as text and offsets, as in an Arrow large-string column.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/dataset.h"

#define NAMES_AHEAD 16 /* this many look-ups wait for memory together */

static uint32_t names_digits(uint32_t number) {
    uint32_t n = 1;
    for (uint64_t limit = 10; number >= limit; limit *= 10) n++;
    return n;
}

static void names_put_number(char *to, uint32_t number, uint32_t digits) {
    for (; digits > 0; number /= 10) to[--digits] = (char)('0' + number % 10);
}

/* How many ids there are from `first` on, at most n. */
static uint32_t names_range(const lode_dataset *data, uint32_t first, uint32_t n) {
    uint32_t bound = data ? data->item_bound : 0;
    if (first >= bound) return 0;
    return n < bound - first ? n : bound - first;
}

static size_t names_of_numbers(const lode_dataset *data, uint32_t first, uint32_t n,
                               uint64_t *offsets) {
    size_t total = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (offsets) offsets[i] = total;
        total += names_digits(dataset_item_of(data, first + i));
    }
    if (offsets) offsets[n] = total;
    return total;
}

static void names_put_numbers(const lode_dataset *data, uint32_t first, uint32_t n, char *text) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = dataset_item_of(data, first + i), digits = names_digits(number);
        names_put_number(text, number, digits);
        text += digits;
    }
}

size_t lode_dataset_item_names(const lode_dataset *data, uint32_t first, uint32_t n,
                               uint64_t *offsets, char *text, size_t text_bytes) {
    uint32_t count = names_range(data, first, n);
    size_t total = 0;
    if (count > 0 && data->names) {
        const char *names = dict_names(data->names, first, count, offsets, &total);
        if (text && text_bytes >= total) memcpy(text, names, total);
    } else if (count > 0) {
        total = names_of_numbers(data, first, count, offsets);
        if (text && text_bytes >= total) names_put_numbers(data, first, count, text);
    } else if (offsets) {
        offsets[0] = 0;
    }
    for (uint32_t i = count; offsets && i < n; i++) offsets[i + 1] = total; /* past the end: "" */
    return total;
}

uint32_t lode_dataset_items(const lode_dataset *data, uint32_t first, uint32_t n, uint32_t *items,
                            uint64_t *supports) {
    uint32_t count = names_range(data, first, n);
    for (uint32_t i = 0; items && i < count; i++) items[i] = dataset_item_of(data, first + i);
    if (supports && count > 0) {
        memcpy(supports, data->item_supports + first, count * sizeof *supports);
    }
    return count;
}

/* ---- looking up ----------------------------------------------------------------------------- */

static size_t names_length(const uint64_t *offsets, uint64_t i) {
    return offsets[i + 1] > offsets[i] ? (size_t)(offsets[i + 1] - offsets[i]) : 0;
}

static uint64_t names_look_up(const lode_dataset *data, uint64_t n, const uint64_t *offsets,
                              const char *text, uint32_t *items, bool *found) {
    uint64_t hits = 0, hashes[NAMES_AHEAD];
    for (uint64_t from = 0; from < n; from += NAMES_AHEAD) {
        uint64_t some = n - from < NAMES_AHEAD ? n - from : NAMES_AHEAD;
        const uint64_t *at = offsets + from;
        for (uint64_t i = 0; i < some; i++) {
            hashes[i] = dict_prepare(data->names, text + at[i], names_length(at, i));
        }
        for (uint64_t i = 0; i < some; i++) {
            uint32_t id =
                dict_find_prepared(data->names, hashes[i], text + at[i], names_length(at, i));
            if (id != DICT_NONE) items[from + i] = id;
            if (found) found[from + i] = id != DICT_NONE;
            hits += id != DICT_NONE;
        }
    }
    return hits;
}

uint64_t lode_dataset_items_find(const lode_dataset *data, uint64_t n, const uint64_t *offsets,
                                 const char *text, uint32_t *items, bool *found) {
    uint64_t hits = 0;
    for (uint64_t i = 0; found && i < n; i++) found[i] = false;
    if (!data || !offsets || !text || !items || n == 0) return 0;
    if (data->names) return names_look_up(data, n, offsets, text, items, found);
    for (uint64_t i = 0; i < n; i++) {
        bool hit =
            lode_dataset_item_find(data, text + offsets[i], names_length(offsets, i), &items[i]);
        if (found) found[i] = hit;
        hits += hit;
    }
    return hits;
}
