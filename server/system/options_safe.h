/* options_safe.h - which options a request may have: those that open no file
 *
 * Some options of the library name files: "@FILE" in a list of items, the file of --map, a file for
 * --holdout. Clients must not reach the file system this way, so option_is_safe() checks every
 * option of a request before the library or a worker sees it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_OPTIONS_SAFE_H
#define LODE_SERVER_OPTIONS_SAFE_H

#include <stdbool.h>
#include <stddef.h>

/* A mapping as text. On the command line, "map" names a file instead. */
#define OPTION_MAP_TEXT "map-text"

/* Whether a request may have this option, given by its name on the command line. Does not check
 * whether the library knows it. On false, `message` is a sentence for people. */
bool option_is_safe(const char *name, const char *value, char *message, size_t message_bytes);

/* An item name as a value for an option that lists items, escaped so that it means exactly this
 * item and never a file or a glob. Free it with free(). NULL: out of memory. */
char *option_item(const char *item);

#endif
