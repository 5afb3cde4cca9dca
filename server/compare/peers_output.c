/* peers_output.c - what the programs of LODE_PEERS print; see peers.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/peers.h"

bool peers_output_count(const char *output, uint64_t *count) {
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

double peers_output_reading(const char *output) {
    const char *line = strstr(output, "reading ");
    const char *end = line ? line + strcspn(line, "\n") : NULL;
    const char *done = line ? strstr(line, "done [") : NULL;
    if (!done || done > end) return 0;
    double seconds = strtod(done + 6, NULL);
    return seconds > 0 ? seconds : 0;
}

void peers_output_last(const char *output, char *line, size_t room) {
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
        snprintf(words, sizeof words, "over %d s", COMPARE_SECONDS);
        json_object_set_new(row, "seconds", json_real(result->seconds));
        compare_row_state(row, "limit", words);
    } else if (result->status == 0 && peers_output_count(result->output, &count)) {
        peers_fill_times(row, result);
        json_object_set_new(row, "patterns", json_integer((json_int_t)count));
        compare_row_state(row, "done", NULL);
    } else {
        children_describe(result->status, how, sizeof how);
        peers_output_last(result->output, last, sizeof last);
        json_t *clean = json_string(last); /* NULL: it is not UTF-8 */
        snprintf(words, sizeof words, "it %s%s%s", how, clean && last[0] ? ": " : "",
                 clean ? last : "");
        json_decref(clean);
        compare_row_state(row, "failed", words);
    }
}
