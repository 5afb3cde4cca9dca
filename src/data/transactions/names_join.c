/* names_join.c - common ids for the parts of a data set in several processes
 *
 * Each part sends a head of six numbers and then its items:
 *
 *     head      magic, kind, number of items, item_bound (of NAMES: bytes of the text), bytes of
 *               the whole message, checksum
 *     NUMBERS   if ids are the numbers themselves: the numbers that occur, 4 bytes each
 *     LARGE     if ids are positions in an array of numbers (dataset.h): the numbers that occur,
 *               4 bytes each
 *     NAMES     n + 1 offsets of 8 bytes, and the text
 *
 * The message is padded to a multiple of 8 bytes. Every part gets the messages of all parts, so all
 * get the same result: if all kinds are NUMBERS, ids stay as they are; if there are no NAMES, ids
 * become positions in the union of the numbers; otherwise all names go into one dictionary. Tables
 * and dictionary are made first; rewriting the blocks, which comes last, cannot fail.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdio.h>

#include "base/bits.h"
#include "base/sort.h"
#include "data/transactions/dataset.h"
#include "data/transactions/dense.h"
#include "runtime/parallel.h"
#include "runtime/valid.h"

#define NAMES_MAGIC 0x31736d616e65646cu /* "ldenams1": another byte order has another number */

enum { NAMES_NUMBERS, NAMES_LARGE, NAMES_NAMES };

typedef struct names_head {
    uint64_t magic, kind, n, extent, bytes;
    uint64_t sum; /* checksum of the other fields and of what follows */
} names_head;

/* ---- What a part sends ---- */

static names_head names_describe(const lode_dataset *data) {
    names_head h = {.magic = NAMES_MAGIC, .n = data->item_bound, .extent = data->item_bound};
    size_t body = 0;
    if (data->names) {
        h.kind = NAMES_NAMES;
        dict_names(data->names, 0, data->item_bound, NULL, &body);
        h.extent = body;
        body += ((size_t)data->item_bound + 1) * sizeof(uint64_t);
    } else {
        h.kind = data->numbers ? NAMES_LARGE : NAMES_NUMBERS;
        h.n = 0;
        for (uint32_t id = 0; id < data->item_bound; id++) h.n += data->item_supports[id] > 0;
        body = (size_t)h.n * sizeof(uint32_t);
    }
    h.bytes = bits_round_up(sizeof h + body, sizeof(uint64_t));
    return h;
}

static void names_put_body(const lode_dataset *data, char *to) {
    for (uint32_t id = 0; !data->names && id < data->item_bound; id++) {
        uint32_t number = dataset_item_of(data, id);
        if (data->item_supports[id] == 0) continue;
        memcpy(to, &number, sizeof number);
        to += sizeof number;
    }
    if (!data->names) return;
    uint64_t end = 0;
    size_t bytes;
    const char *text = dict_names(data->names, 0, data->item_bound, NULL, &bytes);
    memcpy(to, &end, sizeof end);
    for (uint32_t id = 0; id < data->item_bound; id++) {
        size_t n;
        dict_name(data->names, id, &n);
        end += n;
        to += sizeof end;
        memcpy(to, &end, sizeof end);
    }
    if (bytes > 0) memcpy(to + sizeof end, text, bytes);
}

/* The checksum, over words of 8 bytes; the field of the checksum itself counts as 0. */
static uint64_t names_sum(const char *at, uint64_t bytes) {
    uint64_t sum = NAMES_MAGIC;
    for (uint64_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        if (i != offsetof(names_head, sum)) memcpy(&word, at + i, sizeof word);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    }
    return sum;
}

size_t lode_dataset_names_export(const lode_dataset *data, void *buffer, size_t bytes) {
    if (!data) return 0;
    names_head h = names_describe(data);
    if (!buffer || bytes < h.bytes) return (size_t)h.bytes;
    memset((char *)buffer + h.bytes - sizeof(uint64_t), 0, sizeof(uint64_t)); /* the padding */
    memcpy(buffer, &h, sizeof h);
    names_put_body(data, (char *)buffer + sizeof h);
    h.sum = names_sum(buffer, h.bytes);
    memcpy(buffer, &h, sizeof h);
    return (size_t)h.bytes;
}

/* ---- What a part receives ---- */

typedef struct names_join {
    lode_job *job;
    lode_dataset *data;
    const char *at;
    size_t bytes;
    bool has_names, has_large;
    uint32_t bound;     /* new ids are below this */
    vec_u32 numbers;    /* without names: the union of all numbers, ascending */
    dict *names;        /* with names: all of them */
    uint32_t *sorted;   /* scratch for dict_sort() */
    uint32_t *map;      /* old id -> new id */
    mem_kept kept;      /* these two */
    uint64_t *supports; /* by new id */
    bool numeric, reorders;
    _Atomic size_t next_block;
} names_join;

