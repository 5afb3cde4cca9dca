/* worker_process.c - how a process that answers requests starts and ends
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker.h"
#include "worker_output.h"

#define OUTPUT_MOST  (64u << 20) /* bytes of answers that may wait before no more is read */
#define END_SECONDS  0.3         /* for jobs to hear that they are cancelled, … */
#define LAST_SECONDS 0.1         /* … and for the last answers to be read */

/* A job that does not hear it in time, such as one that starts a GPU, ends with the process. */
void worker_quit(worker_call *call) {
    bool idle = worker_lanes_end(END_SECONDS);
    if (call) worker_output_add(call->request.id, "done", "{}", 2);
    worker_output_drain(0, LAST_SECONDS);
    lode_outputs_discard();
    if (call) worker_call_free(call);
    if (idle && !worker_is_waking()) exit(CLI_DONE);
    _exit(CLI_DONE);
}

static void worker_on_signal(int signal_number) {
    lode_outputs_discard();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void worker_die(int code) {
    worker_lanes_end(END_SECONDS);
    lode_outputs_discard();
    _exit(code);
}

/* Nobody reads the answers any more. */
static void worker_unheard(void) {
    worker_die(CLI_DONE);
}

void *worker_need(size_t bytes) {
    void *memory = calloc(1, bytes);
    if (memory) return memory;
    cli_error("%s", lode_status_text(LODE_NOMEM));
    lode_outputs_discard();
    _exit(CLI_FAILED);
}

/* Answers go to a copy of standard output, which then means standard error: nothing else that
 * prints can get among them. */
static int worker_take_output(void) {
    int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    return fd >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 ? fd : -1;
}

void worker_wait_for_reader(void) {
    while (!worker_output_drain(OUTPUT_MOST, 3600)) continue;
}

bool worker_start(const char *command, worker_encode_fn encode) {
    worker_give_up_execution();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, worker_on_signal);
    signal(SIGTERM, worker_on_signal);
    signal(SIGHUP, worker_on_signal);
    int fd = worker_take_output();
    if (fd >= 0 && worker_output_start(fd, encode, worker_unheard) && worker_lanes_start()) {
        return true;
    }
    cli_error("%s: cannot start: %s", command, strerror(errno));
    return false;
}
