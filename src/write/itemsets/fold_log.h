/* fold_log.h - families of patterns, kept as such until they are unfolded; see sort_fold.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_FOLD_LOG_H
#define LODE_WRITE_ITEMSETS_FOLD_LOG_H

#include "write/itemsets/item_sink.h"
#include "write/itemsets/sort_keys.h"

#define FOLD_WORDS KEYS_ALWAYS_MASK
#define FOLD_FIXED UINT32_MAX

/* An item of a family, and the bit that it sets in the index into the supports: 0 for a perfect
 * extension, FOLD_FIXED for an item that every set has. */
typedef struct fold_item {
    uint32_t rank, bit;
} fold_item;

/* The items of a set, as the mask of a row. */
typedef struct fold_set {
    uint64_t mask[FOLD_WORDS];
    uint32_t size;
} fold_set;

/* The sets of a family that begin with some items: from its item number `at` on, with the bits that
 * were chosen before. */
typedef struct fold_rest {
    fold_set set;
    size_t family;
    uint32_t at, index;
} fold_rest;

/* Families; all zero is none. */
typedef struct fold_log {
    vec_u32 words; /* of each: its head, its items by rank, its supports */
    size_t n;
    uint32_t longest; /* the most items of one */
    fold_rest *rest;  /* what is left to unfold, if that was stopped */
    size_t n_rest, cap_rest;
} fold_log;

/* A family of the log; lent. */
typedef struct fold_family {
    const fold_item *items;
    const uint32_t *supports;
    uint32_t n, n_free, min;
    bool prunes; /* a set that is too rare has none below it that is not */
} fold_family;

/* Whether a family has enough sets to be kept as one, and not too many gaps. */
bool fold_is_worth(const sink_lattice *family);
/* Adds one of so many items, sorted by rank. Errors: NOMEM, BUDGET, and then nothing is added. */
LODE_NODISCARD lode_status fold_add(fold_log *log, mem *m, const sink_lattice *family,
                                    const fold_item *items, size_t n);
/* Reads all families; there is room for log->n. */
void fold_read_all(const fold_log *log, fold_family *families);
/* Notes what is left of a family. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status fold_leave(fold_log *log, mem *m, const fold_rest *rest);
void fold_free(fold_log *log, mem *m);

/* Whether some set with these bits may be frequent. */
static inline bool fold_goes_on(const fold_family *f, uint32_t index) {
    return !f->prunes || index == 0 || f->supports[index] >= f->min;
}

#endif
