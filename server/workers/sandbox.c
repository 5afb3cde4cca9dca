/* sandbox.c - see sandbox.h
 *
 * Between fork and exec, the child of a process with many threads may only make system calls. So
 * everything that needs memory is prepared before fork.
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

#include "file_rules.h"

extern char **environ;

/* A child reads the system (programs, libraries, devices) and what it is given by name; it writes
 * to the folders that it is given. Everything else, such as other visitors' files and the database,
 * is refused by the kernel. The set of rules is made before the fork, and takes effect in the child
 * before the program is executed. Returns its descriptor; -1: none. */
static int sandbox_files(const char *program, const sandbox *box) {
    int rules = file_rules_create();
    if (rules < 0) return -1;
    bool allowed = file_rules_allow(rules, program, FILES_EXECUTE);
    for (size_t i = 0; i < SANDBOX_FOLDERS; i++) {
        if (box->reads[i]) allowed = allowed && file_rules_allow(rules, box->reads[i], FILES_READ);
        if (box->writes[i]) {
            allowed = allowed && file_rules_allow(rules, box->writes[i], FILES_WRITE);
        }
    }
    if (allowed) return rules;
    close(rules);
    return -1;
}

/* The environment without the token of the server, and with the child's own TMPDIR. Only that
 * entry, the first, is allocated; the others are shared. */
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

/* If memory runs out, the kernel kills the worker first: a worker is restarted, a server is not. */
static void sandbox_offer_to_the_killer(void) {
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    if (write(file, "500", 3) != 3) errno = 0; /* it stays as it is */
    close(file);
}

/* Keeps only the three standard descriptors and, if any, the held one as number 3. First moves them
 * to higher numbers, because one of them may be in the way. */
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

/* The child. It has its own process group, so that Ctrl-C in the terminal only reaches the
 * server. */
static void sandbox_become(const sandbox_program *p, const sandbox *box) {
    setpgid(0, 0);
    umask(077);
    /* Resets signal handlers, as for any program. SIGXFSZ is ignored, so that a file that grows too
     * large is a write error with a message, and does not kill the child. */
    sigset_t none;
    for (int i = 1; i < NSIG; i++) signal(i, SIG_DFL);
    signal(SIGXFSZ, SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    sandbox_offer_to_the_killer();
    int before = getpriority(PRIO_PROCESS, 0);
    setpriority(PRIO_PROCESS, 0, before + box->nice);
    bool bound = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    int held = bound ? file_rules_apply(p->rules) : -1;
    if (!sandbox_descriptors(p->fds, held)) _exit(SANDBOX_NO_PROGRAM);
    sandbox_limit(RLIMIT_CORE, 0);
    sandbox_limit(RLIMIT_NOFILE, box->files);
    if (box->file_bytes > 0) sandbox_limit(RLIMIT_FSIZE, box->file_bytes);
    if (box->memory_bytes > 0) sandbox_limit(RLIMIT_AS, box->memory_bytes);
    if (box->cpu_seconds > 0) sandbox_limit(RLIMIT_CPU, box->cpu_seconds);
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
        environ = theirs; /* only in the child */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(SANDBOX_NO_PROGRAM); /* the server has already ended */
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
