/* names.c - many names of items in one call: all names, or look-ups
 *
 * Names are passed as text and offsets, as in an Arrow large-string column.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/bits.h"
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

/* ---- from the items of lode.h to ids, and back ----------------------------------------------- */

/* Internal ids are below item_bound and in print order. To callers, an item whose name is a number
 * is that number, however large. If numbers are large, an ascending array maps ids to numbers, and
 * a binary search maps back. The array replaces the dictionary and takes a tenth of its memory. */

/* Reads a canonical number of at most 32 bits; false if the text is not one. */
static bool item_number(const char *text, size_t n, uint32_t *number) {
    uint64_t value = 0;
    if (n == 0 || n > 10 || (text[0] == '0' && n > 1)) return false;
    for (size_t i = 0; i < n; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        if (digit > 9) return false;
        value = value * 10 + digit;
    }
    *number = (uint32_t)value;
    return value <= UINT32_MAX;
}

static bool items_are_numbers(const dict *names) {
    uint32_t number;
    for (uint32_t id = dict_count(names); id-- > 0;) { /* the longest names are the last */
        size_t n;
        const char *name = dict_name(names, id, &n);
        if (!item_number(name, n, &number)) return false;
    }
    return true;
}

lode_status dataset_take_names(lode_dataset *data, dict *names, bool numeric) {
    lode_status status = LODE_OK;
    data->numeric = numeric;
    if (!names || !numeric || !items_are_numbers(names)) {
        data->names = names;
        return LODE_OK;
    }
    size_t bytes = data->item_bound * sizeof *data->numbers;
    LODE_TRY(mem_resize(data->mem, (void **)&data->numbers, 0, bytes));
    for (uint32_t id = 0; id < data->item_bound; id++) {
        size_t n;
        const char *name = dict_name(names, id, &n);
        if (!item_number(name, n, &data->numbers[id])) LODE_LEAVE(LODE_INTERNAL);
    }
    dict_free(names);
done:
    return status;
}

bool dataset_find_id(const lode_dataset *data, uint32_t item, uint32_t *id) {
    *id = item;
    if (!data->numbers) return item < data->item_bound;
    uint32_t low = 0;
    uint32_t high = data->item_bound;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (data->numbers[middle] < item) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *id = low;
    return low < data->item_bound && data->numbers[low] == item;
}

size_t dataset_id_name(const lode_dataset *data, uint32_t id, char *buffer, size_t buffer_bytes) {
    return lode_dataset_item_name(data, dataset_item_of(data, id), buffer, buffer_bytes);
}

/* ---- the public half ----------------------------------------------------------------------- */

bool lode_dataset_has_numbers(const lode_dataset *data) {
    return data && !data->names;
}

uint32_t lode_dataset_item_bound(const lode_dataset *data) {
    return data ? data->item_bound : 0;
}

uint32_t lode_dataset_item_at(const lode_dataset *data, uint32_t i) {
    return data && i < data->item_bound ? dataset_item_of(data, i) : 0;
}

uint64_t lode_dataset_item_support(const lode_dataset *data, uint32_t item) {
    uint32_t id;
    return data && dataset_find_id(data, item, &id) ? data->item_supports[id] : 0;
}

size_t lode_dataset_item_name(const lode_dataset *data, uint32_t item, char *buffer,
                              size_t buffer_bytes) {
    char digits[16];
    const char *name = digits;
    size_t n = 0;
    if (!data) return 0;
    if (!data->names) {
        n = (size_t)snprintf(digits, sizeof digits, "%u", item);
    } else if (item < data->item_bound) {
        name = dict_name(data->names, item, &n);
    }
    size_t fits = n < buffer_bytes ? n : buffer_bytes;
    if (fits > 0 && buffer) memcpy(buffer, name, fits);
    return n;
}

bool lode_dataset_item_find(const lode_dataset *data, const char *name, size_t name_bytes,
                            uint32_t *item) {
    uint32_t found, id;
    if (!data || !name || !item) return false;
    if (data->names) {
        found = dict_find(data->names, name, name_bytes);
        if (found == DICT_NONE) return false;
    } else if (!item_number(name, name_bytes, &found) || !dataset_find_id(data, found, &id) ||
               data->item_supports[id] == 0) {
        return false;
    }
    *item = found;
    return true;
}

/* Byte by byte, so that it is the same on every machine. */
static uint64_t item_hash_bytes(const char *bytes, size_t n) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return bits_mix(bits_mix(h) + n);
}

uint64_t dataset_id_hash(const lode_dataset *data, uint32_t id) {
    char digits[16];
    size_t n;
    if (data->names) {
        const char *name = dict_name(data->names, id, &n);
        return item_hash_bytes(name, n);
    }
    n = dataset_id_name(data, id, digits, sizeof digits);
    return item_hash_bytes(digits, n);
}
