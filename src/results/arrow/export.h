/* export.h - columns in memory as structs of Arrow's C data interface (lode/arrow.h)
 *
 * An array is a tree of nodes, each with a release function of its own: a consumer may keep a
 * column and release the rest. So all nodes share one block, with a count of those that are still
 * held; the last to go frees it, and what the columns are made of.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_ARROW_EXPORT_H
#define LODE_RESULTS_ARROW_EXPORT_H

#include "runtime/job.h"

/* A column, or what is in its lists. */
typedef struct export_column {
    const char *format, *name; /* static texts */
    uint64_t length;
    const void *buffers[2]; /* behind the bitmap of nulls, of which there are none */
    unsigned n_buffers;
    const struct export_column *child, *dictionary; /* NULL: it has none */
} export_column;

/* What columns are made of: `drop` frees it, all of its memory being the home's. */
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
