/* graph_input.c - see graph_input.h
 *
 *     file ──> lode-molecules ──pipe──> lode_graphs_open_pipe()
 *                    └───────pipe──> its messages, which are read when it has ended
 *
 * lode-molecules is a program of its own, because it needs RDKit, which lode does without. lode
 * opens the file for it, so that it can give up the right to open any file. The pipe of messages
 * never blocks: if it is full, further messages are lost, but the last one was not written yet.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pipe2() */
#endif
#include "graph_input.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOLECULES_LEAST  ((uint64_t)64 << 20) /* bytes of memory that RDKit starts with, and more */
#define MOLECULES_WORDS  20                   /* of its command line, at most */
#define MOLECULES_SAYS   8192                 /* bytes of its messages that are shown */
#define MOLECULES_DIGITS 24

extern char **environ;

typedef struct molecules {
    pid_t pid;
    int graphs, messages; /* to read from; -1: not open */
} molecules;

bool cli_find_molecules(char path[CLI_PATH_MOST]) {
    const char *given = getenv("LODE_MOLECULES");
    if (given && given[0]) {
        int n = snprintf(path, CLI_PATH_MOST, "%s", given);
        return n < CLI_PATH_MOST && access(path, X_OK) == 0;
    }
    return cli_find_beside("lode-molecules", path) ||
           cli_find_beside("../libexec/lode/lode-molecules", path);
}

/* ---- its start ------------------------------------------------------------------------------- */

/* Its command line. `digits` keeps the text of numbers. */
static void molecules_words(const cli_args *args, char *words[MOLECULES_WORDS],
                            char digits[2][MOLECULES_DIGITS]) {
    static const char *const columns[] = {"smiles", "id", "class"};
    static const char *const options[] = {"--smiles", "--id", "--class"};
    const char *list[MOLECULES_WORDS] = {"lode-molecules", "--name"};
    unsigned n = 2;
    uint64_t memory = lode_options_job(args->options)->memory_bytes;
    list[n++] = strcmp(args->file, "-") == 0 ? "<stdin>" : args->file;
    snprintf(digits[0], MOLECULES_DIGITS, "%ld", (long)getpid());
    list[n++] = "--parent";
    list[n++] = digits[0];
    if (memory > 0) {
        if (memory < MOLECULES_LEAST) memory = MOLECULES_LEAST;
        snprintf(digits[1], MOLECULES_DIGITS, "%llu", (unsigned long long)memory);
        list[n++] = "--memory";
        list[n++] = digits[1];
    }
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if (!cli_given(args, columns[i])) continue;
        list[n++] = options[i];
        list[n++] = cli_given(args, columns[i]);
    }
    if (lode_options_graph_read(args->options)->skip_bad_graphs) list[n++] = "--skip-bad-graphs";
    memcpy(words, list, sizeof list); /* posix_spawn() does not change them */
}

/* Starts the program with these three descriptors, and all signals as for any program. Returns 0 or
 * an error number. */
static int molecules_spawn(const char *path, char *const *words, const int fds[3], pid_t *pid) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    int error = posix_spawn_file_actions_init(&files);
    if (error) return error;
    error = posix_spawnattr_init(&how);
    if (error) {
        posix_spawn_file_actions_destroy(&files);
        return error;
    }
    for (int i = 0; i < 3 && !error; i++) {
        error = posix_spawn_file_actions_adddup2(&files, fds[i], i);
    }
    if (!error) error = posix_spawnattr_setsigdefault(&how, &all);
    if (!error) error = posix_spawnattr_setsigmask(&how, &none);
    if (!error) {
        error = posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    }
    if (!error) error = posix_spawn(pid, path, &files, &how, words, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

static void close_all(int *fds, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (fds[i] >= 0) close(fds[i]);
        fds[i] = -1;
    }
}

static lode_status molecules_refuse(lode_job *job, lode_status status, const char *what,
                                    const char *path, int error) {
    char message[CLI_PATH_MOST + 256];
    snprintf(message, sizeof message, "cannot %s '%s': %s", what, path, strerror(error));
    return lode_job_fail(job, status, message);
}

