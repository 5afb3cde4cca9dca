/* scripted_waves.h - schedules of messages in which a careless detection of the end would be wrong;
 * see scripted_waves.c
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_SCRIPTED_WAVES_H
#define LODE_MPI_SCRIPTED_WAVES_H

#include <stdbool.h>

/* Returns whether four ranks end when all tasks are done, and not before. With `again`, the ranks
 * repeat the same steps in the second wave. */
bool waves_hold(bool again);

#endif
