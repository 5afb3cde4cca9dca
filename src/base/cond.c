/* cond.c - see cond.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/cond.h"

#include <time.h>

void cond_init(pthread_cond_t *cond) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attributes);
    pthread_condattr_destroy(&attributes);
}

void cond_wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    time_t whole = (time_t)seconds;
    until.tv_sec += whole;
    until.tv_nsec += (long)((seconds - (double)whole) * 1e9);
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(cond, lock, &until);
}
