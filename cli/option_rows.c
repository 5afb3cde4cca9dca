/* option_rows.c - the options of a command, from both option tables, and the words that they accept
 * SPDX-License-Identifier: Apache-2.0 */
#include "option_rows.h"

#include <string.h>

/* Words of options that only the command line has: a list of its own, or those of the library
 * option `like`, several of which may be given. With command NULL, the row is for every command. */
static const struct {
    const cli_command *command;
    const char *name;
    const char *const *words;
    const char *like;
} own_words[] = {
    {NULL, "report", cli_report_forms, NULL},
    {&cli_compare, "write", cli_compare_forms, NULL},
    {&cli_clean, "write", cli_clean_formats, NULL},
    {&cli_compare, "algorithms", NULL, "algorithm"},
    {&cli_compare, "devices", NULL, "device"},
    {&cli_generate_quest, "like", cli_quest_likes, NULL},
    {&cli_generate_graphs, "model", cli_graph_models, NULL},
    {&cli_generate_graphs, "label-weights", cli_label_weights, NULL},
};

#define N_OWN_WORDS (sizeof own_words / sizeof *own_words)

static void set_own_words(const cli_command *command, cli_row *row) {
    for (size_t i = 0; i < N_OWN_WORDS; i++) {
        if (own_words[i].command && own_words[i].command != command) continue;
        if (strcmp(own_words[i].name, row->name) != 0) continue;
        row->words = own_words[i].words;
        row->list = own_words[i].like != NULL;
        if (row->list) row->like = lode_option_find(command->groups, own_words[i].like);
    }
}

static const unsigned paper_groups = LODE_OPTION_PAPERS | LODE_OPTION_GRAPH_PAPERS;

/* Finds library option number *i among those of some groups. If there are fewer, subtracts their
 * number from *i and returns false. */
static bool shared_row_at(unsigned groups, size_t *i, cli_row *out) {
    for (size_t k = 0; lode_option_at(k); k++) {
        const lode_option *o = lode_option_at(k);
        if (!(o->group & groups) || (*i)-- > 0) continue;
        *out = (cli_row){o->name,     o->letter, o->argument,
                         o->fallback, o->help,   o,
                         NULL,        false,     (o->group & paper_groups) != 0};
        return true;
    }
    return false;
}

static bool own_row_at(const cli_command *command, size_t *i, cli_row *out) {
    for (size_t k = 0; command->options && command->options[k].name; k++) {
        const cli_option *o = &command->options[k];
        if ((*i)-- > 0) continue;
        *out = (cli_row){.name = o->name,
                         .letter = o->letter,
                         .argument = o->argument,
                         .fallback = o->fallback,
                         .help = o->help};
        return true;
    }
    return false;
}

/* What the option means for this command. */
static void reword_row(const cli_command *command, cli_row *row) {
    for (size_t k = 0; command->means && command->means[k].name; k++) {
        const cli_option *o = &command->means[k];
        if (!row->like || strcmp(o->name, row->name) != 0) continue;
        row->fallback = o->fallback;
        row->help = o->help;
    }
}

bool cli_row_at(const cli_command *command, size_t i, cli_row *out) {
    bool found = shared_row_at(command->groups & ~paper_groups, &i, out) ||
                 own_row_at(command, &i, out) ||
                 shared_row_at(command->groups & paper_groups, &i, out);
    if (!found) return false;
    set_own_words(command, out);
    reword_row(command, out);
    return true;
}

const char *cli_row_word(const cli_row *row, size_t i) {
    if (!row->argument || !row->words) return row->argument ? lode_option_word(row->like, i) : NULL;
    for (size_t k = 0; row->words[k]; k++) {
        if (k == i) return row->words[k];
    }
    return NULL;
}

bool cli_exit_at(size_t i, int *code, const char **meaning) {
    static const struct {
        int code;
        const char *meaning;
    } exits[] = {
        {CLI_DONE, "success"},
        {CLI_FAILED, "failure"},
        {CLI_USAGE, "usage error"},
        {CLI_BAD_INPUT, "bad input"},
        {CLI_BUDGET, "memory budget too small"},
        {CLI_LIMIT, "stopped by a limit"},
        {CLI_INTERRUPTED, "interrupted"},
    };
    if (i >= sizeof exits / sizeof *exits) return false;
    *code = exits[i].code;
    *meaning = exits[i].meaning;
    return true;
}

#define FILE_HELP                                                                                  \
    "FILE may be plain text or compressed with gzip or zstd; - is standard input. Formats are "    \
    "detected.\n"
#define STORE_HELP " is an Arrow file written by lode (-w arrow); it is memory-mapped.\n"

const char *cli_file_help(const cli_command *command) {
    if (strncmp(command->arguments, "RESULT", 6) == 0) return "RESULT" STORE_HELP;
    if (strncmp(command->arguments, "RULES", 5) == 0) return "RULES" STORE_HELP FILE_HELP;
    if (!(command->groups & (LODE_OPTION_READ | LODE_OPTION_GRAPH_READ))) return "";
    if (command->n_files == 1) return FILE_HELP;
    return FILE_HELP "Several files are read as one data set.\n";
}

const char cli_start[] =
    "  lode itemsets baskets.csv -s 1%       itemsets in at least 1% of the baskets\n"
    "  lode graphs molecules.lg -s 10%       subgraphs in at least 10% of the graphs\n"
    "  lode stats baskets.csv                what the file contains\n";
