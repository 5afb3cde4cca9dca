/* completion.h - the parts of `lode completion`: one writer for each shell
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_COMPLETION_H
#define LODE_CLI_COMPLETION_H

#include "option_rows.h"

void completion_bash(FILE *out);
void completion_zsh(FILE *out);
void completion_fish(FILE *out);

/* The i-th word that may come first although it is not a command; NULL past the end. */
const char *completion_extra(size_t i, const char **help);

/* The help for the first word of a command, which several commands may share. */
const char *completion_first_help(const cli_command *command);

/* Writes the words of a row with blanks between them; of "top:K" what can be typed, "top:". Puts a
 * backslash before each character `escape`. */
void completion_words(FILE *out, const cli_row *row, char escape);

/* Whether the value of a row is a folder, and whether it is a file. */
bool completion_is_folder(const cli_row *row);
bool completion_is_file(const cli_row *row);

/* Writes the commands that take the name of a command, each with `before` in front of it. */
void completion_put_asking(FILE *out, const char *before);
/* Writes the names of shells, with blanks between them. */
void completion_put_shells(FILE *out);
/* The same as a list that ends with NULL. */
extern const char *const completion_shells[];

#endif
