/* scripted_waves.h - schedules that make a careless end of the job wrong: see scripted_waves.c
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_SCRIPTED_WAVES_H
#define LODE_MPI_SCRIPTED_WAVES_H

#include <stdbool.h>

/* Whether four ranks do not end before all is done, and end then: with `again`, also if the ranks
 * play the same in the second wave. */
bool waves_hold(bool again);

#endif
