/* classes.h - the classes of transactions or graphs: which row belongs to which group
 *
 * A row is a transaction or a graph. Classes come from items, from a column of a table, or from a
 * file with one label per line (lode/classes.h). Strata are read in the same way.
 *
 * Everything here and in fisher.h, permutations.h and group_test.h refers to rows by *place*: rows
 * are ordered by stratum, so that a stratum is a range of places. Without strata, the place of a
 * row is its number.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GROUPS_CLASSES_H
#define LODE_GROUPS_CLASSES_H

#include "data/transactions/dataset.h"

#define CLASSES_MOST       16
#define CLASSES_NAME_BYTES 48

typedef struct row_classes {
    mem *mem;
    uint32_t n_rows, n_classes, n_strata;
    uint32_t *row_of;             /* by place */
    uint32_t *place_of;           /* by row; NULL = the same numbers */
    uint8_t *of;                  /* by place: the class */
    uint32_t *starts;             /* n_strata + 1: the first place of each stratum */
    uint64_t sizes[CLASSES_MOST]; /* rows of each class */
    char names[CLASSES_MOST][CLASSES_NAME_BYTES];
    uint8_t *items; /* by id: not 0 = left out of the search; NULL = none */
    mem_kept kept;  /* owns the arrays */
} row_classes;

/* Reads the classes, and the strata if there are any, of a data set in memory. Errors: INVALID
 * (one class only, more or fewer labels than rows, unknown name, …), NOTFOUND, IO, PARSE;
 * UNSUPPORTED for weighted transactions; NOMEM, BUDGET; those of job_check(). */
LODE_NODISCARD lode_status classes_of_items(row_classes *c, lode_job *job, const lode_dataset *data,
                                            const lode_class_options *o);
/* Classes that rows without items have of their own: by row, and their names. */
typedef struct own_classes {
    const uint32_t *of; /* DICT_NONE = the row has none. NULL = no row has one */
    const dict *names;
} own_classes;

/* The same for n_rows rows without items, such as graphs: from files, or for "*" their own classes.
 * `rows` is what messages call them. */
LODE_NODISCARD lode_status classes_of_file(row_classes *c, lode_job *job, uint32_t n_rows,
                                           const char *rows, own_classes own,
                                           const lode_class_options *o);
void classes_free(row_classes *c);

static inline uint32_t classes_place(const row_classes *c, uint32_t row) {
    return c->place_of ? c->place_of[row] : row;
}

/* How many hypotheses each pattern has: two classes have one test; of more classes, each is
 * compared with all others. */
static inline uint32_t classes_tests(const row_classes *c) {
    return c->n_classes == 2 ? 1 : c->n_classes;
}

#endif
