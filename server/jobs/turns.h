/* turns.h - clients take turns: whoever was served longest ago is next
 *
 * A client is a hash (request_client). There is a slot for the hashes that share it, so that memory
 * is bounded; two clients in one slot share their turns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_TURNS_H
#define LODE_SERVER_TURNS_H

#include <stdint.h>

#define TURNS_SLOTS 256

typedef struct turns {
    uint64_t taken;             /* turns so far */
    uint64_t last[TURNS_SLOTS]; /* the number of a client's last turn; 0: it had none */
} turns;

static inline uint64_t turns_last(const turns *t, uint64_t client) {
    return t->last[client % TURNS_SLOTS];
}

static inline void turns_take(turns *t, uint64_t client) {
    t->last[client % TURNS_SLOTS] = ++t->taken;
}

#endif
