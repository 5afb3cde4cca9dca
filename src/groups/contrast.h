/* contrast.h - the figures of a pattern that compare classes: counts, shares, odds ratio, p-value
 *
 * A pattern is compared as the rule "pattern → class": between the first class and the other one
 * or, of more than two classes, between the class with the smallest p-value and all others. So all
 * measures of rules that need only counts (rules/measures) are measures of contrast, too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GROUPS_CONTRAST_H
#define LODE_GROUPS_CONTRAST_H

#include "groups/group_test.h"
#include "groups/item_places.h"

#define CONTRAST_MOST       (2 * CLASSES_MOST + 7) /* columns */
#define CONTRAST_NAME_BYTES (CLASSES_NAME_BYTES + 8)

typedef struct group_contrast {
    lode_job *job;
    row_classes classes;
    item_places in;
    long double *logs;
    fisher_test fishers[CLASSES_MOST];
    group_verdict *verdict; /* for adjusted p-values; NULL = not known */
    uint32_t n_columns;
    char names[CONTRAST_MOST][CONTRAST_NAME_BYTES]; /* of the columns */
} group_contrast;

/* Makes the figures of a data set, with memory of the job; the data set is not needed afterwards.
 * Errors: those of classes_of_items() and item_places_make(). */
LODE_NODISCARD lode_status contrast_open(group_contrast **out, lode_job *job,
                                         const lode_dataset *data, const lode_class_options *o);
void contrast_close(group_contrast *c);
/* Takes over the result of a test. */
void contrast_take_verdict(group_contrast *c, group_verdict *verdict);

/* Finds a column, or a measure of rules, by its name. */
bool contrast_find(const group_contrast *c, const char *name, size_t *id);

/* Whether low values of it are better, as of p-values. */
bool contrast_falls(const group_contrast *c, size_t id);

/* The counts of one set, from which its values are computed. */
typedef struct contrast_counts {
    uint64_t of[CLASSES_MOST]; /* by class */
    lode_counts rule;          /* pattern → class */
    uint32_t best;             /* that class */
} contrast_counts;

LODE_NODISCARD lode_status contrast_count(group_contrast *c, mem *m, places_scratch *s,
                                          item_set set, contrast_counts *out);
/* The value of a column (its number) or of a measure (as contrast_find() says). */
double contrast_value(group_contrast *c, const contrast_counts *counts, size_t id);

#endif
