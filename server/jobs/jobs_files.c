/* jobs_files.c - the file of a job's result
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "jobs/jobs_live.h"
#include "storage/discard.h"
#include "storage/folder.h"

void job_result_path(const server *s, uint64_t id, char path[FOLDER_PATH_BYTES]) {
    snprintf(path, FOLDER_PATH_BYTES, "%s/%" PRIu64 ".arrow", s->config->results_dir, id);
}

/* The file of a running job has the process id of its worker at the end of its name. */
static uint64_t files_unstored(const server *s, const live_job *job) {
    char path[FOLDER_PATH_BYTES], half[FOLDER_PATH_BYTES + 32];
    struct stat file;
    job_result_path(s, job->id, path);
    snprintf(half, sizeof half, "%s.tmp.%ld", path, (long)workers_pid(s->workers, &job->source));
    return stat(half, &file) == 0 || stat(path, &file) == 0 ? (uint64_t)file.st_size : 0;
}

uint64_t jobs_unstored_bytes(const server *s) {
    uint64_t bytes = 0;
    for (const live_job *job = s->jobs->first; job; job = job->next) {
        if (job->running || job->ended) bytes += files_unstored(s, job);
    }
    return bytes;
}

typedef struct files_of {
    const server *server;
    uint64_t id;
    bool gone;
} files_of;

static void files_discard(void *user, int folder, const char *name) {
    files_of *f = user;
    bool whole;
    if (folder_result(name, &whole) != f->id) return;
    f->gone = discard_in(f->server, folder, name) && f->gone;
}

/* A worker that was killed leaves ID.arrow.tmp.PID. */
bool job_discard_result(const server *s, uint64_t id) {
    files_of f = {s, id, true};
    return folder_each(s->config->results_dir, files_discard, &f) && f.gone;
}
