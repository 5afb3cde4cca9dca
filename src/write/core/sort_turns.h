/* sort_turns.h - threads that write the pieces of a text in turn
 *
 * Any thread makes the lines of any piece; they are written in the order of the pieces. A thread
 * waits until it is its turn, writes, and passes the turn on. A failure ends the waiting of all.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_SORT_TURNS_H
#define LODE_WRITE_CORE_SORT_TURNS_H

#include <pthread.h>

#include "base/status.h"

typedef struct sort_turns {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    size_t turn;       /* the piece that is written now; under the lock, as … */
    lode_status ended; /* … the reason why nothing more is written */
} sort_turns;

void turns_init(sort_turns *t);
/* Returns why nothing more was written; OK: all was. */
lode_status turns_free(sort_turns *t);

/* Waits until the piece may be written. */
LODE_NODISCARD lode_status turns_wait(sort_turns *t, size_t piece);
/* The piece is written, or nothing more can be. */
void turns_pass(sort_turns *t, lode_status status);

#endif
