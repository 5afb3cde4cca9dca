/* turns.h - clients take turns: the one served longest ago is next
 *
 * A client is a hash (request_client). The table has a fixed number of slots to bound memory;
 * clients whose hashes fall into one slot share its turns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_TURNS_H
#define LODE_SERVER_TURNS_H

#include <stdint.h>

#define TURNS_SLOTS 256

typedef struct turns {
    uint64_t taken;             /* turns so far */
    uint64_t last[TURNS_SLOTS]; /* number of the last turn of each slot; 0: none */
} turns;

static inline uint64_t turns_last(const turns *t, uint64_t client) {
    return t->last[client % TURNS_SLOTS];
}

static inline void turns_take(turns *t, uint64_t client) {
    t->last[client % TURNS_SLOTS] = ++t->taken;
}

#endif
