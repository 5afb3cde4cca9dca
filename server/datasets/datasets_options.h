/* datasets_options.h - options of a request: a JSON object of strings and lists of strings
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DATASETS_OPTIONS_H
#define LODE_SERVER_DATASETS_OPTIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define OPTIONS_MOST   64     /* options of a request */
#define OPTIONS_BYTES  262144 /* of all their values together */
#define OPTIONS_VALUES 2000

/* Whether all members of `object` are valid options of these groups (lode_option_group, combined
 * with |) and none opens a file. On false, `message` says what was expected. */
bool options_check(json_t *object, unsigned groups, char *message, size_t message_bytes);

#endif
