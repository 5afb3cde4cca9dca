/* check.h - invariants, checked in the code
 *
 * What:  two kinds of checks. LODE_REQUIRE is always on: if the condition is false, the call
 *        returns LODE_INTERNAL, with a message that says where and asks for a report. It is for
 *        conditions that cost next to nothing, where going on would give wrong results or worse.
 *        LODE_DEBUG_CHECK is for expensive conditions, and where no status can be returned: in
 *        Debug builds, and with LODE_CHECKS, it ends the program.
 * Rules: LODE_REQUIRE leaves the function as LODE_TRY does. Neither is for mistakes of the user or
 *        failures of the machine, which have statuses of their own. Conditions have no effects.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_CHECK_H
#define LODE_BASE_CHECK_H

#include "base/status.h"

#if defined(NDEBUG)
#define LODE_DEBUG 0
#else
#define LODE_DEBUG 1
#endif

/* Prints "lode: FILE:LINE: " and the text to standard error, and aborts. */
_Noreturn void check_abort(const char *file, int line, const char *format, ...) LODE_PRINTF(3, 4);

/* The file without the folders in front of src/. */
const char *check_file(const char *file);

#if LODE_DEBUG
#define LODE_DEBUG_CHECK(condition, ...)                                                           \
    do {                                                                                           \
        if (!(condition)) check_abort(__FILE__, __LINE__, __VA_ARGS__);                            \
    } while (0)
#else
#define LODE_DEBUG_CHECK(condition, ...)                                                           \
    do {                                                                                           \
        if (0 && (condition)) check_abort(__FILE__, __LINE__, __VA_ARGS__);                        \
    } while (0)
#endif

/* For functions with a `status` and a label `done` (status.h); `job` receives the message.
 * job_broken() is in runtime/job.h. */
#define LODE_REQUIRE(job, condition, text)                                                         \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0)) {                                                   \
            status = job_broken((job), __FILE__, __LINE__, (text));                                \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

#endif