static lode_status names_damaged(const names_join *j, size_t at) {
    return job_fail(j->job, LODE_INVALID,
                    "the names are damaged at byte %zu of %zu; expected the concatenated output of "
                    "lode_dataset_names_export()",
                    at, j->bytes);
}

static uint64_t names_number(const char *from, uint64_t i) {
    uint64_t number;
    memcpy(&number, from + i * sizeof number, sizeof number);
    return number;
}

static bool names_offsets_rise(const char *offsets, const names_head *h) {
    if (names_number(offsets, 0) != 0 || names_number(offsets, h->n) != h->extent) return false;
    for (uint64_t i = 0; i < h->n; i++) {
        if (names_number(offsets, i + 1) < names_number(offsets, i)) return false;
    }
    return true;
}

/* Whether a head and what follows it are complete and undamaged. */
static bool names_are_whole(const char *at, size_t left, names_head *h) {
    if (left < sizeof *h) return false;
    memcpy(h, at, sizeof *h);
    if (h->magic != NAMES_MAGIC || h->kind > NAMES_NAMES || h->bytes > left) return false;
    if (h->n > UINT32_MAX || h->extent > left + (uint64_t)UINT32_MAX) return false;
    uint64_t body = h->n * sizeof(uint32_t);
    if (h->kind == NAMES_NAMES) body = (h->n + 1) * sizeof(uint64_t) + h->extent;
    if (h->bytes != bits_round_up(sizeof *h + body, sizeof(uint64_t))) return false;
    if (h->sum != names_sum(at, h->bytes)) return false;
    if (h->kind != NAMES_NAMES) return h->extent <= UINT32_MAX;
    return names_offsets_rise(at + sizeof *h, h);
}

typedef lode_status (*names_fn)(names_join *j, const names_head *h, const char *body);

