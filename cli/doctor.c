/* doctor.c - lode doctor: what lode finds on this machine, and what to do where something is amiss
 *
 * The GPU driver and the other programs are tried in child processes with a time limit: a driver
 * that crashes or hangs is a finding, and must not end this command.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define DOCTOR_WAIT   20.0 /* seconds for a driver, or for a program, to answer */
#define LITTLE_MEMORY ((uint64_t)256 << 20)
#define LITTLE_DISK   ((uint64_t)1 << 30)

static const char *const doctor_forms[] = {"text", "jsonl", NULL};

/* What one finding means for lode. */
typedef enum doctor_state { DOCTOR_OK, DOCTOR_NOTE, DOCTOR_PROBLEM } doctor_state;

/* What was found of one thing, and what to do; "" = nothing. */
typedef struct doctor_finding {
    const char *name;
    doctor_state state;
    char found[512], advice[512];
} doctor_finding;

#define FOUND(f, ...)  snprintf((f)->found, sizeof(f)->found, __VA_ARGS__)
#define ADVISE(f, ...) snprintf((f)->advice, sizeof(f)->advice, __VA_ARGS__)

/* ---- this program and its processor --------------------------------------------------------- */

static void doctor_look_build(doctor_finding *f) {
    lode_build b = LODE_INIT(lode_build);
    lode_build_info(&b);
    FOUND(f, "lode %s, %s%s%s, %s", lode_version(), b.type[0] ? b.type : "of unknown type",
          b.sanitizers[0] ? " with sanitizers " : "", b.sanitizers, b.compiler);
    bool fast = strcmp(b.type, "Release") == 0 || strcmp(b.type, "RelWithDebInfo") == 0;
    if (fast && !b.sanitizers[0]) return;
    f->state = DOCTOR_NOTE;
    ADVISE(f, "this build is slow; build it with CMAKE_BUILD_TYPE=Release, without sanitizers");
}

static void doctor_look_kernels(doctor_finding *f) {
    lode_build b = LODE_INIT(lode_build);
    const char *wanted = getenv("LODE_CPU");
    lode_build_info(&b);
    if (!b.chosen) {
        f->state = DOCTOR_PROBLEM;
        FOUND(f, "LODE_CPU is '%.60s', which cannot run here; built in: %s", wanted ? wanted : "",
              b.instruction_sets);
        ADVISE(f, "unset LODE_CPU, and lode chooses by itself");
        return;
    }
    FOUND(f, "%s is used; built in: %s", b.chosen, b.instruction_sets);
    if (wanted && wanted[0]) {
        f->state = DOCTOR_NOTE;
        ADVISE(f, "LODE_CPU=%.60s was set; unset it, and lode chooses by itself", wanted);
    } else if (strcmp(b.chosen, "scalar") == 0) {
        f->state = DOCTOR_NOTE;
        ADVISE(f, "searches are slow without SIMD instructions; use a processor with AVX2 or NEON");
    }
}

static void doctor_look_threads(doctor_finding *f) {
    lode_resources r = LODE_INIT(lode_resources);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    lode_resources_get(&r);
    FOUND(f, "%u of %ld processors", r.threads, online);
    if (online <= (long)r.threads) return;
    f->state = DOCTOR_NOTE;
    ADVISE(f, "a cgroup quota or an affinity mask allows no more; raise it to use all processors "
              "(docker run --cpus, taskset)");
}

static void doctor_look_memory(doctor_finding *f) {
    lode_resources r = LODE_INIT(lode_resources);
    lode_resources_get(&r);
    if (r.memory_total == 0) {
        f->state = DOCTOR_NOTE;
        FOUND(f, "unknown: /proc/meminfo cannot be read");
        ADVISE(f, "lode sets no memory budget; give one with --memory");
        return;
    }
    FOUND(f, "%s available of %s; lode uses at most %s (%s)", cli_bytes(r.memory_available),
          cli_bytes(r.memory_total), cli_bytes(r.memory_budget), r.memory_origin);
    if (r.memory_available >= LITTLE_MEMORY) return;
    f->state = DOCTOR_NOTE;
    ADVISE(f, "end other programs or raise the limit; for larger data, --spill DIR searches from "
              "disk");
}

