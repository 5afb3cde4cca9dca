/* completion.h - the parts of `lode completion`: one writer for each shell
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_COMPLETION_H
#define LODE_CLI_COMPLETION_H

#include "option_rows.h"

void completion_bash(FILE *out);
void completion_zsh(FILE *out);
void completion_fish(FILE *out);

/* What is no command of the table and may come first. The i-th; NULL past the end. */
const char *completion_extra(size_t i, const char **help);

/* What to say of the first word of a command; several may share it. */
const char *completion_first_help(const cli_command *command);

/* The words of a row with blanks between them; of "top:K" what can be typed, "top:". Those with a
 * character of `escape` get a backslash before it. */
void completion_words(FILE *out, const cli_row *row, char escape);

/* What the value of a row is: words, else a folder, else a file, else something else. */
bool completion_is_folder(const cli_row *row);
bool completion_is_file(const cli_row *row);

/* The commands that take the name of a command, each with `before` in front of it. */
void completion_put_asking(FILE *out, const char *before);
/* The shells, with blanks between them. */
void completion_put_shells(FILE *out);
/* The same as a list that ends with NULL. */
extern const char *const completion_shells[];

#endif
