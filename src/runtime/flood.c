/* flood.c - see flood.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/flood.h"

#include "base/os.h"

#define LEAST_SHARE 0.01 /* of the search, before a guess makes sense */

void flood_begin(flood *f, int fd) {
    uint64_t bytes;
    *f = (flood){.fd = fd, .is_terminal = os_is_terminal(fd), .look_at = FLOOD_EVERY};
    f->is_file = os_file_size(fd, &bytes);
    f->is_over = !f->is_terminal && !f->is_file;
}

static void look_at_lines(flood *f, lode_job *job, double share) {
    double found = (double)atomic_load_explicit(&job->at.patterns, memory_order_relaxed);
    double expected = share >= LEAST_SHARE ? found / share : found;
    if (expected < (double)FLOOD_LINES) return;
    f->is_over = true;
    job_log(job, LODE_LOG_WARNING,
            "about %.0f%s million patterns are coming to the terminal; Ctrl-C stops them, -o FILE "
            "writes them to a file, and --count only counts",
            expected / 1e6, share >= LEAST_SHARE ? "" : " or more");
}

static void look_at_disk(flood *f, lode_job *job, double share, const char *path,
                         uint64_t written) {
    uint64_t left;
    f->look_at = written + FLOOD_EVERY;
    if (share < LEAST_SHARE || !os_disk_free(f->fd, &left)) return;
    double expected = (double)written / share;
    if (expected - (double)written <= (double)left) return;
    bool large = expected >= (double)((uint64_t)1 << 30);
    double unit = large ? 1024 : 1;
    const char *name = large ? "GiB" : "MiB";
    f->is_over = true;
    job_log(
        job, LODE_LOG_WARNING,
        "'%s' may take about %.1f %s (%.1f %s after %.0f%% of the search), and %.1f %s are left "
        "on its disk; --count only counts, and a higher support finds less",
        path, job_mib((size_t)expected) / unit, name, job_mib((size_t)written) / unit, name,
        100 * share, job_mib((size_t)left) / unit, name);
}

void flood_look(flood *f, lode_job *job, const char *path, uint64_t written) {
    double share = progress_share(&job->at);
    if (f->is_terminal) {
        look_at_lines(f, job, share);
    } else {
        look_at_disk(f, job, share, path, written);
    }
}
