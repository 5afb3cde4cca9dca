/* ledger.h - how much memory of each device the jobs of a context use
 *
 * A job has an account at a device while it works there, and records how much of the device's
 * memory it uses. All accounts of a context at one device together stay within the context's budget
 * for device memory; the backend checks the budget of a single job, and what the device has. A job
 * that runs out of memory because of others can wait for one of them to leave.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_LEDGER_H
#define LODE_RUNTIME_LEDGER_H

#include "runtime/job.h"

typedef struct ledger_account {
    struct ledger_account *next; /* in the list of the context */
    lode_job *job;
    const char *kind; /* the name of the device's backend */
    unsigned index;   /* the number of the device there */
    size_t used;
    unsigned n_waiting; /* threads of the job that wait for others to leave */
} ledger_account;

/* Opens an account, which the caller owns; closes it after all its memory was returned. */
void ledger_join(ledger_account *account, lode_job *job, const char *kind, unsigned index);
void ledger_leave(ledger_account *account);

/* Records that `bytes` of the device are allocated. BUDGET, without a message: that would exceed
 * the context's budget. */
LODE_NODISCARD lode_status ledger_charge(ledger_account *account, size_t bytes);
void ledger_discharge(ledger_account *account, size_t bytes);

/* What is left of the context's budget; SIZE_MAX without one. */
size_t ledger_left(const ledger_account *account);
/* Bytes of the device that other jobs of the context hold. */
size_t ledger_held_by_others(const ledger_account *account);

/* How many accounts were closed so far. Read it before an attempt to allocate; if that fails, pass
 * the number to ledger_wait(). */
uint64_t ledger_departures(const ledger_account *account);
/* Waits until an account was closed since `departures` was read, and returns OK: try again. BUDGET:
 * no other job works on the device, so waiting would not help. Any thread of the job. Errors:
 * CANCELLED, STOPPED. */
LODE_NODISCARD lode_status ledger_wait(ledger_account *account, uint64_t departures);

#endif
