/* keymap.h - a map from 64-bit keys to 32-bit values that is cheap to empty
 *
 * What:  open addressing, at most half full. A slot is in use only if it has the current stamp, so
 *        emptying the map after each of many small graphs costs nothing.
 * Load:  a map has 10 .. 10^6 keys, and is emptied and filled millions of times.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_GRAPHS_KEYMAP_H
#define LODE_DATA_GRAPHS_KEYMAP_H

#include "base/bits.h"
#include "base/hash.h"
#include "base/mem.h"

typedef struct keymap_slot {
    uint64_t key;
    uint32_t value, stamp;
} keymap_slot;

typedef struct keymap {
    keymap_slot *slots; /* their number is a power of two */
    size_t n_slots, n;
    uint32_t now; /* the current stamp; not 0 once there are slots */
    keyed seed;   /* set with the slots; prevents chosen collisions */
} keymap;

/* Adds a key unless the map has it already; *found receives whether it had. Errors: NOMEM,
 * BUDGET. */
LODE_NODISCARD lode_status keymap_put(keymap *map, mem *m, uint64_t key, uint32_t value,
                                      bool *found);
/* Returns the slot of the key; NULL if the map does not have the key. */
keymap_slot *keymap_find(const keymap *map, uint64_t key);
/* Removes all keys. */
void keymap_empty(keymap *map);
void keymap_free(keymap *map, mem *m);

#endif
