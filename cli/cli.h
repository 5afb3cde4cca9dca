/* cli.h - what the commands share: arguments, messages, exit codes, numbers for people
 *
 * The command line uses the library only through lode.h. The options of the library come from its
 * option table; each command adds a few options of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_CLI_H
#define LODE_CLI_CLI_H

#include <limits.h>
#include <stdio.h>

#include "lode.h"

/* The values of lode_exit_code(). */
enum {
    CLI_DONE = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,
    CLI_BAD_INPUT = 3,
    CLI_BUDGET = 4,
    CLI_LIMIT = 5,
    CLI_INTERRUPTED = 130
};

/* An option of a command that the library does not have. */
typedef struct cli_option {
    const char *name;
    char letter;
    const char *argument; /* NULL = a switch */
    const char *fallback;
    const char *help;
} cli_option;

#define CLI_MAX_OPTIONS 32
#define CLI_MAX_WORDS   256 /* options of the library, counting repeated ones */
#define CLI_MANY_FILES  INT_MAX

typedef struct cli_args cli_args;

typedef struct cli_command {
    const char *name;
    const char *program;   /* "lode-mpi"; NULL: the command belongs to lode */
    const char *arguments; /* "FILE -s SUPPORT [options]" */
    const char *summary;
    const char *examples;      /* lines */
    unsigned groups;           /* the library's options that it accepts: lode_option_group */
    const cli_option *options; /* its own options; ends with a NULL name; may be NULL */
    const cli_option *means;   /* help texts for options of the library that mean something else in
                                * this command. Ends with a NULL name; may be NULL */
    int n_files;               /* at most this many positional arguments */
    int (*run)(cli_args *args);
    int (*run_words)(int n, char **words); /* instead of `run`, for unparsed arguments */
} cli_command;

struct cli_args {
    const cli_command *command;
    lode_options *options;
    const char
        *given[CLI_MAX_OPTIONS]; /* text of the command's own options; "" for a bare switch */
    const char *file;            /* the first positional argument, or NULL */
    const char *const *files;    /* all of them */
    int n_files;
    const char *min_support; /* as written, or NULL */
    struct cli_word {
        const char *name, *value; /* an option of the library as written; value NULL = a switch */
    } words[CLI_MAX_WORDS];
    unsigned n_words;
};

/* Parses argv[0 … n - 1] (without program and command name). Returns CLI_DONE, or prints what is
 * wrong and returns CLI_USAGE. */
int cli_parse(cli_args *args, const cli_command *command, int n, char **argv);

/* Whether the option named `option` may write to `path`, which must not be the input or the file of
 * --output; `path` may be NULL. If this function, or another bool function below, returns false, it
 * has printed a message. */
bool cli_may_write(const cli_args *args, const char *option, const char *path);

/* The form of the report that --report requests. */
typedef struct cli_report_form {
    bool machine, tsv; /* machine: for programs; tsv: machine, and not JSON */
    const char *path;  /* NULL: standard error */
} cli_report_form;

bool cli_parse_report(const cli_args *args, cli_report_form *out);

lode_profile cli_profile(const lode_dataset *data);
lode_graph_profile cli_graph_profile(const lode_graphs *data);
/* What a query without --db and FILE reads. */
extern const char cli_no_database[];
/* The name of the input: "a.csv", or "a.csv and 2 other files", in a static buffer. */
const char *cli_input(const cli_args *args);
/* Whether a file can be read more than once: standard input, pipes and devices cannot. */
bool cli_can_repeat(const char *file);
/* Reads the files as one data set. */
lode_status cli_open_data(lode_job *job, lode_dataset **out, const cli_args *args);

/* If --write is not given, sets it by the ending of the --output file: -o rules.csv writes csv. The
 * ending must be one of `words`; if `words` is NULL, any format that --write accepts. Returns false
 * after printing that the ending promises a format that the command cannot write. */
bool cli_write_by_name(cli_args *args, const char *const *words);

/* Whether -s was given, or is not needed. */
bool cli_has_support(const cli_args *args);

/* The value of one of the command's own options; NULL if it was not given. */
const char *cli_given(const cli_args *args, const char *name);
/* The value of an option of the library, as it was last typed; "" for a switch, and NULL if it was
 * not given. */
const char *cli_word(const cli_args *args, const char *name);
/* Whether the output format can show the requested lists of graphs and embeddings; if not, prints a
 * message, so that no list is silently left out. Only for commands that mine graphs. */
bool cli_may_list(const cli_args *args);
/* Read the number of one of the command's own options; if the option was not given, *value is
 * unchanged. cli_number() reads a whole number from 1 on, because 0 means "the default" to the
 * library. cli_fraction() reads a number from 0 to `most`, or a percentage. */
bool cli_number(const cli_args *args, const char *name, uint64_t most, uint64_t *value);
bool cli_fraction(const cli_args *args, const char *name, double most, double *value);

/* Write text that may contain names of files and items, so that it is safe to show in a terminal
 * (lode_printable()). cli_print() is like fprintf(). */
