/* peers.c - see peers.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "compare/peers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Their names in a comparison, where lode has algorithms of the same names, begin like this. */
#define PEER_PREFIX "borgelt-"

static const char *const known_peers[] = {PEER_PREFIX "eclat", PEER_PREFIX "fpgrowth",
                                          PEER_PREFIX "apriori"};

/* ---- which there are ------------------------------------------------------------------------- */

static bool peers_path(const char *name, char *path, size_t room) {
    const char *folder = getenv("LODE_PEERS");
    struct stat file;
    if (!folder || !*folder) return false;
    int n = snprintf(path, room, "%s/%s", folder, name + strlen(PEER_PREFIX));
    return n > 0 && (size_t)n < room && stat(path, &file) == 0 && S_ISREG(file.st_mode) &&
           access(path, X_OK) == 0;
}

const char *peers_name(size_t i) {
    char path[FOLDER_PATH_BYTES];
    for (size_t k = 0; k < sizeof known_peers / sizeof *known_peers; k++) {
        if (peers_path(known_peers[k], path, sizeof path) && i-- == 0) return known_peers[k];
    }
    return NULL;
}

json_t *peers_json(void) {
    json_t *names = json_array();
    for (size_t i = 0; names && peers_name(i); i++) {
        json_array_append_new(names, json_string(peers_name(i)));
    }
    return names;
}

/* The letter of the target, after -t; 0: these programs do not support it. */
static char peers_target(const comparison *c) {
    const char *target = c->kind == JOB_RULES ? NULL : job_option(c->options, "target");
    if (!target || strcmp(target, "all") == 0) return 's';
    if (strcmp(target, "closed") == 0) return 'c';
    if (strcmp(target, "maximal") == 0) return 'm';
    return strcmp(target, "generators") == 0 ? 'g' : 0;
}

bool peers_can(const comparison *c) {
    static const char *const constraints[] = {"include", "must", "exclude", "group", "rare"};
    if (c->kind == JOB_GRAPHS || c->min_count == 0 || peers_target(c) == 0) return false;
    for (size_t i = 0; c->kind == JOB_ITEMSETS && i < sizeof constraints / sizeof *constraints;
         i++) {
        if (json_object_get(c->options, constraints[i])) return false;
    }
    return true;
}

/* ---- command lines --------------------------------------------------------------------------- */

static void peers_word(json_t *words, const char *word) {
    json_array_append_new(words, json_string(word));
}

/* Writes a number option such as "-n4". */
static void peers_size(json_t *words, const comparison *c, const char *name, char letter) {
    const json_t *value = json_object_get(c->options, name);
    char word[48];
    if (json_is_string(value)) {
        snprintf(word, sizeof word, "-%c%.30s", letter, json_string_value(value));
    } else if (json_is_integer(value)) {
        snprintf(word, sizeof word, "-%c%" JSON_INTEGER_FORMAT, letter, json_integer_value(value));
    } else {
        return;
    }
    peers_word(words, word);
}

/* -S sets an upper bound of the support that no data reach; the default of these programs is lower.
 * */
json_t *peers_words(const comparison *c, const char *name, const char *input) {
    char word[48], program[FOLDER_PATH_BYTES];
    json_t *words = peers_path(name, program, sizeof program) ? json_array() : NULL;
    if (!words) return NULL;
    peers_word(words, program);
    snprintf(word, sizeof word, "-t%c", peers_target(c));
    peers_word(words, word);
    peers_word(words, "-S-99999999");
    snprintf(word, sizeof word, "-s-%" PRIu64, c->min_count);
    peers_word(words, word);
    if (c->kind == JOB_ITEMSETS) peers_size(words, c, "min-size", 'm');
    peers_size(words, c, "max-size", 'n');
    peers_word(words, input);
    return words;
}

/* ---- what the programs of LODE_PEERS print --------------------------------------------------- */

/* The number in the last "[N set(s)]"; false: none. */
static bool peers_output_count(const char *output, uint64_t *count) {
    bool found = false;
    for (const char *at = output; (at = strchr(at, '[')) != NULL; at++) {
        char *end;
        uint64_t n = strtoull(at + 1, &end, 10);
        if (end == at + 1 || strncmp(end, " set(s)]", 8) != 0) continue;
        *count = n;
        found = true;
    }
    return found;
}

/* The seconds in "reading … done [0.02s]"; 0: none. */
static double peers_output_reading(const char *output) {
    const char *line = strstr(output, "reading ");
    const char *end = line ? line + strcspn(line, "\n") : NULL;
    const char *done = line ? strstr(line, "done [") : NULL;
    if (!done || done > end) return 0;
    double seconds = strtod(done + 6, NULL);
    return seconds > 0 ? seconds : 0;
}

/* The last line that is not empty. */
static void peers_output_last(const char *output, char *line, size_t room) {
    size_t end = strlen(output), start;
    while (end > 0 && strchr(" \t\r\n", output[end - 1])) end--;
    for (start = end; start > 0 && output[start - 1] != '\n';) start--;
    snprintf(line, room, "%.*s", (int)(end - start < 200 ? end - start : 200), output + start);
}

static void peers_fill_times(json_t *row, const peer_result *result) {
    double read = peers_output_reading(result->output);
    if (read > result->seconds) read = result->seconds;
    json_object_set_new(row, "seconds", json_real(result->seconds));
    json_object_set_new(row, "parts",
                        json_pack("{s:f,s:f,s:f,s:f,s:f,s:f}", "read", read, "prepare", 0.0,
                                  "transfer", 0.0, "candidate", 0.0, "counting",
                                  result->seconds - read, "output", 0.0));
}

void peers_fill(json_t *row, const peer_result *result) {
    uint64_t count;
    char words[320], how[96], last[208];
    if (result->trouble) {
        compare_row_state(row, "failed", result->trouble);
    } else if (result->late) {
        snprintf(words, sizeof words, "stopped after %d s", COMPARE_SECONDS);
        json_object_set_new(row, "seconds", json_real(result->seconds));
        compare_row_state(row, "limit", words);
    } else if (result->status == 0 && peers_output_count(result->output, &count)) {
        peers_fill_times(row, result);
        json_object_set_new(row, "patterns", json_integer((json_int_t)count));
        compare_row_state(row, "done", NULL);
    } else {
        children_describe(result->status, how, sizeof how);
        peers_output_last(result->output, last, sizeof last);
        json_t *clean = json_string(last); /* NULL: not UTF-8 */
        snprintf(words, sizeof words, "the program %s%s%s", how, clean && last[0] ? ": " : "",
                 clean ? last : "");
        json_decref(clean);
        compare_row_state(row, "failed", words);
    }
}
