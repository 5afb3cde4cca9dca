/* completion_zsh.c - the completion script of zsh
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "completion.h"

static const char head[] = "#compdef lode\n"
                           "# zsh completion of lode, made by `lode completion zsh`\n"
                           "\n"
                           "# Words that an option takes; behind a colon a number follows.\n"
                           "_lode_words() {\n"
                           "    local -a open=(${(M)@:#*:})\n"
                           "    compadd -- ${@:#*:}\n"
                           "    (( ! $#open )) || compadd -S '' -- $open\n"
                           "}\n";

/* Text within a specification of _arguments or _describe, in single quotes. */
static void zsh_put_text(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", out);
        } else {
            if (strchr("[]:\\", *text)) fputc('\\', out);
            fputc(*text, out);
        }
    }
}

/* _lode_generate_quest */
static void zsh_put_function(FILE *out, const cli_command *command) {
    fputs("_lode_", out);
    for (const char *c = command->name; *c; c++) fputc(*c == ' ' ? '_' : *c, out);
}

static void zsh_put_value(FILE *out, const cli_row *row) {
    fputc(':', out);
    zsh_put_text(out, row->argument);
    fputc(':', out);
    if (row->list) {
        fputs("_values -s , word ", out);
        completion_words(out, row, ':');
    } else if (cli_row_word(row, 0)) {
        fputs(" _lode_words ", out); /* with the blank, zsh passes no further arguments */
        completion_words(out, row, ':');
    } else if (completion_is_folder(row)) {
        fputs("_files -/", out);
    } else if (completion_is_file(row)) {
        fputs("_files", out);
    } else {
        fputc(' ', out);
    }
}

/* '(-w --write)'{-w+,--write=}'[help]:FORMAT: _lode_words csv' */
static void zsh_put_option(FILE *out, const cli_row *row) {
    bool value = row->argument != NULL;
    fputs(" \\\n        ", out);
    if (row->letter) {
        fprintf(out, "'(-%c --%s)'{-%c%s,--%s%s}'", row->letter, row->name, row->letter,
                value ? "+" : "", row->name, value ? "=" : "");
    } else {
        fprintf(out, "'--%s%s", row->name, value ? "=" : "");
    }
    fputc('[', out);
    zsh_put_text(out, row->help);
    fputc(']', out);
    if (value) zsh_put_value(out, row);
    fputc('\'', out);
}

static void zsh_put_command(FILE *out, const cli_command *command) {
    cli_row row;
    fputc('\n', out);
    zsh_put_function(out, command);
    fputs("() {\n    _arguments -s -S '(- *)--help[options and examples]'", out);
    for (size_t i = 0; cli_row_at(command, i, &row); i++) zsh_put_option(out, &row);
    if (command->n_files > 0) fputs(" \\\n        '*:FILE:_files'", out);
    if (command == &cli_completion) {
        fputs(" \\\n        '1:shell:(", out);
        completion_put_shells(out);
        fputs(")'", out);
    }
    fputs("\n}\n", out);
}

static void zsh_put_choice(FILE *out, const char *word, size_t n, const char *help) {
    fprintf(out, "\n        '%.*s:", (int)n, word);
    zsh_put_text(out, help);
    fputc('\'', out);
}

/* The first words of commands, each once: commands that share one stand together. */
static void zsh_put_firsts(FILE *out) {
    const char *said = "";
    for (size_t i = 0; cli_command_at(i); i++) {
        const cli_command *command = cli_command_at(i);
        size_t n = strcspn(command->name, " ");
        bool again = strcspn(said, " ") == n && strncmp(said, command->name, n) == 0;
        if (!again) zsh_put_choice(out, command->name, n, completion_first_help(command));
        said = command->name;
    }
}

/* The words after "generate". */
static void zsh_put_seconds(FILE *out) {
    for (size_t i = 0; cli_command_at(i); i++) {
        const char *space = strchr(cli_command_at(i)->name, ' ');
        if (space) zsh_put_choice(out, space + 1, strlen(space + 1), cli_command_at(i)->summary);
    }
}

static void zsh_put_dispatch(FILE *out, const cli_command *command) {
    const char *space = strchr(command->name, ' ');
    fprintf(out, "    '%s '*)\n", command->name);
    fprintf(out, "        shift %d words\n        (( CURRENT -= %d ))\n        ", space ? 2 : 1,
            space ? 2 : 1);
    zsh_put_function(out, command);
    fputs(" ;;\n", out);
}

static void zsh_put_chooser(FILE *out) {
    const char *extra, *help;
    fputs("\n_lode() {\n    local -a commands=(", out);
    zsh_put_firsts(out);
    fputs(")\n    local -a extras=(", out);
    for (size_t i = 0; (extra = completion_extra(i, &help)); i++) {
        zsh_put_choice(out, extra, strlen(extra), help);
    }
    fputs(")\n    local -a generators=(", out);
    zsh_put_seconds(out);
    fputs(")\n    case $words[2] in\n    help", out);
    completion_put_asking(out, " | ");
    fputs(")\n"
          "        if (( CURRENT > 2 )); then\n"
          "            shift words\n"
          "            (( CURRENT -= 1 ))\n"
          "            if (( CURRENT == 2 )); then _describe command commands; fi\n"
          "            if (( CURRENT == 3 )) && [[ $words[2] == generate ]]; then\n"
          "                _describe command generators\n"
          "            fi\n"
          "            return\n"
          "        fi ;;\n"
          "    esac\n"
          "    if (( CURRENT == 2 )); then\n"
          "        _describe command commands -- extras\n"
          "        return\n"
          "    elif (( CURRENT == 3 )) && [[ $words[2] == generate ]]; then\n"
          "        _describe command generators\n"
          "        return\n"
          "    fi\n"
          "    case \"${words[2,-1]} \" in\n",
          out);
    for (size_t i = 0; cli_command_at(i); i++) zsh_put_dispatch(out, cli_command_at(i));
    fputs("    esac\n}\n\n"
          "if [[ $funcstack[1] == _lode ]]; then _lode \"$@\"; else compdef _lode lode; fi\n",
          out);
}

void completion_zsh(FILE *out) {
    fputs(head, out);
    for (size_t i = 0; cli_command_at(i); i++) zsh_put_command(out, cli_command_at(i));
    zsh_put_chooser(out);
}