/* Calls `fn` with every part. */
static lode_status names_each(names_join *j, names_fn fn) {
    names_head h;
    for (size_t at = 0; at < j->bytes; at += (size_t)h.bytes) {
        if (!names_are_whole(j->at + at, j->bytes - at, &h)) return names_damaged(j, at);
        lode_status status = fn(j, &h, j->at + at + sizeof h);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

static lode_status names_look(names_join *j, const names_head *h, const char *body) {
    (void)body;
    j->has_names = j->has_names || h->kind == NAMES_NAMES;
    j->has_large = j->has_large || h->kind == NAMES_LARGE;
    if (h->kind == NAMES_NUMBERS && h->extent > j->bound) j->bound = (uint32_t)h->extent;
    return LODE_OK;
}

static lode_status names_add_numbers(names_join *j, const names_head *h, const char *body) {
    lode_status status = vec_u32_reserve(&j->job->mem, &j->numbers, (size_t)h->n);
    if (status != LODE_OK) return status;
    if (h->n > 0) memcpy(j->numbers.data + j->numbers.n, body, (size_t)h->n * sizeof(uint32_t));
    j->numbers.n += (size_t)h->n;
    return LODE_OK;
}

static lode_status names_add_names(names_join *j, const names_head *h, const char *body) {
    lode_status status = LODE_OK;
    uint32_t id;
    const char *text = body + (h->n + 1) * sizeof(uint64_t);
    for (uint64_t i = 0; i < h->n && status == LODE_OK; i++) {
        char digits[16];
        if (h->kind == NAMES_NAMES) {
            uint64_t from = names_number(body, i), to = names_number(body, i + 1);
            status = dict_add(j->names, text + from, (size_t)(to - from), &id);
        } else {
            uint32_t number;
            memcpy(&number, body + i * sizeof number, sizeof number);
            int n = snprintf(digits, sizeof digits, "%u", number);
            status = dict_add(j->names, digits, (size_t)n, &id);
        }
    }
    return status;
}

/* ---- The union, and the table from old ids to new ---- */

static void names_unite_numbers(names_join *j) {
    vec_u32 *v = &j->numbers;
    size_t n = 0;
    sort_u32(v->data, v->n);
    for (size_t i = 0; i < v->n; i++) {
        if (n == 0 || v->data[i] != v->data[n - 1]) v->data[n++] = v->data[i];
    }
    v->n = n;
    j->bound = (uint32_t)n;
}

static lode_status names_unite_names(names_join *j) {
    lode_status status = LODE_OK;
    LODE_TRY(dict_create(j->data->mem, &j->names));
    LODE_TRY(names_each(j, names_add_names));
    j->bound = dict_count(j->names);
    LODE_TRY(
        mem_keep_zero(&j->job->mem, &j->kept, (void **)&j->sorted, j->bound * sizeof *j->sorted));
    LODE_TRY(dict_sort(j->names, j->sorted, &j->numeric));
done:
    return status;
}

static bool names_find_number(const names_join *j, uint32_t number, uint32_t *id) {
    size_t low = 0, high = j->numbers.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (j->numbers.data[middle] < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *id = (uint32_t)low;
    return low < j->numbers.n && j->numbers.data[low] == number;
}

static bool names_find(const names_join *j, uint32_t old, uint32_t *id) {
    const lode_dataset *data = j->data;
    *id = old;
    if (!j->has_names && !j->has_large) return old < j->bound;
    if (!j->has_names) return names_find_number(j, dataset_item_of(data, old), id);
    char digits[16];
    const char *name = digits;
    size_t n;
    if (data->names) {
        name = dict_name(data->names, old, &n);
    } else {
        n = (size_t)snprintf(digits, sizeof digits, "%u", dataset_item_of(data, old));
    }
    *id = dict_find(j->names, name, n);
    return *id != DICT_NONE;
}

static lode_status names_make_map(names_join *j) {
    lode_status status = LODE_OK;
    const lode_dataset *data = j->data;
    uint32_t last = 0;
    LODE_TRY(
        mem_keep_zero(&j->job->mem, &j->kept, (void **)&j->map, data->item_bound * sizeof *j->map));
    LODE_TRY(mem_zalloc(data->mem, (void **)&j->supports, j->bound * sizeof *j->supports));
    for (uint32_t old = 0; old < data->item_bound; old++) {
        uint32_t id;
        if (!data->names && data->item_supports[old] == 0) continue; /* does not occur */
        if (!names_find(j, old, &id)) {
            LODE_LEAVE(job_fail(j->job, LODE_INVALID,
                                "the names of this data set are missing from the names to adopt"));
        }
        j->reorders = j->reorders || id < last;
        j->map[old] = last = id;
        j->supports[id] = data->item_supports[old];
    }
done:
    return status;
}

/* ---- The data set ---- */

static lode_status names_rewrite_some(void *arg, unsigned worker) {
    names_join *j = arg;
    (void)worker;
    for (;;) {
        size_t b = atomic_fetch_add(&j->next_block, 1);
        if (b >= j->data->n_blocks) return LODE_OK;
        const data_block *block = &j->data->blocks[b];
        uint32_t n = block->offsets[block->n];
        for (uint32_t i = 0; i < n; i++) block->items[i] = j->map[block->items[i]];
        for (uint32_t t = 0; j->reorders && t < block->n; t++) {
            sort_u32(block->items + block->offsets[t], block->offsets[t + 1] - block->offsets[t]);
        }
    }
}

/* Gives the data set its new ids; cannot fail. */
static void names_replace(names_join *j, uint32_t *numbers) {
    lode_dataset *data = j->data;
    mem *m = data->mem;
    prepared_reclaim(data->prepared); /* it refers to the old ids */
    mem_free(m, data->item_supports, data->item_bound * sizeof *data->item_supports);
    mem_free(m, data->numbers, data->numbers ? data->item_bound * sizeof *data->numbers : 0);
    dict_free(data->names);
    data->item_supports = j->supports;
    data->numbers = numbers;
    data->names = j->names;
    data->numeric = !j->names || j->numeric;
    data->item_bound = j->bound;
    j->supports = NULL;
    j->names = NULL;
}

static lode_status names_adopt(names_join *j) {
    lode_status status = LODE_OK;
    uint32_t *numbers = NULL;
    LODE_TRY(names_each(j, names_look));
    if (j->has_names) {
        LODE_TRY(names_unite_names(j));
    } else if (j->has_large) {
        LODE_TRY(names_each(j, names_add_numbers));
        names_unite_numbers(j);
    }
    LODE_TRY(names_make_map(j));
    if (j->numbers.n > 0) {
        size_t bytes = j->bound * sizeof *numbers;
        LODE_TRY(mem_resize(j->data->mem, (void **)&numbers, 0, bytes));
        memcpy(numbers, j->numbers.data, bytes);
    }
    if (j->has_names || j->has_large) { /* what parallel_run() left undone is done here */
        status = parallel_run(j->job, j->job->threads, false, names_rewrite_some, j);
        status = names_rewrite_some(j, 0);
    }
    names_replace(j, numbers);
done:
    return status;
}

lode_status lode_dataset_adopt_names(lode_job *job, lode_dataset *data, const void *names,
                                     size_t names_bytes) {
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(names));
    lode_status status = dataset_in_memory(job, data);
    if (status != LODE_OK) return status;
    dense_free(data->mem, data->dense); /* from here on, its items have other numbers */
    data->dense = NULL;
    names_join j = {.job = job, .data = data, .at = names, .bytes = names_bytes};
    status = names_adopt(&j);
    mem_drop(&job->mem, &j.kept);
    vec_u32_free(&job->mem, &j.numbers);
    mem_free(data->mem, j.supports, j.supports ? j.bound * sizeof *j.supports : 0);
    dict_free(j.names);
    return job_explain(job, status, "joining the names");
}
