/* main.c - lode: the list of commands and their help
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "cli_file.h"
#include "hints.h"
#include "look.h"
#include "option_rows.h"

static const cli_command *const commands[] = {
    &cli_itemsets,   &cli_rules,          &cli_graphs,          &cli_merge,
    &cli_query,      &cli_support,        &cli_apply,           &cli_suggest,
    &cli_stats,      &cli_clean,          &cli_baskets,         &cli_measures,
    &cli_compare,    &cli_generate_quest, &cli_generate_mutate, &cli_generate_graphs,
    &cli_algorithms, &cli_devices,        &cli_doctor,          &cli_demo,
    &cli_mcp,        &cli_serve,          &cli_worker,          &cli_man,
    &cli_completion,
};

#define SMALL_ADDRESS_SPACE ((rlim_t)8 << 30)
#define HEAP_KEPT           (4 << 20)
#define HEAP_STEP           (512 << 10)

#define N_COMMANDS (sizeof commands / sizeof *commands)

const cli_command *cli_command_at(size_t i) {
    return i < N_COMMANDS ? commands[i] : NULL;
}

static void print_option_row(const cli_row *row) {
    char left[64], short_form[8] = "    ";
    if (row->letter) snprintf(short_form, sizeof short_form, "-%c, ", row->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", short_form, row->name, row->argument ? " " : "",
             row->argument ? row->argument : "");
    printf("  %-28s %s", left, row->help);
    if (row->fallback) printf(" [%s]", row->fallback);
    putchar('\n');
}

static void cli_help(const cli_command *command) {
    cli_row row;
    const char *meaning;
    int code;
    printf("lode %s%s%s\n  %s\n", command->name, command->arguments[0] ? " " : "",
           command->arguments, command->summary);
    if (command->examples) printf("\nExamples\n%s", command->examples);
    if (command->groups || command->options) printf("\nOptions [default]\n");
    bool papers = false;
    for (size_t i = 0; cli_row_at(command, i, &row); i++) {
        if (row.papers && !papers) printf("\n%s\n", CLI_PAPERS_TITLE);
        papers = row.papers;
        print_option_row(&row);
    }
    if (command->n_files == 0) return;
    printf("\n%sExit status:", cli_file_help(command));
    for (size_t i = 0; cli_exit_at(i, &code, &meaning); i++) {
        printf("%s %d %s", i ? "," : "", code, meaning);
    }
    putchar('\n');
}

static void print_overview(void) {
    printf("lode %s - frequent patterns, fast\n\n", lode_version());
    printf("  lode %-18s %s\n", "FILE...", "show what the files contain, and what to try next");
    for (size_t i = 0; i < N_COMMANDS; i++) {
        printf("  lode %-18s %s\n", commands[i]->name, commands[i]->summary);
    }
    printf("  lode %-18s %s\n", "help COMMAND", "show the options and examples of a command");
    printf("  lode %-18s %s\n", "--version", "show the version and how it was built");
    printf("\nStart here\n%s", cli_start);
}

/* lode without a word: how to begin. */
static void print_start(void) {
    printf("lode %s - frequent patterns, fast\n\n", lode_version());
    printf("  lode FILE                      what a file contains, and what to try next\n"
           "  lode rules FILE -s 1%% -c 50%%   if A, then also B, in at least 1%% of the baskets\n"
           "  lode itemsets FILE -s 1%%       what occurs together\n"
           "  lode graphs FILE -s 10%%        subgraphs in at least 10%% of the graphs\n"
           "  lode serve                     a page in the browser for all of this\n"
           "  lode demo                      an example, with data that lode makes\n"
           "  lode help                      all commands; `lode help COMMAND` explains one\n");
}

static void print_version(void) {
    lode_build b = LODE_INIT(lode_build);
    lode_build_info(&b);
    printf("lode %s\n", lode_version());
    printf("build             %s%s%s, %s\n", b.type[0] ? b.type : "of unknown type",
           b.sanitizers[0] ? " with sanitizers " : "", b.sanitizers, b.compiler);
    printf("instruction sets  %s; ", b.instruction_sets);
    if (b.chosen) {
        printf("%s is used here\n", b.chosen);
    } else {
        printf("this processor cannot run the instruction set that LODE_CPU names\n");
    }
    printf("CUDA              %s%s\n", b.cuda ? "built with toolkit " : "no", b.cuda ? b.cuda : "");
}

