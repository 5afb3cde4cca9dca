/* worker_sandbox.c - gives up rights before the worker reads anything
 *
 * A worker reads files of strangers. If such a file takes control of it, it must not be able to
 * start other programs. So the worker gives up this right for good, by a filter that refuses two
 * system calls. (`lode serve` takes away other rights before it starts a worker.) LODE_FILTER=off
 * turns the filter off.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker.h"

#if defined(__x86_64__)
#define SANDBOX_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SANDBOX_MACHINE AUDIT_ARCH_AARCH64
#endif

/* A call by the numbers of another machine, as 32-bit programs make it, is refused. */
void worker_give_up_execution(void) {
    struct sock_filter instructions[] = {
#ifdef SANDBOX_MACHINE
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SANDBOX_MACHINE, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 3, 0), /* x32 */
#else
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_execve, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_execveat, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog filter = {sizeof instructions / sizeof *instructions, instructions};
    const char *said = getenv("LODE_FILTER");
    if (said && strcmp(said, "off") == 0) return;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
    (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter); /* not every kernel has filters */
}
