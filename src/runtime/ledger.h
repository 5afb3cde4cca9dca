/* ledger.h - how much memory of each device the jobs of a context use
 *
 * A job has an account at a device while it works there, and records how much of the device's
 * memory it uses. Together, all accounts of a context at one device stay within the context's
 * budget for device memory. The backend checks the budget of each job and the memory of the device.
 * A job that runs out of device memory because of other jobs can wait until one of them closes its
 * account.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_LEDGER_H
#define LODE_RUNTIME_LEDGER_H

#include "runtime/job.h"

typedef struct ledger_account {
    struct ledger_account *next; /* the next account in the context's list */
    lode_job *job;
    const char *kind; /* the name of the device's backend */
    unsigned index;   /* the device's number in the backend */
    size_t used;
    unsigned n_waiting; /* number of the job's threads that wait until another account is closed */
} ledger_account;

/* Opens an account, which the caller owns. */
void ledger_join(ledger_account *account, lode_job *job, const char *kind, unsigned index);
/* Closes an account. All its memory must have been returned. */
void ledger_leave(ledger_account *account);

/* Records that `bytes` of device memory are allocated. Returns BUDGET, without a message, if this
 * would exceed the context's budget. */
LODE_NODISCARD lode_status ledger_charge(ledger_account *account, size_t bytes);
void ledger_discharge(ledger_account *account, size_t bytes);

/* Returns how much of the context's budget is left; SIZE_MAX = there is no budget. */
size_t ledger_left(const ledger_account *account);
/* Returns how many bytes of device memory other jobs of the context hold. */
size_t ledger_held_by_others(const ledger_account *account);

/* Returns how many accounts were closed so far. Call it before you try to allocate, and pass the
 * number to ledger_wait() if the allocation fails. */
uint64_t ledger_departures(const ledger_account *account);
/* Waits until an account has been closed since `departures` was read, and returns OK, which means
 * that the caller should try again. Returns BUDGET if no other job works on the device, so that
 * waiting would not help. Any thread of the job may call it. Errors: CANCELLED, STOPPED. */
LODE_NODISCARD lode_status ledger_wait(ledger_account *account, uint64_t departures);

#endif
