/* completion.c - lode completion SHELL: a script with which a shell completes lode's command line
 *
 * Commands, options and words come from the tables, so the script fits the program that wrote it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "completion.h"

#include <string.h>

const char *const completion_shells[] = {"bash", "zsh", "fish", NULL};
static void (*const writers[])(FILE *) = {completion_bash, completion_zsh, completion_fish};

const char *completion_extra(size_t i, const char **help) {
    static const char *const extras[][2] = {
        {"help", "options and examples of a command"},
        {"--version", "the version, and how it was built"},
        {"--help", "the list of commands"},
    };
    if (i >= sizeof extras / sizeof *extras) return NULL;
    *help = extras[i][1];
    return extras[i][0];
}

const char *completion_first_help(const cli_command *command) {
    return strchr(command->name, ' ') ? "make data sets" : command->summary;
}

void completion_words(FILE *out, const cli_row *row, char escape) {
    const char *word;
    for (size_t i = 0; (word = cli_row_word(row, i)); i++) {
        size_t n = strlen(word);
        if (n > 2 && strcmp(word + n - 2, ":K") == 0) n--; /* a number is typed there */
        if (i) fputc(' ', out);
        for (size_t k = 0; k < n; k++) {
            if (word[k] == escape) fputc('\\', out);
            fputc(word[k], out);
        }
    }
}

bool completion_is_folder(const cli_row *row) {
    return row->argument && strcmp(row->argument, "DIR") == 0;
}

bool completion_is_file(const cli_row *row) {
    return row->argument && strstr(row->argument, "FILE") != NULL;
}

void completion_put_asking(FILE *out, const char *before) {
    for (size_t i = 0; cli_command_at(i); i++) {
        const cli_command *command = cli_command_at(i);
        if (strstr(command->arguments, "COMMAND")) fprintf(out, "%s%s", before, command->name);
    }
}

void completion_put_shells(FILE *out) {
    for (size_t i = 0; completion_shells[i]; i++) {
        fprintf(out, "%s%s", i ? " " : "", completion_shells[i]);
    }
}

static int run_completion(int n, char **words) {
    const char *shell = n > 0 ? words[0] : "";
    for (size_t i = 0; n == 1 && completion_shells[i]; i++) {
        if (strcmp(shell, completion_shells[i]) != 0) continue;
        writers[i](stdout);
        return CLI_DONE;
    }
    const char *near = lode_nearest(shell, completion_shells, 3);
    cli_error("completion for which shell? %s%s%sexpected: lode completion %s",
              near ? "did you mean '" : "", near ? near : "", near ? "'? " : "",
              cli_completion.arguments);
    return CLI_USAGE;
}

const cli_command cli_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .summary = "print what makes a shell complete commands, options and their words",
    .examples = "  source <(lode completion bash)                in bash, until the shell ends\n"
                "  lode completion fish > ~/.config/fish/completions/lode.fish\n"
                "  lode completion zsh > ~/.zfunc/_lode          a folder of $fpath\n",
    .run_words = run_completion,
};
