/* sort_turns.c - see sort_turns.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/sort_turns.h"

void turns_init(sort_turns *t) {
    *t = (sort_turns){.ended = LODE_OK};
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->moved, NULL);
}

lode_status turns_free(sort_turns *t) {
    pthread_cond_destroy(&t->moved);
    pthread_mutex_destroy(&t->lock);
    return t->ended;
}

lode_status turns_wait(sort_turns *t, size_t piece) {
    pthread_mutex_lock(&t->lock);
    while (t->turn != piece && t->ended == LODE_OK) pthread_cond_wait(&t->moved, &t->lock);
    lode_status status = t->ended;
    pthread_mutex_unlock(&t->lock);
    return status;
}

void turns_pass(sort_turns *t, lode_status status) {
    pthread_mutex_lock(&t->lock);
    if (status == LODE_OK) t->turn++;
    if (t->ended == LODE_OK) t->ended = status;
    pthread_cond_broadcast(&t->moved);
    pthread_mutex_unlock(&t->lock);
}
