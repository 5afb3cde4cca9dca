/* valid.h - what public functions check before they begin: NULLs, sizes, and every range of options
 *
 * A program in another language, or of another version, hands over whatever it likes. One table
 * (valid.c) has a row for each enum and each bounded number of the option structs; what depends on
 * two fields, or on the data, is checked where it is known.
 * Use:  VALID_CALL first in every public function that has a job and can fail; valid_take for every
 *       struct that comes in, of which only the copy is looked at; valid_fill for every struct that
 *       goes out.
 *
 * Structs grow at their end. Those that come in have no padding there (fields named `reserved` fill
 * it), because a new field would lie in it, and in programs of before it holds anything:
 *
 *       program of before    size a b            copy: size a b 0      what it lacks is the default
 *       library              size a b c
 *       newer program        size a b c d        copy: size a b c      and d must be zero
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_VALID_H
#define LODE_RUNTIME_VALID_H

#include "base/sized.h"
#include "runtime/job.h"

typedef struct valid_argument {
    bool given;
    const char *name;
} valid_argument;

/* Begins a call: forgets the message of the one before. INVALID if the job is NULL, or one of
 * the arguments, which the message names. */
LODE_NODISCARD lode_status valid_call(lode_job *job, const valid_argument *arguments, size_t n);

/* An argument that must not be NULL. */
#define VALID_NEEDS(pointer)                                                                       \
    { (pointer) != NULL, #pointer }

/* Returns from the function if an argument is missing. */
#define VALID_CALL(job, ...)                                                                       \
    do {                                                                                           \
        const valid_argument needed[] = {__VA_ARGS__};                                             \
        lode_status valid = valid_call(job, needed, sizeof needed / sizeof *needed);               \
        if (valid != LODE_OK) return valid;                                                        \
    } while (0)

/* Structs that a program fills in. */
typedef enum valid_struct {
    VALID_CTX,
    VALID_JOB,
    VALID_READ,
    VALID_MINE,
    VALID_WRITE,
    VALID_GRAPH_READ,
    VALID_GRAPH,
    VALID_GRAPH_WRITE,
    VALID_QUEST,
    VALID_MUTATE,
    VALID_GRAPHGEN,
    VALID_GRAPH_COLUMNS,
    VALID_GRAPH_ARRAYS,
    VALID_PAPERS
} valid_struct;

/* Copies what the caller's struct and lode's have in common to *copy, of which the rest is zero,
 * and checks all ranges. NULL is a struct of zeros. INVALID: the size is not set, a range is left,
 * or the caller asks for something that lode does not have. The message goes to the job; if that
 * is NULL, to valid_last(). Texts are not copied; nor is a struct that a field points to, which is
 * checked like one that comes in (valid_papers() copies it). */
#define valid_take(job, which, given, copy)                                                        \
    valid_take_bytes(job, which, given, copy, sizeof *(copy))
LODE_NODISCARD lode_status valid_take_bytes(lode_job *job, valid_struct which, const void *given,
                                            void *copy, size_t bytes);

/* What the field `papers` of a checked struct points to, as far as the caller's has it; for NULL,
 * the defaults. */
lode_paper_options valid_papers(const lode_paper_options *checked);

/* Fills a struct of the caller's, with `from` or, for NULL, with zeros; see base/sized.h. */
#define valid_fill(out, from) sized_fill(out, from)

/* What was wrong with a call that has no job, of this thread; never NULL. */
const char *valid_last(void);
/* Says so; INVALID. */
lode_status valid_fail(const char *format, ...) LODE_PRINTF(1, 2);

#endif
