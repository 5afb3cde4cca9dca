/* crash.c - the message of the command when it crashes, with the place of its unfinished output
 *
 * The handler only prints a message and lets the signal end the program: exit status and core file
 * are the same as without it. It calls only functions that are safe in a handler. A handler that a
 * sanitizer has installed is not replaced. Only the first thread has a separate stack for the
 * handler: if another thread overflows its stack, the program ends without a message, and the next
 * run names the files that are left (kept_output.c).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* sigaltstack() */
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#define CRASH_STACK_BYTES ((size_t)64 << 10)

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

static const char *_Atomic crash_hint;

static void crash_say(const char *text) {
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

static void crash_say_unfinished(void *user, const char *path) {
    (void)user;
    crash_say("lode: the output so far is in '");
    crash_say(path);
    crash_say("'. ");
    crash_say(cli_unfinished_advice(path));
    crash_say(".\n");
}

static const char *crash_name(int signal_number) {
    switch (signal_number) {
    case SIGSEGV: return "segmentation fault";
    case SIGBUS: return "bus error";
    case SIGFPE: return "arithmetic error";
    case SIGILL: return "illegal instruction";
    default: return "aborted";
    }
}

static void on_crash(int signal_number) {
    static atomic_flag is_said = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&is_said)) pause(); /* another thread says it, and ends all */
    crash_say("lode: crashed (");
    crash_say(crash_name(signal_number));
    crash_say("). This is a bug in lode: please report it with the command and, if you can, the "
              "data.\n");
    lode_outputs_unfinished(crash_say_unfinished, NULL);
    if (crash_hint) crash_say(crash_hint);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void cli_set_crash_hint(const char *text) {
    crash_hint = text;
}

void cli_handle_crashes(void) {
    static char space[CRASH_STACK_BYTES];
    stack_t stack = {.ss_sp = space, .ss_size = sizeof space}, there;
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK}, before;
    if (sigaltstack(NULL, &there) == 0 && there.ss_flags & SS_DISABLE) sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof crash_signals / sizeof *crash_signals; i++) {
        bool free = sigaction(crash_signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL;
        if (free) sigaction(crash_signals[i], &action, NULL);
    }
}
