/* file_rules.h - which files a process can open from now on, by Landlock; for the command and the
 * server
 *
 * The kernel refuses to open whatever no rule allows. Rules are made first, and take effect later,
 * so that a process can make them for its child before the fork.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_FILE_RULES_H
#define LODE_CLI_FILE_RULES_H

#include <stdbool.h>
#include <stdint.h>

typedef enum file_right {
    FILES_READ,
    FILES_EXECUTE, /* and read */
    FILES_WRITE,   /* and read; create and remove files */
    FILES_DEVICES  /* read and write, but create nothing */
} file_right;

/* The Landlock version in use; 0: not in this kernel, or turned off by LODE_FILTER=off. */
unsigned file_rules_version(void);
/* Rules that allow what any program needs: system files, libraries and devices. Returns a
 * descriptor; -1: none. */
int file_rules_create(void);
/* Rules that allow no file at all, for a program that has all its files open. */
int file_rules_create_strict(void);
/* Allows a file, or a folder with all that is in it. A path that is missing needs no rule. False:
 * the kernel did not take it. */
bool file_rules_allow(int rules, const char *path, file_right right);
/* Restricts this process, and all that it starts, for good. Requires PR_SET_NO_NEW_PRIVS. Safe
 * after fork. Returns a descriptor that the process must keep open, or -1. */
int file_rules_apply(int rules);

#endif
