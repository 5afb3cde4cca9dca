/* cond.h - condition variables whose waits end by the steady clock
 *
 * Why:   by default, a wait with an end goes by the clock of the day. If somebody sets that back by
 *        an hour, a wait of 20 ms lasts an hour.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_COND_H
#define LODE_BASE_COND_H

#include <pthread.h>

/* Makes one that cond_wait_for() may wait for; pthread_cond_destroy() ends it. */
void cond_init(pthread_cond_t *cond);
/* Waits for a signal, but no longer than this. It may return early, as pthread_cond_wait() may. */
void cond_wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, double seconds);

#endif
