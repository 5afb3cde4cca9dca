/* export.h - exports columns in memory through Arrow's C data interface (lode/arrow.h)
 *
 * An array is a tree of nodes, each with its own release function, because a consumer may keep one
 * column and release the others. So all nodes share one block, which counts the nodes that are
 * still held. The last release frees the block and the data of the columns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_ARROW_EXPORT_H
#define LODE_RESULTS_ARROW_EXPORT_H

#include "runtime/job.h"

/* A column or, as the child of a column of lists, the values of these lists. */
typedef struct export_column {
    const char *format, *name; /* static strings */
    uint64_t length;
    const void *buffers[2]; /* the buffers after the validity bitmap, which is always absent */
    unsigned n_buffers;
    const struct export_column *child, *dictionary; /* NULL = none */
} export_column;

/* The owner of the columns' data. drop() frees `owned`, whose memory is counted in the budget of
 * `home`. */
typedef struct export_owner {
    ctx_home *home;
    void (*drop)(mem *m, void *owned);
    void *owned;
} export_owner;

/* Fills in a schema and an array of structs with n columns of `length` rows. If the call succeeds,
 * the owner belongs to the array. Errors: NOMEM, BUDGET. */
LODE_NODISCARD lode_status export_columns(lode_job *job, const export_column *columns, unsigned n,
                                          const export_owner *owner, struct ArrowSchema *schema,
                                          struct ArrowArray *array);

#endif
