/* lode.h - frequent patterns, from a file to a result: the whole public interface
 *
 * lode finds the sets of items that occur together in at least a given number of transactions, and
 * the connected subgraphs that occur in at least a given number of graphs (lode/graphs.h).
 * This header is the manual of the C library. It compiles as C17 and as C++.
 *
 *     #include <lode.h>
 *
 *     lode_job *job = NULL;
 *     lode_dataset *data = NULL;
 *     lode_sink *sink = NULL;
 *     lode_options *options = NULL;
 *
 *     lode_options_create(&options);
 *     lode_options_set(options, "min-support", "1%", NULL, 0);
 *     lode_job_create(&job, NULL, lode_options_job(options));
 *     lode_dataset_open(job, &data, "baskets.csv", lode_options_read(options));
 *     lode_sink_count(job, &sink);
 *     lode_mine(job, data, lode_options_mine(options), sink);
 *     printf("%llu patterns\n", (unsigned long long)lode_sink_patterns(sink));
 *
 *     lode_sink_free(sink);
 *     lode_dataset_free(data);
 *     lode_job_free(job);
 *     lode_options_free(options);
 *
 * (examples/ has complete programs with the error checks.)
 *
 *     cc program.c $(pkg-config --cflags --libs lode)
 *
 * or, with CMake, find_package(lode) and the target lode::lode. That is the shared library; the
 * archive is lode-static, or find_package(lode COMPONENTS static). A build tree that is not
 * installed has a lode.pc, too, which gives the archive: PKG_CONFIG_PATH=build.
 *
 * RULES THAT HOLD EVERYWHERE
 *   Errors     Every call that can fail returns a lode_status, and the compiler warns if it is not
 *              looked at. The text that goes with it is lode_job_error(). Out parameters are left
 *              alone on failure. The library never prints, exits or aborts.
 *   Arguments  A pointer that is NULL where nothing says that it may be, an enum or a number out of
 *              its range and a `size` that is not set are LODE_INVALID, and the message says which.
 *              Functions that cannot fail take NULL, and positions past the end, for something
 *              empty.
 *   Ownership  X_create, X_open and X_from_* hand out what X_free takes back; X_free(NULL) is fine.
 *              Free the sinks of a job before the job; data sets outlive it. Pointers that a call
 *              lends are good until the object that lent them is freed.
 *   Threads    A job and its sinks belong to one thread at a time, except that any thread may
 *              call lode_job_cancel() (as may a signal handler), lode_job_raise_threshold(),
 *              lode_job_progress(), and the functions that say how much a sink has received. Data
 *              sets and results never change after creation and may be shared.
 *   Structs    A struct that may get more fields one day starts with its own size: start one by
 *              LODE_INIT(type), or {.size = sizeof …}. So a program runs with an older and with a
 *              newer library. Of a struct that is passed in, what the program does not have is
 *              zero, which always means "the default"; what it sets and the library does not know
 *              is refused as INVALID. A struct that a call fills is filled as far as both know it,
 *              and the rest is zero; false says that there is nothing, or that its size is not set.
 *              Structs that are lent (to callbacks, or by lode_option_at()) tell the size that the
 *              library has: what lies beyond is not there. Texts are copied where a call keeps
 *              them. Enums are as large as int, and their values fixed for good.
 *   Options    A lode_options has all structs of options, settable by name and text.
 *   Callbacks  On which threads one arrives is said at its type. It may call what any thread may
 *              call at any time (see Threads), and read data sets and finished results. It must not
 *              make another call for its job, which is in the middle of one. Calls for another job
 *              run on its thread, and wait for nothing. And it must return: no longjmp() and no
 *              exception may leave it.
 *   Stack      A call takes less than 256 KiB of the stack of its thread, whatever the data; what
 *              your own callbacks take comes on top. Threads that lode starts have 1 MiB or more.
 *   Numbers    Items and transactions are u32, supports and totals u64. More is a named error.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LODE_H
#define LODE_H

#include "lode/data.h"     /* 4. data sets of transactions */
#include "lode/generate.h" /* 7. data generators */
#include "lode/graphs.h"   /* 8. graphs: data, sinks, mining */
#include "lode/job.h"  /* 3. contexts, which jobs share, and jobs: limits, progress, cancelling */
#include "lode/mine.h" /* 6. mining, algorithms and devices */
#include "lode/options.h" /* 2. everything that can be asked for, by struct or by name */
#include "lode/papers.h"  /* 10. settings of algorithms taken from papers */
#include "lode/report.h"  /* 9. what a job did: figures by name, text, JSON */
#include "lode/sinks.h"   /* 5. what happens to a pattern */
#include "lode/status.h"  /* 1. what calls return; versions; thresholds */

#endif
