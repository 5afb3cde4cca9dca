/* sandbox.h - starts programs that get what they need and nothing else
 *
 * Workers and the programs of LODE_PEERS read files of visitors. Such a child has no descriptors
 * but three, no core files, a lower priority, can never gain privileges, ends with the server
 * whatever ends that (also kill -9), and is what a system short of memory ends first. Where the
 * kernel has Landlock, it opens only files of the system and those that it is given. A filter of
 * system calls refuses what no miner needs: networks, other processes, mounts, keys, modules of the
 * kernel. `lode worker` itself then gives up the right to execute other programs. On a machine with
 * a GPU of NVIDIA there is the filter of calls only: its driver does not start under the rest.
 *
 * The filter is a list of what is refused, not of what is allowed: what the driver of a GPU calls
 * changes from version to version, and a list of allowed calls would break workers in the field. It
 * is installed by plain BPF, which needs no library.
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
    unsigned files;        /* open at the same time */
    bool filter;           /* refuse system calls that no miner needs */
} sandbox;

/* Starts the program with these words. fds become its standard input, output and errors. Returns
 * its process id, or -1 with errno. A program that cannot be executed exits with
 * SANDBOX_NO_PROGRAM. */
#define SANDBOX_NO_PROGRAM 127
pid_t sandbox_start(const char *program, char *const *words, const int fds[3], const sandbox *box);

/* Whether children have the filter, and rules for files: unless LODE_FILTER=off. */
bool sandbox_has_filter(void);
/* Whether the machine has a GPU of NVIDIA, whose driver a child may need. */
bool sandbox_sees_gpu(void);
/* The version of Landlock by which files are refused; 0: this kernel has none, or it is off. */
unsigned sandbox_landlock(void);
/* The rules for files of a child, as a descriptor; -1: there are none. */
int sandbox_files(const char *program, const sandbox *box);
/* In the child: from now on, files are refused by these rules; none, if it is -1. Returns a
 * descriptor that the program must keep open, or -1. */
int sandbox_restrict_files(int rules);
/* In the child, before the program is executed. False: this kernel has no filters. */
bool sandbox_filter(void);

#endif
