/* table.h - which columns of a table are used, and whether its first line is a header
 *
 * The columns are those that the options give, by name or number; or those with the most usual
 * names (column_names.h); or the first two. Of several files, the later ones must have the columns
 * of the first, by name and in any order.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_TABLE_H
#define LODE_READ_TABLE_H

#include "read/read.h"

/* What is known about a file. */
typedef struct table_file {
    size_t tid_column, item_column, n_columns; /* counted from 0 */
    const char *too_many, *too_few;            /* messages for lines with other numbers of fields */
    char no_tid[READ_WHAT_BYTES];              /* for lines without a transaction */
} table_file;

/* What the first of several files has, for comparison. */
typedef struct table_first {
    bool has_header;
    vec_char tid, item; /* names of the two columns, with a closing zero */
    dict *names;        /* of all columns */
} table_first;

/* Finds the columns of task->file, and takes its header, if it has one. Errors: INVALID (no such
 * column, or not as in the first file), PARSE, and those of the input. */
LODE_NODISCARD lode_status table_take_header(read_task *task, table_file *out, table_first *first);
void table_first_free(mem *m, table_first *first);

#endif
