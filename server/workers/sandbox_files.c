/* sandbox_files.c - which files a child may open, by Landlock; see sandbox.h
 *
 * A child reads the system (programs, libraries, devices) and what it is given by name; it writes
 * to the folders that it is given. Everything else, such as other visitors' files and the database,
 * is refused by the kernel. The set of rules is made before the fork, and takes effect in the child
 * before the program is executed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "workers/sandbox.h"

#if defined(__has_include)
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif
#endif

#if defined(LANDLOCK_CREATE_RULESET_VERSION) && defined(SYS_landlock_create_ruleset)

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13)
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

#define FILES_READ    (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define FILES_EXECUTE (FILES_READ | LANDLOCK_ACCESS_FS_EXECUTE)
#define FILES_WRITE                                                                                \
    (FILES_READ | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |                    \
     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)
#define FILES_DEVICES (FILES_READ | LANDLOCK_ACCESS_FS_WRITE_FILE)
/* Of a rule about a file that is no folder. */
#define FILES_OF_FILE                                                                              \
    (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |   \
     LANDLOCK_ACCESS_FS_TRUNCATE)

unsigned sandbox_landlock(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return sandbox_has_filter() && version > 0 ? (unsigned)version : 0;
}

/* What this kernel knows of: older ones refuse rules with bits that they do not know. */
static uint64_t files_known(void) {
    uint64_t known = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
    unsigned version = sandbox_landlock();
    if (version >= 2) known |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= 3) known |= LANDLOCK_ACCESS_FS_TRUNCATE;
    return known;
}

/* What is not there needs no rule. False: the kernel did not take it. */
static bool files_allow(int rules, const char *path, uint64_t access) {
    struct stat file;
    struct landlock_path_beneath_attr rule = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent_fd < 0) return true;
    rule.allowed_access = access & files_known();
    if (fstat(rule.parent_fd, &file) == 0 && !S_ISDIR(file.st_mode)) {
        rule.allowed_access &= FILES_OF_FILE;
    }
    bool added = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    close(rule.parent_fd);
    return added;
}

static bool files_allow_system(int rules, const char *program) {
    static const char *const programs[] = {"/usr",   "/bin", "/sbin", "/lib", "/lib32",
                                           "/lib64", "/opt", "/nix",  "/gnu"};
    static const char *const others[] = {"/etc", "/proc", "/sys", "/run"};
    bool allowed = files_allow(rules, program, FILES_EXECUTE) &&
                   files_allow(rules, "/dev", FILES_DEVICES) &&
                   files_allow(rules, "/dev/shm", FILES_WRITE); /* the driver of a GPU */
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        allowed = allowed && files_allow(rules, programs[i], FILES_EXECUTE);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        allowed = allowed && files_allow(rules, others[i], FILES_READ);
    }
    return allowed;
}

/* Folders of libraries that the administrator has named. */
static bool files_allow_libraries(int rules) {
    const char *said = getenv("LD_LIBRARY_PATH");
    char *list = strdup(said ? said : ""), *rest = list;
    bool allowed = list != NULL;
    for (char *path; allowed && (path = strsep(&rest, ":")) != NULL;) {
        if (*path) allowed = files_allow(rules, path, FILES_READ);
    }
    free(list);
    return allowed;
}

int sandbox_files(const char *program, const sandbox *box) {
    struct landlock_ruleset_attr attr = {.handled_access_fs = files_known()};
    if (sandbox_landlock() == 0) return -1;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr.handled_access_fs, 0);
    if (rules < 0) return -1;
    bool allowed = files_allow_system(rules, program) && files_allow_libraries(rules);
    for (size_t i = 0; i < SANDBOX_FOLDERS; i++) {
        if (box->reads[i]) allowed = allowed && files_allow(rules, box->reads[i], FILES_READ);
        if (box->writes[i]) allowed = allowed && files_allow(rules, box->writes[i], FILES_WRITE);
    }
    if (allowed) return rules;
    close(rules);
    return -1;
}

/* CUDA starts only if it can name its threads, in /proc/self/task/N/comm. Nothing else of /proc may
 * be written: it has the memory of other processes. So the child itself allows its own folder. The
 * kernel may forget a folder of /proc, and the rule with it, unless somebody has it open. */
static int files_allow_thread_names(int rules) {
    struct landlock_path_beneath_attr rule = {
        .allowed_access = (FILES_DEVICES | LANDLOCK_ACCESS_FS_TRUNCATE) & files_known(),
        .parent_fd = open("/proc/self/task", O_PATH)};
    if (rule.parent_fd < 0) return -1;
    (void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    return rule.parent_fd;
}

int sandbox_restrict_files(int rules) {
    if (rules < 0) return -1;
    int held = sandbox_sees_gpu() ? files_allow_thread_names(rules) : -1;
    syscall(SYS_landlock_restrict_self, rules, 0);
    return held;
}

#else

unsigned sandbox_landlock(void) {
    return 0;
}

int sandbox_files(const char *program, const sandbox *box) {
    (void)program;
    (void)box;
    return -1;
}

int sandbox_restrict_files(int rules) {
    (void)rules;
    return -1;
}

#endif
