/* datasets_options.h - options of a request: an object of texts, and lists of texts
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DATASETS_OPTIONS_H
#define LODE_SERVER_DATASETS_OPTIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define OPTIONS_MOST   64     /* options of a request */
#define OPTIONS_BYTES  262144 /* of all their values together */
#define OPTIONS_VALUES 2000

/* Whether `object` holds options that the library takes from the groups (lode_option_group, joined
 * by |), and none that opens a file. On false, `message` says what was expected. */
bool options_check(json_t *object, unsigned groups, char *message, size_t message_bytes);

#endif
