/* valid.h - argument checks of public functions: NULLs, sizes, and ranges of options
 *
 * A program in another language, or built for another version, may pass anything. One table
 * (valid.c) has a row for each enum and each bounded number of the option structs; what depends on
 * two fields, or on the data, is checked where it is used.
 * Use:  VALID_CALL first in every public function that has a job and can fail; valid_take for every
 *       struct that comes in, after which only the copy is used; valid_fill for every struct that
 *       goes out.
 *
 * Structs grow at their end. Input structs have no padding there: an older program would leave
 * garbage in it, where a later version may have a field. `reserved` fields fill the gap.
 *
 *       older program        size a b            copy: size a b 0      c has its default
 *       library              size a b c
 *       newer program        size a b c d        copy: size a b c      d must be zero
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

/* Begins a call: clears the message of the last one. INVALID if the job or an argument is NULL; the
 * message names it. */
LODE_NODISCARD lode_status valid_call(lode_job *job, const valid_argument *arguments, size_t n);

#define VALID_NEEDS(pointer)                                                                       \
    { (pointer) != NULL, #pointer }

/* Returns from the function if an argument is missing. */
#define VALID_CALL(job, ...)                                                                       \
    do {                                                                                           \
        const valid_argument needed[] = {__VA_ARGS__};                                             \
        lode_status valid = valid_call(job, needed, sizeof needed / sizeof *needed);               \
        if (valid != LODE_OK) return valid;                                                        \
    } while (0)

/* Structs filled in by a program. */
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
    VALID_PAPERS,
    VALID_RULE,
    VALID_RULE_WRITE,
    VALID_CLEAN,
    VALID_SELECT,
    VALID_BASKET_WRITE,
    VALID_QUERY,
    VALID_QUERY_WRITE,
    VALID_HISTOGRAM,
    VALID_APPLY,
    VALID_SAVE,
    VALID_SUGGEST,
    VALID_TASK,
    VALID_TASK_SEARCH,
    VALID_JOURNAL_SEARCH,
    VALID_JOURNAL_RECORD,
    VALID_PEERS
} valid_struct;

/* Copies a struct of the caller to *copy and checks all ranges. Fields that the caller's version
 * does not have are zero; NULL is a struct of zeros; strings are not copied. INVALID: the size is
 * not set, a field is out of range, or the caller sets a field that this version does not have.
 * `job` may be NULL, as for job_fail(). A struct that a field points to is checked in the same way,
 * but not copied: valid_papers() does that. */
#define valid_take(job, which, given, copy)                                                        \
    valid_take_bytes(job, which, given, copy, sizeof *(copy))
LODE_NODISCARD lode_status valid_take_bytes(lode_job *job, valid_struct which, const void *given,
                                            void *copy, size_t bytes);

/* Whether an enum is below n, otherwise INVALID. For enums that are positions in a list of a higher
 * layer, such as the list of formats. */
LODE_NODISCARD lode_status valid_choice(lode_job *job, const char *name, unsigned value,
                                        unsigned n);
/* A copy of the struct that the field `papers` of a checked struct points to; fields that the
 * caller's version does not have, and all fields for NULL, are the defaults. */
lode_paper_options valid_papers(const lode_paper_options *checked);

/* Fills a struct of the caller's, with `from` or, for NULL, with zeros; see base/sized.h. */
#define valid_fill(out, from) sized_fill(out, from)

#endif
