/* level_model.h - for tests: a model, in plain loops, of levels that stay on a device
 * (backend_level_ops)
 *
 * Sets are rows of bits on the host. Comparing rows shows which sets can be joined, and whether a
 * union is a candidate. The support of a union is computed from the rows of all its items, so it
 * does not depend on rows that were stored before.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_LEVEL_MODEL_H
#define LODE_TESTS_LEVEL_MODEL_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/api/paper_ops.h"

typedef struct level_model {
    const backend_paper_ops *ops; /* for counting */
    backend_papers *papers;
    uint32_t n_items, size; /* number of items of the search, and of each set of the level */
    size_t words;
    uint64_t *data; /* n_sets rows */
    backend_level level;
    backend_pair *found, *kept;
    uint32_t *counts; /* supports of the pairs in `found` */
    size_t n_found, n_kept;
} level_model;

static inline void *model_alloc(void *old, size_t n, size_t width) {
    void *data = realloc(old, (n + 1) * width);
    if (!data) exit(2);
    return data;
}

static inline const uint64_t *model_row(const level_model *m, size_t i) {
    return m->data + i * m->words;
}

static inline size_t model_last(const level_model *m, const uint64_t *row) {
    size_t bit = m->words * 64 - 1;
    while (!(row[bit / 64] >> (bit % 64) & 1)) bit--;
    return bit;
}

/* Whether two sets of the level agree in all but their last items. */
static inline bool model_joins(const level_model *m, size_t i, size_t j) {
    const uint64_t *a = model_row(m, i), *b = model_row(m, j);
    size_t last_a = model_last(m, a), last_b = model_last(m, b);
    for (size_t bit = 0; bit < m->words * 64; bit++) {
        bool in_a = a[bit / 64] >> (bit % 64) & 1, in_b = b[bit / 64] >> (bit % 64) & 1;
        if (bit != last_a && bit != last_b && in_a != in_b) return false;
    }
    return last_a != last_b;
}

static inline size_t model_group_end(const level_model *m, size_t i) {
    size_t end = i + 1;
    while (end < m->level.n_sets && model_joins(m, i, end)) end++;
    return end;
}

static inline void model_count_joins(level_model *m) {
    m->level.n_joins = 0;
    for (size_t i = 0; i < m->level.n_sets; i++) m->level.n_joins += model_group_end(m, i) - i - 1;
}

static inline void model_start(level_model *m, uint32_t n_items, size_t words) {
    m->n_items = n_items;
    m->words = words;
    m->size = 1;
    m->n_found = m->n_kept = 0;
    m->data = model_alloc(m->data, n_items * words, sizeof *m->data);
    memset(m->data, 0, n_items * words * sizeof *m->data);
    for (size_t i = 0; i < n_items; i++) m->data[i * words + i / 64] |= (uint64_t)1 << (i % 64);
    m->level = (backend_level){n_items, 0};
    model_count_joins(m);
}

static inline bool model_is_set(const level_model *m, const uint64_t *row) {
    for (size_t i = 0; i < m->level.n_sets; i++) {
        if (memcmp(row, model_row(m, i), m->words * sizeof *row) == 0) return true;
    }
    return false;
}

/* Writes the union of two sets to `row`, and its items to `items`. Returns whether it is a
 * candidate. */
static inline bool model_unite(const level_model *m, backend_pair p, uint64_t *row,
                               uint32_t *items) {
    bool all = true;
    size_t n = 0;
    for (size_t w = 0; w < m->words; w++) row[w] = model_row(m, p.a)[w] | model_row(m, p.b)[w];
    for (uint32_t bit = 0; bit < m->words * 64; bit++) {
        uint64_t mask = (uint64_t)1 << (bit % 64);
        if (!(row[bit / 64] & mask)) continue;
        items[n++] = bit;
        row[bit / 64] ^= mask;
        all = all && model_is_set(m, row);
        row[bit / 64] ^= mask;
    }
    CHECK_EQUAL(n, m->size + 1);
    return all;
}

static inline void model_try(level_model *m, backend_pair p, uint32_t min_count,
                             backend_joined *out) {
    uint64_t *row = model_alloc(NULL, m->words, sizeof *row);
    uint32_t *items = model_alloc(NULL, m->words * 64, sizeof *items), count = 0;
    out->generated++;
    if (!model_unite(m, p, row, items)) {
        out->pruned++;
    } else {
        CHECK(m->ops->and_count_lists(m->papers, items, m->size + 1, 1, &count) == LODE_OK);
        if (count >= min_count) {
            m->found[m->n_found] = p;
            m->counts[m->n_found++] = count;
        }
    }
    free(row);
    free(items);
}

static inline void model_join(level_model *m, uint64_t first, uint64_t end, uint32_t min_count,
                              backend_joined *out) {
    uint64_t number = 0;
    *out = (backend_joined){0};
    m->n_found = 0;
    m->found = model_alloc(m->found, (size_t)(end - first), sizeof *m->found);
    m->counts = model_alloc(m->counts, (size_t)(end - first), sizeof *m->counts);
    for (size_t i = 0; i < m->level.n_sets && number < end; i++) {
        size_t group_end = model_group_end(m, i);
        for (size_t j = i + 1; j < group_end && number < end; j++, number++) {
            backend_pair p = {(uint32_t)i, (uint32_t)j};
            if (number >= first) model_try(m, p, min_count, out);
        }
    }
    out->n = m->n_found;
}

static inline void model_keep(level_model *m) {
    m->kept = model_alloc(m->kept, m->n_kept + m->n_found, sizeof *m->kept);
    if (m->n_found > 0) {
        memcpy(m->kept + m->n_kept, m->found, m->n_found * sizeof *m->kept);
    }
    m->n_kept += m->n_found;
}

static inline void model_advance(level_model *m) {
    uint64_t *next = model_alloc(NULL, m->n_kept * m->words, sizeof *next);
    for (size_t i = 0; i < m->n_kept; i++) {
        for (size_t w = 0; w < m->words; w++) {
            next[i * m->words + w] = model_row(m, m->kept[i].a)[w] | model_row(m, m->kept[i].b)[w];
        }
    }
    free(m->data);
    m->data = next;
    m->level.n_sets = (uint32_t)m->n_kept;
    m->size++;
    m->n_found = m->n_kept = 0;
    model_count_joins(m);
}

static inline void model_free(level_model *m) {
    free(m->data);
    free(m->found);
    free(m->kept);
    free(m->counts);
    *m = (level_model){0};
}

#endif
