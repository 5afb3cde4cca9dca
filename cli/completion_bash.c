/* completion_bash.c - the completion script of bash
 * SPDX-License-Identifier: Apache-2.0 */
#include "completion.h"

/* Bash splits words at "=" and ":", which is undone first. What has no list of words is left to the
 * completion of file names (-o default), which knows how to quote them. */
static const char head[] =
    "# bash completion of lode, made by `lode completion bash`\n"
    "_lode() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local given=(\"${COMP_WORDS[@]:1:COMP_CWORD - 1}\") typed='' phrase=''\n"
    "    local asked='' command='' options='' option='' words='' list='' front=''\n"
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
    if (!cli_row_word(row, 0)) return;
    fprintf(out, "    '%s --%s'", command->name, row->name);
    if (row->letter) fprintf(out, " | '%s -%c'", command->name, row->letter);
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

void completion_bash(FILE *out) {
    fputs(head, out);
    bash_put_phrases(out);
    bash_put_asking(out);
    bash_put_commands(out);
    bash_put_words(out);
    fputs(next_word, out);
    fputs(tail, out);
}
