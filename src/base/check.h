/* check.h - checks of invariants, compiled into the code
 *
 * What:  this file defines three macros.
 *        LODE_REQUIRE is always on. If its condition is false, the function returns LODE_INTERNAL
 *        with a message that names the source line and asks the user to report the bug. Use it for
 *        conditions that cost next to nothing to test, if results would be wrong or worse where
 *        they are false. LODE_DEBUG_CHECK is on in Debug builds and with LODE_CHECKS, and ends the
 *        program. Use it for expensive conditions, and where no status can be returned.
 *        LODE_VALIDATE is on in the same builds. It calls a function that checks a whole structure.
 * Rules: LODE_REQUIRE jumps to `done`, as LODE_TRY does. Use checks only for bugs: user errors and
 *        machine failures have their own statuses. A condition must have no side effects.
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

/* Returns the path of a source file relative to src/. */
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

/* Write LODE_VALIDATE(list_validate(list)) after each change of a list. A validating function is
 * named NAME_validate(), returns nothing, uses LODE_DEBUG_CHECK, and is defined inside `#if
 * LODE_DEBUG`. */
#if LODE_DEBUG
#define LODE_VALIDATE(call) (call)
#else
#define LODE_VALIDATE(call) ((void)0)
#endif

/* Use this macro in functions that have a `status` and a label `done` (status.h). The message is
 * stored in `job` by job_broken() (runtime/job.h). */
#define LODE_REQUIRE(job, condition, text)                                                         \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0)) {                                                   \
            status = job_broken((job), __FILE__, __LINE__, (text));                                \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

#endif
