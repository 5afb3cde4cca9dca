/* onehot.c - a table of true and false: one column an item, one line a transaction
 *
 *     bread,milk,beer          the header gives the items
 *     1,0,1                    also 1.0/0.0, true/false, t/f, yes/no; empty and NaN are false
 *
 * A first column of row numbers, as pandas writes it (without a name, or called index, id, order_id
 * and the like), is no item and is passed over.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "format/columns.h"
#include "format/read.h"

/* Names of the columns, one after the other. */
typedef struct onehot_header {
    vec_char text;
    vec_u64 ends;
    bool index; /* the first column holds row numbers; it has no name here */
} onehot_header;

static lode_status onehot_header_fields(read_job *job, onehot_header *h, csv_cursor *c) {
    lode_status status = LODE_OK;
    csv_field field;
    LODE_TRY(csv_next(c, &field));
    h->index = !field.last && columns_is_index(field.text, field.n);
    if (h->index) LODE_TRY(csv_next(c, &field));
    for (;;) {
        if (field.n == 0) {
            LODE_LEAVE(read_bad_at(job, 1, (uint64_t)(field.at - c->record) + 1,
                                   "column without a name; expected an item"));
        }
        LODE_TRY(vec_char_append(c->mem, &h->text, field.text, field.n));
        LODE_TRY(vec_u64_push(c->mem, &h->ends, h->text.n));
        if (field.last) break;
        LODE_TRY(csv_next(c, &field));
    }
done:
    return status;
}

static lode_status onehot_prepare(read_job *job) {
    lode_status status = LODE_OK;
    const char *text;
    size_t n;
    LODE_TRY(mem_zalloc(&job->ctx->mem, &job->own, sizeof(onehot_header)));
    LODE_TRY(input_take_record(job->in, &text, &n));
    csv_cursor c = read_cursor_over(job, text, n);
    if (!csv_begin(&c)) LODE_LEAVE(read_bad_at(job, 1, 1, "empty file; expected a header line"));
    status = onehot_header_fields(job, job->own, &c);
    if (status == LODE_PARSE && c.bad) status = read_bad_header(job, &c);
done:
    return status;
}

static void onehot_clear(read_job *job) {
    mem *m = &job->ctx->mem;
    onehot_header *h = job->own;
    if (!h) return;
    for (unsigned i = 0; i < job->n_workers; i++) {
        mem_free(m, job->workers[i].own, h->ends.n * sizeof(uint32_t));
    }
    vec_char_free(m, &h->text);
    vec_u64_free(m, &h->ends);
    mem_free(m, h, sizeof *h);
}

/* The worker's own code of every column. */
static lode_status onehot_codes(read_worker *w) {
    lode_status status = LODE_OK;
    const onehot_header *h = w->job->own;
    if (w->own) return LODE_OK;
    LODE_TRY(mem_zalloc(w->out->mem, &w->own, h->ends.n * sizeof(uint32_t)));
    uint32_t *codes = w->own;
    uint64_t start = 0;
    for (size_t i = 0; i < h->ends.n; i++) {
        LODE_TRY(worker_code(w->out, h->text.data + start, h->ends.data[i] - start, &codes[i]));
        start = h->ends.data[i];
    }
done:
    return status;
}

static lode_status onehot_record(read_worker *w, csv_cursor *c) {
    lode_status status = LODE_OK;
    const onehot_header *h = w->job->own;
    const uint32_t *codes = w->own;
    csv_field field;
    size_t column = 0;
    LODE_TRY(csv_next(c, &field));
    if (csv_is_blank(&field)) {
        read_note_blank(w, c->record);
        return LODE_OK;
    }
    LODE_TRY(read_not_blank(w));
    if (h->index && field.last) {
        return csv_malformed(c, field.at, "too few fields; expected one for each item");
    }
    if (h->index) LODE_TRY(csv_next(c, &field));
    for (;; column++) {
        int truth = columns_truth(field.text, field.n);
        if (column == h->ends.n) {
            return csv_malformed(c, field.at, "too many fields; expected one for each item");
        }
        if (truth < 0) {
            return csv_malformed(
                c, field.at,
                "neither true nor false; expected 0, 1, true, false, t, f, yes, no or "
                "nothing");
        }
        if (truth > 0) worker_push(w->out, codes[column]);
        if (field.last) break;
        LODE_TRY(csv_next(c, &field));
    }
    if (column + 1 < h->ends.n) {
        return csv_malformed(c, field.at, "too few fields; expected one for each item");
    }
    LODE_TRY(worker_end_transaction(w->out));
done:
    return status;
}

static lode_status onehot_parse(read_worker *w) {
    lode_status status = LODE_OK;
    const onehot_header *h = w->job->own;
    csv_cursor c = read_cursor(w);
    LODE_TRY(onehot_codes(w));
    while (csv_begin(&c)) {
        LODE_TRY(worker_reserve(w->out, h->ends.n));
        status = onehot_record(w, &c);
        if (status == LODE_PARSE && c.bad) status = read_bad_record(w, &c);
        if (status != LODE_OK) break;
    }
done:
    return status;
}

const read_format read_onehot = {.name = "onehot",
                                 .format = LODE_FORMAT_ONEHOT,
                                 .separated = true,
                                 .prepare = onehot_prepare,
                                 .parse = onehot_parse,
                                 .clear = onehot_clear};
