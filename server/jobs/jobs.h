/* jobs.h - mining jobs: queued, run by workers, stored in the database
 *
 * A waiting or running job is also in memory (jobs_live.h). A job that has ended has its row in the
 * database and, if it has a result, the file results/ID.arrow, which the worker writes itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_JOBS_H
#define LODE_SERVER_JOBS_H

#include <stdint.h>

#include "server.h"

typedef struct jobs jobs;

#endif
