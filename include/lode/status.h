/* lode/status.h - status codes; versions; thresholds. Part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_STATUS_H
#define LODE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LODE_VERSION_MAJOR 0
#define LODE_VERSION_MINOR 1
#define LODE_VERSION_PATCH 0
#define LODE_VERSION_TEXT  "0.1.0"

#if defined(__GNUC__)
#define LODE_NODISCARD        __attribute__((warn_unused_result))
#define LODE_API              __attribute__((visibility("default")))
#define LODE_PRINTF(at, from) __attribute__((format(printf, at, from)))
#else
#define LODE_NODISCARD
#define LODE_API
#define LODE_PRINTF(at, from)
#endif

/* A struct with its size set and all other fields zero:
 *     lode_mine_options options = LODE_INIT(lode_mine_options);
 * In C, {.size = sizeof options, …} does the same. See "Structs" in lode.h. */
#ifdef __cplusplus
extern "C++" {
template <typename type> inline type lode_init() {
    type value = type();
    value.size = sizeof(type);
    return value;
}
}
#define LODE_INIT(type) (lode_init<type>())
#else
#define LODE_INIT(type) ((type){.size = sizeof(type)})
#endif

/* The version of the linked library, such as "0.1.0". */
LODE_API const char *lode_version(void);

/* How the linked library was built, and what it uses on this machine. Strings are static. */
typedef struct lode_build {
    size_t size;
    const char *type;             /* "Release", "Debug"; "" = unknown */
    const char *sanitizers;       /* "address,undefined"; "" = none */
    const char *compiler;         /* "gcc 13.2.0" */
    const char *instruction_sets; /* compiled in, best first: "avx512, avx2, scalar" */
    const char *chosen; /* the set in use; NULL = the environment variable LODE_CPU requests a set
                         * that cannot run here */
    const char *cuda;   /* the CUDA toolkit, "12.4"; NULL = built without CUDA */
} lode_build;

/* Returns false if `out` is NULL or its size is not set, as all calls that fill a struct do. */
LODE_API bool lode_build_info(lode_build *out);

/* The values never change. */
typedef enum lode_status {
    LODE_OK = 0,
    LODE_NOMEM = 1,       /* the system has no more memory */
    LODE_BUDGET = 2,      /* the memory budget is too small; see lode_job_memory_needed() */
    LODE_CANCELLED = 3,   /* lode_job_cancel() was called; results so far are valid but partial */
    LODE_INVALID = 4,     /* an argument or option is wrong */
    LODE_PARSE = 5,       /* the input is malformed: "file:line:column: what; what was expected" */
    LODE_IO = 6,          /* the system refused to read or write */
    LODE_UNSUPPORTED = 7, /* a valid request that this algorithm or device does not support */
    LODE_DEVICE = 8,      /* a device failed */
    LODE_NOTFOUND = 9,    /* an input file is missing or cannot be opened */
    LODE_STOPPED = 10, /* a limit was reached, or a sink asked to stop; results so far are valid */
    LODE_INTERNAL = 11 /* a bug in lode: please report it */
} lode_status;

/* Copies n bytes of text for a terminal, and replaces characters that could control the terminal by
 * question marks: control characters except line ends and tabs, and characters that change the
 * direction of text. Returns the number of bytes written, at most n; `to` may be equal to `text`.
 * Messages of the library, and what it writes to a terminal itself ("-" as a path), are already
 * safe. If `text` is NULL, returns 0. */
LODE_API size_t lode_printable(char *to, const char *text, size_t n);

/* A short text for a status, such as "memory budget". Never NULL. */
LODE_API const char *lode_status_text(lode_status status);

/* The exit code of the lode command for a status; other programs may use it, too: 0 done,
 * 1 failed, 2 usage, 3 bad input, 4 memory budget, 5 stopped by a limit, 130 interrupted. */
LODE_API int lode_exit_code(lode_status status);

/* ---- thresholds: a count, or an exact fraction of the transactions ---- */

/* If denominator is 0, `numerator` is a count; otherwise this is the ratio numerator / denominator.
 * All zero means "not set". This struct has no size and never grows. */
typedef struct lode_threshold {
    uint64_t numerator;
    uint64_t denominator;
} lode_threshold;

/* Reads "250" (a count), "1%" or "0.01" (ratios). Numbers from 1 on without % are counts: "1" is
 * the count 1, and "100%" is every transaction. Zero, negative numbers and ratios above 100% are
 * LODE_INVALID; `message` (may be NULL) then says what is wrong. The result is exact: a fraction of
 * two integers, not a floating-point number. */
LODE_API LODE_NODISCARD lode_status lode_threshold_parse(const char *text, lode_threshold *out,
                                                         char *message, size_t message_bytes);

/* The smallest support that meets the threshold among n transactions: max(1, ceil(ratio * n)). */
LODE_API uint64_t lode_threshold_count(lode_threshold threshold, uint64_t n);

#ifdef __cplusplus
}
#endif
#endif
