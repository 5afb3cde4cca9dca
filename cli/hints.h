/* hints.h - what somebody meant who typed an option, a value or a command that lode does not have
 *
 * People come from other programs, and from other commands of lode. So these functions first look
 * for words that such people type, and for options of other commands. If a word is neither, they
 * look for a name that may have been misspelt.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_HINTS_H
#define LODE_CLI_HINTS_H

#include "cli.h"

#define HINT_TEXT 256

/* Says which commands the program has, for hints about options of other commands. The list must
 * stay valid. */
void hint_set_commands(const cli_command *const *commands, size_t n);

/* Whether the command has an option of this name, and whether that option takes a value. Former
 * names of options are found, too. `takes_value` may be NULL. */
bool hint_has_option(const cli_command *command, const char *name, bool *takes_value);

/* Whether a word names a measure of the patterns of a command: of rules, or of itemsets. */
bool hint_is_measure(const cli_command *command, const char *word);

/* Writes a hint about an option that the command does not have. `word` is the name of the option;
 * if `letter` is not 0, the option was typed as this letter. The hint continues the sentence
 * "itemsets has no option --word", such as "; did you mean --min-support?"; "" if nothing is
 * known. */
void hint_option(char hint[HINT_TEXT], const cli_command *command, const char *word, char letter);

/* Writes a hint about a word that is neither an option nor a file and that follows a switch, such
 * as "50%" after -c of itemsets. `name` is the name of the switch, and `letter` how it was typed,
 * or 0. The hint is a whole sentence; "" if nothing is known. */
void hint_value(char hint[HINT_TEXT], const cli_command *command, const char *name, char letter,
                const char *word);

/* These write hints about a word that is not the file that it seems to be; "" if nothing is known.
 * hint_dash(): it begins with a dash that is not '-', as text from a word processor does.
 * hint_assignment(): it is "supp=0.01", an option without "--". These two hints are whole
 * sentences.
 * hint_rest(): it follows an option and its value, and may be the rest of that value.
 * hint_name(): it is an address, or the first of n words that together are the name of a file.
 * These two hints continue "cannot open 'milk'". */
void hint_dash(char hint[HINT_TEXT], const cli_command *command, const char *word);
void hint_assignment(char hint[HINT_TEXT], const cli_command *command, const char *word);
void hint_rest(char hint[HINT_TEXT], const cli_command *command, const char *option,
               const char *value, const char *word);
void hint_name(char hint[HINT_TEXT], int n, char **words);

/* Writes a hint about a word after the first file that is no file: it may be a threshold, or an
 * item. `given` is the support that was given, or NULL. The hint continues "cannot open '0.01'". */
void hint_word(char hint[HINT_TEXT], const cli_command *command, const char *given,
               const char *word, const char *next);

/* Writes a hint about the name of an option after a single hyphen, such as "-supp", and its value,
 * or NULL: a whole sentence; "" if nothing is known. */
void hint_hyphen(char hint[HINT_TEXT], const cli_command *command, const char *word,
                 const char *value);

/* Writes a hint about an algorithm that lode does not have: a whole sentence; "" if it is not
 * known. */
void hint_algorithm(char hint[HINT_TEXT], const cli_command *command, const char *word);

/* Returns the command that does what `word` means in other programs: "itemsets" for "fpgrowth";
 * NULL if there is none. */
const char *hint_command(const char *word);
/* Whether the word means rules in some programs, and itemsets in others. */
bool hint_is_ambiguous(const char *word);

#endif
