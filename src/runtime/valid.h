/* valid.h - what public functions check before they begin: NULLs, sizes, and every range of options
 *
 * A program in another language, or of another version, hands over whatever it likes. One table
 * (valid.c) has a row for each enum and each bounded number of the option structs; what depends on
 * two fields, or on the data, is checked where it is known.
 * Use:  VALID_CALL first in every public function that has a job and can fail.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_VALID_H
#define LODE_RUNTIME_VALID_H

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
    VALID_GRAPHGEN
} valid_struct;

/* Checks the size and all ranges of a struct; NULL is fine. `job`, where the message goes, may be
 * NULL. */
LODE_NODISCARD lode_status valid_options(lode_job *job, valid_struct which, const void *options);

#endif
