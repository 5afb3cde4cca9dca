/* terminal.h - what a terminal shows: its width, colours, and the width of characters
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_TERMINAL_H
#define LODE_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Whether the stream is a terminal. */
bool terminal_is(FILE *file);
/* Characters in a line of the terminal; 0: the stream is no terminal, so lines have no end. */
unsigned terminal_columns(FILE *file);
/* Whether colours may be used: the stream is a terminal, TERM names one that has colours, and
 * NO_COLOR is not set (no-color.org). */
bool terminal_has_colours(FILE *file);

/* Returns how many columns n bytes of UTF-8 take on a terminal: Chinese, Japanese and Korean
 * characters and emoji take two, accents that are added to a letter take none. */
unsigned terminal_width(const char *text, size_t n);
/* Returns how many of the n bytes take at most `columns` columns. Never splits a character. */
size_t terminal_fit(const char *text, size_t n, unsigned columns);

#endif
