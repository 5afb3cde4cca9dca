/* args.c - parses the command line; the option tables of the library and of the command define it
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hints.h"

/* An option as found in either table. */
typedef struct found_option {
    const lode_option *shared; /* NULL: the command's own option number `own` */
    int own;
    const char *name;
    bool takes_value;
} found_option;

static bool find_option(const cli_command *command, const char *name, size_t n, char letter,
                        found_option *out) {
    for (int i = 0; command->options && command->options[i].name; i++) {
        const cli_option *o = &command->options[i];
        bool same =
            letter ? o->letter == letter : strlen(o->name) == n && !memcmp(o->name, name, n);
        if (!same) continue;
        *out = (found_option){NULL, i, o->name, o->argument != NULL};
        return true;
    }
    const lode_option *o = NULL;
    if (letter) {
        for (size_t i = 0; (o = lode_option_at(i)); i++) {
            if (o->letter == letter && o->group & command->groups) break;
        }
    } else {
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)n, name);
        o = n < sizeof word ? lode_option_find(command->groups, word) : NULL;
    }
    if (o) *out = (found_option){o, 0, o->name, o->argument != NULL};
    return o != NULL;
}

/* Whether it is a bound of a measure, as --min-lift, and says how that is written. */
static bool complain_bound(const cli_command *command, const char *text) {
    char word[64], kind[4] = "";
    found_option o;
    if (strncmp(text, "--min-", 6) != 0 && strncmp(text, "--max-", 6) != 0) return false;
    memcpy(kind, text + 2, 3);
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text + 6, "="), text + 6);
    if (!find_option(command, kind, 3, 0, &o) || !hint_is_measure(command, word)) return false;
    cli_error("%s has no option --%s-%s; use --%s %s=VALUE", command->name, kind, word, kind, word);
    return true;
}

static const char *program_of(const cli_command *command) {
    return command->program ? command->program : "lode";
}

/* How the options of a command are listed. */
static const char *help_of(const cli_command *command) {
    static char text[64];
    snprintf(text, sizeof text, command->program ? "%s %s --help" : "%s help %s",
             program_of(command), command->name);
    return text;
}

/* `text` is "-x" or "--word", perhaps followed by "=VALUE". */
static int complain_unknown(const cli_command *command, const char *text) {
    char word[64], hint[HINT_TEXT];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "="), text);
    if (complain_bound(command, text)) return CLI_USAGE;
    hint_option(hint, command, word + 2, text[1] == '-' ? 0 : text[1]);
    size_t n = strlen(hint);
    if (!command->summary) { /* lode FILE: nobody typed the name of a command */
        cli_error("%s is not an option of `lode FILE`%s%s a command comes first: lode COMMAND "
                  "FILE... [options]",
                  text, hint, n > 0 && hint[n - 1] == '?' ? "" : ";");
        return CLI_USAGE;
    }
    cli_error("%s has no option %s%s%s `%s` lists them", command->name, text, hint,
              n > 0 && hint[n - 1] == '?' ? "" : ";", help_of(command));
    return CLI_USAGE;
}

/* Remembers an option of the library as it was written: all of a list count, of others the last. */
static bool remember_word(cli_args *args, const char *name, const char *value) {
    if (args->n_words == CLI_MAX_WORDS) {
        cli_error("more than %d options; put long lists of items in a file: @FILE", CLI_MAX_WORDS);
        return false;
    }
    args->words[args->n_words++] = (struct cli_word){name, value};
    return true;
}

/* Whether a second value of the option would silently replace the first and change the result, and
 * not only how it is found: scripts may override --threads and the like. */
static bool is_given_once(const cli_command *command, const char *name) {
    static const char *const names[] = {
        "tid",    "item",   "weight",      "format",  "separator",
        "map",    "target", "min-support", "rare",    "min-confidence",
        "output", "write",  "sort-by",     "holdout", "by"};
    if (strcmp(name, "measure") == 0) return !(command->groups & LODE_OPTION_RULE_WRITE); /* list */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0) return true;
    }
    return false;
}

