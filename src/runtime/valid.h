/* valid.h - argument checks of public functions: NULLs, sizes, and ranges of options
 *
 * A program in another language, or built for another version, may pass any bytes. One table
 * (valid.c) has a row for each enum and each bounded number of the option structs. Conditions on
 * two fields, or on the data, are checked where the fields are used.
 * Use:  call VALID_CALL first in every public function that has a job and can fail. Call valid_take
 *       for every struct that the program passes, and use only the copy. Call valid_fill for every
 *       struct that is returned to the program.
 *
 * Structs grow at their end. Input structs must not have padding at their end: an older program
 * would leave garbage in the padding, where a later version may have a field. `reserved` fields
 * take the place of padding.
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

/* Begins a call: clears the message of the previous call. Returns INVALID if the job or an argument
 * is NULL; the message names this argument. */
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
    VALID_PEERS,
    VALID_CLASSES
} valid_struct;

/* Copies a struct of the caller to *copy and checks all ranges. If the caller's version lacks a
 * field, this field is zero in the copy. NULL stands for a struct of zeros. Strings are not copied.
 * Returns INVALID if the size is not set, a field is out of range, or the caller sets a field that
 * this version does not have. `job` may be NULL, as for job_fail(). A struct that a field points to
 * is checked in the same way; valid_papers() copies it. */
#define valid_take(job, which, given, copy)                                                        \
    valid_take_bytes(job, which, given, copy, sizeof *(copy))
LODE_NODISCARD lode_status valid_take_bytes(lode_job *job, valid_struct which, const void *given,
                                            void *copy, size_t bytes);

/* Returns OK if an enum is below n, otherwise INVALID. For enums that are positions in a list of a
 * higher layer, such as the list of formats. */
LODE_NODISCARD lode_status valid_choice(lode_job *job, const char *name, unsigned value,
                                        unsigned n);
/* Returns a copy of a lode_paper_options that was checked as part of another struct. If the
 * caller's version lacks a field, this field gets its default. If `checked` is NULL, all fields get
 * their defaults. */
lode_paper_options valid_papers(const lode_paper_options *checked);
/* The same for a lode_class_options. */
lode_class_options valid_classes(const lode_class_options *checked);

/* Fills a struct of the caller with `from` or, if `from` is NULL, with zeros; see base/sized.h. */
#define valid_fill(out, from) sized_fill(out, from)

#endif
