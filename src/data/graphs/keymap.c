/* keymap.c - see keymap.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/graphs/keymap.h"

#include <string.h>

#define KEYMAP_FIRST 64

/* The slot of the key, or the free one where it belongs. */
static keymap_slot *keymap_slot_of(const keymap *map, uint64_t key) {
    size_t mask = map->n_slots - 1, at = (size_t)keyed_number(&map->seed, key) & mask;
    while (map->slots[at].stamp == map->now && map->slots[at].key != key) at = (at + 1) & mask;
    return &map->slots[at];
}

static lode_status keymap_grow(keymap *map, mem *m) {
    keymap larger = {.n_slots = map->n_slots ? 2 * map->n_slots : KEYMAP_FIRST,
                     .now = 1,
                     .seed = *keyed_process()};
    lode_status status =
        mem_zalloc(m, (void **)&larger.slots, larger.n_slots * sizeof *larger.slots);
    if (status != LODE_OK) return status;
    for (size_t i = 0; i < map->n_slots; i++) {
        keymap_slot s = map->slots[i];
        if (s.stamp != map->now) continue;
        *keymap_slot_of(&larger, s.key) = (keymap_slot){s.key, s.value, larger.now};
    }
    larger.n = map->n;
    keymap_free(map, m);
    *map = larger;
    return LODE_OK;
}

lode_status keymap_put(keymap *map, mem *m, uint64_t key, uint32_t value, bool *found) {
    if (2 * (map->n + 1) > map->n_slots) {
        lode_status status = keymap_grow(map, m);
        if (status != LODE_OK) return status;
    }
    keymap_slot *slot = keymap_slot_of(map, key);
    *found = slot->stamp == map->now;
    if (*found) return LODE_OK;
    *slot = (keymap_slot){key, value, map->now};
    map->n++;
    return LODE_OK;
}

keymap_slot *keymap_find(const keymap *map, uint64_t key) {
    if (map->n == 0) return NULL;
    keymap_slot *slot = keymap_slot_of(map, key);
    return slot->stamp == map->now ? slot : NULL;
}

void keymap_empty(keymap *map) {
    map->n = 0;
    if (map->now < UINT32_MAX) {
        map->now++;
        return;
    }
    if (map->slots) memset(map->slots, 0, map->n_slots * sizeof *map->slots);
    map->now = 1;
}

void keymap_free(keymap *map, mem *m) {
    mem_free(m, map->slots, map->n_slots * sizeof *map->slots);
    *map = (keymap){0};
}
