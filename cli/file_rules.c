/* file_rules.c - see file_rules.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_PATH, syscall() */
#endif
#include "file_rules.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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

#define RIGHT_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
static const uint64_t file_rights[] = {
    [FILES_READ] = RIGHT_READ,
    [FILES_EXECUTE] = RIGHT_READ | LANDLOCK_ACCESS_FS_EXECUTE,
    [FILES_WRITE] = RIGHT_READ | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
                    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE,
    [FILES_DEVICES] = RIGHT_READ | LANDLOCK_ACCESS_FS_WRITE_FILE,
};
/* Of a rule about a file that is no folder. */
#define RIGHTS_OF_FILE                                                                             \
    (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |   \
     LANDLOCK_ACCESS_FS_TRUNCATE)

unsigned file_rules_version(void) {
    const char *said = getenv("LODE_FILTER");
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return (said && strcmp(said, "off") == 0) || version < 0 ? 0 : (unsigned)version;
}

/* What this kernel knows of: older ones refuse rules with bits that they do not know. */
static uint64_t rights_known(void) {
    uint64_t known = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
    unsigned version = file_rules_version();
    if (version >= 2) known |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= 3) known |= LANDLOCK_ACCESS_FS_TRUNCATE;
    return known;
}

bool file_rules_allow(int rules, const char *path, file_right right) {
    struct stat file;
    struct landlock_path_beneath_attr rule = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent_fd < 0) return true;
    rule.allowed_access = file_rights[right] & rights_known();
    if (fstat(rule.parent_fd, &file) == 0 && !S_ISDIR(file.st_mode)) {
        rule.allowed_access &= RIGHTS_OF_FILE;
    }
    bool added = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    close(rule.parent_fd);
    return added;
}

static bool rules_allow_system(int rules) {
    static const char *const programs[] = {"/usr",   "/bin", "/sbin", "/lib", "/lib32",
                                           "/lib64", "/opt", "/nix",  "/gnu"};
    static const char *const others[] = {"/etc", "/proc", "/sys", "/run"};
    bool allowed = file_rules_allow(rules, "/dev", FILES_DEVICES) &&
                   file_rules_allow(rules, "/dev/shm", FILES_WRITE); /* the driver of a GPU */
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        allowed = allowed && file_rules_allow(rules, programs[i], FILES_EXECUTE);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        allowed = allowed && file_rules_allow(rules, others[i], FILES_READ);
    }
    return allowed;
}

/* Folders of libraries that the administrator has named in an environment variable. */
static bool rules_allow_libraries(int rules, const char *variable) {
    const char *said = getenv(variable);
    char *list = strdup(said ? said : ""), *rest = list;
    bool allowed = list != NULL;
    for (char *path; allowed && (path = strsep(&rest, ":")) != NULL;) {
        if (*path) allowed = file_rules_allow(rules, path, FILES_READ);
    }
    free(list);
    return allowed;
}

int file_rules_create_strict(void) {
    struct landlock_ruleset_attr attr = {.handled_access_fs = rights_known()};
    if (file_rules_version() == 0) return -1;
    return (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr.handled_access_fs, 0);
}

int file_rules_create(void) {
    int rules = file_rules_create_strict();
    if (rules < 0) return -1;
    if (rules_allow_system(rules) && rules_allow_libraries(rules, "LD_LIBRARY_PATH") &&
        rules_allow_libraries(rules, "LODE_ADBC")) {
        return rules;
    }
    close(rules);
    return -1;
}

/* CUDA starts only if it can name its threads, in /proc/self/task/N/comm. Nothing else of /proc may
 * be written: it has the memory of other processes. So the process itself allows its own folder.
 * The kernel may forget a folder of /proc, and the rule with it, unless somebody has it open. */
static int rules_allow_thread_names(int rules) {
    struct landlock_path_beneath_attr rule = {
        .allowed_access =
            (file_rights[FILES_DEVICES] | LANDLOCK_ACCESS_FS_TRUNCATE) & rights_known(),
        .parent_fd = open("/proc/self/task", O_PATH)};
    if (rule.parent_fd < 0) return -1;
    (void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    return rule.parent_fd;
}

int file_rules_apply(int rules) {
    if (rules < 0) return -1;
    int held = access("/dev/nvidiactl", F_OK) == 0 ? rules_allow_thread_names(rules) : -1;
    syscall(SYS_landlock_restrict_self, rules, 0);
    return held;
}

#else

unsigned file_rules_version(void) {
    return 0;
}

int file_rules_create(void) {
    return -1;
}

int file_rules_create_strict(void) {
    return -1;
}

bool file_rules_allow(int rules, const char *path, file_right right) {
    (void)rules;
    (void)path;
    (void)right;
    return false;
}

int file_rules_apply(int rules) {
    (void)rules;
    return -1;
}

#endif
