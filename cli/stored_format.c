/* stored_format.c - see stored_format.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "stored_format.h"

#include <string.h>
#include <strings.h>

static bool stored_is_jsonl(const char *path) {
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && (strcasecmp(dot, ".jsonl") == 0 || strcasecmp(dot, ".ndjson") == 0);
}

bool stored_choose_format(cli_args *args, unsigned group) {
    char message[128];
    const char *word = stored_is_jsonl(cli_given(args, "output")) ? "jsonl" : "csv";
    for (unsigned i = 0; i < args->n_words; i++) {
        if (strcmp(args->words[i].name, "write") == 0) return true;
    }
    lode_status status =
        lode_options_set_in(args->options, group, "write", word, message, sizeof message);
    if (status != LODE_OK) cli_error("--write %s", message);
    return status == LODE_OK;
}
