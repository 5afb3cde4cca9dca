/* compare_run.c - runs lode in a process of its own, and reads its report
 *
 * The child is this same program, as `itemsets … --count --hash --report tsv=…`. It writes its
 * report and its errors to unnamed files, so that no file is left behind, however it ends. A child
 * that exceeds its time limit is killed some seconds later.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* wait4 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compare.h"

#define GRACE_SECONDS 5 /* for a child that ignores its time limit */

const char *const compare_part_names[N_PARTS] = {"read",      "preprocess", "transfer",
                                                 "candidate", "counting",   "output"};

typedef struct child {
    pid_t pid;
    FILE *report, *errors;
    int status;
    bool killed, interrupted;
    struct rusage usage;
} child;

/* ---- starting ------------------------------------------------------------------------------ */

typedef struct command_line {
    const char **words;
    char names[CLI_MAX_WORDS][48]; /* "--include" */
    char limit[32], report[48];
} command_line;

/* Makes the command line of the child: the mining options that compare was given, and then those
 * that compare sets, which override them. */
static bool make_command(const comparison *c, const compare_row *row, int report, command_line *l) {
    const cli_args *args = c->args;
    size_t n = 0;
    l->words = calloc(2 * CLI_MAX_WORDS + 16 + (size_t)args->n_files, sizeof *l->words);
    if (!l->words) return false;
    l->words[n++] = "lode";
    l->words[n++] = "itemsets";
    for (unsigned i = 0; i < args->n_words; i++) {
        snprintf(l->names[i], sizeof l->names[i], "--%s", args->words[i].name);
        l->words[n++] = l->names[i];
        if (args->words[i].value) l->words[n++] = args->words[i].value;
    }
    snprintf(l->limit, sizeof l->limit, "%.6fs", c->limit_seconds);
    snprintf(l->report, sizeof l->report, "tsv=/dev/fd/%d", report);
    const char *own[] = {"--algorithm", row->algorithm, "--device",
                         row->device,   "--limit-time", l->limit,
                         "--report",    l->report,      "--count",
                         "--hash",      "--quiet",      "--"}; /* a file may be called -x */
    memcpy(l->words + n, own, sizeof own);
    n += sizeof own / sizeof *own;
    for (int i = 0; i < args->n_files; i++) l->words[n++] = args->files[i];
    return true;
}

/* Executes the command in the child; does not return. */
static void become(char *const *words, const child *ch, const sigset_t *mask, pid_t parent) {
    int null = open("/dev/null", O_RDWR);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* the child ends with the parent, which reads its report */
    bool ready = getppid() == parent && null >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
                 dup2(null, STDOUT_FILENO) >= 0 && dup2(fileno(ch->errors), STDERR_FILENO) >= 0;
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (ready) execv("/proc/self/exe", words);
    fprintf(stderr, "lode: cannot run itself: %s\n", strerror(errno));
    _exit(CLI_FAILED);
}

static bool start_child(const comparison *c, const compare_row *row, const sigset_t *mask,
                        child *ch) {
    command_line line;
    pid_t parent = getpid();
    *ch = (child){.report = tmpfile(), .errors = tmpfile()};
    if (!ch->report || !ch->errors) return false;
    if (!make_command(c, row, fileno(ch->report), &line)) return false;
    fflush(NULL);
    ch->pid = fork();
    if (ch->pid == 0) become((char *const *)line.words, ch, mask, parent);
    free(line.words);
    return ch->pid > 0;
}

/* ---- waiting ------------------------------------------------------------------------------- */

/* Returns the time after which a child is killed. Its own time limit does not include reading:
 * until the first child has reported how long that takes, it may take as long as mining. */
static double patience(const comparison *c) {
    double reading = c->read_seconds > 0 ? 2 * c->read_seconds : c->limit_seconds;
    return c->limit_seconds + reading + GRACE_SECONDS;
}

/* Waits until the child ends, its time is over, or a signal arrives. `signals` are blocked. */
static void wait_for(child *ch, const sigset_t *signals, double seconds) {
    double deadline = cli_seconds() + seconds;
    while (wait4(ch->pid, &ch->status, WNOHANG, &ch->usage) == 0) {
        double left = deadline - cli_seconds();
        if (left <= 0 || ch->interrupted) {
            ch->killed = true;
            kill(ch->pid, SIGKILL);
            wait4(ch->pid, &ch->status, 0, &ch->usage);
            return;
        }
        struct timespec wait = {.tv_sec = (time_t)left};
        wait.tv_nsec = (long)((left - (double)wait.tv_sec) * 1e9);
        int got = sigtimedwait(signals, NULL, &wait);
        ch->interrupted = got == SIGINT || got == SIGTERM || got == SIGHUP;
    }
}

/* ---- reading its report -------------------------------------------------------------------- */

static void note_number(const char *key, const char *value, compare_run *run) {
    struct {
        const char *key;
        uint64_t *number;
    } numbers[] = {
        {"candidates.counted", &run->candidates},
        {"patterns.total", &run->patterns},
        {"input.transactions", &run->transactions},
        {"threshold.count", &run->min_count},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strcmp(key, numbers[i].key) == 0) *numbers[i].number = strtoull(value, NULL, 10);
    }
}

static void note_time(const char *key, const char *value, compare_run *run) {
    if (strncmp(key, "times.", 6) != 0) return;
    if (strcmp(key + 6, "total") == 0) run->total = strtod(value, NULL);
    for (size_t i = 0; i < N_PARTS; i++) {
        if (strcmp(key + 6, compare_part_names[i]) == 0) run->parts[i] = strtod(value, NULL);
    }
}

