/* ledger.h - the memory of each device, as the jobs of a context take it together
 *
 * A job takes a seat at a device while it works there, and notes what it takes of its memory. The
 * seats of a context at one device keep the context's budget for device memory together; what a job
 * may take for itself, and what the device has, is the business of the backend. Where memory is
 * short because of others, a job can wait for one of them to leave.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_LEDGER_H
#define LODE_RUNTIME_LEDGER_H

#include "runtime/job.h"

typedef struct ledger_seat {
    struct ledger_seat *next; /* in the context */
    lode_job *job;
    const char *kind; /* of device: the name of its backend */
    unsigned index;
    size_t used;
    unsigned n_waiting; /* threads of the job that wait for others to leave */
} ledger_seat;

/* Takes a seat, which is the caller's, and leaves it; all it had must be given back. */
void ledger_join(ledger_seat *seat, lode_job *job, const char *kind, unsigned index);
void ledger_leave(ledger_seat *seat);

/* Notes that so many bytes of the device are taken. BUDGET, without a message: the jobs of the
 * context would take more than they may. */
LODE_NODISCARD lode_status ledger_charge(ledger_seat *seat, size_t bytes);
void ledger_discharge(ledger_seat *seat, size_t bytes);

/* What is left of the context's budget; SIZE_MAX without one. */
size_t ledger_left(const ledger_seat *seat);
/* What other jobs of the context have of the device. */
size_t ledger_held_by_others(const ledger_seat *seat);

/* How many have left: to be asked before an attempt, for ledger_wait() should it fail. */
uint64_t ledger_departures(const ledger_seat *seat);
/* Waits until another job has left the device since then: OK, try again. BUDGET: there is none that
 * works, so that waiting would not help. Any thread of the job. Errors: CANCELLED, STOPPED. */
LODE_NODISCARD lode_status ledger_wait(ledger_seat *seat, uint64_t departures);

#endif
