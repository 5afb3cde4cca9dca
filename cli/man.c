/* man.c - lode man: manual pages, made from the tables of commands and options
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli_file.h"
#include "option_rows.h"

/* ---- roff ---------------------------------------------------------------------------------- */

/* Escapes characters that roff interprets, or prints as something that cannot be typed. */
static void man_put_character(FILE *out, char c) {
    switch (c) {
    case '\\': fputs("\\(rs", out); break;
    case '-': fputs("\\-", out); break;
    case '\'': fputs("\\(aq", out); break;
    case '`': fputs("\\(ga", out); break;
    case '^': fputs("\\(ha", out); break;
    case '~': fputs("\\(ti", out); break;
    case '"': fputs("\\(dq", out); break;
    default: fputc(c, out);
    }
}

/* Text as it is. A line must not begin with a dot, which would be a command of roff. */
static void man_put_plain(FILE *out, const char *text) {
    if (*text == '.') fputs("\\&", out);
    for (; *text; text++) {
        man_put_character(out, *text);
        if (*text == '\n' && text[1] == '.') fputs("\\&", out);
    }
}

/* Writes a sentence; text between backquotes becomes bold. */
static void man_put_text(FILE *out, const char *text) {
    bool bold = false;
    if (*text == '.') fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '`') {
            fputs((bold = !bold) ? "\\fB" : "\\fR", out);
        } else {
            man_put_character(out, *text);
        }
    }
}

static void man_put_bold(FILE *out, const char *before, const char *text) {
    fputs("\\fB", out);
    man_put_plain(out, before);
    man_put_plain(out, text);
    fputs("\\fR", out);
}

/* "lode-generate-quest"; in capitals for the title. */
static void man_put_page_name(FILE *out, const cli_command *command, bool title) {
    char name[64];
    snprintf(name, sizeof name, "lode%s%s", command ? "-" : "", command ? command->name : "");
    for (char *c = name; *c; c++) {
        if (*c == ' ') *c = '-';
        if (title) *c = (char)toupper((unsigned char)*c);
    }
    man_put_plain(out, name);
}

/* ---- parts of a page ----------------------------------------------------------------------- */

static void man_put_head(FILE *out, const cli_command *command, const char *summary) {
    fputs(".TH ", out);
    man_put_page_name(out, command, true);
    fprintf(out, " 1 \"\" \"lode %s\" \"User Commands\"\n.SH NAME\n", lode_version());
    man_put_page_name(out, command, false);
    fputs(" \\- ", out);
    man_put_text(out, summary);
    fputs("\n.SH SYNOPSIS\n", out);
}

static void man_put_words(FILE *out, const cli_row *row) {
    const char *word;
    if (!cli_row_word(row, 0)) return;
    fputs("\n.br\nValues: ", out);
    for (size_t i = 0; (word = cli_row_word(row, i)); i++) {
        if (i) fputs(", ", out);
        man_put_bold(out, "", word);
    }
    fputc('.', out);
}

