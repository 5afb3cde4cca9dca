/* open.c - the public functions that read a data set
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/open.h"

#include <string.h>

#include "base/os.h"
#include "data/transactions/together.h"
#include "read/workbook.h"
#include "runtime/job_report.h"
#include "runtime/valid.h"

static lode_status open_check(lode_job *job, const lode_read_options *options,
                              lode_read_options *out) {
    lode_status status = valid_take(job, VALID_READ, options, out);
    if (status != LODE_OK) return status;
    if (out->part > 0 && out->n_parts == 0) {
        return job_fail(job, LODE_INVALID,
                        "part is %u, but n_parts is 0; expected the number of parts in n_parts",
                        out->part);
    }
    if (out->spill && out->keep_ids) {
        return job_fail(
            job, LODE_INVALID,
            "keep_ids cannot be combined with spill: transaction ids are not kept on disk");
    }
    if (out->bins && out->format == LODE_FORMAT_AUTO) out->format = LODE_FORMAT_ATTRIBUTES;
    bool attributes = out->format == LODE_FORMAT_ATTRIBUTES;
    if (!attributes && (out->bins || out->keep_missing)) {
        return job_fail(job, LODE_INVALID,
                        "--%s is for tables whose cells are items such as age=37; use --format "
                        "attributes",
                        out->bins ? "bins" : "keep-missing");
    }
    char s = out->separator;
    if (s == '\n' || s == '\r' || s == '"') {
        return job_fail(job, LODE_INVALID, "the separator cannot be a line end or a quote");
    }
    if (out->database && !out->sql) {
        return job_fail(job, LODE_INVALID, "a database requires a query (--sql QUERY)");
    }
    lode_format f = out->format;
    bool numbers = f == LODE_FORMAT_FIMI || f == LODE_FORMAT_SPMF;
    bool columns = out->tid_column || out->weight_column || out->drop_rows || out->ignore;
    if (columns && numbers) {
        return job_fail(job, LODE_INVALID, "files in fimi and spmf format have no columns");
    }
    bool items = f == LODE_FORMAT_AUTO || f == LODE_FORMAT_TABLE || f == LODE_FORMAT_JSON;
    if (out->item_column && !items) {
        return job_fail(job, LODE_INVALID, "an item column requires a table or JSON");
    }
    if (s && numbers) {
        return job_fail(job, LODE_INVALID,
                        "items in fimi and spmf files are always separated by spaces; another "
                        "separator cannot be used");
    }
    return LODE_OK;
}

bool lode_reads_xlsx(const char **why) {
    const char *reason;
    bool readable = workbook_is_readable(&reason);
    if (why) *why = reason;
    return readable;
}

/* Whether all sources can be read a second time. */
static bool open_can_repeat(const read_source *sources, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (sources[i].stream) return false;
        if (!sources[i].text && !input_can_repeat(sources[i].name)) return false;
    }
    return true;
}

static lode_status open_read(lode_job *job, lode_dataset **out, const read_source *sources,
                             size_t n_sources, const lode_read_options *options,
                             size_t block_bytes) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    lode_read_options checked;
    lode_dataset *data = NULL;
    job_report_begin_read(job);
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    LODE_TRY(open_check(job, options, &checked));
    if (checked.n_parts > 0 && n_sources > 1) {
        LODE_LEAVE(
            job_fail(job, LODE_UNSUPPORTED,
                     "several files cannot be read in parts; give each process some of the files"));
    }
    if (checked.sql && n_sources > 1) {
        LODE_LEAVE(job_fail(job, LODE_INVALID,
                            "a query (--sql) runs in one database, but %zu files are given",
                            n_sources));
    }
    job->can_spill = job->forecast && !checked.spill &&
                     job->expected.target != LODE_TARGET_GENERATORS && !job->expected.reduce;
    do {
        job_begin_phase(job, "read");
        status = read_run(job, sources, n_sources, &checked, block_bytes, &data);
    } while (status == LODE_BUDGET && open_can_repeat(sources, n_sources) &&
             (status = lease_again(job)) == LODE_OK);
    LODE_TRY(status);
    const char *name = read_is_query(&checked, sources[0].name) ? "the query" : sources[0].name;
    LODE_TRY(vec_char_append(data->mem, &data->source, name, strlen(name) + 1));
    data->profile.read_seconds = os_seconds() - job->phase_start;
    dataset_report(data, job);
    *out = data;
    data = NULL;
done:
    lode_dataset_free(data);
    lease_leave(&call);
    return job_report_end_read(job, job_explain(job, status, "reading the data"));
}