static lode_status molecules_start(lode_job *job, const cli_args *args, const char *path,
                                   molecules *m) {
    char *words[MOLECULES_WORDS], digits[2][MOLECULES_DIGITS];
    int ends[4] = {-1, -1, -1, -1};
    bool from_stdin = strcmp(args->file, "-") == 0;
    int in = from_stdin ? STDIN_FILENO : open(args->file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (in < 0) return molecules_refuse(job, LODE_NOTFOUND, "open", args->file, errno);
    molecules_words(args, words, digits);
    bool piped = pipe2(&ends[0], O_CLOEXEC) == 0 && pipe2(&ends[2], O_CLOEXEC) == 0 &&
                 fcntl(ends[3], F_SETFL, O_NONBLOCK) == 0;
    const int fds[3] = {in, ends[1], ends[3]};
    int error = piped ? molecules_spawn(path, words, fds, &m->pid) : errno;
    if (!from_stdin) close(in);
    close_all(&ends[1], 1);
    close_all(&ends[3], 1);
    m->graphs = ends[0];
    m->messages = ends[2];
    if (!error) return LODE_OK;
    close_all(&m->graphs, 1);
    close_all(&m->messages, 1);
    return molecules_refuse(job, LODE_IO, "start", path, error);
}

/* ---- its end --------------------------------------------------------------------------------- */

/* Shows all messages but, if the program has failed, the last one, which is returned. */
static const char *molecules_listen(int fd, bool failed, char says[MOLECULES_SAYS]) {
    size_t n = 0;
    ssize_t got;
    while (n + 1 < MOLECULES_SAYS && ((got = read(fd, says + n, MOLECULES_SAYS - 1 - n)) > 0 ||
                                      (got < 0 && errno == EINTR))) {
        if (got > 0) n += (size_t)got;
    }
    while (n > 0 && says[n - 1] == '\n') n--;
    says[n] = 0;
    char *line = says;
    for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = 0;
        cli_error("%s", line);
    }
    if (!failed && line[0]) cli_error("%s", line);
    return failed ? line : "";
}

/* The status that the end of the program means. */
static lode_status molecules_judge(int ended) {
    static const lode_status meanings[] = {
        [CLI_DONE] = LODE_OK,         [CLI_FAILED] = LODE_IO,     [CLI_USAGE] = LODE_INVALID,
        [CLI_BAD_INPUT] = LODE_PARSE, [CLI_BUDGET] = LODE_BUDGET,
    };
    if (WIFSIGNALED(ended)) return WTERMSIG(ended) == SIGINT ? LODE_CANCELLED : LODE_IO;
    unsigned code = (unsigned)WEXITSTATUS(ended);
    return code < sizeof meanings / sizeof *meanings ? meanings[code] : LODE_IO;
}

/* Waits for the program, which is ended if the graphs could not be read. What it says of its
 * failure goes before what reading its output has led to. */
