/* doctor.h - asks a question whose answer may never come, or may end the process that asks
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_DOCTOR_H
#define LODE_CLI_DOCTOR_H

#include "cli.h"

/* How a question was answered. */
typedef struct doctor_answer {
    char said[512]; /* the beginning of what was printed */
    char how[128];  /* "" or how the question failed, such as "crashed (Segmentation fault)" */
} doctor_answer;

/* Runs a function in a child process, which is killed after `seconds`. The return value of the
 * function is the exit status of the child. False: the child has not exited with status 0. For
 * processes that have started no thread. */
bool doctor_ask(int (*question)(void *user), void *user, double seconds, doctor_answer *answer);

#endif
