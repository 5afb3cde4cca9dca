/* class_columns.h - how the patterns of a memory sink differ between classes: columns of numbers
 *
 * The columns are those of files (docs/groups.md). They are made when the sink is finished, because
 * adjusted p-values are known only then.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_CORE_CLASS_COLUMNS_H
#define LODE_WRITE_CORE_CLASS_COLUMNS_H

#include "write/core/sink.h"

#define CLASS_COLUMNS_MOST 40 /* columns; at least CONTRAST_MOST (groups/contrast.h) */
#define CLASS_COLUMN_BYTES 56 /* of a name, as CONTRAST_NAME_BYTES */

typedef struct class_columns {
    uint32_t n;  /* columns; 0 = there are no classes */
    size_t rows; /* patterns */
    bool made;
    double *values; /* column by column */
    char names[CLASS_COLUMNS_MOST][CLASS_COLUMN_BYTES];
} class_columns;

/* Computes the columns of pattern i: row[k] for column k. */
typedef lode_status (*class_row_fn)(void *user, size_t i, double *row);

/* Makes the values of all patterns, after `n` and `names` were set. `stop` may be NULL. Errors:
 * those of `fill`, NOMEM, BUDGET; CANCELLED if `stop` ended the call. */
LODE_NODISCARD lode_status class_columns_make(class_columns *c, mem *m, size_t rows,
                                              class_row_fn fill, void *user, const sort_stop *stop);
/* Drops the values, not the names. */
void class_columns_clear(class_columns *c, mem *m);

#endif
