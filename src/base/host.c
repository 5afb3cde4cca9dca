/* host.c - see host.h
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FILE_BYTES  8192 /* more than any of these files has; of a longer one, its beginning */
#define PATH_BYTES  4096
#define GROUPS      "/sys/fs/cgroup"
#define CONTROLLERS 2 /* names that a controller of version 1 may be mounted under */

/* ---- files ----------------------------------------------------------------------------------- */

/* Reads a file as text; false if there is none. The reason of an earlier failure stays. */
static bool host_read_file(char text[FILE_BYTES], const char *root, const char *folder,
                           const char *name) {
    char path[PATH_BYTES];
    int reason = errno, n = snprintf(path, sizeof path, "%s%s%s", root, folder, name);
    int fd = n > 0 && (size_t)n < sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t got = fd >= 0 ? read(fd, text, FILE_BYTES - 1) : -1;
    if (fd >= 0) close(fd);
    text[got > 0 ? got : 0] = 0;
    errno = reason;
    return got > 0;
}

/* Reads a whole number at the start of a text. Returns UINT64_MAX if there is none (such as "max")
 * or if it is too large to be a limit. */
static uint64_t host_number(const char *text) {
    uint64_t value = 0;
    text += strspn(text, " \t");
    if (*text < '0' || *text > '9') return UINT64_MAX;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (value > UINT64_MAX / 16) return UINT64_MAX;
        value = value * 10 + (uint64_t)(*text - '0');
    }
    return value;
}

/* Returns the number after a name that begins a line, such as "MemTotal:"; UINT64_MAX if it is
 * missing. */
static uint64_t host_field(const char *text, const char *name) {
    size_t n = strlen(name);
    for (const char *line = text; line && *line;) {
        bool found = strncmp(line, name, n) == 0 && (line[n] == ' ' || line[n] == '\t');
        if (found) return host_number(line + n);
        line = strchr(line, '\n');
        if (line) line++;
    }
    return UINT64_MAX;
}

static uint64_t host_file_number(const char *root, const char *folder, const char *name) {
    char text[FILE_BYTES];
    return host_read_file(text, root, folder, name) ? host_number(text) : UINT64_MAX;
}

/* ---- control groups -------------------------------------------------------------------------- */

/* Whether a list such as "cpu,cpuacct" has a name. */
static bool host_list_has(const char *list, const char *end, const char *name) {
    size_t n = strlen(name);
    for (const char *at = list; at < end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end;
        if ((size_t)(stop - at) == n && memcmp(at, name, n) == 0) return true;
        at = stop + 1;
    }
    return false;
}

/* Reads the cgroups of this process, one a line: "4:memory:/some/group", or "0::/some/group" for
 * version 2. The text is empty if there are none. */
static void host_read_groups(char text[FILE_BYTES], const char *root) {
    host_read_file(text, root, "/proc/self", "/cgroup");
}

/* Finds the cgroup of this process for a controller ("" stands for cgroup version 2). Returns false
 * if it has none. */
static bool host_find_group(const char *text, const char *controller, char group[PATH_BYTES]) {
    for (const char *line = text; *line;) {
        const char *end = line + strcspn(line, "\n"),
                   *list = memchr(line, ':', (size_t)(end - line));
        const char *path = list ? memchr(list + 1, ':', (size_t)(end - list - 1)) : NULL;
        bool unified = path && path == list + 1 && strncmp(line, "0:", 2) == 0;
        bool found = *controller ? path && host_list_has(list + 1, path, controller) : unified;
        if (found && end - path - 1 < PATH_BYTES) {
            snprintf(group, PATH_BYTES, "%.*s", (int)(end - path - 1), path + 1);
            /* The group lies outside of what this process can see. */
            if (strstr(group, "/..")) group[0] = 0;
            return true;
        }
        line = *end ? end + 1 : end;
    }
    return false;
}

typedef void host_look(void *found, const char *root, const char *folder);

/* Calls `look` for a group and for each of its parents, up to the mount point. Inside a container
 * the mount may show only the container's own group, so some of these folders may not exist. */
