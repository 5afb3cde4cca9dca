/* jobs_command.c - the equivalent command line of a job, quoted for a shell
 *
 * Cleaning is a separate command: if data are cleaned, two commands are joined by &&.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "jobs/jobs_live.h"
#include "system/options_safe.h"

static bool command_is_plain(const char *word) {
    if (!*word) return false;
    for (; *word; word++) {
        if (!isalnum((unsigned char)*word) && !strchr("_@%+=:,./-", *word)) return false;
    }
    return true;
}

static void command_quote(text *out, const char *word) {
    if (command_is_plain(word)) {
        text_put(out, word);
        return;
    }
    text_char(out, '\'');
    for (; *word; word++) {
        if (*word == '\'') {
            text_put(out, "'\\''");
        } else {
            text_char(out, *word);
        }
    }
    text_char(out, '\'');
}

static void command_word(text *out, const char *word) {
    text_char(out, ' ');
    command_quote(out, word);
}

/* A name that could be taken for an option is written as a path. */
static void command_file(text *out, const char *name) {
    text path = TEXT_INIT;
    if (name[0] == '-') text_put(&path, "./");
    text_put(&path, name);
    if (!path.failed) command_word(out, path.data);
    text_free(&path);
}

/* ---- options --------------------------------------------------------------------------------- */

static void command_option(text *out, const char *name, const char *value) {
    if (strcmp(name, "min-support") == 0 && value[0] != '-') {
        text_put(out, " -s");
    } else if (strcmp(name, OPTION_MAP_TEXT) == 0) {
        text_put(out, " --map mapping.csv");
        return;
    } else {
        text_printf(out, " --%s", name);
    }
    if (value[0] != '-') {
        command_word(out, value);
        return;
    }
    text_char(out, '='); /* it could be taken for the next option */
    command_quote(out, value);
}

static void command_value(text *out, const char *name, const json_t *value) {
    char number[40];
    if (json_is_string(value)) {
        const char *words = json_string_value(value);
        if (strcmp(words, "true") == 0) {
            text_printf(out, " --%s", name);
        } else if (strcmp(words, "false") != 0) {
            command_option(out, name, words);
        }
    } else if (json_is_true(value)) {
        text_printf(out, " --%s", name);
    } else if (json_is_number(value)) {
        snprintf(number, sizeof number, "%.15g", json_number_value(value));
        command_option(out, name, number);
    }
}

static void command_named(text *out, const json_t *options, const char *name) {
    const json_t *value = json_object_get(options, name);
    if (!json_is_array(value)) command_value(out, name, value);
    for (size_t i = 0; i < json_array_size(value); i++) {
        command_value(out, name, json_array_get(value, i));
    }
}

/* The threshold comes first, because people change it most. */
static void command_options(text *out, const json_t *options) {
    const char *name;
    json_t *value;
    command_named(out, options, "min-support");
    json_object_foreach((json_t *)options, name, value) {
        if (strcmp(name, "min-support") != 0) command_named(out, options, name);
    }
}

void job_command_write(const job_command *c, text *out) {
    bool cleaned = json_object_size(c->clean) > 0;
    if (cleaned) {
        text_put(out, "lode clean");
        command_file(out, c->name);
        command_options(out, c->read);
        command_options(out, c->clean);
        text_put(out, " -o cleaned.csv && ");
    }
    text_printf(out, "lode %s", job_kind_names[c->kind]);
    command_file(out, cleaned ? "cleaned.csv" : c->name);
    if (cleaned) { /* its content may look like another format */
        text_put(out, " --format basket --separator ,");
        if (json_object_get(c->read, "weight")) text_put(out, " --weight 1");
    } else {
        command_options(out, c->read);
    }
    command_options(out, c->options);
}
