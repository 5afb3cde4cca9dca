/* test_host.c - limits of machine and container, with made-up control groups of both versions
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/host.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "lode.h"

#define MIB      ((uint64_t)1 << 20)
#define MOST     12 /* files of a case */
#define V2       "/sys/fs/cgroup"
#define V1       "/sys/fs/cgroup/memory"
#define MEMINFO  "MemTotal:        4194304 kB\nMemFree: 17 kB\nMemAvailable:    2097152 kB\n"
#define NO_LIMIT "9223372036854771712\n"
#define MACHINE                                                                                    \
    { "/proc/meminfo", MEMINFO }
#define GROUP(is)                                                                                  \
    { "/proc/self/cgroup", is }

typedef struct host_file {
    const char *path, *text;
} host_file;

typedef struct host_case {
    const char *what;
    host_file files[MOST];
    uint64_t total, available; /* MiB */
    host_bound bound;
    unsigned quota;
} host_case;

static const host_case cases[] = {
    {"no groups", {MACHINE}, 4096, 2048, HOST_ITSELF, 0},
    {"a group without limits",
     {MACHINE, GROUP("0::/\n"), {V2 "/memory.max", "max\n"}, {V2 "/cpu.max", "max 100000\n"}},
     4096,
     2048,
     HOST_ITSELF,
     0},
    {"files are missing", {MACHINE, GROUP("0::/a/b\n")}, 4096, 2048, HOST_ITSELF, 0},
    {"version 2; files that are kept in memory count as free",
     {MACHINE,
      GROUP("0::/\n"),
      {V2 "/memory.max", "1073741824\n"},
      {V2 "/memory.high", "max\n"},
      {V2 "/memory.current", "536870912\n"},
      {V2 "/memory.stat", "anon 1\nfile 9\ninactive_file 104857600\nactive_file 104857600\n"},
      {V2 "/cpu.max", "150000 100000\n"}},
     1024,
     712,
     HOST_CONTAINER,
     2},
    {"memory.high is a limit, too",
     {MACHINE,
      GROUP("0::/\n"),
      {V2 "/memory.max", "1073741824\n"},
      {V2 "/memory.high", "536870912\n"},
      {V2 "/memory.current", "0\n"}},
     512,
     512,
     HOST_CONTAINER,
     0},
    {"a group around it is smaller",
     {MACHINE,
      GROUP("0::/outer/inner\n"),
      {V2 "/outer/inner/memory.max", "1073741824\n"},
      {V2 "/outer/inner/memory.current", "0\n"},
      {V2 "/outer/memory.max", "734003200\n"},
      {V2 "/outer/memory.current", "209715200\n"},
      {V2 "/outer/inner/cpu.max", "max 100000\n"},
      {V2 "/outer/cpu.max", "10000 100000\n"}},
     700,
     500,
     HOST_CONTAINER,
     1},
    {"nothing is left",
     {MACHINE,
      GROUP("0::/\n"),
      {V2 "/memory.max", "1048576\n"},
      {V2 "/memory.current", "2097152\n"}},
     1,
     0,
     HOST_CONTAINER,
     0},
    {"a limit above what the machine has",
     {MACHINE,
      GROUP("0::/\n"),
      {V2 "/memory.max", "1099511627776\n"},
      {V2 "/memory.current", "0\n"}},
     4096,
     2048,
     HOST_ITSELF,
     0},
    {"a name of the outside: the container sees its own group at the top",
     {MACHINE,
      GROUP("0::/docker/0123\n"),
      {V2 "/memory.max", "1073741824\n"},
      {V2 "/memory.current", "1048576\n"},
      {V2 "/cpu.max", "400000 100000\n"}},
     1024,
     1023,
     HOST_CONTAINER,
     4},
    {"a group that cannot be seen",
     {MACHINE,
      GROUP("0::/../../else\n"),
      {V2 "/memory.max", "1073741824\n"},
      {V2 "/memory.current", "0\n"}},
     1024,
     1024,
     HOST_CONTAINER,
     0},
    {"version 1",
     {MACHINE,
      GROUP("9:name=systemd:/x\n4:memory:/job/1\n2:cpu,cpuacct:/job\n0::/\n"),
      {V1 "/job/1/memory.limit_in_bytes", "1073741824\n"},
      {V1 "/job/1/memory.usage_in_bytes", "314572800\n"},
      {V1 "/job/1/memory.stat", "inactive_file 5\ntotal_inactive_file 104857600\n"},
      {V1 "/job/memory.limit_in_bytes", NO_LIMIT},
      {V1 "/memory.limit_in_bytes", NO_LIMIT},
      {V2 "/cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n"},
      {V2 "/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n"}},
     1024,
     824,
     HOST_CONTAINER,
     3},
    {"version 1 without limits",
     {MACHINE,
      GROUP("4:memory:/\n2:cpu:/\n"),
      {V1 "/memory.limit_in_bytes", NO_LIMIT},
      {V2 "/cpu/cpu.cfs_quota_us", "-1\n"},
      {V2 "/cpu/cpu.cfs_period_us", "100000\n"}},
     4096,
     2048,
     HOST_ITSELF,
     0},
    {"nonsense",
     {MACHINE,
      GROUP("::\nmemory\n0:\n:memory\n0::nowhere\n"),
      {V2 "/memory.max", "lots\n"},
      {V2 "/memory.high", "-5\n"},
      {V2 "/cpu.max", "x y z\n"}},
     4096,
     2048,
     HOST_ITSELF,
     0},
    {"numbers that are none",
     {MACHINE,
      GROUP("0::/\n"),
      {V2 "/memory.max", "99999999999999999999999999\n"},
      {V2 "/cpu.max", "5 0\n"}},
     4096,
     2048,
     HOST_ITSELF,
     0},
    {"usage that cannot be read",
     {MACHINE, GROUP("0::/\n"), {V2 "/memory.max", "1073741824\n"}, {V2 "/cpu.max", "7\n"}},
     1024,
     1024,
     HOST_CONTAINER,
     0},
};

