/* foreign.h - files that hold something else: recognised by content, and refused by name
 *
 * What:  one table (foreign.c) of the kinds of file that people give to lode by mistake or in hope:
 *        how each is told, what it is called, and what to do with it.
 * Why:   "line 1, column 3: zero byte" is true of a workbook, and helps nobody.
 * Rules: what is told by magic numbers and zero bytes is never read. What is text, such as JSON, is
 *        refused only where nobody has said how to read it, and only on proof: a basket may well
 *        begin with "PK", "[milk]" or "{a}".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_FORMAT_FOREIGN_H
#define LODE_FORMAT_FOREIGN_H

#include "format/input.h"

#define FOREIGN_HEAD ((size_t)4096) /* bytes that are looked at */

/* The first bytes of a file, without a byte order mark. */
typedef struct foreign_head {
    const char *text, *end;
} foreign_head;

typedef struct foreign {
    const char *called; /* "this is …" */
    const char *advice; /* what to do */
    /* How it is told: by bytes at a place, by a test, or by both. */
    const char *magic;
    size_t n_magic, at;
    bool (*is)(foreign_head head);
    bool lost; /* the file itself has not come here: the advice is the same for graphs */
} foreign;

/* The kind of file that these first bytes belong to, if it is no text; else NULL. */
const foreign *foreign_find_binary(const unsigned char *head, size_t n);

/* Refuses the file. Returns PARSE. */
lode_status foreign_refuse(lode_job *job, const char *name, const foreign *kind);

/* Refuses text that is of a kind of its own, where baskets or graphs are expected. Errors: PARSE,
 * and those of reading. */
LODE_NODISCARD lode_status foreign_check_text(lode_job *job, input *in, bool graphs);

/* ---- tests of text, for the table ---- */

bool foreign_is_json(foreign_head head);
bool foreign_is_json_lines(foreign_head head);
bool foreign_is_python_list(foreign_head head);
bool foreign_is_html(foreign_head head);
bool foreign_is_excel_xml(foreign_head head);
bool foreign_is_graphml(foreign_head head);
bool foreign_is_xml(foreign_head head);
bool foreign_is_arff(foreign_head head);
bool foreign_is_sql(foreign_head head);
bool foreign_is_drawn(foreign_head head);
bool foreign_is_sequences(foreign_head head);
bool foreign_is_gspan(foreign_head head);
bool foreign_is_gml(foreign_head head);
bool foreign_is_dot(foreign_head head);
bool foreign_is_molfile(foreign_head head);
bool foreign_is_smiles(foreign_head head);

/* ---- what these tests share ---- */

/* The next line, without its end (LF, CR LF or CR); moves `head` behind it. */
foreign_head foreign_line(foreign_head *head);
/* Whether the text begins so, in any case. */
bool foreign_starts(foreign_head head, const char *word);
/* Whether the text holds these letters somewhere, in any case. */
bool foreign_holds(foreign_head head, const char *word);
/* Moves over blanks and line ends. */
void foreign_skip_blanks(foreign_head *head);

#endif
