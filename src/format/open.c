/* open.c - the public ways to read a data set
 * SPDX-License-Identifier: Apache-2.0 */
#include "format/open.h"

#include <string.h>

#include "base/os.h"
#include "format/foreign.h"
#include "format/read.h"
#include "runtime/job_report.h"
#include "runtime/valid.h"

static lode_status open_check(lode_job *job, const lode_read_options *options,
                              lode_read_options *out) {
    lode_status status = valid_options(job, VALID_READ, options);
    if (status != LODE_OK) return status;
    *out = options ? *options : (lode_read_options){.size = sizeof *out};
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

/* Reads an open input and closes it. `source`: what it is called. */
static lode_status open_read(lode_job *job, lode_dataset **out, input *in, const char *source,
                             const lode_read_options *options, size_t block_bytes) {
    lode_dataset *data = NULL;
    lode_status status = open_is_told(options) ? LODE_OK : foreign_check_text(job, in, false);
    if (status == LODE_OK) status = read_run(job, in, options, block_bytes, &data);
    input_close(in);
    if (status == LODE_OK) {
        status = vec_char_append(data->mem, &data->source, source, strlen(source) + 1);
    }
    if (status != LODE_OK) {
        lode_dataset_free(data);
        return status;
    }
    data->profile.read_seconds = os_seconds() - job->phase_start;
    dataset_report(data, job);
    *out = data;
    return LODE_OK;
}

lode_status lode_dataset_open(lode_job *job, lode_dataset **out, const char *path,
                              const lode_read_options *options) {
    lode_status status = LODE_OK;
    lode_read_options checked;
    input *in = NULL;
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(path));
    job_report_begin_read(job);
    job_begin_phase(job, "read");
    LODE_TRY(open_check(job, options, &checked));
    LODE_TRY(input_open(job, &in, path));
    LODE_TRY(open_read(job, out, in, path, &checked, 0));
done:
    return job_report_end_read(job, job_explain(job, status, "reading the data"));
}

lode_status open_parse(lode_job *job, lode_dataset **out, const void *text, size_t text_bytes,
                       const char *name, const lode_read_options *options, size_t block_bytes) {
    lode_status status = LODE_OK;
    lode_read_options checked;
    input *in = NULL;
    VALID_CALL(job, VALID_NEEDS(out), {text || text_bytes == 0, "text"});
    job_report_begin_read(job);
    job_begin_phase(job, "read");
    LODE_TRY(open_check(job, options, &checked));
    if (!name) name = "the text";
    LODE_TRY(input_open_memory(job, &in, text ? text : "", text_bytes, name));
    LODE_TRY(open_read(job, out, in, name, &checked, block_bytes));
done:
    return job_report_end_read(job, job_explain(job, status, "reading the data"));
}

lode_status lode_dataset_parse(lode_job *job, lode_dataset **out, const void *text,
                               size_t text_bytes, const char *name,
                               const lode_read_options *options) {
    return open_parse(job, out, text, text_bytes, name, options, 0);
}