static void man_put_option(FILE *out, const cli_row *row) {
    fputs(".TP\n", out);
    if (row->letter) {
        man_put_bold(out, "-", (char[]){row->letter, 0});
        fputs(", ", out);
    }
    man_put_bold(out, "--", row->name);
    if (row->argument) {
        fputs(" \\fI", out);
        man_put_plain(out, row->argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    man_put_text(out, row->help);
    fputs(" [", out);
    man_put_text(out, row->fallback);
    fputc(']', out);
    man_put_words(out, row);
    fputc('\n', out);
}

static void man_put_options(FILE *out, const cli_command *command) {
    cli_row row;
    if (!cli_row_at(command, 0, &row)) return;
    fputs(".SH OPTIONS\nDefaults are in brackets.\n", out);
    bool papers = false;
    for (size_t i = 0; cli_row_at(command, i, &row); i++) {
        if (row.papers && !papers) {
            fputs(".SS ", out);
            man_put_plain(out, CLI_PAPERS_TITLE);
            fputc('\n', out);
        }
        papers = row.papers;
        man_put_option(out, &row);
    }
}

static void man_put_examples(FILE *out, const char *lines) {
    if (!lines) return;
    fputs(".SH EXAMPLES\n.nf\n", out);
    man_put_plain(out, lines);
    fputs(".fi\n", out);
}

static void man_put_exits(FILE *out) {
    const char *meaning;
    int code;
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; cli_exit_at(i, &code, &meaning); i++) {
        fprintf(out, ".TP\n\\fB%d\\fR\n%s\n", code, meaning);
    }
}

/* ---- pages --------------------------------------------------------------------------------- */

static void man_put_overview(FILE *out) {
    man_put_head(out, NULL, "frequent itemsets and frequent subgraphs, fast");
    fputs("\\fBlode\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n.br\n", out);
    fputs("\\fBlode help\\fR [\\fICOMMAND\\fR]\n.br\n\\fBlode \\-\\-version\\fR\n", out);
    fputs(".SH DESCRIPTION\nResults go to standard output, everything else to standard error. "
          "Each command has a page of its own.\n.SH COMMANDS\n",
          out);
    for (size_t i = 0; cli_command_at(i); i++) {
        const cli_command *command = cli_command_at(i);
        fputs(".TP\n", out);
        man_put_bold(out, "lode ", command->name);
        fputc('\n', out);
        man_put_text(out, command->summary);
        fputs(":\n.BR ", out);
        man_put_page_name(out, command, false);
        fputs(" (1).\n", out);
    }
    man_put_examples(out, cli_start);
    man_put_exits(out);
}

static void man_put_command(FILE *out, const cli_command *command) {
    man_put_head(out, command, command->summary);
    man_put_bold(out, "lode ", command->name);
    fputc(' ', out);
    man_put_plain(out, command->arguments);
    fputs("\n.SH DESCRIPTION\n", out);
    fputc(toupper((unsigned char)command->summary[0]), out);
    man_put_text(out, command->summary + 1);
    fputs(".\n", out);
    if (command->n_files > 0) fputs(cli_file_help(command), out);
    man_put_options(out, command);
    man_put_examples(out, command->examples);
    if (command->n_files > 0) man_put_exits(out);
    fputs(".SH SEE ALSO\n.BR lode (1)\n", out);
}

static void man_put_page(FILE *out, const cli_command *command) {
    if (command) {
        man_put_command(out, command);
    } else {
        man_put_overview(out);
    }
}

/* ---- the command --------------------------------------------------------------------------- */

static bool write_page(const char *folder, const cli_command *command) {
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/lode%s%s.1", folder, command ? "-" : "",
                     command ? command->name : "");
    if (n < 0 || (size_t)n >= sizeof path) {
        cli_error("the folder name is too long");
        return false;
    }
    for (char *c = path + strlen(folder) + 1; *c; c++) {
        if (*c == ' ') *c = '-';
    }
    cli_file file;
    if (!cli_file_open(&file, path, false)) return false;
    man_put_page(file.stream, command);
    return cli_file_close(&file);
}

static int write_pages(const char *folder) {
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        cli_error("cannot create the folder '%s': %s", folder, strerror(errno));
        return CLI_FAILED;
    }
    bool written = write_page(folder, NULL);
    for (size_t i = 0; written && cli_command_at(i); i++) {
        written = write_page(folder, cli_command_at(i));
    }
    return written ? CLI_DONE : CLI_FAILED;
}

static int run_man(int n, char **words) {
    const cli_command *command = NULL;
    if (n > 0 && strcmp(words[0], "--all") == 0) {
        if (n == 2) return write_pages(words[1]);
        cli_error("no folder; expected: lode man --all DIR");
        return CLI_USAGE;
    }
    if (n > 0 && cli_command_find(n, words, &command) != n) {
        return cli_command_complain(n, words);
    }
    man_put_page(stdout, command);
    return CLI_DONE;
}

const cli_command cli_man = {
    .name = "man",
    .arguments = "[COMMAND]",
    .summary = "print the manual page of lode or of a command",
    .examples = "  lode man itemsets | man -l -\n"
                "  lode man --all DIR                            every page, to files in DIR\n",
    .run_words = run_man,
};