/* ---- cgroups -------------------------------------------------------------------------------- */

/* The first line of a small file, without its end; false: it cannot be read. */
static bool doctor_read_line(const char *path, char *line, size_t room) {
    FILE *file = fopen(path, "r");
    bool got = file && fgets(line, (int)room, file);
    if (got) line[strcspn(line, "\n")] = 0;
    if (file) fclose(file);
    return got;
}

/* The folder of this process in the hierarchy of cgroups v2; false: there is none. */
static bool doctor_find_cgroup(char folder[512]) {
    char line[400];
    FILE *file = fopen("/proc/self/cgroup", "r");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        found = strncmp(line, "0::/", 4) == 0;
    }
    if (file) fclose(file);
    if (found) snprintf(folder, 512, "/sys/fs/cgroup%s", line + 3);
    return found && access(folder, R_OK) == 0;
}

/* What one file of a cgroup says, in words; adds nothing where there is no such limit. */
static void doctor_add_limit(doctor_finding *f, const char *folder, const char *name,
                             const char *what) {
    char path[600], line[128];
    size_t n = strlen(f->found);
    snprintf(path, sizeof path, "%.511s/%s", folder, name);
    if (!doctor_read_line(path, line, sizeof line) || strncmp(line, "max", 3) == 0) return;
    snprintf(f->found + n, sizeof f->found - n, "%s%s %s", n ? "; " : "", what, line);
}

/* Containers have the limits of their cgroup in the root that they see. */
static void doctor_look_cgroup(doctor_finding *f) {
    char folder[512];
    if (!doctor_find_cgroup(folder)) {
        FOUND(f, "no cgroups of version 2 in /sys/fs/cgroup");
        return;
    }
    doctor_add_limit(f, folder, "memory.max", "memory.max");
    doctor_add_limit(f, folder, "memory.high", "memory.high");
    doctor_add_limit(f, folder, "cpu.max", "cpu.max");
    if (!f->found[0]) {
        FOUND(f, "no limits of its own in this cgroup");
        return;
    }
    f->state = DOCTOR_NOTE;
    ADVISE(f, "lode keeps to these limits; whoever started the container or service can raise "
              "them");
}

/* ---- the GPU -------------------------------------------------------------------------------- */

/* In the child: what the library says of every device that is not the CPU. */
static int doctor_try_devices(void *user) {
    lode_device d = LODE_INIT(lode_device);
    (void)user;
    for (size_t i = 0; lode_device_at(i, &d); i++) {
        if (strcmp(d.name, "cpu") != 0) printf("%d%s\n", d.usable, d.detail);
    }
    return 0;
}

static void doctor_advise_gpu(doctor_finding *f, bool driver) {
    lode_build b = LODE_INIT(lode_build);
    lode_build_info(&b);
    if (cli_other_program()) {
        ADVISE(f, "for a GPU, use the lode in %s", cli_other_program());
    } else if (!b.cuda) {
        ADVISE(f, "%s",
               driver ? "this machine has an NVIDIA driver; to use its GPU, build lode with "
                        "nvcc, or install a lode that has CUDA"
                      : "lode mines on the CPU; for a GPU, use a lode that has CUDA");
    } else if (!driver) {
        ADVISE(f, "lode mines on the CPU; if there is a GPU, install its NVIDIA driver");
    } else {
        ADVISE(f, "the driver does not work: compare with nvidia-smi, and install the driver again "
                  "or restart the machine; until then, lode mines on the CPU");
    }
    f->state = driver && b.cuda ? DOCTOR_PROBLEM : DOCTOR_NOTE;
}

