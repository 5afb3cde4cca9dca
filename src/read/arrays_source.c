/* arrays_source.c - the batches of an Arrow stream or file; see arrays.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "read/arrays.h"
#include "read/ipc.h"
#include "read/sniff.h"

#define ARRAYS_COLUMNS_MOST 65536
#define ARRAYS_NOT_READ     SIZE_MAX /* in place of the child: the column is not wanted */

struct arrays_source {
    lode_job *job;
    _Atomic unsigned holders; /* the reader, and every batch, whose columns have types of here */
    const char *name;         /* for messages */
    struct ArrowArrayStream *stream;
    struct ArrowArrayStream file; /* the stream of an Arrow file */
    input *in;
    struct ArrowSchema schema;
    arrays_type *types;
    size_t n_columns;
    bool lone;        /* the stream has lists, not tables: one column */
    size_t *children; /* which child of the table each column is; NULL = all are children */
    size_t n_children;
    arrays_batch *batch; /* rows from `at` on are still to be handed out; NULL = none */
    uint64_t at, n_batches, n_rows;
};

size_t arrays_n_columns(const arrays_source *f) {
    return f->n_columns;
}

const arrays_type *arrays_type_at(const arrays_source *f, size_t column) {
    return &f->types[column];
}

input *arrays_input(const arrays_source *f) {
    return f->in;
}

/* ---- opening ---- */

static lode_status arrays_failed(const arrays_source *f) {
    if (f->in) return ipc_status(f->stream);
    const char *why = f->stream->get_last_error ? f->stream->get_last_error(f->stream) : NULL;
    if (job_is_cancelled(f->job)) return LODE_CANCELLED;
    return job_fail(f->job, LODE_IO, "%s failed: %s", f->name,
                    why && *why ? why : "without an error message");
}

static lode_status arrays_read_schema(arrays_source *f) {
    struct ArrowArrayStream *s = f->stream;
    if (!s->release || !s->get_schema || !s->get_next) {
        return job_fail(f->job, LODE_INVALID,
                        "%s was released; expected a stream that was not read yet", f->name);
    }
    return s->get_schema(s, &f->schema) == 0 ? LODE_OK : arrays_failed(f);
}

/* Whether a schema has what its numbers say. */
static bool arrays_is_whole(const struct ArrowSchema *s, int depth) {
    if (!s || !s->format || depth > 64 || s->n_children < 0) return false;
    if (s->n_children > ARRAYS_COLUMNS_MOST || (s->n_children > 0 && !s->children)) return false;
    for (int64_t i = 0; i < s->n_children; i++) {
        if (!arrays_is_whole(s->children[i], depth + 1)) return false;
    }
    return !s->dictionary || arrays_is_whole(s->dictionary, depth + 1);
}

static lode_status arrays_take_schema(arrays_source *f) {
    const struct ArrowSchema *s = &f->schema;
    if (!s->release || !arrays_is_whole(s, 0)) {
        return job_fail(f->job, LODE_PARSE, "%s has an invalid schema", f->name);
    }
    f->lone = strcmp(s->format, "+l") == 0 || strcmp(s->format, "+L") == 0;
    if (!f->lone && strcmp(s->format, "+s") != 0) {
        return job_fail(f->job, LODE_UNSUPPORTED,
                        "%s has the Arrow format '%s'; expected a table, or a column of lists",
                        f->name, s->format);
    }
    f->n_columns = f->n_children = f->lone ? 1 : (size_t)s->n_children;
    if (f->n_columns == 0) return job_fail(f->job, LODE_PARSE, "%s has no columns", f->name);
    lode_status status =
        mem_zalloc(&f->job->mem, (void **)&f->types, f->n_columns * sizeof *f->types);
    if (status != LODE_OK) return status;
    for (size_t i = 0; i < f->n_columns; i++) {
        arrays_type_of(f->lone ? s : s->children[i], &f->types[i]);
    }
    return LODE_OK;
}

lode_status arrays_open(lode_job *job, arrays_source **out, const char *name,
                        struct ArrowArrayStream *stream, input *in) {
    lode_status status = LODE_OK;
    arrays_source *f = NULL;
    LODE_TRY(mem_zalloc(&job->mem, (void **)&f, sizeof *f));
    *f = (arrays_source){.job = job, .name = name, .stream = stream, .in = in};
    atomic_store(&f->holders, 1);
    if (in) {
        LODE_TRY(ipc_open(job, in, &f->file));
        f->stream = &f->file;
    }
    LODE_TRY(arrays_read_schema(f));
    LODE_TRY(arrays_take_schema(f));
    *out = f;
    f = NULL;
done:
    arrays_close(f);
    return status;
}

