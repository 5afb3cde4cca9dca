/* open_together.c - a file read by several processes: lode_dataset_open_together
 *
 * Each process reads a part of the file, as lode_read_options.part has it, and the parts become one
 * data set in every process (together.h). Whatever is unusual, from a file that cannot be cut
 * to a malformed line or too little memory, makes all of them give up and read the whole file each:
 * only then do messages have the right lines and figures, and nothing has to be said twice.
 *
 * Quotes: a part begins behind a line end, which may be one within quotes. Then the part before it
 * ends within quotes, which is malformed; so if no part is malformed, each began where a record
 * does. With skip_bad_lines, a part that has left out anything counts as malformed for that reason.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/os.h"
#include "data/transactions/together.h"
#include "runtime/valid.h"

/* Whether the options allow parts; what the file allows turns out later. */
static bool jointly_suits(const char *const *paths, size_t n_paths, const lode_read_options *o) {
    bool plain = !o->weight_column && !o->drop_rows && !o->keep_ids && !o->spill && !o->n_parts;
    return plain && n_paths == 1 && paths[0] && strcmp(paths[0], "-") != 0;
}

static lode_status jointly_read_part(peers *p, lode_dataset **out, const char *path,
                                     lode_read_options options) {
    options.part = p->to.index;
    options.n_parts = p->to.n;
    lode_status status = lode_dataset_open(p->job, out, path, &options);
    if (status != LODE_OK) return status;
    bool quoted = (*out)->profile.separator != 0;
    return quoted && (*out)->profile.n_skipped > 0 ? LODE_PARSE : LODE_OK;
}

/* *done is false if every process has to read all of it. */
static lode_status jointly_open(peers *p, lode_dataset **out, const char *path,
                                const lode_read_options *options, bool *done) {
    lode_status status = LODE_OK;
    double start = os_seconds();
    lode_dataset *data = NULL;
    peers_log log;
    uint64_t file = peers_file_hash(path);
    peers_hold_log(&log, p->job);
    LODE_TRY(peers_agree(p, file != 0 ? LODE_OK : LODE_NOTFOUND));
    LODE_TRY(peers_same(p, file));
    LODE_TRY(peers_agree(p, jointly_read_part(p, &data, path, *options)));
    LODE_TRY(dataset_join_peers(p, data));
    data->profile.read_seconds = os_seconds() - start;
    dataset_report(data, p->job);
    *out = data;
    data = NULL;
done:
    peers_release_log(&log, status == LODE_OK);
    lode_dataset_free(data);
    *done = !peers_may_part(p, status);
    if (!*done) job_clear_message(p->job);
    return *done ? status : LODE_OK;
}

lode_status lode_dataset_open_together(lode_job *job, lode_dataset **out, const char *const *paths,
                                       size_t n_paths, const lode_read_options *options,
                                       const lode_peers *peers_given) {
    lode_status status = LODE_OK;
    bool done = false;
    peers p = {.job = job};
    lode_read_options checked;
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(paths), {peers_given != NULL, "peers"});
    LODE_TRY(peers_open(&p, job, peers_given));
    LODE_TRY(valid_take(job, VALID_READ, options, &checked));
    if (p.to.n > 1 && jointly_suits(paths, n_paths, &checked)) {
        LODE_TRY(jointly_open(&p, out, paths[0], &checked, &done));
    }
    if (!done) LODE_TRY(lode_dataset_open_files(job, out, paths, n_paths, &checked));
done:
    peers_close(&p);
    return job_explain(job, status, "reading the data");
}