static void doctor_look_gpu(doctor_finding *f) {
    doctor_answer answer;
    bool driver = access("/proc/driver/nvidia/version", F_OK) == 0;
    if (!doctor_ask(doctor_try_devices, NULL, DOCTOR_WAIT, &answer)) {
        f->state = DOCTOR_PROBLEM;
        FOUND(f, "the GPU driver %s", answer.how);
        ADVISE(f, "use --device cpu; compare with nvidia-smi, and install the driver again or "
                  "restart the machine");
        return;
    }
    char *said = answer.said;
    said[strcspn(said, "\n")] = 0;
    FOUND(f, "%.500s", said[0] ? said + 1 : "this build of lode knows no GPU");
    if (said[0] != '1') doctor_advise_gpu(f, driver);
}

static void doctor_look_driver(doctor_finding *f) {
    char line[256];
    if (doctor_read_line("/proc/driver/nvidia/version", line, sizeof line)) {
        FOUND(f, "%s", line);
    } else {
        FOUND(f, "no NVIDIA kernel driver is loaded");
    }
}

/* ---- files and other programs --------------------------------------------------------------- */

/* Where sorted output and --spill keep what does not fit into memory. */
static void doctor_look_temporary(doctor_finding *f) {
    const char *set = getenv("TMPDIR"), *folder = set && set[0] ? set : "/tmp";
    char path[4200];
    struct statvfs space;
    snprintf(path, sizeof path, "%.4000s/lode-doctor-XXXXXX", folder);
    int fd = mkstemp(path);
    int reason = errno;
    if (fd >= 0) {
        unlink(path);
        close(fd);
    }
    if (fd < 0 || statvfs(folder, &space) != 0) {
        f->state = DOCTOR_PROBLEM;
        FOUND(f, "%.200s: no file can be made there (%s)", folder,
              strerror(fd < 0 ? reason : errno));
        ADVISE(f, "set TMPDIR to a folder that you may write to");
        return;
    }
    uint64_t bytes = (uint64_t)space.f_bavail * space.f_frsize;
    FOUND(f, "%.200s, %s free", folder, cli_bytes(bytes));
    if (bytes >= LITTLE_DISK) return;
    f->state = DOCTOR_NOTE;
    ADVISE(f, "this is little for results that are sorted on disk; set TMPDIR to another folder");
}

/* A program beside this one, which is asked for its help. */
static int doctor_run_program(void *path) {
    char *const words[] = {path, (char[]){"--help"}, NULL};
    execv(path, words);
    return 127;
}

/* Whether the program starts; if not, the finding says why. */
static bool doctor_starts(doctor_finding *f, char *path) {
    doctor_answer answer;
    bool starts = doctor_ask(doctor_run_program, path, DOCTOR_WAIT, &answer);
    char *said = answer.said;
    said[strcspn(said, "\n")] = 0; /* of a missing library, the loader prints the name */
    if (starts) FOUND(f, "%.500s", path);
    if (!starts) FOUND(f, "%.200s %.100s%s%.120s", path, answer.how, said[0] ? ": " : "", said);
    return starts;
}

static void doctor_look_server(doctor_finding *f) {
    char path[CLI_PATH_MOST];
    f->state = DOCTOR_NOTE;
    if (!cli_find_server(path) && cli_other_program()) {
        FOUND(f, "the static lode has no server");
        ADVISE(f, "for `lode serve`, use the lode in %s", cli_other_program());
        return;
    }
    if (!cli_find_server(path)) {
        FOUND(f, "lode-server is not installed, so there is no `lode serve`");
        ADVISE(f, "install libevent, jansson and SQLite and build again, or install the package "
                  "lode-server");
        return;
    }
    if (doctor_starts(f, path)) {
        f->state = DOCTOR_OK;
        return;
    }
    f->state = DOCTOR_PROBLEM;
    ADVISE(f, "install the libraries that it needs: libevent, jansson, SQLite");
}

static void doctor_look_mpi(doctor_finding *f) {
    char path[CLI_PATH_MOST];
    if (!cli_find_beside("lode-mpi", path)) {
        FOUND(f, "lode-mpi is not installed; it is needed only for clusters");
    } else if (!doctor_starts(f, path)) {
        f->state = DOCTOR_NOTE;
        ADVISE(f, "install the MPI library that lode-mpi was built with");
    }
}

