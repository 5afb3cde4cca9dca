/* sandbox_filter.c - the system call filter of workers; see sandbox.h
 *
 * Refused calls fail with EPERM, so that a library that only probes one continues. All sockets are
 * refused except Unix sockets, which the NVIDIA driver uses to pass descriptors.
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
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workers/sandbox.h"

/* A future driver may need a refused call, so administrators can turn the filter off. */
bool sandbox_has_filter(void) {
    const char *said = getenv("LODE_FILTER");
    return !said || strcmp(said, "off") != 0;
}

bool sandbox_sees_gpu(void) {
    return access("/dev/nvidiactl", F_OK) == 0;
}

#if defined(__x86_64__)
#define FILTER_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FILTER_MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef FILTER_MACHINE

/* The leak checker of a sanitizer uses ptrace on its own process. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FILTER_PTRACE __NR_ptrace,
#else
#define FILTER_PTRACE
#endif

static const unsigned refused[] = {
    FILTER_PTRACE
        /* other processes */
        __NR_process_vm_readv,
    __NR_process_vm_writev,
    __NR_kcmp,
    __NR_kill,
    __NR_tkill,
    __NR_rt_sigqueueinfo,
    __NR_rt_tgsigqueueinfo,
    __NR_pidfd_send_signal,
    __NR_pidfd_getfd,
    /* mounts and namespaces */
    __NR_mount,
    __NR_umount2,
    __NR_pivot_root,
    __NR_chroot,
    __NR_setns,
    __NR_unshare,
    __NR_open_by_handle_at,
    __NR_fsopen,
    __NR_fsmount,
    __NR_move_mount,
    __NR_open_tree,
    /* the machine */
    __NR_reboot,
    __NR_swapon,
    __NR_swapoff,
    __NR_acct,
    __NR_quotactl,
    __NR_syslog,
    __NR_sethostname,
    __NR_setdomainname,
    __NR_settimeofday,
    __NR_clock_settime,
    __NR_adjtimex,
    __NR_init_module,
    __NR_finit_module,
    __NR_delete_module,
    __NR_kexec_load,
    __NR_bpf,
    /* large attack surfaces in the kernel that no miner uses */
    __NR_perf_event_open,
    __NR_userfaultfd,
    __NR_io_uring_setup,
    __NR_io_uring_enter,
    __NR_io_uring_register,
    __NR_add_key,
    __NR_request_key,
    __NR_keyctl,
};

enum {
    FILTER_N = sizeof refused / sizeof *refused,
    FILTER_HEAD = 4, /* machine and number */
    FILTER_LENGTH = FILTER_HEAD + FILTER_N + 5
};

#define FILTER_NUMBER offsetof(struct seccomp_data, nr)
#define FILTER_FIRST  offsetof(struct seccomp_data, args[0])
#define FILTER_X32    0x40000000u /* call numbers of the x32 ABI */

/* The last two instructions refuse and allow; jump offsets count from the next instruction. */
static void filter_write(struct sock_filter *at) {
    enum { ALLOW = FILTER_LENGTH - 2, REFUSE = FILTER_LENGTH - 1 };
    const unsigned short load = BPF_LD | BPF_W | BPF_ABS, equal = BPF_JMP | BPF_JEQ | BPF_K;
    size_t n = 0;
#define TO(target) (unsigned char)((target) - (n + 1))
    at[n] = (struct sock_filter){load, 0, 0, offsetof(struct seccomp_data, arch)}, n++;
    at[n] = (struct sock_filter){equal, 0, TO(REFUSE), FILTER_MACHINE}, n++;
    at[n] = (struct sock_filter){load, 0, 0, FILTER_NUMBER}, n++;
    at[n] = (struct sock_filter){BPF_JMP | BPF_JGE | BPF_K, TO(REFUSE), 0, FILTER_X32}, n++;
    for (size_t i = 0; i < FILTER_N; i++, n++) {
        at[n] = (struct sock_filter){equal, TO(REFUSE), 0, refused[i]};
    }
    at[n] = (struct sock_filter){equal, 0, TO(ALLOW), __NR_socket}, n++;
    at[n] = (struct sock_filter){load, 0, 0, FILTER_FIRST}, n++;
    at[n] = (struct sock_filter){equal, 0, TO(REFUSE), AF_UNIX}, n++;
#undef TO
    at[n++] = (struct sock_filter){BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
    at[n++] = (struct sock_filter){BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM};
}

bool sandbox_filter(void) {
    struct sock_filter instructions[FILTER_LENGTH];
    filter_write(instructions);
    struct sock_fprog program = {FILTER_LENGTH, instructions};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#else

bool sandbox_filter(void) {
    return false;
}

#endif
