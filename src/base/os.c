/* os.c - see os.h. Only this file and host.c depend on Linux.
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define OS_MOST_LINKS 40 /* nested links; the same limit as in Linux */

static void *os_map(size_t bytes, int flags) {
    void *pages =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

void *os_pages_alloc(size_t bytes) {
    return os_map(bytes, 0);
}

static void *os_pages_copy(void *pages, size_t old_bytes, size_t new_bytes) {
    void *moved = os_pages_alloc(new_bytes);
    if (!moved) return NULL;
    memcpy(moved, pages, old_bytes < new_bytes ? old_bytes : new_bytes);
    munmap(pages, old_bytes);
    return moved;
}

#if defined(__SANITIZE_THREAD__)
/* ThreadSanitizer does not know mremap(): it would report races with what was there before. */
void *os_pages_resize(void *pages, size_t old_bytes, size_t new_bytes) {
    return os_pages_copy(pages, old_bytes, new_bytes);
}
#else
/* If madvise() was called for some of the pages, they are several mappings, which mremap() cannot
 * move as one. It then fails with EFAULT, which does not mean that memory ran out. */
void *os_pages_resize(void *pages, size_t old_bytes, size_t new_bytes) {
    void *moved = mremap(pages, old_bytes, new_bytes, MREMAP_MAYMOVE);
    if (moved != MAP_FAILED) return moved;
    return errno == EFAULT ? os_pages_copy(pages, old_bytes, new_bytes) : NULL;
}
#endif

void os_pages_free(void *pages, size_t bytes) {
    munmap(pages, bytes);
}

void *os_space_reserve(size_t bytes) {
    return os_map(bytes, MAP_NORESERVE);
}

/* madvise() for the whole pages among these bytes; failure does not matter. */
static void os_advise(void *start, size_t bytes, int advice) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = ((uintptr_t)start + page - 1) / page * page;
    uintptr_t to = ((uintptr_t)start + bytes) / page * page;
    int reason = errno;
    if (to > from) madvise((char *)start + (from - (uintptr_t)start), to - from, advice);
    errno = reason;
}

/* Includes the partial pages at both ends, so that a block of whole pages stays a single mapping,
 * which mremap() can move. */
void os_pages_prefer_huge(void *pages, size_t bytes) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    size_t before = (uintptr_t)pages % page;
    os_advise((char *)pages - before, (before + bytes + page - 1) / page * page, MADV_HUGEPAGE);
}

void os_pages_populate(void *start, size_t bytes) {
#if defined(MADV_POPULATE_WRITE)
    os_advise(start, bytes, MADV_POPULATE_WRITE);
#else
    (void)start;
    (void)bytes;
#endif
}

const void *os_map_file(int fd, size_t bytes) {
    void *start = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    if (start == MAP_FAILED) return NULL;
    int reason = errno;
    madvise(start, bytes, MADV_RANDOM); /* a hint: failure does not matter */
    errno = reason;
    return start;
}

void os_map_read_ahead(const void *start, size_t bytes) {
    int reason = errno;
    madvise((void *)(uintptr_t)start, bytes, MADV_NORMAL);
    errno = reason;
}

void os_map_free(const void *start, size_t bytes) {
    munmap((void *)(uintptr_t)start, bytes);
}

size_t os_page_bytes(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

bool os_map_zeros(uintptr_t start, size_t bytes) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
#if defined(__SANITIZE_THREAD__) /* which takes mmap() for a write, that races with readers */
    return syscall(SYS_mmap, start, bytes, PROT_READ, flags, -1, 0) == (long)start;
#else
    return mmap((void *)start, bytes, PROT_READ, flags, -1, 0) == (void *)start;
#endif
}

uint64_t os_memory_resident_peak(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

static double os_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double os_seconds(void) {
    return os_clock(CLOCK_MONOTONIC);
}

double os_thread_seconds(void) {
    return os_clock(CLOCK_THREAD_CPUTIME_ID);
}

int os_open_read(const char *path) {
    if (strcmp(path, "-") == 0) return dup(STDIN_FILENO);
    return open(path, O_RDONLY | O_CLOEXEC);
}

bool os_file_size(int fd, uint64_t *bytes) {
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    *bytes = (uint64_t)info.st_size;
    return true;
}

bool os_file_stamp(int fd, os_stamp *out) {
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    *out = (os_stamp){(uint64_t)info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
    return true;
}

bool os_is_directory(int fd) {
    struct stat info;
    return fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
}

bool os_is_terminal(int fd) {
    int reason = errno;
    bool terminal = isatty(fd) == 1;
    errno = reason;
    return terminal;
}

bool os_disk_free(int fd, uint64_t *bytes) {
    struct statvfs disk;
    int reason = errno;
    bool known = fstatvfs(fd, &disk) == 0;
    errno = reason;
    if (known) *bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    return known;
}

int64_t os_seek(int fd, uint64_t offset) {
    return (int64_t)lseek(fd, (off_t)offset, SEEK_SET);
}

int64_t os_read(int fd, void *buffer, size_t bytes) {
    return (int64_t)read(fd, buffer, bytes);
}

bool os_wait_input(int fd, unsigned milliseconds) {
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    int ready = poll(&waiting, 1, (int)milliseconds);
    return ready > 0 || (ready < 0 && errno != EINTR); /* read() will report the error */
}

static os_take_fn os_take;
static void *os_take_user;

void os_limit_writes(os_take_fn take, void *user) {
    os_take_user = user;
    os_take = take;
}

static bool os_may_write(uint64_t bytes) {
    if (!os_take || os_take(os_take_user, bytes)) return true;
    errno = EDQUOT;
    return false;
}

bool os_write(int fd, const void *buffer, size_t bytes) {
    const char *at = (const char *)buffer;
    if (!os_may_write(bytes)) return false;
    while (bytes > 0) {
        ssize_t put = write(fd, at, bytes);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        at += put;
        bytes -= (size_t)put;
    }
    return true;
}

int os_open_exclusive(const char *path, unsigned mode) {
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)mode);
}

