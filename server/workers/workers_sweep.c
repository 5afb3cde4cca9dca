/* workers_sweep.c - half files of a worker that was killed
 *
 * The library writes FILE.tmp.PID and renames it; a worker that ends by itself removes it. Files of
 * other processes stay: their workers may be writing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "storage/discard.h"
#include "workers/workers_pool.h"

static void sweep_folder(const server *s, const char *path, const char *ending) {
    DIR *folder = opendir(path);
    struct dirent *entry;
    size_t n = strlen(ending);
    while (folder && (entry = readdir(folder)) != NULL) {
        size_t length = strlen(entry->d_name);
        if (length > n && strcmp(entry->d_name + length - n, ending) == 0) {
            discard_in(s, dirfd(folder), entry->d_name);
        }
    }
    if (folder) closedir(folder);
}

void workers_sweep(const server *s, pid_t pid) {
    char ending[32];
    snprintf(ending, sizeof ending, ".tmp.%ld", (long)pid);
    sweep_folder(s, s->config->results_dir, ending);
    sweep_folder(s, s->config->tmp_dir, ending);
}
