/* parallel.h - runs a function on several threads and waits for them
 *
 * Threads exist only during a region, which is one call of parallel_run(). A region is long (a
 * whole read, or a whole search), so the cost of starting threads does not matter. A job with one
 * thread starts no others.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_PARALLEL_H
#define LODE_RUNTIME_PARALLEL_H

#include "runtime/job.h"

#define PARALLEL_MAX         1024
#define PARALLEL_STACK_BYTES ((size_t)1 << 20) /* minimum stack of a thread */

/* The work of one thread. Worker 0 runs on the calling thread. */
typedef lode_status (*parallel_fn)(void *arg, unsigned worker);

/* Calls fn(arg, 0) … fn(arg, n - 1), each on its own thread, and waits for all. Returns the status
 * of the lowest-numbered worker that failed. If the system refuses a thread, or the job has none
 * left (lease.h), the calling thread runs this worker itself after the other workers have started.
 * So workers must not wait for one another, unless `all_or_none` is set. With `all_or_none`, n must
 * not exceed job->threads (which an earlier region may have lowered), and if the system refuses a
 * thread, the region fails with NOMEM before any worker has run. */
LODE_NODISCARD lode_status parallel_run(lode_job *job, unsigned n, bool all_or_none, parallel_fn fn,
                                        void *arg);

#endif
