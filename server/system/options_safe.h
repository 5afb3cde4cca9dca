/* options_safe.h - which options may come from outside: those that open no file
 *
 * Some options of the library name files: "@FILE" in a list of items, a mapping by file, data held
 * out. A visitor of the server must not reach the file system by them, so every option of a request
 * passes option_is_safe() before it goes anywhere near the library or a worker.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_OPTIONS_SAFE_H
#define LODE_SERVER_OPTIONS_SAFE_H

#include <stdbool.h>
#include <stddef.h>

/* The mapping as text: not an option of the command line, whose "map" names a file. */
#define OPTION_MAP_TEXT "map-text"

/* Whether an option, by its name on the command line, may be taken from a request. It says nothing
 * of whether the library knows it. On false, `message` is a sentence for people. */
bool option_is_safe(const char *name, const char *value, char *message, size_t message_bytes);

/* The value of an option that lists items, such that it means the item of exactly this name and
 * never a file: a copy, with what globs take for more than itself escaped if need be; freed by
 * free(). NULL: there is no memory. */
char *option_item(const char *item);

#endif