static void write_file(const char *root, const host_file *f) {
    char path[512];
    snprintf(path, sizeof path, "%s%s", root, f->path);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    if (!CHECK(file != NULL)) return;
    fputs(f->text, file);
    fclose(file);
}

static void test_case(const host_case *c, const char *root) {
    for (size_t i = 0; i < MOST && c->files[i].path; i++) write_file(root, &c->files[i]);
    host_memory m = host_read_memory(root);
    if (!(CHECK_EQUAL(m.total / MIB, c->total) & CHECK_EQUAL(m.available / MIB, c->available) &
          CHECK_EQUAL(m.bound, c->bound) & CHECK_EQUAL(host_read_quota(root), c->quota))) {
        fprintf(stderr, "  %s\n", c->what);
    }
}

static void test_cases(void) {
    char folder[] = "/tmp/lode-host-XXXXXX", root[64], remove[64];
    if (!CHECK(mkdtemp(folder) != NULL)) return;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(root, sizeof root, "%s/%zu", folder, i);
        test_case(&cases[i], root);
    }
    snprintf(remove, sizeof remove, "rm -r %s", folder);
    CHECK(system(remove) == 0);
}

/* No /proc at all: what the system says by other means. */
static void test_nothing(void) {
    host_memory m = host_read_memory("/tmp/there/is/no/such/folder");
    CHECK(m.total > 0 && m.total < UINT64_MAX && m.available <= m.total);
    CHECK_EQUAL(host_read_quota("/tmp/there/is/no/such/folder"), 0);
}

static void test_resources(void) {
    lode_resources r = LODE_INIT(lode_resources);
    CHECK(lode_resources_get(&r) && !lode_resources_get(NULL));
    CHECK(r.threads >= 1 && r.memory_available > 0 && r.memory_available <= r.memory_total);
    CHECK(r.memory_budget <= r.memory_available && r.memory_budget > r.memory_available / 2);
    CHECK(strncmp(r.memory_origin, "the default, 80% of the ", 24) == 0);
}

/* Options by name, and the words of the message. */
static void test_options(void) {
    lode_options *o = NULL;
    lode_job *job = NULL;
    char message[128];
    CHECK_EQUAL(lode_options_create(&o), LODE_OK);
    const lode_job_options *job_options = lode_options_job(o);
    CHECK(job_options->memory_bytes == 0 && !job_options->memory_origin);
    CHECK_EQUAL(lode_options_set(o, "memory", "auto", NULL, 0), LODE_OK);
    CHECK(job_options->memory_bytes > 0 && job_options->memory_origin[0]);
    CHECK(lode_options_ctx(o)->memory_bytes == job_options->memory_bytes);
    CHECK_EQUAL(lode_options_set(o, "memory", "2M", NULL, 0), LODE_OK);
    CHECK(job_options->memory_bytes == 2 * MIB && !job_options->memory_origin);
    CHECK_EQUAL(lode_options_set(o, "memory", "unlimited", NULL, 0), LODE_OK);
    CHECK(job_options->memory_bytes == 0 && !job_options->memory_origin);
    CHECK_EQUAL(lode_options_set(o, "memory", "lots", message, sizeof message), LODE_INVALID);
    CHECK_TEXT(message, "'lots': expected a size such as 64M, 512M or 4G, or unlimited");
    lode_job_options tight = {
        .size = sizeof tight, .memory_bytes = 64, .memory_origin = "what the moon leaves"};
    CHECK_EQUAL(lode_job_create(&job, NULL, &tight), LODE_OK);
    lode_dataset *data = NULL;
    const uint64_t offsets[] = {0, 0};
    CHECK_EQUAL(lode_dataset_from_arrays(job, &data, 1, offsets, NULL, NULL), LODE_BUDGET);
    CHECK(strstr(lode_job_error(job),
                 "; this budget is what the moon leaves; change it with --memory"));
    lode_job_free(job);
    lode_options_free(o);
}

int main(void) {
    CHECK_RUN(test_cases);
    CHECK_RUN(test_nothing);
    CHECK_RUN(test_resources);
    CHECK_RUN(test_options);
    return check_result();
}
