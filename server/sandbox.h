/* sandbox.h - starts programs that get what they need and nothing else
 *
 * Workers and the programs of LODE_PEERS read files of visitors. Such a child has no descriptors
 * but three, no core files, a lower priority, can never gain privileges, ends with the server
 * whatever ends that (also kill -9), and is what a system short of memory ends first. A filter of
 * system calls refuses what no miner needs: networks, other processes, mounts, keys, modules of the
 * kernel.
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

typedef struct sandbox {
    int nice;              /* added to the priority of the server; higher is humbler */
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

/* Whether children have the filter: unless LODE_FILTER=off. */
bool sandbox_has_filter(void);
/* In the child, before the program is executed. False: this kernel has no filters. */
bool sandbox_filter(void);

#endif
