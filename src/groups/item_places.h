/* item_places.h - in which transactions each item is: to find those of an itemset, and its counts
 *
 * An item that is in at least 1 of 32 transactions has a row of bits; another item has a list of
 * its places (classes.h), which then takes less memory. If all items of a set have bits, its places
 * are the intersection by words; otherwise the shortest list is looked up in the other rows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GROUPS_ITEM_PLACES_H
#define LODE_GROUPS_ITEM_PLACES_H

#include "groups/classes.h"
#include "groups/permutations.h"

typedef struct item_places {
    mem *mem;
    const row_classes *classes; /* lent */
    const permute_kernels *kernels;
    uint32_t n_rows, n_items;
    size_t words;     /* of a row of bits */
    uint64_t *memory; /* the bits or the list of each item, one after the other */
    size_t bytes;
    size_t *starts;       /* by id: where its bits or its list begin in `memory` */
    uint32_t *supports;   /* by id: transactions with the item; 0: in no itemset */
    uint64_t *class_bits; /* by class: the places of the class, as bits */
} item_places;

/* A set of items in two parts, as in a batch of patterns. */
typedef struct item_set {
    const uint32_t *prefix;
    uint32_t n_prefix;
    uint32_t last;
} item_set;

/* Buffers that are kept from call to call. Zero is valid. */
typedef struct places_scratch {
    vec_u64 bits;
    vec_u32 places, order;
} places_scratch;

LODE_NODISCARD lode_status item_places_make(item_places *o, lode_job *job, const lode_dataset *data,
                                            const row_classes *classes);
void item_places_free(item_places *o);
void places_scratch_free(places_scratch *s, mem *m);

/* Finds the places of a set, which are lent until the next call: s->places. Errors: NOMEM,
 * BUDGET. */
LODE_NODISCARD lode_status item_places_find(const item_places *o, mem *m, places_scratch *s,
                                            item_set set);
/* Counts the transactions of each class that contain the set. Errors: as above. */
LODE_NODISCARD lode_status item_places_count(const item_places *o, mem *m, places_scratch *s,
                                             item_set set, uint64_t counts[CLASSES_MOST]);

#endif