int os_open_plain(const char *path, bool writes) {
    struct stat info;
    /* The call must not block on a file that is not regular, such as a pipe. */
    int fd = open(path, (writes ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || (fstat(fd, &info) == 0 && S_ISREG(info.st_mode))) return fd;
    close(fd);
    errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
    return -1;
}

/* If the file system has no locks, nothing can be detected. */
bool os_lock(int fd) {
    return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

bool os_cut(int fd, uint64_t bytes) {
    return ftruncate(fd, (off_t)bytes) == 0;
}

/* Makes a file in a folder and removes its name at once. */
static int os_open_nameless(const char *folder, size_t n) {
    char name[OS_PATH_BYTES];
    if (n + sizeof "/.lode-XXXXXX" > sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(name, folder, n);
    memcpy(name + n, "/.lode-XXXXXX", sizeof "/.lode-XXXXXX");
    int fd = mkstemp(name);
    if (fd < 0) return -1;
    unlink(name);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return fd;
}

/* The same, in the folder that the first n characters of a path are; notes which it was. */
static int os_open_scratch_at(const char *path, size_t n, char folder[OS_PATH_BYTES]) {
    snprintf(folder, OS_PATH_BYTES, "%.*s", (int)(n < OS_PATH_BYTES ? n : OS_PATH_BYTES - 1), path);
    return os_open_nameless(path, n);
}

int os_open_scratch(const char *near, char folder[OS_PATH_BYTES]) {
    const char *slash = near ? strrchr(near, '/') : NULL, *wish = getenv("TMPDIR");
    int fd = -1;
    if (wish && *wish) return os_open_scratch_at(wish, strlen(wish), folder);
    if (near && !slash) fd = os_open_scratch_at(".", 1, folder);
    if (slash) fd = os_open_scratch_at(near, slash == near ? 1 : (size_t)(slash - near), folder);
    return fd < 0 ? os_open_scratch_at("/tmp", 4, folder) : fd;
}

/* A file that never has a name, where the file system knows such files. */
int os_open_scratch_in(const char *folder) {
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return fd;
    return os_open_nameless(folder, strlen(folder));
}

size_t os_files_left(size_t most) {
    struct rlimit limit;
    size_t left = 0;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return most;
    for (rlim_t fd = 0; fd < limit.rlim_cur && left < most; fd++) {
        left += fcntl((int)fd, F_GETFD) < 0;
    }
    return left;
}

bool os_read_at(int fd, void *buffer, size_t bytes, uint64_t offset) {
    char *at = buffer;
    while (bytes > 0) {
        ssize_t got = pread(fd, at, bytes, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) errno = ENODATA; /* or a message would say "Success" */
        if (got <= 0) return false;
        at += got;
        offset += (uint64_t)got;
        bytes -= (size_t)got;
    }
    return true;
}

bool os_write_at(int fd, const void *buffer, size_t bytes, uint64_t offset) {
    const char *at = buffer;
    if (!os_may_write(bytes)) return false;
    while (bytes > 0) {
        ssize_t put = pwrite(fd, at, bytes, (off_t)offset);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        at += put;
        offset += (uint64_t)put;
        bytes -= (size_t)put;
    }
    return true;
}

void os_set_mode(int fd, unsigned mode) {
    int reason = errno;
    bool set = fchmod(fd, (mode_t)mode) == 0;
    (void)set; /* on failure the file keeps the permissions of new files */
    errno = reason;
}

bool os_sync(int fd) {
    return fsync(fd) == 0;
}

/* Failure is ignored: some file systems cannot do it, and the file itself is on disk. */
void os_sync_folder(const char *path) {
    char folder[OS_PATH_BYTES];
    const char *slash = strrchr(path, '/');
    size_t n = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    if (n >= sizeof folder) return;
    memcpy(folder, path, n);
    folder[n] = 0;
    int reason = errno, fd = open(n ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    errno = reason;
}

bool os_close(int fd) {
    return close(fd) == 0;
}

bool os_rename(const char *from, const char *to) {
    return rename(from, to) == 0;
}

/* Some file systems cannot do it in one step; some of those know no hard links, either. */
bool os_rename_new(const char *from, const char *to) {
    struct stat info;
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return true;
    if (errno != EINVAL && errno != ENOSYS) return false;
    if (link(from, to) == 0) return unlink(from) == 0;
    if (errno == EEXIST || errno == ENAMETOOLONG) return false;
    if (lstat(to, &info) != 0) return errno == ENOENT && rename(from, to) == 0;
    errno = EEXIST;
    return false;
}

bool os_is_same(const char *path, int fd) {
    struct stat named, open;
    bool there = lstat(path, &named) == 0;
    if ((!there && errno != ENOENT) || fstat(fd, &open) != 0) return false;
    if (there && named.st_dev == open.st_dev && named.st_ino == open.st_ino) return true;
    errno = ESTALE;
    return false;
}

void os_pause(unsigned microseconds) {
    struct timespec pause = {.tv_sec = microseconds / 1000000,
                             .tv_nsec = (long)(microseconds % 1000000) * 1000};
    nanosleep(&pause, NULL);
}

bool os_make_folder(const char *path) {
    struct stat info;
    if (mkdir(path, 0777) == 0) return true;
    if (errno != EEXIST || stat(path, &info) != 0) return false;
    if (!S_ISDIR(info.st_mode)) errno = ENOTDIR;
    return S_ISDIR(info.st_mode);
}

void os_remove(const char *path) {
    unlink(path);
}

bool os_is_special(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/* Returns the descriptor that a path such as /dev/stdout stands for; -1 if it stands for none. */
static int os_descriptor_of(const char *path) {
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t n = strlen(folders[i]), digits = 0;
        if (strncmp(path, folders[i], n) == 0) digits = strspn(path + n, "0123456789");
        if (digits > 0 && digits < 9 && !path[n + digits]) return (int)strtol(path + n, NULL, 10);
    }
    return -1;
}

/* Replaces a path by the target of its symbolic links, whether or not that exists. */
static bool os_follow(char path[OS_PATH_BYTES]) {
    char text[OS_PATH_BYTES];
    for (unsigned i = 0; i < OS_MOST_LINKS; i++) {
        if (os_descriptor_of(path) >= 0) return true; /* not the file that it is open for */
        ssize_t n = readlink(path, text, sizeof text - 1);
        if (n < 0) return errno == EINVAL || errno == ENOENT; /* no link, or nothing */
        const char *slash = text[0] == '/' ? NULL : strrchr(path, '/');
        size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
        if (folder + (size_t)n >= OS_PATH_BYTES) {
            errno = ENAMETOOLONG;
            return false;
        }
        memcpy(path + folder, text, (size_t)n);
        path[folder + (size_t)n] = 0;
    }
    errno = ELOOP;
    return false;
}

bool os_find_place(const char *path, bool follow, os_place *out) {
    struct stat info = {0};
    size_t n = strlen(path);
    *out = (os_place){.mode = OS_NEW_MODE};
    errno = n == 0 ? ENOENT : ENAMETOOLONG;
    if (n == 0 || n >= sizeof out->path) return false;
    memcpy(out->path, path, n + 1);
    /* Whether links may be followed is asked of the system, before they are read here. */
    bool exists = (follow ? stat(path, &info) : lstat(path, &info)) == 0;
    if (!exists && errno != ENOENT) return false;
    bool special = exists && !S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode);
    if (special && (S_ISDIR(info.st_mode) || !follow)) {
        errno = S_ISDIR(info.st_mode) ? EISDIR : EEXIST;
        return false;
    }
    if (follow && !special && !os_follow(out->path)) return false;
    out->in_place = special || (follow && os_descriptor_of(out->path) >= 0);
    out->replaces = exists && S_ISREG(info.st_mode);
    if (out->replaces) out->mode = info.st_mode & 0777;
    return true;
}

int os_open_in_place(const char *path) {
    int number = os_descriptor_of(path);
    return number >= 0 ? fcntl(number, F_DUPFD_CLOEXEC, 0) : open(path, O_WRONLY | O_CLOEXEC);
}

unsigned os_process_id(void) {
    return (unsigned)getpid();
}

/* Never waits: soon after the machine was started, there may be no random bytes yet. */
bool os_random(void *bytes, size_t n) {
    int reason = errno;
    bool filled = getrandom(bytes, n, GRND_NONBLOCK) == (ssize_t)n;
    errno = reason;
    return filled;
}

bool os_has_gpu_driver(void) {
    static const char *const paths[] = {"/dev/nvidiactl", "/dev/nvidia0", "/dev/nvhost-ctrl",
                                        "/dev/nvmap", "/dev/dxg"}; /* also Tegra, and Windows */
    int reason = errno;
    bool found = false;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        found = found || access(paths[i], F_OK) == 0;
    }
    errno = reason;
    return found;
}

/* ---- condition variables whose waits end by the steady clock --------------------------------- */

void cond_init(pthread_cond_t *cond) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attributes);
    pthread_condattr_destroy(&attributes);
}

void cond_wait_for(pthread_cond_t *cond, pthread_mutex_t *lock, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    time_t whole = (time_t)seconds;
    until.tv_sec += whole;
    until.tv_nsec += (long)((seconds - (double)whole) * 1e9);
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(cond, lock, &until);
}