lode_status lode_columns_json(lode_job *job, const char *path, const lode_read_options *options,
                              lode_write_fn write, void *user) {
    VALID_CALL(job, VALID_NEEDS(path), VALID_NEEDS(write));
    lode_status status = LODE_OK;
    lease_call call = {0};
    lode_read_options checked;
    vec_char json = {0};
    const read_source source = {.name = path};
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    LODE_TRY(open_check(job, options, &checked));
    do {
        job_begin_phase(job, "read");
        json.n = 0;
        status = read_columns(job, &source, &checked, &json);
    } while (status == LODE_BUDGET && open_can_repeat(&source, 1) &&
             (status = lease_again(job)) == LODE_OK);
    LODE_TRY(status);
    if (write(user, json.data, json.n) != 0) status = LODE_STOPPED;
done:
    vec_char_free(&job->mem, &json);
    lease_leave(&call);
    return job_explain(job, status, "reading the columns");
}

lode_status lode_dataset_open(lode_job *job, lode_dataset **out, const char *path,
                              const lode_read_options *options) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(path));
    return open_read(job, out, &(read_source){.name = path}, 1, options, 0);
}

lode_status lode_dataset_open_files(lode_job *job, lode_dataset **out, const char *const *paths,
                                    size_t n_paths, const lode_read_options *options) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(paths));
    read_source *sources = NULL;
    size_t n_stdin = 0, bytes = n_paths * sizeof *sources;
    if (n_paths == 0) return job_fail(job, LODE_INVALID, "no file to read: n_paths is 0");
    for (size_t i = 0; i < n_paths; i++) {
        if (!paths[i]) return job_fail(job, LODE_INVALID, "paths[%zu] is NULL", i);
        n_stdin += strcmp(paths[i], "-") == 0;
    }
    if (n_stdin > 1) {
        return job_fail(job, LODE_INVALID,
                        "'-' is given more than once; standard input can be read only once");
    }
    lode_status status = mem_zalloc(&job->mem, (void **)&sources, bytes);
    if (status != LODE_OK) return job_explain(job, status, "reading the data");
    for (size_t i = 0; i < n_paths; i++) sources[i].name = paths[i];
    status = open_read(job, out, sources, n_paths, options, 0);
    mem_free(&job->mem, sources, bytes);
    return status;
}

lode_status open_parse(lode_job *job, lode_dataset **out, const read_source *texts, size_t n_texts,
                       const lode_read_options *options, size_t block_bytes) {
    return open_read(job, out, texts, n_texts, options, block_bytes);
}

lode_status lode_dataset_parse(lode_job *job, lode_dataset **out, const void *text,
                               size_t text_bytes, const char *name,
                               const lode_read_options *options) {
    VALID_CALL(job, VALID_NEEDS(out), {text || text_bytes == 0, "text"});
    read_source source = {
        .name = name ? name : "the text", .text = text ? text : "", .bytes = text_bytes};
    return open_read(job, out, &source, 1, options, 0);
}

/* Releases the stream in every case. Without a `release`, it was released before. */
lode_status lode_dataset_from_arrow(lode_job *job, lode_dataset **out,
                                    struct ArrowArrayStream *stream,
                                    const lode_read_options *options) {
    const valid_argument needed[] = {VALID_NEEDS(out), VALID_NEEDS(stream)};
    lode_status status = valid_call(job, needed, sizeof needed / sizeof *needed);
    read_source source = {.name = "the Arrow stream", .stream = stream};
    if (status == LODE_OK) status = open_read(job, out, &source, 1, options, 0);
    if (stream && stream->release) stream->release(stream);
    return status;
}

/* ---- a file read by several processes: lode_dataset_open_together ---------------------------- */

/* Each process reads a part of the file, as lode_read_options.part describes, and the parts become
 * one data set in every process (together.h). Anything unusual, such as a file that cannot be
 * divided, a malformed line or too little memory, makes every process give up and read the whole
 * file: only then do messages have the right line numbers and figures, and each is printed once.
 *
 * A part begins after a line end, which may be within quotes. Then the previous part ends within
 * quotes, which is malformed; so if no part is malformed, each began where a record does. With
 * skip_bad_lines, a part that has skipped anything counts as malformed for that reason. */

/* Whether the options allow parts; what the file allows turns out later. */
static bool jointly_suits(const char *const *paths, size_t n_paths, const lode_read_options *o) {
    bool plain = !o->weight_column && !o->drop_rows && !o->keep_ids && !o->spill && !o->n_parts;
    plain = plain && !o->ignore && !o->bins && !o->split && o->format != LODE_FORMAT_ATTRIBUTES;
    return plain && !o->sql && n_paths == 1 && paths[0] && strcmp(paths[0], "-") != 0;
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