static void host_visit_groups(const char *root, const char *mount, const char *group,
                              host_look *look, void *found) {
    char folder[PATH_BYTES + sizeof GROUPS + 16];
    size_t base = strlen(mount);
    snprintf(folder, sizeof folder, "%s%s", mount, group);
    for (size_t n = strlen(folder); n >= base; n--) {
        if (folder[n] && folder[n] != '/') continue;
        folder[n] = 0;
        if (n == base || folder[n - 1] != '/') look(found, root, folder);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Notes a bound of `limit` bytes, of which `used` are taken. */
static void memory_bound(host_memory *m, uint64_t limit, uint64_t used, host_bound bound) {
    uint64_t left = limit > used ? limit - used : 0;
    if (limit < m->total) m->total = limit;
    if (left >= m->available) return;
    m->available = left;
    m->bound = bound;
}

static void memory_of_machine(host_memory *m, const char *root) {
    char text[FILE_BYTES];
    host_read_file(text, root, "/proc", "/meminfo");
    uint64_t unit = 1024, total = host_field(text, "MemTotal:");
    uint64_t available = host_field(text, "MemAvailable:");
    if (available > total || total > UINT64_MAX / unit) { /* no such file, or no such numbers */
        unit = (uint64_t)sysconf(_SC_PAGESIZE);
        total = (uint64_t)sysconf(_SC_PHYS_PAGES);
        available = (uint64_t)sysconf(_SC_AVPHYS_PAGES);
        if (available > total || total > UINT64_MAX / unit) return;
    }
    memory_bound(m, total * unit, (total - available) * unit, HOST_ITSELF);
}

/* Bytes of files that the system keeps in memory for the group, and drops when it needs room. */
static uint64_t memory_of_files(const char *root, const char *folder, const char *inactive,
                                const char *active) {
    char text[FILE_BYTES];
    uint64_t sum = 0;
    if (!host_read_file(text, root, folder, "/memory.stat")) return 0;
    uint64_t parts[] = {host_field(text, inactive), host_field(text, active)};
    for (size_t i = 0; i < 2; i++) sum += parts[i] < UINT64_MAX ? parts[i] : 0;
    return sum;
}

static void memory_of_group(host_memory *m, uint64_t limit, uint64_t used, uint64_t files) {
    if (limit == UINT64_MAX) return;
    if (used == UINT64_MAX) used = 0;
    memory_bound(m, limit, used > files ? used - files : 0, HOST_CONTAINER);
}

static void memory_look_2(void *found, const char *root, const char *folder) {
    uint64_t most = host_file_number(root, folder, "/memory.max");
    uint64_t high = host_file_number(root, folder, "/memory.high");
    if (high < most) most = high;
    if (most == UINT64_MAX) return;
    memory_of_group(found, most, host_file_number(root, folder, "/memory.current"),
                    memory_of_files(root, folder, "inactive_file", "active_file"));
}

static void memory_look_1(void *found, const char *root, const char *folder) {
    const host_memory *m = found;
    uint64_t most = host_file_number(root, folder, "/memory.limit_in_bytes");
    if (most >= m->total) return; /* "no limit" is a number there, larger than any memory */
    memory_of_group(found, most, host_file_number(root, folder, "/memory.usage_in_bytes"),
                    memory_of_files(root, folder, "total_inactive_file", "total_active_file"));
}

/* Bytes that a limit of the process leaves, by a figure of /proc/self/statm, in pages. */
static void memory_of_ulimit(host_memory *m, int resource, int figure) {
    char text[FILE_BYTES];
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
    if (!host_read_file(text, "", "/proc/self", "/statm")) return;
    const char *at = text;
    for (int i = 0; i < figure; i++) at += strcspn(at, " ") + 1; /* there are seven */
    uint64_t pages = host_number(at), page = (uint64_t)sysconf(_SC_PAGESIZE);
    memory_bound(m, limit.rlim_cur, pages < UINT64_MAX / page ? pages * page : 0, HOST_ULIMIT);
}

host_memory host_read_memory(const char *root) {
    host_memory m = {UINT64_MAX, UINT64_MAX, HOST_ITSELF};
    char groups[FILE_BYTES], group[PATH_BYTES];
    memory_of_machine(&m, root);
    host_read_groups(groups, root);
    if (host_find_group(groups, "", group)) {
        host_visit_groups(root, GROUPS, group, memory_look_2, &m);
    }
    if (host_find_group(groups, "memory", group)) {
        host_visit_groups(root, GROUPS "/memory", group, memory_look_1, &m);
    }
    memory_of_ulimit(&m, RLIMIT_AS, 0);
    memory_of_ulimit(&m, RLIMIT_DATA, 5);
    return m;
}

uint64_t host_address_space(void) {
    host_memory m = {UINT64_MAX, UINT64_MAX, HOST_ITSELF};
    memory_of_ulimit(&m, RLIMIT_AS, 0);
    return m.available;
}

/* ---- processors ------------------------------------------------------------------------------ */

/* Applies a CPU quota: `quota` microseconds in each `period`. */
static void quota_bound(unsigned *cpus, uint64_t quota, uint64_t period) {
    if (quota == UINT64_MAX || period == UINT64_MAX || period == 0) return;
    uint64_t n = quota / period + (quota % period > 0);
    if (n == 0) n = 1;
    if (n < UINT_MAX && (*cpus == 0 || n < *cpus)) *cpus = (unsigned)n;
}

/* "max 100000", or "150000 100000" for one and a half processors. */
static void quota_look_2(void *found, const char *root, const char *folder) {
    char text[FILE_BYTES];
    if (!host_read_file(text, root, folder, "/cpu.max")) return;
    const char *period = strchr(text, ' ');
    if (period) quota_bound(found, host_number(text), host_number(period));
}

static void quota_look_1(void *found, const char *root, const char *folder) {
    quota_bound(found, host_file_number(root, folder, "/cpu.cfs_quota_us"),
                host_file_number(root, folder, "/cpu.cfs_period_us"));
}

unsigned host_read_quota(const char *root) {
    static const char *const mounts[CONTROLLERS] = {GROUPS "/cpu", GROUPS "/cpu,cpuacct"};
    char groups[FILE_BYTES], group[PATH_BYTES];
    unsigned cpus = 0;
    host_read_groups(groups, root);
    if (host_find_group(groups, "", group)) {
        host_visit_groups(root, GROUPS, group, quota_look_2, &cpus);
    }
    for (int i = 0; i < CONTROLLERS && host_find_group(groups, "cpu", group); i++) {
        host_visit_groups(root, mounts[i], group, quota_look_1, &cpus);
    }
    return cpus;
}

static unsigned host_affinity(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
        return (unsigned)CPU_COUNT(&set);
    }
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

unsigned host_count_cpus(void) {
    unsigned most = host_affinity(), quota = host_read_quota("");
    return quota > 0 && quota < most ? quota : most;
}
