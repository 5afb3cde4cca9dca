/* datasets_options.c - see datasets_options.h
 *
 * The library itself checks the values, so that a form shows the same errors as the command line.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "datasets/datasets_options.h"

#include <lode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/options_safe.h"

typedef struct options_reader {
    lode_options *options;
    unsigned groups;
    size_t bytes; /* of values so far */
    char *message;
    size_t message_bytes;
    size_t values;
} options_reader;

/* Sets one value, which the library and the server must both allow. */
static bool options_take(options_reader *o, const char *name, json_t *value) {
    char why[512] = "";
    if (!json_is_string(value)) {
        snprintf(o->message, o->message_bytes, "%s: expected a string or a list of strings", name);
        return false;
    }
    const char *words = json_string_value(value);
    o->bytes += json_string_length(value) + 1;
    if (++o->values > OPTIONS_VALUES) {
        snprintf(o->message, o->message_bytes, "%s: more than %d option values in total", name,
                 OPTIONS_VALUES);
        return false;
    }
    if (o->bytes > OPTIONS_BYTES) {
        snprintf(o->message, o->message_bytes, "%s: the options have more than %d bytes in total",
                 name, OPTIONS_BYTES);
        return false;
    }
    if (!option_is_safe(name, words, o->message, o->message_bytes)) return false;
    if (o->groups & LODE_OPTION_CLEAN && strcmp(name, OPTION_MAP_TEXT) == 0) return true;
    if (lode_options_set_in(o->options, o->groups, name, words, why, sizeof why) == LODE_OK) {
        return true;
    }
    const bool unknown = strncmp(why, "there is no option", 18) == 0; /* names the option */
    snprintf(o->message, o->message_bytes, "%s%s%s", unknown ? "" : name, unknown ? "" : " ",
             why[0] ? why : "cannot be set: out of memory");
    return false;
}

/* Whether an option keeps several values; the library lists them one per line. */
static bool options_repeats(const options_reader *o, const char *name) {
    const size_t n = lode_options_get_in(o->options, o->groups, name, NULL, 0);
    char *kept = malloc(n + 1);
    if (!kept) return false;
    lode_options_get_in(o->options, o->groups, name, kept, n + 1);
    const bool repeats = strchr(kept, '\n') != NULL;
    free(kept);
    return repeats;
}

/* An option that is not a list would silently keep only the last of several values. */
static bool options_take_list(options_reader *o, const char *name, json_t *list) {
    size_t i;
    json_t *value;
    if (json_array_size(list) == 0) { /* otherwise its name would not be checked */
        snprintf(o->message, o->message_bytes, "%.64s: the list is empty", name);
        return false;
    }
    json_array_foreach(list, i, value) {
        if (!options_take(o, name, value)) return false;
    }
    if (json_array_size(list) < 2 || options_repeats(o, name)) return true;
    snprintf(o->message, o->message_bytes, "%s: expected one value", name);
    return false;
}

static bool options_take_all(options_reader *o, json_t *object) {
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value) {
        bool fine =
            json_is_array(value) ? options_take_list(o, name, value) : options_take(o, name, value);
        if (!fine) return false;
    }
    return true;
}

bool options_check(json_t *object, unsigned groups, char *message, size_t message_bytes) {
    options_reader o = {
        .groups = groups, .message = message, .message_bytes = message_bytes, .options = NULL};
    if (!json_is_object(object) || json_object_size(object) > OPTIONS_MOST) {
        snprintf(message, message_bytes, "expected an object with at most %d options",
                 OPTIONS_MOST);
        return false;
    }
    if (lode_options_create(&o.options) != LODE_OK) {
        snprintf(message, message_bytes, "the server is out of memory");
        return false;
    }
    bool fine = options_take_all(&o, object);
    lode_options_free(o.options);
    return fine;
}