static lode_status molecules_finish(lode_job *job, molecules *m, lode_status status) {
    int ended = 0;
    char says[MOLECULES_SAYS], died[64];
    close_all(&m->graphs, 1);
    if (status != LODE_OK && status != LODE_PARSE) kill(m->pid, SIGKILL);
    while (waitpid(m->pid, &ended, 0) < 0 && errno == EINTR) continue;
    bool killed = WIFSIGNALED(ended);
    lode_status meaning = molecules_judge(ended);
    const char *why = molecules_listen(m->messages, meaning != LODE_OK, says);
    close_all(&m->messages, 1);
    bool own = status != LODE_OK && (killed || meaning == LODE_OK);
    if (own || meaning == LODE_OK) return status;
    if (meaning == LODE_CANCELLED) return meaning;
    snprintf(died, sizeof died,
             killed ? "lode-molecules was ended by signal %d"
                    : "lode-molecules failed with exit status %d",
             killed ? WTERMSIG(ended) : WEXITSTATUS(ended));
    return lode_job_fail(job, meaning, why[0] && !killed ? why : died);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The library's message names the kind of the file, if the file is certainly one of molecules. */
static lode_status molecules_missing(lode_job *job, const cli_args *args, bool sure,
                                     lode_graphs **out) {
    const char *given = getenv("LODE_MOLECULES");
    char message[2 * CLI_PATH_MOST];
    int n = snprintf(message, sizeof message,
                     "%s: lode-molecules reads molecules, but it is not installed next to lode; "
                     "install librdkit-dev and libboost-dev (`./dev setup molecules`) and build "
                     "lode again, or write the graphs as gSpan text (lines t, v and e)",
                     args->file);
    if (sure) {
        lode_status status =
            lode_graphs_open(job, out, args->file, lode_options_graph_read(args->options));
        if (status != LODE_PARSE) return status;
        n = snprintf(message, sizeof message, "%s", lode_job_error(job));
    }
    if (given && given[0] && n > 0 && (size_t)n < sizeof message) {
        snprintf(message + n, sizeof message - (size_t)n,
                 "; LODE_MOLECULES is '%s', which is not an executable program", given);
    }
    return lode_job_fail(job, LODE_PARSE, message);
}

static lode_status molecules_open(lode_job *job, const cli_args *args, bool sure,
                                  lode_graphs **out) {
    char path[CLI_PATH_MOST];
    molecules m = {.graphs = -1, .messages = -1};
    const lode_graph_read_options *read = lode_options_graph_read(args->options);
    if (read->directed) {
        return lode_job_fail(job, LODE_INVALID,
                             "--directed cannot be combined with molecules, whose bonds have no "
                             "direction");
    }
    if (!cli_find_molecules(path)) return molecules_missing(job, args, sure, out);
    lode_status status = molecules_start(job, args, path, &m);
    if (status != LODE_OK) return status;
    const char *name = strcmp(args->file, "-") == 0 ? "<stdin>" : args->file;
    status = lode_graphs_open_pipe(job, out, m.graphs, name, read);
    lode_status finished = molecules_finish(job, &m, status);
    if (finished != LODE_OK && status == LODE_OK) {
        lode_graphs_free(*out);
        *out = NULL;
    }
    return finished;
}

static bool names_columns(const cli_args *args) {
    return cli_given(args, "smiles") || cli_given(args, "id");
}

/* Where the groups of graphs come from: molecules have got classes from their column, the classes
 * of other graphs are in a file. */
static lode_status take_classes(lode_job *job, const cli_args *args, bool from_column) {
    char message[256];
    const char *from = cli_given(args, "class");
    if (!from) return LODE_OK;
    if (from_column) from = "*";
    lode_status status = lode_options_set(args->options, "class", from, message, sizeof message);
    return status == LODE_OK ? status : lode_job_fail(job, status, message);
}

lode_status cli_open_graphs(lode_job *job, const cli_args *args, lode_graphs **out) {
    bool graphs = false;
    unsigned sure = names_columns(args);
    if (!sure) {
        lode_status status = lode_graphs_sniff(job, args->file, &graphs);
        if (status == LODE_OK && !graphs) status = lode_molecules_sniff(job, args->file, &sure);
        if (status != LODE_OK) return status;
    }
    lode_status status = take_classes(job, args, sure);
    if (status != LODE_OK) return status;
    if (sure) return molecules_open(job, args, sure == 2, out);
    return lode_graphs_open(job, out, args->file, lode_options_graph_read(args->options));
}

lode_status cli_sniff_graphs(lode_job *job, const cli_args *args, bool *graphs) {
    static const char *const tables[] = {"tid",       "item",   "header",
                                         "separator", "weight", "drop-rows"};
    *graphs = false;
    if (cli_word(args, "sql")) return LODE_OK;
    lode_status status = lode_graphs_sniff(job, args->file, graphs);
    if (status != LODE_OK || *graphs) return status;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (cli_word(args, tables[i])) return LODE_OK;
    }
    unsigned sure;
    status = lode_molecules_sniff(job, args->file, &sure);
    *graphs = status == LODE_OK && sure == 2;
    return status;
}
