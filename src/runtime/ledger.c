/* ledger.c - see ledger.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/ledger.h"

#include <string.h>

#include "base/os.h"

#define LEDGER_PAUSE_MICROSECONDS 5000

static pthread_mutex_t *ledger_lock(const ledger_seat *seat) {
    return &seat->job->ctx->desk.lock;
}

void ledger_join(ledger_seat *seat, lode_job *job, const char *kind, unsigned index) {
    *seat = (ledger_seat){.job = job, .kind = kind, .index = index};
    pthread_mutex_lock(ledger_lock(seat));
    seat->next = job->ctx->seats;
    job->ctx->seats = seat;
    pthread_mutex_unlock(ledger_lock(seat));
}

void ledger_leave(ledger_seat *seat) {
    LODE_DEBUG_CHECK(seat->used == 0, "%zu bytes of a device are left behind", seat->used);
    lode_ctx *ctx = seat->job->ctx;
    pthread_mutex_lock(&ctx->desk.lock);
    ledger_seat **link = &ctx->seats;
    while (*link != seat) link = &(*link)->next;
    *link = seat->next;
    ctx->n_departures++;
    pthread_mutex_unlock(&ctx->desk.lock);
}

/* ---- under the lock ------------------------------------------------------------------------- */

static bool ledger_same_device(const ledger_seat *seat, const ledger_seat *other) {
    return seat->index == other->index && strcmp(seat->kind, other->kind) == 0;
}

static size_t ledger_others(const ledger_seat *seat) {
    size_t sum = 0;
    for (const ledger_seat *s = seat->job->ctx->seats; s; s = s->next) {
        if (s->job != seat->job && ledger_same_device(seat, s)) sum += s->used;
    }
    return sum;
}

static size_t ledger_used(const ledger_seat *seat) {
    size_t sum = ledger_others(seat);
    for (const ledger_seat *s = seat->job->ctx->seats; s; s = s->next) {
        if (s->job == seat->job && ledger_same_device(seat, s)) sum += s->used;
    }
    return sum;
}

static size_t ledger_room(const ledger_seat *seat) {
    uint64_t budget = seat->job->ctx->device_memory;
    size_t used = ledger_used(seat);
    if (budget == 0) return SIZE_MAX;
    return used < budget ? (size_t)budget - used : 0;
}

/* Whether another job works on the device, rather than waiting as well. */
static bool ledger_is_busy(const ledger_seat *seat) {
    for (const ledger_seat *s = seat->job->ctx->seats; s; s = s->next) {
        if (s->job != seat->job && ledger_same_device(seat, s) && s->n_waiting == 0) return true;
    }
    return false;
}

/* ---- memory ---------------------------------------------------------------------------------- */

lode_status ledger_charge(ledger_seat *seat, size_t bytes) {
    pthread_mutex_lock(ledger_lock(seat));
    bool fits = bytes <= ledger_room(seat);
    if (fits) seat->used += bytes;
    if (!fits && ledger_others(seat) > 0) seat->job->lease.device_short = true;
    pthread_mutex_unlock(ledger_lock(seat));
    return fits ? LODE_OK : LODE_BUDGET;
}

void ledger_discharge(ledger_seat *seat, size_t bytes) {
    pthread_mutex_lock(ledger_lock(seat));
    LODE_DEBUG_CHECK(seat->used >= bytes, "%zu bytes are given back of %zu", bytes, seat->used);
    seat->used -= bytes;
    pthread_mutex_unlock(ledger_lock(seat));
}

size_t ledger_left(const ledger_seat *seat) {
    pthread_mutex_lock(ledger_lock(seat));
    size_t left = ledger_room(seat);
    pthread_mutex_unlock(ledger_lock(seat));
    return left;
}

size_t ledger_held_by_others(const ledger_seat *seat) {
    pthread_mutex_lock(ledger_lock(seat));
    size_t held = ledger_others(seat);
    pthread_mutex_unlock(ledger_lock(seat));
    return held;
}

uint64_t ledger_departures(const ledger_seat *seat) {
    pthread_mutex_lock(ledger_lock(seat));
    uint64_t n = seat->job->ctx->n_departures;
    pthread_mutex_unlock(ledger_lock(seat));
    return n;
}

lode_status ledger_wait(ledger_seat *seat, uint64_t departures) {
    lode_status status = LODE_OK;
    pthread_mutex_lock(ledger_lock(seat));
    seat->n_waiting++;
    while (status == LODE_OK && seat->job->ctx->n_departures == departures) {
        if (!ledger_is_busy(seat)) {
            status = LODE_BUDGET;
            break;
        }
        pthread_mutex_unlock(ledger_lock(seat));
        os_pause(LEDGER_PAUSE_MICROSECONDS);
        status = job_check(seat->job);
        pthread_mutex_lock(ledger_lock(seat));
    }
    seat->n_waiting--;
    pthread_mutex_unlock(ledger_lock(seat));
    return status;
}
