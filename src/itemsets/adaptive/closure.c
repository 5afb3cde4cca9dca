/* closure.c - see closure.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/closure.h"

#include <string.h>

bool closure_uses_sample(const adaptive *a, const rows_db *db, const child_items *c) {
    if (a->target != LODE_TARGET_CLOSED || !a->root_rows) return false;
    if (db->sampled) return true;
    if (adaptive_threshold(a) < SAMPLE_MIN_COUNT) return false;
    if (c->n > WIDE_ITEMS) return !shape_fills_lattices(a, c);
    return shape_rows_are_faster(a, c, shape_expected_sets(a, c, c->addable));
}

closure_part closure_choose(const adaptive *a, const rows_db *db, const uint64_t *row,
                            const child_items *c, bool compact) {
    size_t known = db->sampled ? db->sample_columns / 64 : db->words, n = 0, taken = 0;
    uint64_t wanted = (uint64_t)SAMPLE_COLUMNS * c->support / adaptive_threshold(a);
    for (; n < known && taken < wanted; n++) taken += (size_t)__builtin_popcountll(row[n]);
    bool spent = db->sampled && taken < wanted / SAMPLE_SPENT;
    if (!compact) return (closure_part){n, n, 64 * n, true, spent};
    return (closure_part){n, rows_words(taken), taken, true, spent};
}

/* Whether there is a column among the first that a has and b lacks. */
static bool has_column_beyond(const uint64_t *a, const uint64_t *b, size_t columns) {
    size_t words = columns / 64;
    uint64_t rest = ((uint64_t)1 << columns % 64) - 1;
    for (size_t i = 0; i < words; i++) {
        if (a[i] & ~b[i]) return true;
    }
    return rest != 0 && (a[words] & ~b[words] & rest) != 0;
}

lode_status closure_cover(adaptive *a, const child_items *c, uint64_t **cover) {
    const database *root = a->root_rows;
    size_t words = root->rows.words;
    lode_status status = arena_take(&a->arena, words * sizeof **cover, (void **)cover);
    if (status != LODE_OK) return status;
    memcpy(*cover, rows_at(root, a->rank[c->id]), words * sizeof **cover);
    for (uint32_t i = 0; i < a->n_prefix; i++) {
        uint32_t number = a->rank[a->prefix[i]];
        if (number >= root->items.n) continue; /* in all transactions there are */
        a->kernels->and_store(*cover, *cover, rows_at(root, number), words);
    }
    return LODE_OK;
}

lode_status closure_add_earlier(adaptive *a, const database *db, child_items *c) {
    lode_status status = LODE_OK;
    const uint64_t *row = rows_at(db, c->item);
    uint64_t *cover = NULL;
    for (uint32_t i = c->item + 1; i < db->items.n && !c->subsumed; i++) {
        bool whole = i < db->items.addable; /* it may be added to the parent, so its row is whole */
        size_t columns = whole ? 64 * db->rows.words : db->rows.sample_columns;
        bool lacks = has_column_beyond(row, rows_at(db, i), columns);
        if (!lacks && !whole) {
            if (!cover) LODE_TRY(closure_cover(a, c, &cover));
            const uint64_t *earlier = rows_at(a->root_rows, a->rank[db->items.ids[i]]);
            lacks = has_column_beyond(cover, earlier, 64 * a->root_rows->rows.words);
        }
        if (lacks) {
            child_add(a, &db->items, c, i, 0); /* how often it occurs is not known */
        } else {
            c->subsumed = true;
        }
    }
done:
    return status;
}
