/* name_completion.h - names of items, columns and measures for the completion of a command line
 *
 *     lode completion names KIND WORD WORDS...        for bash
 *     lode completion names raw KIND '' WORDS...      for shells that quote and choose themselves
 *
 * The scripts of lode completion call this; it is not meant for people. KIND is item, column or
 * measure, WORD is what has been typed of the name, and WORDS are the words before it, beginning
 * with the command. For bash, WORD and WORDS are as typed, with quotes, and names come back quoted
 * for where they go. The first of the words that is a file is read: of a large file, the first part
 * of some megabytes. After a second, it gives up. Names that a terminal does not show, or that have
 * line ends, are left out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_NAME_COMPLETION_H
#define LODE_CLI_NAME_COMPLETION_H

#include "option_rows.h"

/* The kind of names that an option takes; NULL = none of these. */
const char *name_completion_kind(const cli_row *row);

/* The command; `words` begin with "raw" or KIND. Returns the exit code. */
int name_completion(int n, char **words);

#endif
