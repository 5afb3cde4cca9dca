/* rows.h - commands and their options, as help, manual pages and completions list them
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_ROWS_H
#define LODE_CLI_ROWS_H

#include "cli.h"

/* An option of a command: one of the library's, or its own. */
typedef struct cli_row {
    const char *name;
    char letter;          /* or 0 */
    const char *argument; /* NULL = a switch */
    const char *fallback, *help;
    const lode_option *like;  /* whose words it takes, or NULL */
    const char *const *words; /* the command line's own, or NULL */
    bool list;                /* takes several, with commas between them */
    bool papers;              /* belongs to the section at the end, CLI_PAPERS_TITLE */
} cli_row;

#define CLI_PAPERS_TITLE "Options for comparing the papers' algorithms"

/* The i-th option of a command: those of the papers' algorithms come last. False past the end. */
bool cli_row_at(const cli_command *command, size_t i, cli_row *out);
/* The i-th word that it takes; NULL past the end. "top:K" is one with a number at the end. */
const char *cli_row_word(const cli_row *row, size_t i);

/* The i-th command; NULL past the end. */
const cli_command *cli_command_at(size_t i);
/* The command that the first one or two of n words name: "generate quest" has two. Returns how many
 * were used, or 0. */
int cli_command_find(int n, char **words, const cli_command **out);
/* Says that there is no such command, and which was meant. */
int cli_command_complain(int n, char **words);

/* What an exit code means; the i-th of all. False past the end. */
bool cli_exit_at(size_t i, int *code, const char **meaning);

extern const char cli_file_help[];  /* what FILE may be */
extern const char cli_files_help[]; /* and FILE...; with its line end */
extern const char cli_start[];      /* the first things to type: lines, as those of examples */

#endif
