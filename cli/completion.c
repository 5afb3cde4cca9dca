/* completion.c - lode completion SHELL: writes a script for completing the command line in a shell
 *
 * Commands, options and words come from the tables, so the script fits the program that wrote it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "name_completion.h"

static void completion_bash(FILE *out);
static void completion_zsh(FILE *out);
static void completion_fish(FILE *out);

static const char *const completion_shells[] = {"bash", "zsh", "fish", NULL};
static void (*const writers[])(FILE *) = {completion_bash, completion_zsh, completion_fish};

/* The i-th word that may come first although it is not a command; NULL past the end. */
static const char *completion_extra(size_t i, const char **help) {
    static const char *const extras[][2] = {
        {"help", "show the options and examples of a command"},
        {"--version", "show the version and how it was built"},
        {"--help", "list the commands"},
    };
    if (i >= sizeof extras / sizeof *extras) return NULL;
    *help = extras[i][1];
    return extras[i][0];
}

/* The help for the first word of a command, which several commands may share. */
static const char *completion_first_help(const cli_command *command) {
    return strchr(command->name, ' ') ? "generate data sets" : command->summary;
}

/* Writes the words of a row with blanks between them; of "top:K" what can be typed, "top:". Puts a
 * backslash before each character `escape`. */
static void completion_words(FILE *out, const cli_row *row, char escape) {
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

/* Whether the value of a row is a folder, and whether it is a file. */
static bool completion_is_folder(const cli_row *row) {
    return row->argument && strcmp(row->argument, "DIR") == 0;
}

static bool completion_is_file(const cli_row *row) {
    return row->argument && strstr(row->argument, "FILE") != NULL;
}

/* Writes the commands that take the name of a command, each with `before` in front of it. */
static void completion_put_asking(FILE *out, const char *before) {
    for (size_t i = 0; cli_command_at(i); i++) {
        const cli_command *command = cli_command_at(i);
        if (strstr(command->arguments, "COMMAND")) fprintf(out, "%s%s", before, command->name);
    }
}

/* Writes the names of shells, with blanks between them. */
static void completion_put_shells(FILE *out) {
    for (size_t i = 0; completion_shells[i]; i++) {
        fprintf(out, "%s%s", i ? " " : "", completion_shells[i]);
    }
}

static int run_completion(int n, char **words) {
    const char *shell = n > 0 ? words[0] : "";
    if (strcmp(shell, "names") == 0) return name_completion(n - 1, words + 1);
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
    .summary = "print a shell script that completes commands, options and values",
    .examples = "  source <(lode completion bash)                in bash, for this session\n"
                "  lode completion fish > ~/.config/fish/completions/lode.fish\n"
                "  lode completion zsh > ~/.zfunc/_lode          a folder of $fpath\n",
    .run_words = run_completion,
};

/* ---- the completion script of bash ----------------------------------------------------------- */

/* Bash splits words at "=" and ":", so the script first joins them again. Options without a list of
 * words are completed as file names (-o default), which bash quotes correctly. */
static const char bash_head[] =
    "# bash completion of lode, made by `lode completion bash`\n"
    "_lode() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local given=(\"${COMP_WORDS[@]:1:COMP_CWORD - 1}\") typed='' phrase=''\n"
    "    local asked='' command='' options='' option='' words='' list='' front='' kind=''\n"
    "    COMPREPLY=()\n"
    "    [[ $before != : && $current != : ]] || return 0\n"
    "    if [[ $current == --*=* ]]; then # where \"=\" does not break words\n"
    "        option=${current%%=*} front=${current%%=*}= current=${current#*=}\n"
    "    elif [[ $current == = ]]; then\n"
    "        option=$before current=''\n"
    "    elif [[ $before == = ]]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    else\n"
    "        option=$before\n"
    "    fi\n";

static const char next_word[] =
    "    if [[ $asked || -z $command ]]; then\n"
    "        typed=${given[*]-}\n"
    "        for phrase in \"${phrases[@]}\"; do\n"
    "            [[ -z $typed || $phrase == \"$typed \"* ]] || continue\n"
    "            phrase=${phrase:${#typed}}\n"
    "            phrase=${phrase# }\n"
    "            phrase=${phrase%% *}\n"
    "            [[ \"$words \" == *\" $phrase \"* ]] || words+=\" $phrase\"\n"
    "        done\n"
    "        [[ $typed || $asked ]] || words+=$extras\n"
    "        compopt +o default 2>/dev/null\n"
    "    fi\n";

static const char tail[] =
    "    if [[ $kind && $current != @* ]]; then # names of the file at hand\n"
    "        compopt +o default 2>/dev/null\n"
    "        mapfile -t COMPREPLY < <(command lode completion names \"$kind\" \"$current\" \\\n"
    "            \"${given[@]}\" 2>/dev/null)\n"
    "        return 0\n"
    "    fi\n"
    "    [[ $words || $current != -* ]] || words=$options\n"
    "    [[ $words ]] || return 0 # file names\n"
    "    if [[ $list ]]; then\n"
    "        front+=${current%\"${current##*,}\"}\n"
    "        current=${current##*,}\n"
    "    fi\n"
    "    # shellcheck disable=SC2207 # the words have no blanks\n"
    "    COMPREPLY=($(compgen -P \"$front\" -W \"$words\" -- \"$current\"))\n"
    "    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *: ]]; then\n"
    "        compopt -o nospace 2>/dev/null # a number follows\n"
    "    fi\n"
    "    return 0\n"
    "}\n"
    "complete -o default -F _lode lode\n";

static void bash_put_phrases(FILE *out) {
    const char *extra, *help;
    fputs("    local phrases=(", out);
    for (size_t i = 0; cli_command_at(i); i++) {
        fprintf(out, "%s'%s'", i ? " " : "", cli_command_at(i)->name);
    }
    fputs(") extras='", out);
    for (size_t i = 0; (extra = completion_extra(i, &help)); i++) fprintf(out, " %s", extra);
    fputs("'\n", out);
}

/* After commands that take the name of a command, such names are completed. */
static void bash_put_asking(FILE *out) {
    fputs("    case ${given[0]-} in\n    help", out);
    completion_put_asking(out, " | ");
    fputs(") asked=1 given=(\"${given[@]:1}\") ;;\n    esac\n", out);
}

static void bash_put_commands(FILE *out) {
    cli_row row;
    fputs("    case \"${given[*]-} \" in\n", out);
    for (size_t i = 0; cli_command_at(i); i++) {
        const cli_command *command = cli_command_at(i);
        fprintf(out, "    '%s '*)\n        command='%s'\n        options='--help", command->name,
                command->name);
        for (size_t k = 0; cli_row_at(command, k, &row); k++) fprintf(out, " --%s", row.name);
        fputs("' ;;\n", out);
    }
    fputs("    esac\n", out);
}

static void bash_put_row_words(FILE *out, const cli_command *command, const cli_row *row) {
    const char *kind = name_completion_kind(row);
    if (!cli_row_word(row, 0) && !kind) return;
    fprintf(out, "    '%s --%s'", command->name, row->name);
    if (row->letter) fprintf(out, " | '%s -%c'", command->name, row->letter);
    if (kind) {
        fprintf(out, ") kind=%s ;;\n", kind);
        return;
    }
    fprintf(out, ")%s words='", row->list ? " list=1" : "");
    completion_words(out, row, 0);
    fputs("' ;;\n", out);
}

static void bash_put_words(FILE *out) {
    cli_row row;
    fputs("    case \"$command $option\" in\n", out);
    for (size_t i = 0; cli_command_at(i); i++) {
        const cli_command *command = cli_command_at(i);
        for (size_t k = 0; cli_row_at(command, k, &row); k++)
            bash_put_row_words(out, command, &row);
    }
    fprintf(out, "    '%s '*) words='", cli_completion.name);
    completion_put_shells(out);
    fputs("' ;;\n    esac\n", out);
}

static void completion_bash(FILE *out) {
    fputs(bash_head, out);
    bash_put_phrases(out);
    bash_put_asking(out);
    bash_put_commands(out);
    bash_put_words(out);
    fputs(next_word, out);
    fputs(tail, out);
}

/* ---- the completion script of fish ----------------------------------------------------------- */

static const char fish_head[] =
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
    "# Names of items, columns or measures.\n"
    "function __lode_names\n"
    "    set -l words (commandline -opc)\n"
    "    command lode completion names raw $argv[1] '' $words[2..-1] 2>/dev/null\n"
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
    } else if (name_completion_kind(row)) {
        fprintf(out, " -x -a '(__lode_names %s)'", name_completion_kind(row));
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

static void completion_fish(FILE *out) {
    const char *extra, *help;
    fputs(fish_head, out);
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

/* ---- the completion script of zsh ------------------------------------------------------------ */

static const char zsh_head[] =
    "#compdef lode\n"
    "# zsh completion of lode, made by `lode completion zsh`\n"
    "\n"
    "# Words that an option takes; behind a colon a number follows.\n"
    "_lode_words() {\n"
    "    local -a open=(${(M)@:#*:})\n"
    "    compadd -- ${@:#*:}\n"
    "    (( ! $#open )) || compadd -S '' -- $open\n"
    "}\n"
    "# Names of items, columns or measures.\n"
    "_lode_names() {\n"
    "    local -a names=(\"${(@f)$(command lode completion names raw \"$1\" '' "
    "${(Q)words} 2>/dev/null)}\")\n"
    "    compadd -- $names\n"
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
    } else if (name_completion_kind(row)) {
        fprintf(out, " _lode_names %s", name_completion_kind(row));
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

static void completion_zsh(FILE *out) {
    fputs(zsh_head, out);
    for (size_t i = 0; cli_command_at(i); i++) zsh_put_command(out, cli_command_at(i));
    zsh_put_chooser(out);
}