/* Refuses a second, different value of an option that may be given once. */
static bool complain_twice(const cli_args *args, const found_option *o, const char *value) {
    const char *before = o->shared ? cli_word(args, o->name) : args->given[o->own];
    bool id = strcmp(o->name, "tid") == 0;
    if (!value || !before || strcmp(before, value) == 0) return false;
    if (!is_given_once(args->command, o->name)) return false;
    cli_error("--%s is given twice, as '%s' and as '%s'; give it once%s", o->name, before, value,
              id ? "; if two columns together identify a transaction, join them into one" : "");
    return true;
}

static int store_option(cli_args *args, const found_option *o, const char *value) {
    char message[256];
    if (complain_twice(args, o, value)) return CLI_USAGE;
    if (!o->shared) {
        args->given[o->own] = value ? value : "";
        return CLI_DONE;
    }
    if (lode_options_set_in(args->options, args->command->groups, o->name, value, message,
                            sizeof message) != LODE_OK) {
        char hint[HINT_TEXT] = "";
        if (strcmp(o->name, "algorithm") == 0) hint_algorithm(hint, args->command, value);
        if (hint[0]) {
            cli_error("--%s '%s': %s", o->name, value, hint);
        } else {
            cli_error("--%s %s", o->name, message);
        }
        return CLI_USAGE;
    }
    if (strcmp(o->name, "min-support") == 0) args->min_support = value;
    return remember_word(args, o->name, value) ? CLI_DONE : CLI_USAGE;
}

/* Whether a word is one of the command's options, with or without a value. */
static bool is_option(const cli_command *command, const char *word) {
    found_option o;
    if (word[0] != '-' || word[1] == 0) return false;
    if (word[1] == '-') return find_option(command, word + 2, strcspn(word + 2, "="), 0, &o);
    return word[2] == 0 && find_option(command, NULL, 0, word[1], &o); /* "-support" is none */
}

/* Whether the value of an option is missing, and the next word is another option. */
static bool complain_swallowed(const cli_command *command, const found_option *o,
                               const char *word) {
    if (!is_option(command, word)) return false;
    bool file = strcmp(o->name, "output") == 0 || strcmp(o->name, "svg") == 0;
    if (file) {
        cli_error("--%s needs a value, but %s is an option (if the file is really called '%s', "
                  "write ./%s)",
                  o->name, word, word, word);
    } else {
        cli_error("--%s needs a value, but %s is an option (if the value is really '%s', write "
                  "--%s=%s)",
                  o->name, word, word, o->name, word);
    }
    return true;
}

/* The value of an option stands after "=" or its letter (`glued`), or is the next word. */
static int take_option(cli_args *args, const found_option *o, const char *glued, int *i, int n,
                       char **argv) {
    if (glued && !o->takes_value) {
        cli_error("--%s takes no value", o->name);
        return CLI_USAGE;
    }
    if (!glued && o->takes_value) {
        if (*i + 1 >= n) {
            cli_error("--%s needs a value", o->name);
            return CLI_USAGE;
        }
        if (complain_swallowed(args->command, o, argv[*i + 1])) return CLI_USAGE;
        glued = argv[++*i];
    }
    if (!o->shared && o->takes_value && !*glued && strcmp(o->name, "output") == 0) {
        cli_error("cannot write '': the name of the file after --output is empty");
        return CLI_FAILED;
    }
    if (strcmp(o->name, "memory") == 0 && strlen(glued) < 5 &&
        !glued[strspn(glued, "0123456789")]) {
        cli_error("--memory '%s' means %s bytes, which is too little; for gigabytes, write %sG",
                  glued, glued, glued);
        return CLI_USAGE;
    }
    return store_option(args, o, glued);
}

/* "-q", "-s 5", "-s5", "-qcs5": switches may be followed by further letters. */
static int parse_letters(cli_args *args, int *i, int n, char **argv) {
    char hint[HINT_TEXT];
    hint_hyphen(hint, args->command, argv[*i], *i + 1 < n ? argv[*i + 1] : NULL);
    if (hint[0]) {
        cli_error("%s", hint);
        return CLI_USAGE;
    }
    for (const char *at = argv[*i] + 1; *at; at++) {
        found_option o;
        if (!find_option(args->command, NULL, 0, *at, &o)) {
            return complain_unknown(args->command, (char[]){'-', *at, 0});
        }
        if (o.takes_value && at[1] == '=') {
            cli_error("%s: write -%c %s or --%s=%s", argv[*i], *at, at + 2, o.name, at + 2);
            return CLI_USAGE;
        }
        if (o.takes_value) return take_option(args, &o, at[1] ? at + 1 : NULL, i, n, argv);
        int code = store_option(args, &o, NULL);
        if (code != CLI_DONE) return code;
    }
    return CLI_DONE;
}

