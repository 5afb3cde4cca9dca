/* select_hint.c - see select_hint.h
 *
 * People write "milk" where the data have "whole milk" and "UHT-milk": names that hold the word are
 * a better guess than those with a letter changed. Of numbers, every one is near to some other, so
 * that there is nothing to guess.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/select_hint.h"

#include <stdio.h>
#include <string.h>

#include "base/append.h"
#include "base/nearest.h"

#define HINT_ITEMS 16384 /* that are looked at */
#define HINT_NAMES 3     /* that are named */

static uint32_t hint_bound(const lode_dataset *data) {
    if (!data->names || data->numeric) return 0;
    return data->item_bound < HINT_ITEMS ? data->item_bound : HINT_ITEMS;
}

static char hint_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool hint_holds(const char *name, size_t bytes, const char *word, size_t n) {
    for (size_t at = 0; at + n <= bytes; at++) {
        size_t same = 0;
        while (same < n && hint_lower(name[at + same]) == hint_lower(word[same])) same++;
        if (same == n) return true;
    }
    return false;
}

/* Names that hold the word, the most frequent first; how many there are. */
static uint32_t hint_holders(const lode_dataset *data, const char *word, size_t n,
                             uint32_t ids[HINT_NAMES]) {
    const uint64_t *supports = data->item_supports;
    uint32_t found = 0;
    for (uint32_t id = 0; id < hint_bound(data); id++) {
        size_t bytes;
        const char *name = dict_name(data->names, id, &bytes);
        if (bytes >= NEAREST_BYTES || !hint_holds(name, bytes, word, n)) continue;
        uint32_t at = found < HINT_NAMES ? found : HINT_NAMES;
        found++;
        for (; at > 0 && supports[ids[at - 1]] < supports[id]; at--) {
            if (at < HINT_NAMES) ids[at] = ids[at - 1];
        }
        if (at < HINT_NAMES) ids[at] = id;
    }
    return found;
}

/* "; did you mean 'whole milk', 'UHT-milk' or 'butter milk'?" */
static bool hint_say_holders(const lode_dataset *data, const char *word, size_t n,
                             char hint[SELECT_HINT_BYTES]) {
    uint32_t ids[HINT_NAMES] = {0}, found = n > 1 ? hint_holders(data, word, n, ids) : 0;
    uint32_t shown = found < HINT_NAMES ? found : HINT_NAMES;
    if (found == 0) return false;
    hint[0] = 0;
    for (uint32_t i = 0; i < shown; i++) {
        size_t bytes;
        const char *name = dict_name(data->names, ids[i], &bytes);
        const char *before = i == 0 ? "; did you mean" : i + 1 < shown ? "," : " or";
        append_text(hint, SELECT_HINT_BYTES, "%s '%.*s'", before, (int)bytes, name);
    }
    append_text(hint, SELECT_HINT_BYTES, "?");
    if (found > shown) {
        append_text(hint, SELECT_HINT_BYTES, " '*%.*s*' is all %u of them", (int)n, word, found);
    }
    return true;
}

static void hint_say_nearest(const lode_dataset *data, const char *word,
                             char hint[SELECT_HINT_BYTES]) {
    char names[2][NEAREST_BYTES] = {"", ""};
    const char *const both[] = {names[0], names[1]};
    for (uint32_t id = 0; id < hint_bound(data); id++) {
        size_t bytes;
        const char *name = dict_name(data->names, id, &bytes);
        if (bytes >= NEAREST_BYTES) continue;
        memcpy(names[1], name, bytes);
        names[1][bytes] = 0;
        if (nearest_name(word, both, 2) == names[1]) memcpy(names[0], names[1], sizeof names[0]);
    }
    if (names[0][0]) snprintf(hint, SELECT_HINT_BYTES, "; did you mean '%s'?", names[0]);
}

/* Whether the text looks like several names: what stands before its first comma is one. */
static bool hint_is_list(const lode_dataset *data, const char *text, size_t n) {
    const char *comma = memchr(text, ',', n);
    uint32_t item;
    return comma && lode_dataset_item_find(data, text, (size_t)(comma - text), &item);
}

void select_hint(const lode_dataset *data, const char *text, size_t n,
                 char hint[SELECT_HINT_BYTES]) {
    char word[NEAREST_BYTES];
    hint[0] = 0;
    if (hint_is_list(data, text, n)) {
        snprintf(hint, SELECT_HINT_BYTES, "; for several items, repeat the option for each");
        return;
    }
    if (n >= sizeof word || memchr(text, 0, n)) return;
    memcpy(word, text, n);
    word[n] = 0;
    if (!hint_say_holders(data, word, n, hint)) hint_say_nearest(data, word, hint);
}