/* ---- batches ---- */

static void arrays_free(arrays_source *f) {
    if (atomic_fetch_sub(&f->holders, 1) > 1) return;
    if (f->schema.release) f->schema.release(&f->schema);
    mem_free(&f->job->mem, f->types, f->n_columns * sizeof *f->types);
    mem_free(&f->job->mem, f->children, f->children ? f->n_columns * sizeof *f->children : 0);
    mem_free(&f->job->mem, f, sizeof *f);
}

static void arrays_let_go(arrays_batch *b) {
    if (!b || atomic_fetch_sub(&b->holders, 1) > 1) return;
    arrays_source *source = b->source;
    if (b->array.release) b->array.release(&b->array);
    mem_free(&source->job->mem, b, sizeof *b + b->n_columns * sizeof *b->columns);
    arrays_free(source);
}

void arrays_drop(arrays_block *block) {
    arrays_let_go(block->batch);
    *block = (arrays_block){0};
}

void arrays_close(arrays_source *f) {
    if (!f) return;
    arrays_let_go(f->batch);
    f->batch = NULL;
    if (f->file.release) f->file.release(&f->file);
    arrays_free(f);
}

static lode_status arrays_wrong(const arrays_source *f, size_t column, const char *wrong) {
    return job_fail(f->job, LODE_PARSE, "%s: column '%.60s' of batch %" PRIu64 " has %s", f->name,
                    f->n_columns > 0 ? f->types[column].name : "", f->n_batches, wrong);
}

/* Checks the arrays of a batch. */
static lode_status arrays_check_batch(arrays_source *f, arrays_batch *b) {
    const struct ArrowArray *a = &b->array;
    const int64_t most = (int64_t)1 << 56;
    bool sound = a->length >= 0 && a->offset >= 0 && a->length <= most && a->offset <= most;
    if (!f->lone) {
        sound = sound && a->n_children == (int64_t)f->n_children && (a->children || !f->n_children);
        sound = sound && (a->null_count == 0 || a->n_buffers < 1 || !a->buffers || !a->buffers[0]);
    }
    if (!sound) {
        return job_fail(f->job, LODE_PARSE,
                        "%s: batch %" PRIu64 " does not match the schema; expected as many columns "
                        "as there, and no null rows",
                        f->name, f->n_batches);
    }
    b->n_rows = (uint64_t)a->length;
    for (size_t i = 0; i < f->n_columns; i++) {
        const size_t child = f->children ? f->children[i] : i;
        b->columns[i].type = &f->types[i];
        if (child == ARRAYS_NOT_READ) continue;
        const struct ArrowArray *column = f->lone ? a : a->children[child];
        if (!column) return arrays_wrong(f, i, "no array");
        const char *wrong = arrays_column_of(
            &f->types[i], column, f->lone ? 0 : (uint64_t)a->offset, b->n_rows, &b->columns[i]);
        if (wrong) return arrays_wrong(f, i, wrong);
    }
    return LODE_OK;
}

/* Reads the next batch; f->batch becomes NULL at the end. */
static lode_status arrays_fetch(arrays_source *f) {
    lode_status status = LODE_OK;
    arrays_batch *b = NULL;
    arrays_let_go(f->batch);
    f->batch = NULL;
    f->at = 0;
    LODE_TRY(mem_zalloc(&f->job->mem, (void **)&b, sizeof *b + f->n_columns * sizeof *b->columns));
    *b = (arrays_batch){.source = f, .number = ++f->n_batches, .n_columns = f->n_columns};
    atomic_store(&b->holders, 1);
    atomic_fetch_add(&f->holders, 1);
    if (f->stream->get_next(f->stream, &b->array) != 0) LODE_LEAVE(arrays_failed(f));
    if (!b->array.release) goto done;
    LODE_TRY(arrays_check_batch(f, b));
    f->batch = b;
    b = NULL;
done:
    arrays_let_go(b);
    return status;
}

/* ---- some of the columns ---- */

