/* options_safe.c - see options_safe.h
 *
 * All options get the same check: some name files and are listed; for the others, "@" is refused
 * wherever it could start a file name in a list of items. So future options of the library are
 * checked as well. Options whose text is never a list of items are listed; in them "@" is an
 * ordinary character.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "system/options_safe.h"

#include <lode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool option_among(const char *name, const char *const *names) {
    for (; *names; names++) {
        if (strcmp(*names, name) == 0) return true;
    }
    return false;
}

/* Columns, conditions, measures, regular expressions, and the mapping as text (names and globs). */
static bool option_is_plain_text(const char *name) {
    static const char *const plain[] = {
        "tid",       "item",    "weight", "drop-rows", "sheet",         "match", "lhs-match",
        "rhs-match", "sort-by", "by",     "measure",   OPTION_MAP_TEXT, NULL};
    return option_among(name, plain);
}

/* In a list of items, a new item starts after a line end, a comma or a blank, and a count ends with
 * a colon. Non-ASCII bytes may be blanks, too, so "@" after them is refused as well. */
static bool option_starts_name(unsigned char before) {
    return before <= ' ' || before >= 0x7f || strchr(",:;\"'", before) != NULL;
}

static bool option_names_file(const char *value) {
    unsigned char before = '\n';
    for (; *value; before = (unsigned char)*value++) {
        if (*value == '@' && option_starts_name(before)) return true;
    }
    return false;
}

/* Whether a --holdout value is a share; anything else would be a file. */
static bool option_is_share(const char *value) {
    lode_threshold share;
    return lode_threshold_parse(value, &share, NULL, 0) == LODE_OK && share.denominator > 0;
}

bool option_is_safe(const char *name, const char *value, char *message, size_t message_bytes) {
    if (strcmp(name, "map") == 0) {
        snprintf(message, message_bytes,
                 "map: the server does not open files by name; send the mapping itself "
                 "as " OPTION_MAP_TEXT ", with lines from,to");
        return false;
    }
    if (strcmp(name, "sql") == 0 || strcmp(name, "db") == 0 || strcmp(name, "driver") == 0) {
        snprintf(message, message_bytes,
                 "%s: the server reads only uploaded files, and opens no databases", name);
        return false;
    }
    if (strcmp(name, "holdout") == 0) {
        if (value && option_is_share(value)) return true;
        snprintf(message, message_bytes,
                 "holdout: expected a share such as 30%%; the server does not open files by name");
        return false;
    }
    if (!value || option_is_plain_text(name) || !option_names_file(value)) return true;
    snprintf(message, message_bytes,
             "%s: the server does not open files by name (@FILE); write \\@ for an item whose name "
             "begins with @",
             name);
    return false;
}

char *option_item(const char *item) {
    const bool quoted = option_names_file(item);
    size_t n = 0;
    char *copy = malloc(2 * strlen(item) + 1);
    if (!copy) return NULL;
    for (; *item; item++) {
        if (quoted && strchr("@*?[\\", *item)) copy[n++] = '\\';
        copy[n++] = *item;
    }
    copy[n] = 0;
    return copy;
}
