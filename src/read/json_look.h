/* json_look.h - detects the structure of a JSON file from its first records
 *
 *     ["milk","bread"]                          a list of items per line
 *     {"id":17,"items":["milk","bread"]}        or an object with a list of items
 *     {"items":[{"sku":"m1"},{"sku":"b2"}]}     whose items may be objects
 *     {"order":17,"product":"milk"}             or one pair of transaction and item
 *     [["milk","bread"],["beer"]]               or all of these as one list
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_JSON_LOOK_H
#define LODE_READ_JSON_LOOK_H

#include "read/sniff.h"

/* Returns whether a file that begins with this text is certainly JSON. */
bool json_recognise(lode_job *job, const char *text, size_t n);

/* Examines the first records; `s` is the text to examine. Errors: PARSE, INVALID (no such field, or
 * several candidates), NOMEM, BUDGET. */
LODE_NODISCARD lode_status json_look(const sniff_text *s, const lode_read_options *options,
                                     json_shape *out);

/* Finds the field that an option names, and copies the name as the first records spell it. *found
 * is false if there is no such field. */
LODE_NODISCARD lode_status json_look_for(const sniff_text *s, const json_shape *shape,
                                         const char *option, char out[JSON_NAME], bool *found);
/* Does the same for an option such as "items.price", which names a field of items that are
 * objects. */
LODE_NODISCARD lode_status json_look_within(const sniff_text *s, const json_shape *shape,
                                            const char *option, char out[JSON_NAME], bool *found);

#endif