/* ---- the command ---------------------------------------------------------------------------- */

/* Reading workbooks, and writing them, each needs libraries that lode loads when it does so. */
static void doctor_look_sheets(doctor_finding *f) {
    const char *why;
    bool reads = lode_reads_xlsx(&why), writes = lode_writes_xlsx();
    FOUND(f, ".xlsx files are %s, and %s", reads ? "read" : "not read",
          writes ? "written with libxlsxwriter" : "not written");
    if (reads && writes) return;
    f->state = DOCTOR_NOTE;
    if (cli_other_program()) {
        ADVISE(f, "for .xlsx, use the lode in %s", cli_other_program());
    } else if (!reads) {
        ADVISE(f, "%s; install libzip and expat, or convert workbooks with xlsx2csv", why);
    } else {
        ADVISE(f, "build lode with libxlsxwriter, or write csv");
    }
}

static const struct {
    const char *name;
    void (*look)(doctor_finding *f);
} doctor_things[] = {
    {"program", doctor_look_build},       {"instructions", doctor_look_kernels},
    {"threads", doctor_look_threads},     {"memory", doctor_look_memory},
    {"cgroup", doctor_look_cgroup},       {"GPU", doctor_look_gpu},
    {"GPU driver", doctor_look_driver},   {"temporary files", doctor_look_temporary},
    {"server", doctor_look_server},       {"MPI", doctor_look_mpi},
    {"spreadsheets", doctor_look_sheets},
};

static void doctor_print_text(const doctor_finding *f) {
    static const char *const words[] = {"ok", "note", "PROBLEM"};
    cli_print(stdout, "%-8s %-16s %s\n", words[f->state], f->name, f->found);
    if (f->advice[0]) cli_print(stdout, "%-8s %-16s -> %s\n", "", "", f->advice);
}

static void doctor_put_json(const char *name, const char *value) {
    char text[LODE_JSON_BYTES(512)];
    size_t n = lode_json_string(text, value, strlen(value), false);
    printf(",\"%s\":%.*s", name, (int)n, text);
}

static void doctor_print_json(const doctor_finding *f) {
    static const char *const words[] = {"ok", "note", "problem"};
    printf("{\"state\":\"%s\"", words[f->state]);
    doctor_put_json("name", f->name);
    doctor_put_json("found", f->found);
    doctor_put_json("advice", f->advice);
    printf("}\n");
}

static int run_doctor(cli_args *args) {
    const char *form = cli_given(args, "write");
    unsigned problems = 0;
    bool text = !form || strcmp(form, doctor_forms[0]) == 0;
    if (!text && strcmp(form, doctor_forms[1]) != 0) {
        cli_error("--write '%s': expected %s or %s", form, doctor_forms[0], doctor_forms[1]);
        return CLI_USAGE;
    }
    for (size_t i = 0; i < sizeof doctor_things / sizeof *doctor_things; i++) {
        doctor_finding f = {.name = doctor_things[i].name};
        doctor_things[i].look(&f);
        problems += f.state == DOCTOR_PROBLEM;
        (text ? doctor_print_text : doctor_print_json)(&f);
        fflush(stdout); /* the next thing may take seconds */
    }
    if (text) printf("%s\n", problems ? "See the lines with PROBLEM." : "lode can work here.");
    return problems ? CLI_FAILED : CLI_DONE;
}

static const cli_option doctor_options[] = {
    {"write", 'w', "FORMAT", "text", "text: a table; jsonl: one JSON object per line"},
    {0},
};

const cli_command cli_doctor = {
    .name = "doctor",
    .arguments = "[options]",
    .summary = "check processor, memory, GPU and folders, and say what to do; fails if there is a "
               "problem",
    .examples =
        "  lode doctor                                   exit status 1: something has to be "
        "repaired\n"
        "  lode doctor -w jsonl                          for programs\n",
    .options = doctor_options,
    .run = run_doctor,
};
