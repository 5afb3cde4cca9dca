/* jobs_files.c - the file of a job's result
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "discard.h"
#include "jobs_live.h"

void job_result_path(const server *s, uint64_t id, char path[4352]) {
    snprintf(path, 4352, "%s/%" PRIu64 ".arrow", s->config->results_dir, id);
}

/* A worker that was killed leaves ID.arrow.tmp.PID. */
void job_discard_result(const server *s, uint64_t id) {
    DIR *folder = opendir(s->config->results_dir);
    struct dirent *entry;
    char start[32];
    int length = snprintf(start, sizeof start, "%" PRIu64 ".arrow", id);
    while (folder && (entry = readdir(folder)) != NULL) {
        if (strncmp(entry->d_name, start, (size_t)length) == 0) {
            discard_in(s, dirfd(folder), entry->d_name);
        }
    }
    if (folder) closedir(folder);
}
