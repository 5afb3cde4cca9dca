/* ledger.h - how much memory the jobs of a context take of each device
 *
 * A job takes a seat at a device while it works there, and notes how much of its memory it takes.
 * All seats of a context at one device together stay within the context's budget for device memory;
 * the budget of a single job, and what the device has, are checked by the backend. A job that finds
 * memory short because of others can wait for one of them to leave.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_LEDGER_H
#define LODE_RUNTIME_LEDGER_H

#include "runtime/job.h"

typedef struct ledger_seat {
    struct ledger_seat *next; /* in the list of the context */
    lode_job *job;
    const char *kind; /* the name of the device's backend */
    unsigned index;   /* the number of the device there */
    size_t used;
    unsigned n_waiting; /* threads of the job that wait for others to leave */
} ledger_seat;

/* Takes a seat, which the caller owns; and leaves it, after all its memory was given back. */
void ledger_join(ledger_seat *seat, lode_job *job, const char *kind, unsigned index);
void ledger_leave(ledger_seat *seat);

/* Notes that this many bytes of the device are taken. BUDGET, without a message: the jobs of the
 * context would take more than they may. */
LODE_NODISCARD lode_status ledger_charge(ledger_seat *seat, size_t bytes);
void ledger_discharge(ledger_seat *seat, size_t bytes);

/* What is left of the context's budget; SIZE_MAX without one. */
size_t ledger_left(const ledger_seat *seat);
/* What other jobs of the context have of the device. */
size_t ledger_held_by_others(const ledger_seat *seat);

/* How many seats have been left so far. Ask before an attempt; if it fails, ledger_wait() takes the
 * number. */
uint64_t ledger_departures(const ledger_seat *seat);
/* Waits until a seat has been left since then, and returns OK: try again. BUDGET: no other job
 * works on the device, so waiting would not help. Any thread of the job. Errors: CANCELLED,
 * STOPPED. */
LODE_NODISCARD lode_status ledger_wait(ledger_seat *seat, uint64_t departures);

#endif
