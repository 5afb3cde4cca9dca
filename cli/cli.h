/* cli.h - what the commands share: arguments, messages, exit codes, numbers for people
 *
 * The command line knows the library only through lode.h. Options of the library come from its
 * table; a command adds its own few.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_CLI_H
#define LODE_CLI_CLI_H

#include <limits.h>
#include <stdio.h>

#include "lode.h"

/* Of lode_exit_code(), which has a few more. */
enum {
    CLI_DONE = 0,
    CLI_FAILED = 1,
    CLI_USAGE = 2,
    CLI_BAD_INPUT = 3,
    CLI_BUDGET = 4,
    CLI_LIMIT = 5,
    CLI_INTERRUPTED = 130
};

/* An option that only the command line has. */
typedef struct cli_option {
    const char *name;
    char letter;
    const char *argument; /* NULL = a switch */
    const char *fallback;
    const char *help;
} cli_option;

#define CLI_MAX_OPTIONS 16
#define CLI_MAX_WORDS   64 /* more than the library has options */
#define CLI_MANY_FILES  INT_MAX

typedef struct cli_args cli_args;

typedef struct cli_command {
    const char *name;
    const char *arguments; /* "FILE -s SUPPORT [options]" */
    const char *summary;
    const char *examples;      /* lines */
    unsigned groups;           /* of lode_option_group */
    const cli_option *options; /* ends with an empty name; may be NULL */
    int n_files;               /* positional arguments it takes, at most */
    int (*run)(cli_args *args);
    int (*run_words)(int n, char **words); /* instead: a command of words, without options */
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

/* Whether the file of an option may be written: not if it is the input, or the file of --output.
 * path NULL: it is not given. False: a message was printed. */
bool cli_may_write(const cli_args *args, const char *option, const char *path);

/* What --report asks for. */
typedef struct cli_report_form {
    bool machine, tsv;
    const char *path; /* NULL: standard error */
} cli_report_form;

/* False: a message was printed. */
bool cli_parse_report(const cli_args *args, cli_report_form *out);
/* Prints, or writes, the report of a run; returns the exit code, which is `code` if that works. */
int cli_report(const cli_args *args, const lode_job *job, const cli_report_form *form, int code);

/* What is in a data set. */
lode_profile cli_profile(const lode_dataset *data);
lode_graph_profile cli_graph_profile(const lode_graphs *data);
/* What to call the input: "a.csv", or "a.csv and 2 other files", in a static buffer. */
const char *cli_input(const cli_args *args);
/* Reads the files, as one data set. */
lode_status cli_open_data(lode_job *job, lode_dataset **out, const cli_args *args);

/* Whether -s was given, or is not needed; if not, says so. */
bool cli_has_support(const cli_args *args);

/* The text of a command's own option; NULL if it was not given. */
const char *cli_given(const cli_args *args, const char *name);
/* Numbers of own options: from 1, because the library takes 0 for "the default", and from 0 to
 * `most`, also as a percentage. *value stays if there is none. False: a message was printed. */
bool cli_number(const cli_args *args, const char *name, uint64_t most, uint64_t *value);
bool cli_fraction(const cli_args *args, const char *name, double most, double *value);

void cli_help(const cli_command *command);
/* Prints "lode: …" to standard error. */
void cli_error(const char *format, ...) LODE_PRINTF(1, 2);
/* Prints why a call has failed, notes it in the report of the job, and returns the exit code. */
int cli_fail(lode_job *job, lode_status status);

/* 1234567 as "1,234,567", in one of a few static buffers: good for one printf. */
const char *cli_count(uint64_t value);
/* Bytes as "12.3 MiB", likewise. */
const char *cli_bytes(uint64_t bytes);
/* How many bytes the character at `text` has; 0: it is no UTF-8, or does not print. */
size_t cli_character(const char *text);
const char *cli_format_name(lode_format format);
double cli_seconds(void);

/* Creates the job, with progress on a terminal and Ctrl-C cancelling it. */
lode_status cli_job_create(lode_job **out, const cli_args *args);
void cli_job_free(lode_job *job);
/* Signals: a wish to stop cancels the job, and what ends the program leaves no unfinished file.
 * keep_going_without_reader: a closed pipe is a write error, not the end. */
void cli_handle_signals(bool keep_going_without_reader);
/* Somebody else has seen the wish to stop: repeats within a second are the same one. */
void cli_note_interrupt(void);
/* The line that says how far the job is, on a terminal: begins, is taken away for a message, ends.
 */
void cli_progress_start(lode_job *job);
void cli_progress_hide(void);
void cli_progress_end(void);

extern const cli_command cli_itemsets, cli_stats, cli_generate_quest, cli_generate_mutate;
extern const cli_command cli_algorithms, cli_devices, cli_compare;
extern const cli_command cli_graphs, cli_generate_graphs;
extern const cli_command cli_man, cli_completion;

/* The words of --report and of the --write of compare, ending with NULL. */
extern const char *const cli_report_forms[], *const cli_compare_forms[];

#endif
