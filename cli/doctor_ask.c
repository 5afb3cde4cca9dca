/* doctor_ask.c - see doctor.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child has no core file and the usual signals, and prints into the pipe only. */
static void ask_in_child(int (*question)(void *user), void *user, const int ends[2]) {
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    const struct rlimit none = {0, 0};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) signal(crashes[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &none);
    setpgid(0, 0); /* what it starts is killed with it */
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    if (dup2(ends[1], STDOUT_FILENO) < 0 || dup2(ends[1], STDERR_FILENO) < 0) _exit(1);
    close(ends[0]);
    close(ends[1]);
    int code = question(user);
    fflush(stdout);
    _exit(code);
}

/* Reads until the child closes its end; false: it did not in time. */
static bool ask_read(int fd, double seconds, doctor_answer *answer) {
    double until = cli_seconds() + seconds;
    char more[512];
    size_t n = 0;
    for (;;) {
        double left = until - cli_seconds();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = left > 0 ? poll(&p, 1, (int)(left * 1000) + 1) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        ssize_t got = read(fd, more, sizeof more);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return true;
        size_t left_over = sizeof answer->said - 1 - n;
        size_t kept = (size_t)got < left_over ? (size_t)got : left_over;
        memcpy(answer->said + n, more, kept);
        n += kept;
    }
}

static bool ask_judge(int status, bool answered, doctor_answer *answer) {
    char *how = answer->how;
    const size_t room = sizeof answer->how;
    if (!answered) {
        snprintf(how, room, "does not answer");
    } else if (WIFSIGNALED(status)) {
        snprintf(how, room, "crashed (%s)", strsignal(WTERMSIG(status)));
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return true;
    } else {
        snprintf(how, room, "fails with exit status %d", WEXITSTATUS(status));
    }
    return false;
}

bool doctor_ask(int (*question)(void *user), void *user, double seconds, doctor_answer *answer) {
    int ends[2], status = 0;
    *answer = (doctor_answer){0};
    pid_t child = pipe(ends) == 0 ? fork() : -2;
    if (child == 0) ask_in_child(question, user, ends);
    if (child < 0) {
        snprintf(answer->how, sizeof answer->how, "cannot be tried: %s", strerror(errno));
        if (child == -1) {
            close(ends[0]);
            close(ends[1]);
        }
        return false;
    }
    close(ends[1]);
    bool answered = ask_read(ends[0], seconds, answer);
    close(ends[0]);
    if (!answered && kill(-child, SIGKILL) != 0) kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return ask_judge(status, answered, answer);
}