/* Whether the word is no file, but an option that was not typed as one, the rest of the value of
 * the option two words before, or a value without its option. Prints what may be meant; *code
 * receives the exit code. */
static bool complain_word(const cli_args *args, int i, int n, char **argv, int *code) {
    char hint[HINT_TEXT] = "";
    const cli_command *command = args->command;
    if (!(command->groups & (LODE_OPTION_READ | LODE_OPTION_GRAPH_READ))) return false;
    if (access(argv[i], F_OK) == 0 || strcmp(argv[i], "-") == 0) return false;
    *code = CLI_USAGE;
    hint_dash(hint, command, argv[i]);
    if (!hint[0]) hint_assignment(hint, command, argv[i]);
    if (hint[0]) {
        cli_error("%s", hint);
        return true;
    }
    hint_name(hint, n - i, argv + i);
    if (!hint[0] && i >= 2 && argv[i - 2][0] == '-' && argv[i - 2][1]) {
        hint_rest(hint, command, argv[i - 2], argv[i - 1], argv[i]);
    }
    if (!hint[0] && args->n_files > 0 && argv[i - 1][0] != '-') {
        hint_word(hint, command, args->min_support, argv[i], i + 1 < n ? argv[i + 1] : NULL);
    }
    if (hint[0]) cli_error("cannot open '%s': %s%s", argv[i], strerror(ENOENT), hint);
    *code = CLI_BAD_INPUT; /* as for any file that is not there */
    return hint[0] != 0;
}

/* Whether the word is a value that was given to a switch, as in "-c 50%" if -c is --count, and not
 * a file. Prints what may be meant. */
static bool complain_value(const cli_command *command, const char *before, const char *word) {
    char hint[HINT_TEXT];
    found_option o;
    if (!before || before[0] != '-' || before[1] == 0 || access(word, F_OK) == 0) return false;
    char letter = before[1] == '-' ? 0 : before[strlen(before) - 1];
    if (!find_option(command, before + 2, strlen(before + 1) - 1, letter, &o)) return false;
    if (o.takes_value) return false;
    hint_value(hint, command, o.name, letter, word);
    if (hint[0]) cli_error("%s", hint);
    return hint[0] != 0;
}

/* Moves the file to the front of argv, whose words have been parsed already. `before` is the word
 * before it, or NULL. */
static int take_file(cli_args *args, char **argv, const char *before, char *word) {
    int most = args->command->n_files;
    if (complain_value(args->command, before, word)) return CLI_USAGE;
    if (args->n_files >= most) {
        cli_error("unexpected argument '%s'%s; expected: %s %s %s", word,
                  most == 1 ? ": this command takes one file" : "", program_of(args->command),
                  args->command->name, args->command->arguments);
        return CLI_USAGE;
    }
    argv[args->n_files++] = word;
    args->files = (const char *const *)argv;
    args->file = argv[0];
    return CLI_DONE;
}

static const char no_database[] = ":memory:"; /* what a query without --db and FILE reads */

const char *cli_input(const cli_args *args) {
    static char text[512];
    int others = args->n_files - 1;
    if (others <= 0) return args->file == no_database ? "the query" : args->file;
    snprintf(text, sizeof text, "%.400s and %d other file%s", args->file, others,
             others == 1 ? "" : "s");
    return text;
}

bool cli_can_repeat(const char *file) {
    struct stat about;
    if (strcmp(file, "-") == 0) return false;
    return stat(file, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode);
}

lode_status cli_open_data(lode_job *job, lode_dataset **out, const cli_args *args) {
    return lode_dataset_open_files(job, out, args->files, (size_t)args->n_files,
                                   lode_options_read(args->options));
}

