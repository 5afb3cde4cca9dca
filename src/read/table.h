/* table.h - finds the columns of a table, and whether its first line is a header
 *
 * The columns are those set by options, by name or number; otherwise those with the most usual
 * names (column_names.h); otherwise the first two. With several files, the later ones must have the
 * columns of the first, by name and in any order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_TABLE_H
#define LODE_READ_TABLE_H

#include "read/read.h"

/* Data about a file. */
typedef struct table_file {
    size_t tid_column, item_column, n_columns; /* counted from 0 */
    const char *too_many, *too_few;            /* messages for lines of a wrong length */
    char no_tid[READ_WHAT_BYTES];              /* for lines without a transaction */
} table_file;

/* Data about the first of several files, for comparison. */
typedef struct table_first {
    bool has_header;
    vec_char tid, item; /* names of the two columns, with a closing zero */
    dict *names;        /* of all columns */
} table_first;

/* Finds the columns of task->file, and reads its header, if it has one. Errors: INVALID (no such
 * column, or not as in the first file), PARSE, and those of the input. */
LODE_NODISCARD lode_status table_take_header(read_task *task, table_file *out, table_first *first);
void table_first_free(mem *m, table_first *first);

#endif