int cli_command_find(int n, char **words, const cli_command **out) {
    for (size_t i = 0; i < N_COMMANDS; i++) {
        const char *name = commands[i]->name, *space = strchr(name, ' ');
        size_t first = space ? (size_t)(space - name) : strlen(name);
        if (n < 1 || strlen(words[0]) != first || memcmp(words[0], name, first) != 0) continue;
        if (space && (n < 2 || strcmp(words[1], space + 1) != 0)) continue;
        *out = commands[i];
        return space ? 2 : 1;
    }
    return 0;
}

/* The command that may be meant: its first word or, after "generate", its second. NULL: none. */
static const char *nearest_command(const char *word, bool second) {
    const char *names[N_COMMANDS + 2];
    char firsts[N_COMMANDS][16];
    size_t n = 0;
    for (size_t i = 0; i < N_COMMANDS; i++) {
        const char *space = strchr(commands[i]->name, ' ');
        snprintf(firsts[i], sizeof firsts[i], "%.*s", (int)strcspn(commands[i]->name, " "),
                 commands[i]->name);
        if (!second) names[n++] = firsts[i];
        if (second && space) names[n++] = space + 1;
    }
    if (!second) names[n++] = "help";
    if (!second) names[n++] = "version";
    const char *meant = second ? NULL : hint_command(word);
    if (meant) return meant;
    const char *near = lode_nearest(word, names, n);
    for (size_t i = 0; near && i < N_COMMANDS; i++) { /* return a static text, not firsts[i] */
        if (near == firsts[i])
            return strchr(commands[i]->name, ' ') ? "generate" : commands[i]->name;
    }
    return near;
}

/* The command whose --algorithm the word is; NULL if there is none. */
static const char *command_of_algorithm(const char *word) {
    static const cli_command *const miners[] = {&cli_itemsets, &cli_graphs};
    for (size_t i = 0; i < sizeof miners / sizeof *miners; i++) {
        const lode_option *o = lode_option_find(miners[i]->groups, "algorithm");
        const char *name;
        for (size_t k = 1; (name = lode_option_word(o, k)); k++) { /* the first is auto */
            if (strcmp(name, word) == 0) return miners[i]->name;
        }
    }
    return NULL;
}

int cli_command_complain(int n, char **words) {
    bool generate = n > 0 && strcmp(words[0], "generate") == 0;
    const char *word = generate ? (n > 1 ? words[1] : "") : n > 0 ? words[0] : "";
    const char *near = nearest_command(word, generate);
    const char *miner = generate ? NULL : command_of_algorithm(word);
    struct stat file;
    char hint[HINT_TEXT];
    hint_name(hint, n, words);
    if (hint[0]) {
        cli_error("cannot open '%s'%s", word, hint);
        return CLI_USAGE;
    }
    if (strcmp(word, "run") == 0) {
        cli_error("there is no command 'run'; instead of `run NAME INPUT OUTPUT 40%%`, as in SPMF, "
                  "write `lode itemsets INPUT -s 40%% -o OUTPUT`");
        return CLI_USAGE;
    }
    if (word[0] == '-' && word[1]) {
        cli_error(
            "'%s' is not a command; the command comes first, as in `lode itemsets FILE -s 1%%`; "
            "`lode help` lists the commands",
            word);
        return CLI_USAGE;
    }
    if (!generate && !miner && !near && stat(word, &file) == 0 && S_ISDIR(file.st_mode)) {
        cli_error("'%s' is a folder; expected a file or a command", word);
        return CLI_USAGE;
    }
    if (miner) {
        cli_error("there is no command '%s'; use `lode %s`, with -a %s if you want that algorithm",
                  word, miner, word);
        return CLI_USAGE;
    }
    if (generate) {
        cli_error("generate what? %s%s%sexpected `lode generate quest`, `lode generate mutate` or "
                  "`lode generate graphs`",
                  near ? "did you mean `lode generate " : "", near ? near : "", near ? "`? " : "");
    } else if (strpbrk(word, "./") && !near) {
        cli_error("cannot find a file or command '%s'; `lode help` lists the commands", word);
    } else {
        cli_error("there is no command '%s'; %s%s%s%s`lode help` lists them", word,
                  near ? "did you mean `lode " : "", near ? near : "", near ? "`" : "",
                  !near                     ? ""
                  : hint_is_ambiguous(word) ? " or, for rules, `lode rules`? "
                                            : "? ");
    }
    return CLI_USAGE;
}

