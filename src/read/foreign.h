/* foreign.h - recognises file types that lode does not read, and names them in the error
 *
 * What:  one table (foreign.c) lists file types that people pass to lode by mistake. For each type
 *        the table says how to recognise it, its name, and what the user can do with such a file.
 * Why:   "line 1, column 3: zero byte" is a correct message for a workbook, but helps nobody.
 * Rules: binary files, recognised by magic numbers and zero bytes, are always refused. Text of
 *        another type, such as JSON, is refused only if no option says how to read the file, and
 *        only if the type is certain: a line of items may begin with "PK", "[milk]" or "{a}".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_FOREIGN_H
#define LODE_READ_FOREIGN_H

#include "read/input.h"

#define FOREIGN_HEAD  ((size_t)4096) /* bytes that are examined */
#define FOREIGN_GSPAN "gSpan text (lines t, v and e)"

/* The first bytes of a file, without a byte order mark. */
typedef struct foreign_head {
    const char *text, *end;
} foreign_head;

typedef struct foreign {
    const char *called; /* completes "this is …" */
    const char *advice; /* what the user can do */
    /* A file has this type if it has the bytes `magic` at position `at` and passes the test `is`.
     * Either may be missing. */
    const char *magic;
    size_t n_magic, at;
    bool (*is)(foreign_head head);
    /* the file is a placeholder for the real file, so the advice is the same for graphs */
    bool lost;
    bool arrow; /* an Arrow file, which is read where tables are (ipc.h) */
} foreign;

/* Returns the type of a binary file that begins with these bytes; NULL = no known type. */
const foreign *foreign_find_binary(const unsigned char *head, size_t n);
/* Returns whether a binary file of this type is an Excel workbook, or an archive that may be one:
 * workbook.h reads workbooks. */
bool foreign_is_workbook(const foreign *kind);
bool foreign_may_be_workbook(const foreign *kind);
/* Returns the type of an unsupported text that begins with these bytes; NULL = no known type. */
const foreign *foreign_find_text(const char *head, size_t n);

/* Refuses the file: records a message and returns PARSE. */
lode_status foreign_refuse(lode_job *job, const char *name, const foreign *kind);

/* Refuses an input whose text is neither transactions nor graphs. Errors: PARSE, and those of
 * reading. (This function is in read_files.c, a layer above input.c; the other functions are below
 * input.c.) */
LODE_NODISCARD lode_status foreign_check_text(lode_job *job, input *in, bool graphs);

/* Sets *sure to 2 if the text is SMILES, a table of them or SDF for certain, to 1 if it is SMILES
 * in case it is molecules or graphs, and otherwise to 0. */
LODE_NODISCARD lode_status foreign_find_molecules(input *in, unsigned *sure);

/* ---- tests of text, for the table ------------------------------------------------------------ */

bool foreign_is_json(foreign_head head);
bool foreign_is_json_lines(foreign_head head);
bool foreign_is_python_list(foreign_head head);
bool foreign_is_html(foreign_head head);
bool foreign_is_xml(foreign_head head);
bool foreign_is_graphml(foreign_head head);
bool foreign_is_utilities(foreign_head head);
bool foreign_is_sql(foreign_head head);
bool foreign_is_drawn(foreign_head head);
bool foreign_is_arff(foreign_head head);
bool foreign_is_sequences(foreign_head head);
bool foreign_is_gspan(foreign_head head);
bool foreign_is_molfile(foreign_head head);
bool foreign_is_smiles(foreign_head head);
/* Whether most lines begin with SMILES, or the first line has this word. */
bool foreign_may_be_molecules(foreign_head head);

#endif
