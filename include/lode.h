/* lode.h - the public interface: frequent patterns, from a file to a result
 *
 * lode finds
 *   - frequent itemsets: sets of items that occur together in at least N transactions,
 *   - association rules: items that tend to come with other items (lode/rules.h),
 *   - frequent connected subgraphs: those contained in at least N graphs (lode/graphs.h).
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
 * examples/ has complete programs with error checks. To build one:
 *
 *     cc program.c $(pkg-config --cflags --libs lode)
 *
 * With CMake, use find_package(lode) and the target lode::lode. Both ways link the shared library.
 * For the static library, use `pkg-config --libs lode-static` or find_package(lode COMPONENTS
 * static). To build against an uninstalled build tree (static library), set PKG_CONFIG_PATH=build.
 *
 * RULES FOR ALL CALLS
 *   Errors     Every call that can fail returns a lode_status, and the compiler warns if a program
 *              ignores it. lode_job_error() has the message. On failure, out parameters are left
 *              unchanged. The library never prints, exits or aborts.
 *   Arguments  A call returns LODE_INVALID, with a message that names the argument, if a pointer
 *              that must not be NULL is NULL, if an enum or number is out of range, or if a `size`
 *              is not set. Functions that cannot fail accept NULL and positions past the end; they
 *              then return 0, false, NULL or "".
 *   Ownership  X_free frees what X_create, X_open or X_from_* made; X_free(NULL) does nothing. Free
 *              the sinks of a job before the job; data sets may outlive it. A pointer that a call
 *              lends is valid until the object that it comes from is freed. "Lent for the call",
 *              said of an argument of a callback, means: valid until the callback returns.
 *   Threads    Only one thread at a time may use a job and its sinks. At any time, however, any
 *              thread may call lode_job_cancel() (also from a signal handler),
 *              lode_job_raise_threshold(), lode_job_ask_task(), lode_job_progress(), and the
 *              functions that say how much a sink has received. Data sets and results never change
 *              after creation, so threads may share them.
 *   Structs    Structs that may grow in later versions begin with their own size, so that programs
 *              and libraries of different versions work together. Initialise one with
 *              LODE_INIT(type) or {.size = sizeof …}; all other fields are then zero, which always
 *              means "the default".
 *              Structs passed in: fields that an older program does not have count as zero. If a
 *              newer program sets a field that the library does not know, the call returns
 *              LODE_INVALID.
 *              Structs filled by a call: fields that both sides know are filled, the others are
 *              zero. The call returns false if there is nothing to fill in (the object is NULL, or
 *              the position is past the end), or if the size is not set.
 *              Structs lent by the library (to callbacks, or by lode_option_at()) have the
 *              library's size: do not read fields beyond it.
 *              Calls copy the strings they keep. Enums have the size of int, and their values never
 *              change.
 *   Options    A lode_options object holds all option structs. lode_options_set() sets a field by
 *              its name, with the value as text.
 *   Callbacks  The comment at the type of a callback says on which threads it is called. A callback
 *              may make the calls that any thread may make (see Threads), and read data sets and
 *              finished results. It must not make another call for its own job, which is busy. It
 *              may make calls for another job; these run on the callback's thread alone and never
 *              wait. A callback must return: no longjmp() and no exception may leave it.
 *   Stack      A call uses less than 256 KiB of the stack of the calling thread, whatever the data
 *              are, plus what the program's own callbacks use. Threads started by lode have 1 MiB
 *              or more.
 *   Numbers    Items and transaction numbers are uint32_t; supports and totals are uint64_t. Larger
 *              values are an error with a message.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LODE_H
#define LODE_H

/* The numbers give an order in which to read the headers. */
#include "lode/arrow.h"    /* 13. results in memory for other libraries */
#include "lode/classes.h"  /* 21. differences between groups of transactions */
#include "lode/clean.h"    /* 14. cleaning, selecting and writing transactions */
#include "lode/data.h"     /* 4. data sets of transactions */
#include "lode/files.h"    /* 19. files that appear under their name only when complete */
#include "lode/generate.h" /* 7. data generators */
#include "lode/graphs.h"   /* 8. graphs: data, sinks, mining */
#include "lode/job.h"      /* 3. contexts and jobs: limits, progress, cancelling */
#include "lode/journal.h"  /* 18. journals: resume a search that was killed */
#include "lode/measures.h" /* 11. measures of how interesting a rule is */
#include "lode/mine.h"     /* 6. mining, algorithms and devices */
#include "lode/options.h"  /* 2. all options, as structs or by name */
#include "lode/papers.h"   /* 10. settings of algorithms taken from papers */
#include "lode/report.h"   /* 9. what a job did: figures by name, text, JSON */
#include "lode/rules.h"    /* 12. association rules */
#include "lode/sinks.h"    /* 5. sinks: where patterns go */
#include "lode/status.h"   /* 1. status codes; versions; thresholds */
#include "lode/store.h"    /* 15. stored results: pages, filters, histograms */
#include "lode/suggest.h"  /* 16. choosing a threshold: number of patterns before mining */
#include "lode/tasks.h"    /* 17. dividing a search among processes */
#include "lode/text.h"     /* 20. JSON strings and numbers */

#endif