static int run_help(int n, char **words) {
    const cli_command *command;
    if (n == 0) {
        print_overview();
        return CLI_DONE;
    }
    if (n == 1 && strcmp(words[0], "generate") == 0) {
        cli_help(&cli_generate_quest);
        putchar('\n');
        cli_help(&cli_generate_mutate);
        putchar('\n');
        cli_help(&cli_generate_graphs);
        return CLI_DONE;
    }
    size_t measure;
    bool known = cli_command_find(n, words, &command) > 0;
    if (!known && strcmp(words[0], "help") == 0) return run_help(n - 1, words + 1);
    if (!known &&
        (lode_measure_find(words[0], &measure) || lode_itemset_measure_find(words[0], &measure))) {
        cli_error("'%s' is a measure; `lode measures %s` explains it", words[0], words[0]);
        return CLI_USAGE;
    }
    if (!known) return cli_command_complain(n, words);
    cli_help(command);
    return CLI_DONE;
}

static bool asks_for_help(int n, char **words) {
    for (int i = 0; i < n; i++) {
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) return true;
    }
    return false;
}

/* `lode FILE COMMAND`: prints that the command comes first. */
static bool complain_order(int n, char **words) {
    const cli_command *command;
    for (int i = 1; i < n; i++) {
        if (cli_command_find(n - i, words + i, &command) == 0 || look_is_file(words[i])) continue;
        cli_error("the command comes first: lode %s %s%s", command->name, words[0],
                  n > 2 ? " ..." : "");
        return true;
    }
    return false;
}

static int run_command_line(int n, char **words) {
    const cli_command *command = NULL;
    cli_args args;
    if (n == 0) {
        print_start();
        return CLI_DONE;
    }
    if (strcmp(words[0], "--help") == 0 || strcmp(words[0], "-h") == 0) return run_help(0, words);
    if (strcmp(words[0], "help") == 0) return run_help(n - 1, words + 1);
    if (strcmp(words[0], "--version") == 0 || strcmp(words[0], "version") == 0) {
        print_version();
        return CLI_DONE;
    }
    int used = cli_command_find(n, words, &command);
    if (used == 0 && asks_for_help(n - 1, words + 1)) return run_help(1, words);
    if (used == 0 && look_is_file(words[0])) command = &cli_look;
    if (command == &cli_look && complain_order(n, words)) return CLI_USAGE;
    if (used == 0 && command != &cli_look) return cli_command_complain(n, words);
    bool word = used > 0 && n == used + 1 && strcmp(words[used], "help") == 0 &&
                command->n_files > 0 && !look_is_file("help");
    if (word || asks_for_help(n - used, words + used)) {
        cli_help(command);
        return CLI_DONE;
    }
    if (command->run_words) return command->run_words(n - used, words + used);
    int code = cli_parse(&args, command, n - used, words + used);
    if (code == CLI_DONE && !cli_file_check(cli_given(&args, "output"))) code = CLI_FAILED;
    if (code == CLI_DONE) code = command->run(&args);
    lode_options_free(args.options);
    return code;
}

/* The C library gives each thread a heap of its own and reserves 64 MiB of addresses for it. Under
 * a small `ulimit -v` these heaps take what the memory budget leaves free, so threads share one. */
static void share_heap_if_small(void) {
#ifdef M_ARENA_MAX
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < SMALL_ADDRESS_SPACE) {
        mallopt(M_ARENA_MAX, 1);
    }
#endif
}

/* Keeps the heap when it gets smaller for a moment: giving pages back and getting them again takes
 * longer than a small job. Large blocks are not on the heap (src/base/mem.c). */
static void keep_heap(void) {
#ifdef M_TRIM_THRESHOLD
    mallopt(M_TRIM_THRESHOLD, HEAP_KEPT);
    mallopt(M_TOP_PAD, HEAP_STEP);
#endif
}

int main(int argc, char **argv) {
    share_heap_if_small();
    keep_heap();
    signal(SIGXFSZ, SIG_IGN); /* too large a file is then a write error, like a full disk */
    cli_handle_crashes();
    hint_set_commands(commands, N_COMMANDS);
    lode_store_guard();
    int code = run_command_line(argc - 1, argv + 1);
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == CLI_DONE) {
        cli_error("cannot write to standard output: %s", strerror(errno));
        code = CLI_FAILED;
    }
    return code;
}
