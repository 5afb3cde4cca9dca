/* parallel.h - run a function on several threads and wait
 *
 * Threads live for one region. Regions are long (a whole read, a whole search), so starting threads
 * costs nothing that matters, and a job with one thread really has one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_PARALLEL_H
#define LODE_RUNTIME_PARALLEL_H

#include "runtime/job.h"

#define PARALLEL_MAX         1024
#define PARALLEL_STACK_BYTES ((size_t)1 << 20) /* of a thread, at the least */

/* worker 0 runs on the calling thread. */
typedef lode_status (*parallel_fn)(void *arg, unsigned worker);

/* Calls fn(arg, 0) … fn(arg, n - 1), each on a thread of its own, and waits for all. Returns the
 * status of the lowest-numbered worker that failed. If the system refuses a thread, or the job has
 * none left (lease.h), the call is made on the calling thread after the others have started, so
 * `fn` must not need all at once unless `all_or_none`: then n must not be above job->threads, which
 * may have become less since an earlier region, and the region fails with NOMEM before any worker
 * has run if the system refuses one. */
LODE_NODISCARD lode_status parallel_run(lode_job *job, unsigned n, bool all_or_none, parallel_fn fn,
                                        void *arg);

#endif