static int parse_word(cli_args *args, int *i, int n, char **argv) {
    char *word = argv[*i];
    char hint[HINT_TEXT];
    found_option o;
    int code;
    if (word[0] != '-' || word[1] == 0) { /* "-": stdin */
        if (complain_word(args, *i, n, argv, &code)) return code;
        return take_file(args, argv, *i > 0 ? argv[*i - 1] : NULL, word);
    }
    hint_dash(hint, args->command, word); /* a hyphen and a dash */
    if (hint[0]) {
        cli_error("%s", hint);
        return CLI_USAGE;
    }
    if (word[1] == '-') {
        const char *equals = strchr(word, '=');
        size_t length = equals ? (size_t)(equals - word) - 2 : strlen(word + 2);
        if (!find_option(args->command, word + 2, length, 0, &o)) {
            return complain_unknown(args->command, word);
        }
        return take_option(args, &o, equals ? equals + 1 : NULL, i, n, argv);
    }
    return parse_letters(args, i, n, argv);
}

/* Whether two names are the same regular file; `one` may be "-" for standard input. */
static bool is_same_file(const char *one, const char *other) {
    struct stat a, b;
    int looked = strcmp(one, "-") == 0 ? fstat(STDIN_FILENO, &a) : stat(one, &a);
    if (looked != 0 || stat(other, &b) != 0 || !S_ISREG(a.st_mode)) return false;
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Returns the file that an option of the library reads: @FILE, or the argument of --map and
 * --holdout. Returns NULL if it reads none. */
static const char *file_of_word(const struct cli_word *word) {
    if (!word->value) return NULL;
    const char *list = strchr(word->value, '@'); /* --group has a number before it */
    bool counted = strcmp(word->name, "group") == 0;
    if (list && (list == word->value || (counted && list[-1] == ':'))) return list + 1;
    bool named = strcmp(word->name, "map") == 0 || strcmp(word->name, "holdout") == 0;
    return named ? word->value : NULL;
}

/* Returns the name of the option that reads `path`, which would be overwritten; NULL if none
 * does. */
static const char *option_that_reads(const cli_args *args, const char *path) {
    for (unsigned i = 0; i < args->n_words; i++) {
        const char *file = file_of_word(&args->words[i]);
        if (file && is_same_file(file, path)) return args->words[i].name;
    }
    const char *sets = cli_given(args, "sets");
    return sets && is_same_file(sets, path) ? "sets" : NULL;
}

/* Whether two paths name the same file in the same folder, where `a` does not exist yet. */
static bool is_same_name(const char *a, const char *b) {
    const char *ends[] = {strrchr(a, '/'), strrchr(b, '/')}, *names[] = {a, b};
    struct stat folders[2], file;
    if (lstat(a, &file) == 0) return false;
    for (int i = 0; i < 2; i++) {
        char folder[4096] = ".";
        if (ends[i]) {
            int n = snprintf(folder, sizeof folder, "%.*s/", (int)(ends[i] - names[i]), names[i]);
            if (n >= (int)sizeof folder) return false;
            names[i] = ends[i] + 1;
        }
        if (stat(folder, &folders[i]) != 0) return false;
    }
    return strcmp(names[0], names[1]) == 0 && folders[0].st_dev == folders[1].st_dev &&
           folders[0].st_ino == folders[1].st_ino;
}

/* Whether `path` is a file that a run may write next to its output. */
static bool is_beside(const char *output, const char *path) {
    static const char *const endings[] = {".partial", ".journal", ".share.json"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char name[4096];
        int n = snprintf(name, sizeof name, "%s%s", output, endings[i]);
        if (n < (int)sizeof name && (is_same_name(name, path) || is_same_file(name, path))) {
            return true;
        }
    }
    return false;
}

bool cli_may_write(const cli_args *args, const char *option, const char *path) {
    const char *output = cli_given(args, "output");
    if (!path || strcmp(path, "-") == 0) return true; /* standard output, not a file named "-" */
    const char *reader = option_that_reads(args, path);
    if (reader) {
        cli_error("--%s '%s' would overwrite the file that --%s reads; give another name", option,
                  path, reader);
        return false;
    }
    for (int i = 0; i < args->n_files; i++) {
        if (!is_same_file(args->files[i], path)) continue;
        cli_error("--%s '%s' would overwrite the input; give another name", option, path);
        return false;
    }
    if (!output || output == path || strcmp(output, "-") == 0) return true;
    bool same = is_same_name(output, path) || is_same_file(output, path); /* or /dev/null */
    if (!same && !is_beside(output, path)) return true;
    cli_error(
        "--%s '%s' is the output file, or a file that lode writes next to it; give another name",
        option, path);
    return false;
}

/* Standard output can have the report or the result, not both. */
static bool report_has_room(const cli_args *args, const char *path) {
    const char *output = cli_given(args, "output");
    if (strcmp(path, "-") != 0 || (output && strcmp(output, "-") != 0)) return true;
    cli_error("--report '-' and the result cannot both go to standard output; use --output FILE");
    return false;
}

const char *const cli_report_forms[] = {"json", "tsv", NULL};

bool cli_parse_report(const cli_args *args, cli_report_form *out) {
    const char *text = cli_given(args, "report");
    *out = (cli_report_form){.machine = text != NULL};
    if (!text) return true;
    out->tsv = strncmp(text, "tsv", 3) == 0;
    bool known = out->tsv || strncmp(text, "json", 4) == 0;
    const char *rest = text + (out->tsv ? 3 : 4);
    if (known && *rest == 0) return true;
    if (known && rest[0] == '=' && rest[1]) {
        out->path = rest + 1;
        return cli_may_write(args, "report", out->path) && report_has_room(args, out->path);
    }
    const char *near = lode_nearest(text, cli_report_forms, 2);
    cli_error("--report '%s': %s%s%sexpected json, json=FILE, tsv or tsv=FILE", text,
              near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
    return false;
}

/* Whether standard input is a pipe or a file. */
static bool has_piped_input(void) {
    struct stat in;
    return fstat(STDIN_FILENO, &in) == 0 && (S_ISFIFO(in.st_mode) || S_ISREG(in.st_mode));
}

/* A query may have no file: its database is that of --db, or none. */
static void take_database(cli_args *args) {
    static const char *database[1];
    if (args->n_files > 0 || args->command->n_files == 0 || !cli_word(args, "sql")) return;
    database[0] = cli_word(args, "db");
    if (!database[0]) database[0] = no_database;
    args->files = database;
    args->file = database[0];
    args->n_files = 1;
}

int cli_parse(cli_args *args, const cli_command *command, int n, char **argv) {
    *args = (cli_args){.command = command};
    if (lode_options_create(&args->options) != LODE_OK) {
        cli_error("%s", lode_status_text(LODE_NOMEM));
        return CLI_FAILED;
    }
    bool only_files = false; /* after "--" */
    for (int i = 0; i < n; i++) {
        if (!only_files && strcmp(argv[i], "--") == 0) {
            only_files = true;
            continue;
        }
        int code =
            only_files ? take_file(args, argv, NULL, argv[i]) : parse_word(args, &i, n, argv);
        if (code != CLI_DONE) return code;
    }
    take_database(args);
    if (command->n_files > 0 && !args->file) {
        bool reads = command->groups & (LODE_OPTION_READ | LODE_OPTION_GRAPH_READ);
        cli_error("no file; expected: %s %s %s%s", program_of(command), command->name,
                  command->arguments,
                  reads && has_piped_input() ? "; for standard input, write - as the file" : "");
        return CLI_USAGE;
    }
    return cli_may_write(args, "output", cli_given(args, "output")) ? CLI_DONE : CLI_USAGE;
}

bool cli_has_support(const cli_args *args) {
    bool graphs = args->command->groups & LODE_OPTION_GRAPH;
    bool top = graphs ? lode_options_graph(args->options)->target == LODE_TARGET_TOP
                      : lode_options_mine(args->options)->target == LODE_TARGET_TOP;
    bool rules = args->command->groups & LODE_OPTION_RULE;
    bool tested = args->command->groups & (LODE_OPTION_CLASS | LODE_OPTION_GRAPH_CLASS) &&
                  lode_options_classes(args->options)->significant > 0; /* finds it by itself */
    if (args->min_support || top || tested) return true;
    cli_error("no minimum support; give one, such as -s 1%% or -s 250%s",
              rules ? "" : ", or use --target top:20");
    return false;
}

const char *cli_given(const cli_args *args, const char *name) {
    for (int i = 0; args->command->options && args->command->options[i].name; i++) {
        if (strcmp(args->command->options[i].name, name) == 0) return args->given[i];
    }
    return NULL;
}

const char *cli_word(const cli_args *args, const char *name) {
    for (unsigned i = args->n_words; i-- > 0;) {
        if (strcmp(args->words[i].name, name) == 0) {
            return args->words[i].value ? args->words[i].value : "";
        }
    }
    return NULL;
}

lode_status cli_set_memory(const cli_args *args) {
    if (cli_word(args, "memory")) return LODE_OK;
    return lode_options_set(args->options, "memory", "auto", NULL, 0);
}

bool cli_number(const cli_args *args, const char *name, uint64_t most, uint64_t *value) {
    const char *text = cli_given(args, name);
    if (!text) return true;
    uint64_t number = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (number > (most - digit) / 10) break;
        number = number * 10 + digit;
    }
    if (number == 0 || *p) {
        cli_error("--%s '%s': expected a whole number from 1 to %s", name, text, cli_count(most));
        return false;
    }
    *value = number;
    return true;
}

bool cli_fraction(const cli_args *args, const char *name, double most, double *value) {
    const char *text = cli_given(args, name);
    if (!text) return true;
    char *end;
    double number = strtod(text, &end);
    if (end != text && *end == '%' && end[1] == 0) {
        number /= 100;
        end++;
    }
    if (end == text || *end || !(number >= 0) || number > most) {
        cli_error("--%s '%s': expected a number from 0 to %.10g", name, text, most);
        return false;
    }
    *value = number;
    return true;
}

bool cli_may_list(const cli_args *args) {
    const lode_graph_options *o = lode_options_graph(args->options);
    lode_graph_write_format format = lode_options_graph_write(args->options)->format;
    if (o->induced && format == LODE_GRAPH_WRITE_SMARTS && !cli_given(args, "count")) {
        cli_error(
            "--induced cannot be combined with -w smarts, because other edges among the atoms "
            "do not keep SMARTS from matching");
        return false;
    }
    bool lists = format == LODE_GRAPH_WRITE_GSPAN || format == LODE_GRAPH_WRITE_JSONL;
    if (lists || cli_given(args, "count") || !(o->supporters || o->embeddings)) return true;
    cli_error("--%s requires -w gspan or -w jsonl", o->supporters ? "graphs" : "embeddings");
    return false;
}

/* ---- the format that the name of the output file promises ------------------------------------ */

/* Endings that are not words of --write. With `word`, the ending means that format, and with
 * `instead`, lode does not write such files, but something that the same programs read. */
static const struct {
    const char *ending, *word, *instead;
} name_endings[] = {
    {"ndjson", "jsonl", NULL}, {"feather", "arrow", NULL}, {"gv", "dot", NULL},
    {"json", NULL, "jsonl"},   {"tsv", NULL, "csv"},       {"xls", NULL, "xlsx"},
    {"ods", NULL, "csv"},      {"parquet", NULL, "arrow"}, {"pdf", NULL, "xlsx"},
    {"svg", NULL, "csv"},      {"dot", NULL, "csv"},       {"png", NULL, "svg"},
    {"jpg", NULL, "svg"},      {"html", NULL, "xlsx"},     {"htm", NULL, "xlsx"},
    {"md", NULL, "csv"},       {"docx", NULL, "xlsx"},     {"pkl", NULL, "arrow"},
    {"pickle", NULL, "arrow"}, {"db", NULL, "csv"},        {"sqlite", NULL, "csv"},
};

/* Endings of compressed files, and the programs that make them. */
static const struct {
    const char *ending, *program;
} name_compressed[] = {{"gz", "gzip"}, {"zst", "zstd"}, {"bz2", "bzip2"}, {"xz", "xz"}};

#define N_NAME_ENDINGS (sizeof name_endings / sizeof *name_endings)

/* Returns the word among `words`, or among those that --write accepts; NULL if there is none. */
static const char *name_find_word(const cli_args *args, const char *const *words,
                                  const char *ending) {
    const lode_option *o = lode_option_find(args->command->groups, "write");
    const char *word;
    for (size_t i = 0;; i++) {
        word = words ? words[i] : o ? lode_option_word(o, i) : NULL;
        if (!word || (strcasecmp(word, ending) == 0 && strcmp(word, "text") != 0)) return word;
    }
}

/* These are not text: who opens such a file expects nothing else. */
static bool name_is_binary(const char *ending) {
    return strcasecmp(ending, "xlsx") == 0 || strcasecmp(ending, "arrow") == 0 ||
           strcasecmp(ending, "feather") == 0;
}

static bool name_refuse(const cli_args *args, const char *const *words, const char *path,
                        const char *ending) {
    const char *csv = name_find_word(args, words, "csv");
    cli_error("--output '%s': %s cannot write .%s files; %s", path, args->command->name, ending,
              csv ? "use -o NAME.csv, or choose a format with -w" : "choose a format with -w");
    return false;
}

/* Says that the file is not what its name promises. */
static void name_note(const cli_args *args, const char *const *words, const char *path,
                      const char *instead) {
    const char *better = name_find_word(args, words, instead);
    if (!better) better = name_find_word(args, words, "csv");
    const char *ending = strrchr(path, '.');
    bool svg = strcasecmp(ending, ".svg") == 0, dot = strcasecmp(ending, ".dot") == 0;
    if (!better || cli_given(args, "quiet")) return;
    if (svg || dot) {
        cli_print(stderr,
                  "note: `lode %s` does not write %s files; use -o NAME.%s to write %s; %s\n",
                  args->command->name, ending, better, better,
                  svg ? "`lode rules -w svg` draws rules, and `lode graphs --svg DIR` subgraphs"
                      : "`lode rules` and `lode graphs` do");
        return;
    }
    cli_print(stderr, "note: lode does not write %s files; use -o NAME.%s to write %s\n", ending,
              better, better);
}

/* Says that the file is not compressed, whatever its name promises. */
static void name_note_compressed(const cli_args *args, const char *path, const char *ending) {
    for (size_t i = 0; i < sizeof name_compressed / sizeof *name_compressed; i++) {
        if (strcasecmp(name_compressed[i].ending, ending) != 0 || cli_given(args, "quiet"))
            continue;
        int n = (int)(ending - path) - 1;
        cli_print(stderr,
                  "note: lode does not compress what it writes; use -o %.*s, then %s %.*s\n", n,
                  path, name_compressed[i].program, n, path);
    }
}

/* Says that the name promises another format than --write gives. */
static void name_note_other(const cli_args *args, const char *const *words, const char *ending,
                            const char *meant) {
    const char *format = cli_word(args, "write"), *promised = name_find_word(args, words, meant);
    if (!promised && name_is_binary(ending)) promised = meant;
    if (!promised || strcmp(promised, format) == 0 || cli_given(args, "quiet")) return;
    cli_print(stderr, "note: the file is %s because of -w %s, although its name ends in .%s\n",
              format, format, ending);
}

bool cli_write_by_name(cli_args *args, const char *const *words) {
    const char *path = cli_given(args, "output"), *base = path ? strrchr(path, '/') : NULL;
    const char *ending = path ? strrchr(base ? base : path, '.') : NULL, *meant, *word;
    char message[128];
    if (!ending) return true;
    bool chosen = cli_word(args, "write") != NULL;
    meant = ++ending;
    name_note_compressed(args, path, ending);
    for (size_t i = 0; i < N_NAME_ENDINGS; i++) {
        if (strcasecmp(name_endings[i].ending, ending) != 0) continue;
        bool written = name_find_word(args, words, ending) != NULL;
        if (name_endings[i].instead && !chosen && !written)
            name_note(args, words, path, name_endings[i].instead);
        if (name_endings[i].word) meant = name_endings[i].word;
    }
    if (chosen) {
        name_note_other(args, words, ending, meant);
        return true;
    }
    word = name_find_word(args, words, meant);
    if (!word) return !name_is_binary(ending) || name_refuse(args, words, path, ending);
    if (lode_options_set_in(args->options, args->command->groups, "write", word, message,
                            sizeof message) == LODE_OK) {
        return remember_word(args, "write", word);
    }
    cli_error("--write %s", message);
    return false;
}