static void note_text(const char *key, const char *value, compare_run *run, char *stopped_by) {
    if (strcmp(key, "device.name") == 0) {
        snprintf(run->device, sizeof run->device, "%s", value);
    } else if (strcmp(key, "patterns.hash") == 0) {
        snprintf(run->hash, sizeof run->hash, "%s", value);
    } else if (strcmp(key, "stopped_by") == 0) {
        snprintf(stopped_by, COMPARE_TEXT, "%s", value);
    }
}

static void read_report(FILE *report, compare_run *run, char *stopped_by) {
    char line[4096];
    rewind(report);
    while (fgets(line, sizeof line, report)) {
        char *tab = strchr(line, '\t'), *end = strchr(line, '\n');
        if (!tab || !end) continue;
        *tab = *end = 0;
        note_number(line, tab + 1, run);
        note_time(line, tab + 1, run);
        note_text(line, tab + 1, run, stopped_by);
    }
}

/* The last line the child wrote to standard error, without "lode: ". */
static void read_error(FILE *errors, char *text) {
    char line[1024];
    rewind(errors);
    while (fgets(line, sizeof line, errors)) {
        line[strcspn(line, "\n")] = 0;
        const char *from = strncmp(line, "lode: ", 6) == 0 ? line + 6 : line;
        if (*from) snprintf(text, COMPARE_TEXT, "%.*s", COMPARE_TEXT - 1, from);
    }
}

/* Describes how the child ended. */
static void judge(const comparison *c, const child *ch, const char *stopped_by, compare_run *run) {
    char message[COMPARE_TEXT] = "lode gave no reason";
    char *to = run->trouble;
    run->code = WIFEXITED(ch->status) ? WEXITSTATUS(ch->status) : -1;
    if (run->code == CLI_DONE) return;
    read_error(ch->errors, message);
    if (ch->killed || strcmp(stopped_by, "limit-time") == 0) {
        snprintf(to, COMPARE_TEXT, "over %.10g s", c->limit_seconds);
        run->code = CLI_LIMIT;
    } else if (run->code < 0) {
        snprintf(to, COMPARE_TEXT, "failed: killed by signal %d (%s)", WTERMSIG(ch->status),
                 strsignal(WTERMSIG(ch->status)));
    } else if (run->code == CLI_LIMIT || run->code == CLI_BUDGET || run->code == CLI_BAD_INPUT) {
        snprintf(to, COMPARE_TEXT, "%s", message);
    } else {
        snprintf(to, COMPARE_TEXT, "failed: %.*s", COMPARE_TEXT - 10, message);
    }
}

/* ---- all runs ------------------------------------------------------------------------------ */

typedef struct signal_sets {
    sigset_t watched, before;
} signal_sets;

static void run_child(comparison *c, const compare_row *row, const signal_sets *signals,
                      compare_run *out) {
    child ch;
    char stopped_by[COMPARE_TEXT] = "";
    *out = (compare_run){.code = -1};
    if (start_child(c, row, &signals->before, &ch)) {
        wait_for(&ch, &signals->watched, patience(c));
        read_report(ch.report, out, stopped_by);
        judge(c, &ch, stopped_by, out);
        out->memory = (uint64_t)ch.usage.ru_maxrss * 1024;
        if (out->parts[PART_READ] > c->read_seconds) c->read_seconds = out->parts[PART_READ];
        c->interrupted = ch.interrupted || out->code == CLI_INTERRUPTED;
    } else {
        snprintf(out->trouble, sizeof out->trouble, "failed: %s", strerror(errno));
    }
    if (ch.report) fclose(ch.report);
    if (ch.errors) fclose(ch.errors);
}

static void show_progress(const comparison *c, const compare_row *row, unsigned round) {
    if (!isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\r\033[Kround %u of %u: %s on %s", round + 1, c->repeat, row->algorithm,
            row->device);
}

static void run_row(comparison *c, compare_row *row, const signal_sets *signals) {
    compare_run *run = &row->runs[row->n_runs];
    run_child(c, row, signals, run);
    if (c->interrupted) return;
    if (run->memory > row->memory) row->memory = run->memory;
    if (run->trouble[0]) {
        memcpy(row->trouble, run->trouble, sizeof row->trouble);
        row->code = run->code;
    } else {
        row->n_runs++;
    }
}

static bool is_done(const comparison *c, const compare_row *row) {
    bool is_long = row->n_runs > 0 && row->runs[0].total >= COMPARE_SHORT;
    return row->trouble[0] || (c->long_once && is_long);
}

/* Bad input is bad for all rows, so there is no point in going on. */
static bool is_over(const comparison *c, const compare_row *row) {
    return c->interrupted || row->code == CLI_BAD_INPUT;
}

static bool ignores(int signal_number) {
    struct sigaction action;
    return sigaction(signal_number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void compare_run_all(comparison *c) {
    signal_sets signals;
    sigemptyset(&signals.watched);
    sigaddset(&signals.watched, SIGCHLD);
    sigaddset(&signals.watched, SIGINT);
    sigaddset(&signals.watched, SIGTERM);
    if (!ignores(SIGHUP)) sigaddset(&signals.watched, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals.watched, &signals.before);
    signal(SIGCHLD, SIG_DFL); /* it may be ignored by inheritance, and then nothing would arrive */
    bool over = false;
    for (unsigned round = 0; round < c->repeat && !over; round++) {
        for (size_t i = 0; i < c->n_rows && !over; i++) {
            compare_row *row = &c->rows[round % 2 ? c->n_rows - 1 - i : i];
            if (is_done(c, row)) continue;
            show_progress(c, row, round);
            run_row(c, row, &signals);
            over = is_over(c, row);
        }
    }
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
    if (c->interrupted) { /* a second signal for the same Ctrl-C must not prevent the table */
        cli_note_interrupt();
        cli_handle_signals(false);
    }
    sigprocmask(SIG_SETMASK, &signals.before, NULL);
}
