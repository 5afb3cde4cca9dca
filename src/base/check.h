/* check.h - checks of invariants, compiled into the code
 *
 * What:  three macros.
 *        LODE_REQUIRE is always on. If its condition is false, the function returns LODE_INTERNAL
 *        with a message that names the place and asks for a report. Use it where the condition
 *        costs next to nothing and continuing would give wrong results or worse.
 *        LODE_DEBUG_CHECK is on in Debug builds and with LODE_CHECKS, and ends the program. Use it
 *        for expensive conditions and where no status can be returned.
 *        LODE_VALIDATE calls a function that checks a whole structure, in the same builds.
 * Rules: LODE_REQUIRE leaves the function as LODE_TRY does. Checks are only for bugs: mistakes of
 *        the user and failures of the machine have their own statuses. Conditions have no effects.
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

/* The path of a source file relative to src/. */
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

/* LODE_VALIDATE(list_validate(list)) after each change of a list. Such functions are named
 * NAME_validate(), return nothing, use LODE_DEBUG_CHECK, and are defined in `#if LODE_DEBUG`. */
#if LODE_DEBUG
#define LODE_VALIDATE(call) (call)
#else
#define LODE_VALIDATE(call) ((void)0)
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
