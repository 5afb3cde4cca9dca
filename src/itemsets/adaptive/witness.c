/* witness.c - see witness.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/witness.h"

/* If the item to be lacked has no row, what is found is looked at again. */
static bool exists_in_rows(const witness_search *s) {
    const occurrences *o = s->where;
    bool by_row = s->lacks < o->n_rows;
    const uint64_t *lacks = by_row ? occurrences_row(o, s->lacks) : o->zeros;
    uint64_t found[ROW_LINE];
    for (row_range range = {0, o->words}; range.from < o->words; range.from += ROW_LINE) {
        range.from = s->a->kernels->find_common(s->rows, s->n, lacks, range, found);
        if (range.from == o->words) return false;
        if (by_row) return true;
        for (size_t i = 0; i < ROW_LINE; i++) {
            if (found[i] & ~occurrences_word(o, s->lacks, range.from + i)) return true;
        }
    }
    return false;
}

/* Where the rarest item has no row. */
static bool exists_in_words(const witness_search *s) {
    const occurrences *o = s->where;
    const row_word *end = occurrences_end(o, s->items[0]);
    for (const row_word *w = occurrences_from(o, s->items[0], 0); w < end; w++) {
        uint64_t bits = w->bits & ~occurrences_word(o, s->lacks, w->at);
        for (uint32_t i = 1; i < s->n && bits != 0; i++) {
            bits &= occurrences_word(o, s->items[i], w->at);
        }
        if (bits != 0) return true;
    }
    return false;
}

bool witness_exists(const witness_search *s) {
    return s->items[0] < s->where->n_rows ? exists_in_rows(s) : exists_in_words(s);
}
