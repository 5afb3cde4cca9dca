/* command_job.c - the job of a command, its data, and the signals that stop it
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

lode_profile cli_profile(const lode_dataset *data) {
    lode_profile p = LODE_INIT(lode_profile);
    lode_dataset_profile(data, &p);
    return p;
}

lode_graph_profile cli_graph_profile(const lode_graphs *data) {
    lode_graph_profile p = LODE_INIT(lode_graph_profile);
    lode_graphs_profile(data, &p);
    return p;
}

/* ---- signals ------------------------------------------------------------------------------- */

#define REPEAT_NS 1000000000 /* signals within a second count as one */

static lode_job *_Atomic interrupted_job;
static _Atomic int64_t interrupted_at; /* nanoseconds; 0 = not yet */

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Removes unfinished files, and ends the program by the same signal. */
static void on_end(int signal_number) {
    lode_outputs_discard();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* The first signal cancels the job, which keeps what it has found. Signals often come twice:
 * `timeout` signals the program and then its group, and both a shell and a terminal pass on Ctrl-C.
 * So only one that comes a second later ends the program at once. */
static void on_interrupt(int signal_number) {
    static const char words[] = "lode: interrupted twice: stopped at once, nothing was kept\n";
    int reason = errno;
    int64_t now = now_ns(), first = 0;
    lode_job *job = interrupted_job;
    if (atomic_compare_exchange_strong(&interrupted_at, &first, now)) {
        if (job) lode_job_cancel(job);
    } else if (now - first >= REPEAT_NS && signal_number != SIGXCPU) {
        ssize_t written = write(STDERR_FILENO, words, sizeof words - 1);
        (void)written;
        on_end(signal_number);
    }
    errno = reason;
}

/* Sets a handler, unless the program was started with the signal ignored, as nohup does. */
static void handle(int signal_number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler}, before;
    bool ignored = sigaction(signal_number, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
    if (!ignored) sigaction(signal_number, &action, NULL);
}

void cli_handle_signals(bool keep_going_without_reader) {
    struct sigaction interrupt = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGTERM, &interrupt, NULL);
    handle(SIGHUP, on_interrupt);
    handle(SIGXCPU, on_interrupt); /* of the soft limit, and then every second */
    handle(SIGQUIT, on_end);
    handle(SIGPIPE, keep_going_without_reader ? SIG_IGN : on_end);
}

void cli_note_interrupt(void) {
    int64_t none = 0;
    atomic_compare_exchange_strong(&interrupted_at, &none, now_ns());
}

/* Prints warnings always, and notes unless --quiet was given. */
static void log_message(void *user, lode_log_level level, const char *message) {
    const cli_args *args = user;
    if (level == LODE_LOG_WARNING) cli_error("%s", message);
    if (level != LODE_LOG_INFO || cli_given(args, "quiet")) return;
    cli_progress_hide();
    fprintf(stderr, "note: %s\n", message);
}

/* Devices start while the data are read: those named by --device or, without that option, GPUs if
 * the file is so large that the job will probably take longer than their start, 0.3 s of one core.
 * With 16 cores, 16 MB of graphs take 0.4 s and more, mostly for mining, and reading 256 MB of
 * transactions takes 0.1 s. */
#define WAKE_GRAPH_BYTES ((off_t)16 << 20)
#define WAKE_BYTES       ((off_t)256 << 20)

static pthread_t waking;
static bool is_waking;

static void *wake_devices(void *device) {
    lode_device_wake(device);
    return NULL;
}

/* Whether `auto` is likely to take a GPU, by the files alone. */
static bool may_take_gpu(const cli_args *args) {
    off_t bytes = 0, least = WAKE_BYTES;
    struct stat file;
    if (!(args->command->groups & LODE_OPTION_DEVICE)) return false;
    if (args->command->groups & LODE_OPTION_GRAPH) least = WAKE_GRAPH_BYTES;
    for (unsigned i = 0; i < args->n_words; i++) {
        const char *name = args->words[i].name; /* most miners and targets are the CPU's */
        if (strcmp(name, "algorithm") == 0 || strcmp(name, "target") == 0) return false;
    }
    for (int i = 0; i < args->n_files; i++) {
        if (stat(args->files[i], &file) == 0 && S_ISREG(file.st_mode)) bytes += file.st_size;
    }
    return bytes >= least;
}

static void start_waking(const cli_args *args) {
    const char *device = lode_options_job(args->options)->device;
    bool nobody_says = !device || strcmp(device, "auto") == 0;
    bool only_cpu = device && strncmp(device, "cpu", 3) == 0 && !strchr(device, '+');
    if (nobody_says ? !may_take_gpu(args) : only_cpu) return;
    const char *what = nobody_says ? "auto" : device;
    is_waking = pthread_create(&waking, NULL, wake_devices, (void *)(uintptr_t)what) == 0;
}

/* Whether a job reports its progress in all phases. A reader that waits for a pipe reports nothing,
 * and other commands than miners have phases that do not. */
static bool reports_progress(const cli_args *args) {
    unsigned miners = LODE_OPTION_MINE | LODE_OPTION_RULE | LODE_OPTION_GRAPH;
    struct stat file;
    for (int i = 0; i < args->n_files; i++) {
        if (stat(args->files[i], &file) != 0 || !S_ISREG(file.st_mode)) return false;
    }
    return args->command->groups & miners;
}

static void start_progress(const cli_args *args, lode_job *job) {
    if (!cli_given(args, "quiet")) {
        cli_progress_start(job, !reports_progress(args), cli_word(args, "limit-time"));
    }
}

/* Says what the program waits for if a person has to type the data. */
static void note_terminal(const cli_args *args) {
    for (int i = 0; i < args->n_files; i++) {
        bool types = strcmp(args->files[i], "-") == 0 && isatty(STDIN_FILENO);
        if (types && !cli_given(args, "quiet")) {
            fprintf(stderr, "note: reading what you type; Ctrl-D ends it\n");
        }
    }
}

lode_status cli_job_create(lode_job **out, const cli_args *args) {
    lode_options_set_log(args->options, log_message, (void *)(uintptr_t)args);
    lode_options_set_progress(args->options, cli_progress_report, NULL);
    lode_status status = cli_set_memory(args);
    if (status == LODE_OK) status = lode_job_create(out, NULL, lode_options_job(args->options));
    if (status != LODE_OK) return status;
    interrupted_job = *out;
    cli_note_leftovers(args);
    /* While the result goes to a file, a closed pipe for messages should not end the program. */
    const char *output = cli_given(args, "output");
    cli_handle_signals(output && strcmp(output, "-") != 0);
    note_terminal(args);
    start_waking(args);
    start_progress(args, *out);
    return LODE_OK;
}

lode_status cli_job_narrow(lode_job **job, const cli_args *args, uint64_t memory) {
    lode_job *fresh = NULL;
    lode_job_options o = *lode_options_job(args->options);
    o.memory_bytes = memory;
    o.memory_origin = NULL;
    lode_status status = lode_job_create(&fresh, lode_job_ctx(*job), &o);
    if (status != LODE_OK) return status;
    cli_progress_end();
    interrupted_job = fresh;
    if (interrupted_at) lode_job_cancel(fresh); /* it was meant for either */
    lode_job_free(*job);
    *job = fresh;
    start_progress(args, fresh);
    return LODE_OK;
}

void cli_job_free(lode_job *job) {
    cli_progress_end();
    interrupted_job = NULL;
    if (is_waking) pthread_join(waking, NULL);
    is_waking = false;
    lode_job_free(job);
}