void cli_put(FILE *file, const char *text, size_t n);
void cli_print(FILE *file, const char *format, ...) LODE_PRINTF(2, 3);
/* Functions of the type lode_write_fn that write to a FILE. cli_show_stream() is for text that
 * people read. cli_write_stream() is for text that programs read: it writes the text unchanged,
 * unless the FILE is a terminal. */
int cli_show_stream(void *stream, const char *text, size_t bytes);
int cli_write_stream(void *stream, const char *text, size_t bytes);
/* Prints "lode: …" to standard error. */
void cli_error(const char *format, ...) LODE_PRINTF(1, 2);
/* Prints why a call failed, notes it in the report of the job, and returns the exit code. */
int cli_fail(lode_job *job, lode_status status);
/* For the static lode: the package of the lode that can do what this one cannot; otherwise NULL. */
const char *cli_other_program(void);

/* 1234567 as "1,234,567", in one of 16 static buffers: for use within one printf. */
const char *cli_count(uint64_t value);
/* Bytes as "12.3 MiB", likewise. */
const char *cli_bytes(uint64_t bytes);
/* Returns the number of bytes of the character at `text`, or 0 if it is not UTF-8 or not
 * printable. */
size_t cli_character(const char *text);
/* Writes a word so that bash and zsh read it back unchanged. cli_put_word() writes a file, which
 * must not look like an option. */
void cli_put_value(FILE *out, const char *word);
void cli_put_word(FILE *out, const char *word);
/* Writes the files and the options that say how to read them, as arguments of a command that can be
 * pasted, each after a blank. For input that is gone by then, this is the word FILE. */
void cli_put_input(FILE *out, const cli_args *args);
const char *cli_format_name(lode_format format);
double cli_seconds(void);

/* If --memory was not given, sets it to its default, which lode_resources_get() determines. */
lode_status cli_set_memory(const cli_args *args);
/* Creates the job. It shows its progress on a terminal, and Ctrl-C cancels it. */
lode_status cli_job_create(lode_job **out, const cli_args *args);
void cli_job_free(lode_job *job);
/* Replaces the job by another one in the same context that may use only this much memory. */
lode_status cli_job_narrow(lode_job **job, const cli_args *args, uint64_t memory);
/* Installs signal handlers. A request to stop cancels the job. Before a signal ends the program,
 * its handler removes unfinished files. With keep_going_without_reader, a closed pipe is a write
 * error and does not end the program. */
void cli_handle_signals(bool keep_going_without_reader);
/* Installs handlers for crashes that say what happened and where the unfinished output is. */
void cli_handle_crashes(void);
/* Sets a line that the crash handler adds, such as how to continue; NULL = none. The text must stay
 * valid. */
void cli_set_crash_hint(const char *text);
/* Returns advice on how to use an unfinished file of a run: sentences without the last full stop.
 * Defined in kept_output.c. Safe in signal handlers. */
const char *cli_unfinished_advice(const char *path);
/* Prints the names of unfinished files that earlier runs left next to the file of --output, if
 * there are any. */
void cli_note_leftovers(const cli_args *args);
/* Tells the handlers that other code has received a signal to stop: further signals within the next
 * second count as the same request. */
void cli_note_interrupt(void);
/* The progress line: starts it (now, or when the job first reports its progress; `limit` is the
 * value of --limit-time, or NULL), removes it from a
 * terminal before a message, ends it. Where standard error is not a terminal, a new line is written
 * every ten seconds. */
void cli_progress_start(lode_job *job, bool now, const char *limit);
void cli_progress_hide(void);
void cli_progress_end(void);
/* The lode_progress_fn of all jobs. */
int cli_progress_report(void *unused, const lode_progress *p);
/* Calls begin() once, at the next report of progress, on the thread of the job; NULL cancels. */
void cli_progress_when_long(void (*begin)(void));

extern const cli_command cli_itemsets, cli_stats, cli_generate_quest, cli_generate_mutate;
extern const cli_command cli_algorithms, cli_devices, cli_compare;
extern const cli_command cli_graphs, cli_generate_graphs;
extern const cli_command cli_rules, cli_measures;
extern const cli_command cli_query, cli_support, cli_apply;
extern const cli_command cli_man, cli_completion;
extern const cli_command cli_clean, cli_baskets;
extern const cli_command cli_suggest, cli_merge;
extern const cli_command cli_worker, cli_mcp, cli_serve;
extern const cli_command cli_demo, cli_doctor;

/* Finds an executable program in the folder of this one; lode-server is also looked for where
 * LODE_SERVER says and where it is installed. */
#define CLI_PATH_MOST 4096
bool cli_find_beside(const char *name, char path[CLI_PATH_MOST]);
bool cli_find_server(char path[CLI_PATH_MOST]);

/* The words that some options accept: --report, --write of compare and of clean, and --model,
 * --label-weights and --like of generate. All lists end with NULL. */
extern const char *const cli_report_forms[], *const cli_compare_forms[];
extern const char *const cli_clean_formats[];
extern const char *const cli_graph_models[], *const cli_label_weights[], *const cli_quest_likes[];

#endif
