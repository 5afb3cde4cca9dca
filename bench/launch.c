/* launch.c - runs one command and reports what it cost
 *
 * usage: launch RESULT STDOUT STDERR PROGRAM [ARGUMENT...]
 *
 * Writes one line "status wall user system peak" (seconds, and KiB of peak resident memory) to the
 * file RESULT. Why a program of its own: the peak that Linux reports for a child starts from the
 * resident size of the process that became it, even after vfork. Below a Python program every
 * command would seem to need 10 MiB; below this one the floor is about 1 MiB.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds_of(struct timeval t) {
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static void redirect(const char *path, int flags, int to) {
    int fd = open(path, flags, 0666);
    if (fd < 0 || dup2(fd, to) < 0) {
        perror(path);
        _exit(127);
    }
    close(fd);
}

static void become(char **command, const char *out, const char *err) {
    redirect("/dev/null", O_RDONLY, STDIN_FILENO);
    redirect(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect(err, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

int main(int argc, char **argv) {
    if (argc < 5) {
        fprintf(stderr, "usage: launch RESULT STDOUT STDERR PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    double start = seconds_now();
    pid_t child = fork();
    if (child == 0) become(argv + 4, argv[2], argv[3]);

    int status = 0;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
        perror("launch");
        return 1;
    }
    double wall = seconds_now() - start;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);

    FILE *result = fopen(argv[1], "w");
    if (!result) {
        perror(argv[1]);
        return 1;
    }
    fprintf(result, "%d %.6f %.6f %.6f %ld\n", code, wall, seconds_of(usage.ru_utime),
            seconds_of(usage.ru_stime), usage.ru_maxrss);
    return fclose(result) == 0 ? 0 : 1;
}
