/* open.c - the public ways to read a data set
 * SPDX-License-Identifier: Apache-2.0 */
#include "format/open.h"

#include "base/os.h"
#include "format/foreign.h"
#include "format/read.h"
#include "runtime/valid.h"

static lode_status open_check(lode_job *job, const lode_read_options *options,
                              lode_read_options *out) {
    lode_status status = valid_take(job, VALID_READ, options, out);
    if (status != LODE_OK) return status;
    if (out->part > 0 && out->n_parts == 0) {
        return job_fail(job, LODE_INVALID, "part %u of how many? n_parts is 0", out->part);
    }
    char s = out->separator;
    if (s == '\n' || s == '\r' || s == '"') {
        return job_fail(job, LODE_INVALID, "a line end or a quote cannot be the separator");
    }
    lode_format f = out->format;
    bool numbers = f == LODE_FORMAT_FIMI || f == LODE_FORMAT_SPMF;
    if (out->tid_column && numbers) {
        return job_fail(job, LODE_INVALID, "fimi and spmf have no columns");
    }
    if (out->item_column && f != LODE_FORMAT_AUTO && f != LODE_FORMAT_TABLE) {
        return job_fail(job, LODE_INVALID, "a column of items is for tables only");
    }
    if (s && numbers) {
        return job_fail(job, LODE_INVALID,
                        "fimi and spmf have blanks between items, and no other "
                        "separator");
    }
    return LODE_OK;
}

/* Whether somebody has said how to read the file. */
static bool open_is_told(const lode_read_options *o) {
    return o->format != LODE_FORMAT_AUTO || o->tid_column || o->item_column || o->header ||
           o->separator;
}

/* Reads an open input and closes it. */
static lode_status open_read(lode_job *job, lode_dataset **out, input *in,
                             const lode_read_options *options, size_t block_bytes) {
    lode_dataset *data = NULL;
    lode_status status = open_is_told(options) ? LODE_OK : foreign_check_text(job, in, false);
    if (status == LODE_OK) status = read_run(job, in, options, block_bytes, &data);
    input_close(in);
    if (status != LODE_OK) return status;
    data->profile.read_seconds = os_seconds() - job->phase_start;
    *out = data;
    return LODE_OK;
}

static lode_status open_path(lode_job *job, lode_dataset **out, const char *path,
                             const lode_read_options *options) {
    input *in = NULL;
    job_begin_phase(job, "read");
    lode_status status = input_open(job, &in, path);
    return status == LODE_OK ? open_read(job, out, in, options, 0) : status;
}

lode_status lode_dataset_open(lode_job *job, lode_dataset **out, const char *path,
                              const lode_read_options *options) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    lode_read_options checked;
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(path));
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    LODE_TRY(open_check(job, options, &checked));
    status = open_path(job, out, path, &checked);
    while (status == LODE_BUDGET && input_can_repeat(path)) {
        LODE_TRY(lease_again(job));
        status = open_path(job, out, path, &checked);
    }
done:
    lease_leave(&call);
    return job_explain(job, status, "reading the data");
}

lode_status open_parse(lode_job *job, lode_dataset **out, const void *text, size_t text_bytes,
                       const char *name, const lode_read_options *options, size_t block_bytes) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    lode_read_options checked;
    input *in = NULL;
    VALID_CALL(job, VALID_NEEDS(out), {text || text_bytes == 0, "text"});
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    LODE_TRY(open_check(job, options, &checked));
    if (!name) name = "the text";
    do {
        job_begin_phase(job, "read");
        LODE_TRY(input_open_memory(job, &in, text ? text : "", text_bytes, name));
        status = open_read(job, out, in, &checked, block_bytes);
    } while (status == LODE_BUDGET && (status = lease_again(job)) == LODE_OK);
done:
    lease_leave(&call);
    return job_explain(job, status, "reading the data");
}

lode_status lode_dataset_parse(lode_job *job, lode_dataset **out, const void *text,
                               size_t text_bytes, const char *name,
                               const lode_read_options *options) {
    return open_parse(job, out, text, text_bytes, name, options, 0);
}
