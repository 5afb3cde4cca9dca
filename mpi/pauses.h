/* pauses.h - how long the thread of a rank that talks sleeps between two looks at the network
 *
 * What:  a rank without work has a processor that nobody uses, and every look that comes late makes
 *        it, and those that wait for its answer, wait longer. So it looks every few microseconds;
 *        only when nothing has happened for long, pauses grow with the time that has passed. A rank
 *        that searches looks less often, because a look takes time from its search; the more seldom
 *        it is asked, the less often.
 * Why:   lode-mpi and the simulated ranks share it, so that the simulation has the pauses of the
 *        real program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_PAUSES_H
#define LODE_MPI_PAUSES_H

#include <stdbool.h>

#include "tuning.h"

/* Seconds; `quiet`: since a message was received, or the search began or ended. */
static inline double pause_now(bool searching, double quiet) {
    double least = searching ? RANK_BUSY_PAUSE_LEAST : RANK_IDLE_PAUSE;
    double most = searching ? RANK_BUSY_PAUSE_MOST : RANK_PAUSE_MOST;
    double pause = (searching ? quiet : quiet - RANK_IDLE_BRISK) / RANK_PAUSE_PART;
    return pause < least ? least : pause > most ? most : pause;
}

#endif