/* Checks that the wanted columns are there, one after the other. */
static lode_status arrays_match(arrays_source *f, const struct ArrowSchema *s, const bool *wanted) {
    size_t n = 0;
    bool same = s->release && arrays_is_whole(s, 0) && strcmp(s->format, "+s") == 0;
    for (size_t i = 0; i < f->n_columns && same; i++) {
        f->children[i] = !wanted || wanted[i] ? n++ : ARRAYS_NOT_READ;
        if (f->children[i] == ARRAYS_NOT_READ) continue;
        same = n <= (size_t)s->n_children &&
               strcmp(s->children[n - 1]->format, f->schema.children[i]->format) == 0;
    }
    f->n_children = n;
    if (same && n == (size_t)s->n_children) return LODE_OK;
    return job_fail(f->job, LODE_PARSE, "%s has other columns when it is read again", f->name);
}

lode_status arrays_restart(arrays_source *f, struct ArrowArrayStream *stream, const bool *wanted) {
    lode_status status = LODE_OK;
    struct ArrowSchema schema = {.release = NULL};
    mem *m = &f->job->mem;
    arrays_let_go(f->batch);
    f->batch = NULL;
    f->at = f->n_batches = 0;
    f->stream = stream;
    if (!f->children) {
        LODE_TRY(mem_zalloc(m, (void **)&f->children, f->n_columns * sizeof *f->children));
    }
    if (stream->get_schema(stream, &schema) != 0) LODE_LEAVE(arrays_failed(f));
    LODE_TRY(arrays_match(f, &schema, wanted));
done:
    if (schema.release) schema.release(&schema);
    return status;
}

/* ---- rows ---- */

lode_status arrays_next(arrays_source *f, uint64_t n, arrays_block *block) {
    lode_status status = LODE_OK;
    arrays_drop(block);
    if (!f->batch && f->n_batches == 0) LODE_TRY(arrays_fetch(f));
    while (f->batch && f->at == f->batch->n_rows) LODE_TRY(arrays_fetch(f));
    if (!f->batch) goto done;
    uint64_t left = f->batch->n_rows - f->at;
    *block = (arrays_block){f->batch, f->at, left < n ? left : n};
    atomic_fetch_add(&f->batch->holders, 1);
    f->at += block->n;
done:
    return status;
}

/* ---- the first rows as CSV ---- */

static lode_status arrays_put_field(mem *m, vec_char *text, const char *field, size_t n,
                                    bool last) {
    lode_status status = LODE_OK;
    bool quoted =
        n > 0 && (memchr(field, ',', n) || memchr(field, '\n', n) || memchr(field, '\r', n) ||
                  memchr(field, '"', n) || field[0] == ' ' || field[n - 1] == ' ');
    if (quoted) LODE_TRY(vec_char_append(m, text, "\"", 1));
    for (size_t i = 0; quoted && i < n; i++) {
        if (field[i] == '"') LODE_TRY(vec_char_append(m, text, "\"", 1));
        LODE_TRY(vec_char_append(m, text, field + i, 1));
    }
    if (!quoted) LODE_TRY(vec_char_append(m, text, field, n));
    if (quoted) LODE_TRY(vec_char_append(m, text, "\"", 1));
    LODE_TRY(vec_char_append(m, text, last ? "\n" : ",", 1));
done:
    return status;
}

lode_status arrays_sample(arrays_source *f, vec_char *text) {
    lode_status status = LODE_OK;
    mem *m = &f->job->mem;
    const size_t n = f->n_columns;
    if (f->n_batches == 0) LODE_TRY(arrays_fetch(f));
    while (f->batch && f->batch->n_rows == 0) LODE_TRY(arrays_fetch(f));
    for (size_t i = 0; i < n; i++) {
        const char *name = f->types[i].name;
        LODE_TRY(arrays_put_field(m, text, name, strlen(name), i + 1 == n));
    }
    uint64_t rows = f->batch ? f->batch->n_rows : 0;
    if (rows > SNIFF_RECORDS) rows = SNIFF_RECORDS;
    for (uint64_t row = 0; row < rows && row * n < SNIFF_CELLS; row++) {
        for (size_t i = 0; i < n; i++) {
            char scratch[ARRAYS_SCRATCH];
            arrays_cell cell;
            const char *wrong = arrays_cell_at(&f->batch->columns[i], row, scratch, &cell);
            if (wrong) LODE_LEAVE(arrays_wrong(f, i, wrong));
            size_t most = cell.n < 256 ? cell.n : 256;
            LODE_TRY(arrays_put_field(m, text, cell.text ? cell.text : "", most, i + 1 == n));
        }
    }
done:
    return status;
}
