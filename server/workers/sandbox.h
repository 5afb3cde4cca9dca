/* sandbox.h - starts child processes with as few rights as possible
 *
 * Workers and the programs of LODE_PEERS read files of visitors. Such a child has only three file
 * descriptors, no core files and a lower priority, and cannot gain privileges. The child ends when
 * the server ends, even if the server is killed by kill -9, and the kernel kills the child first if
 * memory runs out. If the kernel has Landlock, the child can open only system files and the files
 * that it is given. A system call filter (seccomp) refuses what no miner needs: networks, other
 * processes, mounts, keys, kernel modules. `lode worker` itself then gives up the right to execute
 * other programs. On a machine with an NVIDIA GPU, the child may also write the names of its own
 * threads in /proc, without which the driver does not start.
 *
 * The filter lists what is refused, not what is allowed: GPU drivers use other system calls in each
 * version, so a list of allowed calls would break installed workers. The filter is written in plain
 * BPF, which needs no library.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_SANDBOX_H
#define LODE_SERVER_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SANDBOX_FOLDERS 3

typedef struct sandbox {
    const char *reads[SANDBOX_FOLDERS];  /* files and folders that it may read; NULL: none */
    const char *writes[SANDBOX_FOLDERS]; /* folders that it may write to */
    const char *temporary;               /* its TMPDIR */
    int nice;              /* added to the priority of the server; higher is less urgent */
    uint64_t file_bytes;   /* the largest file that it may write; 0: no limit */
    uint64_t memory_bytes; /* address space; 0: no limit, as CUDA reserves terabytes of it */
    unsigned cpu_seconds;  /* 0: no limit */
    unsigned files;        /* maximum number of open files */
    bool filter;           /* refuse system calls that no miner needs */
} sandbox;

/* Starts the program with these arguments. fds become its standard input, output and error. Returns
 * its process id, or -1 with errno. If the program cannot be executed, the child exits with
 * SANDBOX_NO_PROGRAM. */
#define SANDBOX_NO_PROGRAM 127
pid_t sandbox_start(const char *program, char *const *words, const int fds[3], const sandbox *box);

/* Whether children get the filter and file rules (not with LODE_FILTER=off). */
bool sandbox_has_filter(void);
/* Whether the machine has an NVIDIA GPU, whose driver a child may need. */
bool sandbox_sees_gpu(void);
/* In the child, before the program is executed: installs the filter. False: this kernel has no
 * filters. */
bool sandbox_filter(void);

#endif
