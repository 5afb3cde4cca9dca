/* output.c - see output.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/output.h"

#include <string.h>

#include "base/os.h"
#include "base/utf8.h"

static bool output_is_stdout(const output *o) {
    return o->path && strcmp(o->path, "-") == 0;
}

/* What messages call it. */
static const char *output_name(const output *o) {
    return output_is_stdout(o) ? "standard output" : o->path;
}

void lode_outputs_discard(void) {
    outfile_abandon_all();
}

void lode_outputs_unfinished(lode_path_fn tell, void *user) {
    if (tell) outfile_tell_all(tell, user);
}

const char *output_path(const output *o) {
    return output_is_stdout(o) ? NULL : o->path;
}

static lode_status output_error(output *o, lode_status status) {
    if (status != LODE_IO) return status;
    return job_fail(o->job, status, "cannot write '%s': %s%s", output_name(o),
                    strerror(o->file.error), outfile_remedy(o->file.error));
}

lode_status output_open(output *o, lode_job *job, const char *path) {
    lode_status status = LODE_OK;
    size_t bytes = strlen(path) + 1;
    *o = (output){.job = job, .file = OUTFILE_INIT};
    LODE_TRY(mem_resize(&job->mem, (void **)&o->path, 0, bytes));
    o->path_bytes = bytes;
    memcpy(o->path, path, bytes);
    LODE_TRY(output_error(o, outfile_open(&o->file, &job->mem, path, OUTFILE_FOLLOW)));
    flood_begin(&o->flood, o->file.fd);
    o->screen = os_is_terminal(o->file.fd);
done:
    return status;
}

void output_call(output *o, lode_job *job, lode_write_fn write, void *user) {
    *o = (output){.job = job, .file = OUTFILE_INIT, .write = write, .user = user};
}

static lode_status output_hand_over(output *o, const char *text, size_t n) {
    if (!o->stopped) {
        o->stopped = o->write(o->user, text, n) != 0;
        o->bytes += n;
    }
    if (!o->stopped) return LODE_OK;
    job_halt(o->job, JOB_SINK_STOPS);
    return LODE_STOPPED;
}

/* In pieces that end between two characters. */
static lode_status output_show(output *o, const char *text, size_t n) {
    char piece[4096];
    lode_status status = LODE_OK;
    for (size_t step; n > 0 && status == LODE_OK; text += step, n -= step) {
        step = n < sizeof piece ? n : sizeof piece;
        for (int i = 0; i < 3 && step < n && ((unsigned char)text[step] & 0xc0) == 0x80; i++) {
            step--;
        }
        status = outfile_write(&o->file, piece, utf8_copy_printable(piece, text, step, true));
    }
    return status;
}

lode_status output_write(output *o, const char *text, size_t n) {
    if (n == 0) return LODE_OK;
    if (o->write) return output_hand_over(o, text, n);
    flood_watch(&o->flood, o->job, output_name(o), o->bytes);
    lode_status status = o->screen ? output_show(o, text, n) : outfile_write(&o->file, text, n);
    if (status == LODE_OK) o->bytes += n;
    return output_error(o, status);
}

bool output_can_cut(const output *o) {
    return o->file.fd >= 0 && o->file.temp;
}

lode_status output_cut(output *o, uint64_t bytes) {
    lode_status status = output_error(o, outfile_cut(&o->file, bytes));
    if (status != LODE_OK) return status;
    o->bytes = bytes;
    flood_begin(&o->flood, o->file.fd);
    return LODE_OK;
}

lode_status output_finish(output *o, bool partial) {
    if (o->write) return o->stopped ? LODE_STOPPED : LODE_OK;
    return output_error(o, outfile_commit(&o->file, partial ? ".partial" : NULL));
}

lode_status output_settle(lode_job *job, lode_status status) {
    if (status != LODE_STOPPED) return status;
    job_end_limits(job);
    return job_fail(job, status, "stopped by the write callback");
}

void output_discard(output *o) {
    if (!o->job) return;
    outfile_discard(&o->file);
    mem_free(&o->job->mem, o->path, o->path_bytes);
    *o = (output){0};
}

/* ---- warnings about output that floods a terminal or the disk -------------------------------- */

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
            "about %.0f million patterns%s will be printed to the terminal; press Ctrl-C to stop, "
            "use -o FILE to write to a file, or --count to only count",
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
    job_log(job, LODE_LOG_WARNING,
            "'%s' may grow to about %.1f %s (%.1f %s after %.0f%% of the %s), but its disk has "
            "only %.1f %s free; use --count or a higher support",
            path, job_mib((size_t)expected) / unit, name, job_mib((size_t)written) / unit, name,
            100 * share, progress_is_writing(&job->at) ? "patterns" : "search",
            job_mib((size_t)left) / unit, name);
}

void flood_look(flood *f, lode_job *job, const char *path, uint64_t written) {
    double share = progress_share(&job->at);
    if (f->is_terminal) {
        look_at_lines(f, job, progress_is_writing(&job->at) ? 1 : share);
    } else {
        look_at_disk(f, job, share, path, written);
    }
}
