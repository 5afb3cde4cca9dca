/* lode.h - the public interface: frequent patterns, from a file to a result
 *
 * lode finds the sets of items that occur together in at least a given number of transactions, and
 * the connected subgraphs that occur in at least a given number of graphs (lode/graphs.h), and the
 * rules by which some items come with others (lode/rules.h).
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
 * static one is lode-static, or find_package(lode COMPONENTS static). A build tree that is not
 * installed has a lode.pc for the static library: PKG_CONFIG_PATH=build.
 *
 * RULES FOR ALL CALLS
 *   Errors     Every call that can fail returns a lode_status, and the compiler warns if a program
 *              ignores it. lode_job_error() has the message. On failure, out parameters are left
 *              alone. The library never prints, exits or aborts.
 *   Arguments  LODE_INVALID, with a message that names it, is returned for a pointer that is NULL
 *              without being allowed to, for an enum or a number out of range, and for a `size`
 *              that is not set. Functions that cannot fail accept NULL, and positions past the end,
 *              and return nothing: 0, false, NULL or "".
 *   Ownership  What X_create, X_open or X_from_* has made is freed by X_free; X_free(NULL) does
 *              nothing. Free the sinks of a job before the job; data sets outlive it. A pointer
 *              that a call lends is valid until its owner is freed.
 *   Threads    A job and its sinks belong to one thread at a time. But any thread may call
 *              lode_job_cancel() (as may a signal handler), lode_job_raise_threshold(),
 *              lode_job_progress(), and the functions that say how much a sink has received. Data
 *              sets and results never change after creation, and threads may share them.
 *   Structs    Structs that may grow in later versions begin with their own size, so that programs
 *              and libraries of different versions work together. Start one with LODE_INIT(type),
 *              or {.size = sizeof …}; all other fields are then zero, which always means "the
 *              default". In a struct that is passed in, fields that an older program does not have
 *              are zero; fields that a newer program sets, and the library does not know, are
 *              INVALID. A call that fills a struct fills the fields that both know, sets the others
 *              to zero, and returns false if there is nothing to tell or the size is not set.
 *              Structs that the library lends (to callbacks, or by lode_option_at()) have the
 *              library's size: read no fields beyond it. Calls copy the texts they keep. Enums are
 *              as large as int, and their values never change.
 *   Options    A lode_options holds all structs of options, and sets them by name and text.
 *   Callbacks  The type of a callback says on which threads it is called. A callback may call what
 *              any thread may call (see Threads), and read data sets and finished results. It must
 *              not make another call for its own job, which is busy. Calls for another job run on
 *              the callback's thread alone, and never wait. A callback must return: no longjmp()
 *              and no exception may leave it.
 *   Stack      A call takes less than 256 KiB of its thread's stack, whatever the data, plus what
 *              the program's callbacks take. Threads that lode starts have 1 MiB or more.
 *   Numbers    Items and transactions are u32, supports and totals u64. More is an error, which the
 *              message explains.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LODE_H
#define LODE_H

#include "lode/arrow.h"    /* 13. results in memory for other libraries */
#include "lode/clean.h"    /* 14. cleaning and writing data sets, and what matches */
#include "lode/data.h"     /* 4. data sets of transactions */
#include "lode/files.h"    /* 19. files that appear under their name when they are complete */
#include "lode/generate.h" /* 7. data generators */
#include "lode/graphs.h"   /* 8. graphs: data, sinks, mining */
#include "lode/job.h" /* 3. contexts, which jobs share, and jobs: limits, progress, cancelling */
#include "lode/journal.h"  /* 18. what of a long search is finished, in a file */
#include "lode/measures.h" /* 11. how interesting a rule is */
#include "lode/mine.h"     /* 6. mining, algorithms and devices */
#include "lode/options.h"  /* 2. everything that can be asked for, by struct or by name */
#include "lode/papers.h"   /* 10. settings of algorithms taken from papers */
#include "lode/report.h"   /* 9. what a job did: figures by name, text, JSON */
#include "lode/rules.h"    /* 12. association rules */
#include "lode/sinks.h"    /* 5. what happens to a pattern */
#include "lode/status.h"   /* 1. what calls return; versions; thresholds */
#include "lode/store.h"    /* 15. stored results: pages, filters, histograms */
#include "lode/suggest.h"  /* 16. which threshold: numbers of patterns before mining */
#include "lode/tasks.h"    /* 17. a search in parts, for several processes */
#include "lode/text.h"     /* 20. JSON strings and numbers */

#endif
