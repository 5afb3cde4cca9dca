/* completion_fish.c - the completion script of fish
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "completion.h"

static const char head[] =
    "# fish completion of lode, made by `lode completion fish`\n"
    "\n"
    "# Whether the words before the cursor begin with these; -x: are these and no more.\n"
    "function __lode_at\n"
    "    set -l words (commandline -opc)\n"
    "    set -e words[1]\n"
    "    contains -- \"$words[1]\" $__lode_asking; and set -e words[1]\n"
    "    if test \"$argv[1]\" = -x\n"
    "        test \"$words\" = \"$argv[2..-1]\"\n"
    "    else\n"
    "        string match -q -- \"$argv *\" \"$words \"\n"
    "    end\n"
    "end\n"
    "function __lode_asks\n"
    "    set -l words (commandline -opc)\n"
    "    contains -- \"$words[2]\" $__lode_asking\n"
    "end\n";

static void fish_put_quoted(FILE *out, const char *text) {
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
    fputc('\'', out);
}

/* A word that may follow the words `before`. */
static void fish_put_choice(FILE *out, const char *before, const char *word, size_t n,
                            const char *help, bool may_be_asked) {
    fprintf(out, "complete -c lode -f -n '__lode_at -x %s%s' -a '%.*s' -d ", before,
            may_be_asked ? "" : "; and not __lode_asks", (int)n, word);
    fish_put_quoted(out, help);
    fputc('\n', out);
}

static void fish_put_option(FILE *out, const cli_command *command, const cli_row *row) {
    fprintf(out, "complete -c lode -n '__lode_at %s; and not __lode_asks' -l %s", command->name,
            row->name);
    if (row->letter) fprintf(out, " -s %c", row->letter);
    if (cli_row_word(row, 0)) {
        fprintf(out, " -x -a '%s", row->list ? "(__fish_append , " : "");
        completion_words(out, row, 0);
        fputs(row->list ? ")'" : "'", out);
    } else if (completion_is_folder(row)) {
        fputs(" -x -a '(__fish_complete_directories)'", out);
    } else if (completion_is_file(row)) {
        fputs(" -r -F", out);
    } else if (row->argument) {
        fputs(" -x", out);
    }
    fputs(" -d ", out);
    fish_put_quoted(out, row->help);
    fputc('\n', out);
}

static void fish_put_command(FILE *out, const cli_command *command) {
    cli_row row;
    const char *space = strchr(command->name, ' ');
    size_t n = space ? (size_t)(space - command->name) : strlen(command->name);
    fprintf(out, "\n# lode %s\n", command->name);
    fish_put_choice(out, "", command->name, n, completion_first_help(command), true);
    if (space) {
        char first[32];
        snprintf(first, sizeof first, "%.*s", (int)n, command->name);
        fish_put_choice(out, first, space + 1, strlen(space + 1), command->summary, true);
    }
    for (size_t i = 0; cli_row_at(command, i, &row); i++) fish_put_option(out, command, &row);
    if (command->n_files == 0)
        fprintf(out, "complete -c lode -f -n '__lode_at %s'\n", command->name);
}

void completion_fish(FILE *out) {
    const char *extra, *help;
    fputs(head, out);
    fputs("set -g __lode_asking help", out);
    completion_put_asking(out, " ");
    fputs("\n\n", out);
    for (size_t i = 0; (extra = completion_extra(i, &help)); i++) {
        fish_put_choice(out, "", extra, strlen(extra), help, false);
    }
    for (size_t i = 0; cli_command_at(i); i++) fish_put_command(out, cli_command_at(i));
    for (size_t i = 0; completion_shells[i]; i++) {
        fish_put_choice(out, cli_completion.name, completion_shells[i],
                        strlen(completion_shells[i]), "a shell", false);
    }
}
