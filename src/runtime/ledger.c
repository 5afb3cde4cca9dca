/* ledger.c - see ledger.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/ledger.h"

#include <string.h>

#include "base/check.h"
#include "base/os.h"

#define LEDGER_PAUSE_MICROSECONDS 5000

static pthread_mutex_t *ledger_lock(const ledger_account *account) {
    return &account->job->ctx->pool.lock;
}

void ledger_join(ledger_account *account, lode_job *job, const char *kind, unsigned index) {
    *account = (ledger_account){.job = job, .kind = kind, .index = index};
    pthread_mutex_lock(ledger_lock(account));
    account->next = job->ctx->accounts;
    job->ctx->accounts = account;
    pthread_mutex_unlock(ledger_lock(account));
}

void ledger_leave(ledger_account *account) {
    LODE_DEBUG_CHECK(account->used == 0, "%zu bytes of device memory were not freed",
                     account->used);
    lode_ctx *ctx = account->job->ctx;
    pthread_mutex_lock(&ctx->pool.lock);
    ledger_account **link = &ctx->accounts;
    while (*link != account) link = &(*link)->next;
    *link = account->next;
    LODE_DEBUG_CHECK(account->n_waiting == 0,
                     "%u threads still wait for memory of an account that is closed",
                     account->n_waiting);
    ctx->n_departures++;
    pthread_mutex_unlock(&ctx->pool.lock);
}

/* ---- under the lock ------------------------------------------------------------------------- */

static bool ledger_same_device(const ledger_account *account, const ledger_account *other) {
    return account->index == other->index && strcmp(account->kind, other->kind) == 0;
}

static size_t ledger_others(const ledger_account *account) {
    size_t sum = 0;
    for (const ledger_account *s = account->job->ctx->accounts; s; s = s->next) {
        if (s->job != account->job && ledger_same_device(account, s)) sum += s->used;
    }
    return sum;
}

static size_t ledger_used(const ledger_account *account) {
    size_t sum = ledger_others(account);
    for (const ledger_account *s = account->job->ctx->accounts; s; s = s->next) {
        if (s->job == account->job && ledger_same_device(account, s)) sum += s->used;
    }
    return sum;
}

static size_t ledger_room(const ledger_account *account) {
    uint64_t budget = account->job->ctx->device_memory;
    size_t used = ledger_used(account);
    if (budget == 0) return SIZE_MAX;
    return used < budget ? (size_t)budget - used : 0;
}

/* Whether another job works on the device, rather than waiting as well. */
static bool ledger_is_busy(const ledger_account *account) {
    for (const ledger_account *s = account->job->ctx->accounts; s; s = s->next) {
        if (s->job != account->job && ledger_same_device(account, s) && s->n_waiting == 0)
            return true;
    }
    return false;
}

#if LODE_DEBUG
/* The accounts at a device stay within the budget together. */
static void ledger_validate(const ledger_account *account) {
    uint64_t budget = account->job->ctx->device_memory, sum = 0;
    unsigned n = 0;
    for (const ledger_account *s = account->job->ctx->accounts; s; s = s->next) {
        n += s == account;
        if (ledger_same_device(account, s)) sum += s->used;
    }
    LODE_DEBUG_CHECK(n == 1, "an account is in the list %u times; expected once", n);
    LODE_DEBUG_CHECK(budget == 0 || sum <= budget,
                     "accounts hold %llu bytes, but the budget is %llu", (unsigned long long)sum,
                     (unsigned long long)budget);
}
#endif

/* ---- memory ---------------------------------------------------------------------------------- */

lode_status ledger_charge(ledger_account *account, size_t bytes) {
    pthread_mutex_lock(ledger_lock(account));
    bool fits = bytes <= ledger_room(account);
    if (fits) account->used += bytes;
    LODE_VALIDATE(ledger_validate(account));
    if (!fits && ledger_others(account) > 0) account->job->lease.device_short = true;
    pthread_mutex_unlock(ledger_lock(account));
    return fits ? LODE_OK : LODE_BUDGET;
}

void ledger_discharge(ledger_account *account, size_t bytes) {
    pthread_mutex_lock(ledger_lock(account));
    LODE_DEBUG_CHECK(account->used >= bytes, "%zu bytes are given back, but only %zu are in use",
                     bytes, account->used);
    account->used -= bytes;
    pthread_mutex_unlock(ledger_lock(account));
}

size_t ledger_left(const ledger_account *account) {
    pthread_mutex_lock(ledger_lock(account));
    size_t left = ledger_room(account);
    pthread_mutex_unlock(ledger_lock(account));
    return left;
}

size_t ledger_held_by_others(const ledger_account *account) {
    pthread_mutex_lock(ledger_lock(account));
    size_t held = ledger_others(account);
    pthread_mutex_unlock(ledger_lock(account));
    return held;
}

uint64_t ledger_departures(const ledger_account *account) {
    pthread_mutex_lock(ledger_lock(account));
    uint64_t n = account->job->ctx->n_departures;
    pthread_mutex_unlock(ledger_lock(account));
    return n;
}

lode_status ledger_wait(ledger_account *account, uint64_t departures) {
    lode_status status = LODE_OK;
    pthread_mutex_lock(ledger_lock(account));
    account->n_waiting++;
    while (status == LODE_OK && account->job->ctx->n_departures == departures) {
        if (!ledger_is_busy(account)) {
            status = LODE_BUDGET;
            break;
        }
        pthread_mutex_unlock(ledger_lock(account));
        os_pause(LEDGER_PAUSE_MICROSECONDS);
        status = job_check(account->job);
        pthread_mutex_lock(ledger_lock(account));
    }
    account->n_waiting--;
    pthread_mutex_unlock(ledger_lock(account));
    return status;
}
