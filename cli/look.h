/* look.h - lode FILE...: what the files contain, a sensible threshold, and commands to try next
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_LOOK_H
#define LODE_CLI_LOOK_H

#include "cli.h"

/* Not in the list of commands: it runs if the first word is a file. */
extern const cli_command cli_look;

/* Whether the word names a file, a pipe, a device or standard input. */
bool look_is_file(const char *word);

#endif
