/* number_bins.h - divides the numbers of columns into ranges: --bins age=quantiles:5
 *
 * What:  every value of a column was read as an item, such as age=37. So the data set has all
 *        distinct values of the column and how often they occur, in any order. They are sorted,
 *        the cuts are found, and each item becomes the range that contains its value:
 *
 *            cuts 30 45          age=<30   age=[30,45)   age=>=45
 *
 * How:   quantiles:K  cuts at the quantiles 1/K, 2/K, …, interpolated linearly (type 7 of R, the
 *                     default of R and NumPy); equal cuts are one, and none is the least value
 *        width:K      K ranges of equal width between the least and the greatest value
 *        10,20,50     these cuts
 *        mdlp:CLASS   the method of Fayyad and Irani (1993): the cut with the least entropy of the
 *                     classes, if it shortens the description of the data (MDL), and so on in both
 *                     parts; cuts are halfway between values
 *
 * Rules: transactions count by their weights. Values that are not numbers stay as they are. A
 *        column without cuts, such as a constant, gives no items for its numbers, because all
 *        transactions would have the same one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_NUMBER_BINS_H
#define LODE_READ_NUMBER_BINS_H

#include "data/transactions/dataset.h"

#define BINS_MISSING "missing" /* the value of missing values that are items */

typedef enum bins_how { BINS_QUANTILES, BINS_WIDTH, BINS_CUTS, BINS_MDLP } bins_how;

/* One line of the option; texts are lent. */
typedef struct bins_column {
    const char *asked; /* the column */
    size_t n_asked;
    bins_how how;
    uint32_t parts;     /* of quantiles and width */
    const char *values; /* the cuts, or the column of the class */
    size_t n_values;
    vec_char prefix, class_prefix; /* the columns' names in the header, with "=" */
} bins_column;

typedef struct bins {
    bins_column *columns;
    size_t n, cap;
} bins;

/* Reads the option; *out is NULL if it is. Errors: INVALID, NOMEM, BUDGET. */
LODE_NODISCARD lode_status bins_parse(lode_job *job, const char *text, bins **out);
void bins_free(mem *m, bins *b);

/* Replaces *data by a data set with ranges, and logs the cuts. `separator` is that of the file,
 * `name` its name. Errors: INVALID (a column has no number), UNSUPPORTED, NOMEM, BUDGET,
 * CANCELLED. */
LODE_NODISCARD lode_status bins_apply(lode_job *job, const bins *b, const char *name,
                                      char separator, lode_dataset **data);

/* ---- bins_cuts.c: finding cuts --------------------------------------------------------------- */

typedef struct bins_value {
    double x;
    uint32_t id;
    uint64_t weight;
} bins_value;

typedef struct bins_cuts {
    double *at; /* ascending, and distinct */
    size_t n, cap;
} bins_cuts;

LODE_NODISCARD lode_status bins_add_cut(mem *m, bins_cuts *cuts, double at);

/* Values are sorted, and n > 0. */
LODE_NODISCARD lode_status bins_quantiles(mem *m, const bins_value *values, size_t n,
                                          uint32_t parts, bins_cuts *cuts);
LODE_NODISCARD lode_status bins_width(mem *m, const bins_value *values, size_t n, uint32_t parts,
                                      bins_cuts *cuts);
/* counts[i * n_classes + c]: the weight of value i in class c. Cuts come in any order. */
LODE_NODISCARD lode_status bins_mdlp(mem *m, const bins_value *values, size_t n,
                                     const uint64_t *counts, size_t n_classes, bins_cuts *cuts);

#endif
