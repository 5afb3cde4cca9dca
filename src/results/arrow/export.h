/* export.h - columns in memory as structs of Arrow's C data interface (lode/arrow.h)
 *
 * An array is a tree of nodes, each with its own release function: a consumer may keep a column and
 * release the rest. So all nodes share one block, with a count of those still held; the last
 * release frees it, and the data of the columns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_ARROW_EXPORT_H
#define LODE_RESULTS_ARROW_EXPORT_H

#include "runtime/job.h"

/* A column, or the values of its lists. */
typedef struct export_column {
    const char *format, *name; /* static strings */
    uint64_t length;
    const void *buffers[2]; /* after the validity bitmap, which is always absent */
    unsigned n_buffers;
    const struct export_column *child, *dictionary; /* NULL = none */
} export_column;

/* The owner of the data of columns: `drop` frees it; all its memory belongs to the home. */
typedef struct export_owner {
    ctx_home *home;
    void (*drop)(mem *m, void *owned);
    void *owned;
} export_owner;

/* Fills in a schema and an array of structs with n columns of `length` rows. If this succeeds the
 * owner belongs to the array. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status export_columns(lode_job *job, const export_column *columns, unsigned n,
                                          const export_owner *owner, struct ArrowSchema *schema,
                                          struct ArrowArray *array);

#endif
