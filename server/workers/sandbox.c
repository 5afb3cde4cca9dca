/* sandbox.c - see sandbox.h
 *
 * Between fork and exec the child may only do what is safe in a process of many threads: system
 * calls. So everything that needs memory is made before.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "workers/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

/* The environment without what belongs to the server alone, its token, and with a TMPDIR of the
 * child's own. Entries are shared but for that one, which is the first. */
static char **sandbox_environment(const char *temporary) {
    size_t n = 0, kept = 0;
    while (environ[n]) n++;
    char **copy = calloc(n + 2, sizeof *copy);
    if (copy && temporary && asprintf(&copy[kept++], "TMPDIR=%s", temporary) < 0) {
        free(copy);
        return NULL;
    }
    for (size_t i = 0; copy && i < n; i++) {
        if (strncmp(environ[i], "LODE_TOKEN=", 11) == 0) continue;
        if (temporary && strncmp(environ[i], "TMPDIR=", 7) == 0) continue;
        copy[kept++] = environ[i];
    }
    return copy;
}

static void sandbox_limit(int what, uint64_t most) {
    struct rlimit limit = {most, most}, now;
    if (getrlimit((__rlimit_resource_t)what, &now) == 0 && now.rlim_max < most) {
        limit.rlim_cur = limit.rlim_max = now.rlim_max;
    }
    setrlimit((__rlimit_resource_t)what, &limit);
}

static void sandbox_limits(const sandbox *box) {
    sandbox_limit(RLIMIT_CORE, 0);
    sandbox_limit(RLIMIT_NOFILE, box->files);
    if (box->file_bytes > 0) sandbox_limit(RLIMIT_FSIZE, box->file_bytes);
    if (box->memory_bytes > 0) sandbox_limit(RLIMIT_AS, box->memory_bytes);
    if (box->cpu_seconds > 0) sandbox_limit(RLIMIT_CPU, box->cpu_seconds);
}

/* The server has handlers and ignores some signals; the child begins as any program does. A file
 * that grows too large is an error of the write, with a sentence, and not the end. */
static void sandbox_signals(void) {
    sigset_t none;
    for (int i = 1; i < NSIG; i++) signal(i, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* First to be ended where memory runs out: a worker is started again, a server is not. */
static void sandbox_offer_to_the_killer(void) {
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    if (write(file, "500", 3) != 3) errno = 0; /* it stays as it is */
    close(file);
}

/* Only the three standard descriptors remain, and the one that is held, if any, as number 3. They
 * are moved out of the way first: one of them may have a number below that. */
static bool sandbox_descriptors(const int fds[3], int held) {
    const int kept[4] = {fds[0], fds[1], fds[2], held};
    int high[4], n = held >= 0 ? 4 : 3;
    for (int i = 0; i < n; i++) {
        high[i] = fcntl(kept[i], F_DUPFD, 10);
        if (high[i] < 0) return false;
    }
    for (int i = 0; i < n; i++) {
        if (dup2(high[i], i) < 0) return false;
    }
    if (close_range((unsigned)n, ~0U, 0) == 0) return true;
    long most = sysconf(_SC_OPEN_MAX);
    for (int i = n; i < (most > 0 && most < 65536 ? most : 65536); i++) close(i);
    return true;
}

/* What the child becomes. */
typedef struct sandbox_program {
    const char *path;
    char *const *words;
    const int *fds;
    int rules; /* for files */
} sandbox_program;

/* The child. Ctrl-C in the terminal of the server is the server's affair: it has its own group. */
static void sandbox_become(const sandbox_program *p, const sandbox *box) {
    setpgid(0, 0);
    umask(077);
    sandbox_signals();
    sandbox_offer_to_the_killer();
    int before = getpriority(PRIO_PROCESS, 0);
    setpriority(PRIO_PROCESS, 0, before + box->nice);
    bool bound = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    int held = bound ? sandbox_restrict_files(p->rules) : -1;
    if (!sandbox_descriptors(p->fds, held)) _exit(SANDBOX_NO_PROGRAM);
    sandbox_limits(box);
    if (bound && box->filter) sandbox_filter();
    execve(p->path, p->words, environ);
    _exit(SANDBOX_NO_PROGRAM);
}

pid_t sandbox_start(const char *program, char *const *words, const int fds[3], const sandbox *box) {
    sigset_t all, before;
    char **theirs = sandbox_environment(box->temporary);
    pid_t parent = getpid();
    if (!theirs) return -1;
    const sandbox_program p = {program, words, fds, sandbox_files(program, box)};
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before); /* no handler of the server runs in the child */
    pid_t child = fork();
    if (child == 0) {
        environ = theirs; /* of the child: the parent keeps its own */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(SANDBOX_NO_PROGRAM); /* it ended before it could be said */
        sandbox_become(&p, box);
    }
    int error = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (p.rules >= 0) close(p.rules);
    if (box->temporary) free(theirs[0]);
    free(theirs);
    errno = error;
    return child;
}
