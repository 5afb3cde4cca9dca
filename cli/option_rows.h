/* option_rows.h - commands and their options, as help, manual pages and completions list them
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_OPTION_ROWS_H
#define LODE_CLI_OPTION_ROWS_H

#include "cli.h"

/* An option of a command: the library's, or its own. */
typedef struct cli_row {
    const char *name;
    char letter;          /* or 0 */
    const char *argument; /* NULL = a switch */
    const char *fallback, *help;
    const lode_option *like;  /* accepts the same words as this option of the library; or NULL */
    const char *const *words; /* the words that it accepts, if not those of `like`; or NULL */
    bool list;                /* accepts several words, separated by commas */
    bool papers;              /* belongs to the section at the end, CLI_PAPERS_TITLE */
} cli_row;

#define CLI_PAPERS_TITLE                                                                           \
    "Options for comparing reimplementations of published algorithms (docs/papers.md)"

/* The i-th option of a command: those of the papers' algorithms come last. False past the end. */
bool cli_row_at(const cli_command *command, size_t i, cli_row *out);
/* The i-th word that the option accepts; NULL past the end. In "top:K", K stands for a number. */
const char *cli_row_word(const cli_row *row, size_t i);

/* The i-th command; NULL past the end. */
const cli_command *cli_command_at(size_t i);
/* Finds the command that the first words name; "generate quest" has two. Returns how many words
 * were used; 0 = there is no such command. */
int cli_command_find(int n, char **words, const cli_command **out);
/* Prints that there is no such command, and which may be meant. Returns CLI_USAGE. */
int cli_command_complain(int n, char **words);

/* The i-th exit code and its meaning. False past the end. */
bool cli_exit_at(size_t i, int *code, const char **meaning);

/* Help about the files that a command accepts, in whole lines; "" if they need no explanation. */
const char *cli_file_help(const cli_command *command);
extern const char cli_start[]; /* examples to begin with, in lines */

#endif
