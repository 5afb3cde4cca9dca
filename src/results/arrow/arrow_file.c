/* arrow_file.c - access to an open Arrow file: see arrow.h, file.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "results/arrow/file.h"

lode_status file_damaged(const arrow_file *f, const char *what) {
    return job_fail(f->job, LODE_PARSE, "%s: the Arrow file is damaged: %s", f->name, what);
}

bool arrow_has_checksums(const arrow_file *f) {
    return f->sums.at != 0;
}

bool file_sum_fits(const arrow_file *f, size_t i, uint64_t sum) {
    char digits[ARROW_SUM_DIGITS];
    if (f->sums.at == 0) return true;
    metadata_put_sum(digits, sum);
    const unsigned char *stored = f->sums.in.data + f->sums.at + i * ARROW_SUM_DIGITS;
    return memcmp(stored, digits, ARROW_SUM_DIGITS) == 0;
}

lode_status file_changed(const arrow_file *f, const char *what) {
    return job_fail(f->job, LODE_PARSE,
                    "%s: %s does not match its checksum: the file was damaged after it was "
                    "written; mine again, or restore a copy",
                    f->name, what);
}

bool arrow_is_lost(const arrow_file *f) {
    return mapped_is_lost(&f->map);
}

lode_status arrow_check(const arrow_file *f) {
    if (mapped_check(&f->map)) return LODE_OK;
    job_clear_message(f->job); /* what else went wrong may come from this */
    return job_fail(f->job, LODE_IO,
                    "%s was cut short, changed or could not be read while it was "
                    "open",
                    f->name);
}

void arrow_close(arrow_file *f) {
    if (!f) return;
    mem *m = &f->job->mem;
    mapped_close(&f->map);
    pthread_mutex_destroy(&f->lock);
    mem_drop(m, &f->kept);
    mem_free(m, f, sizeof *f);
}

uint32_t arrow_n_columns(const arrow_file *f) {
    return f->n_columns;
}

const arrow_column *arrow_column_at(const arrow_file *f, uint32_t i) {
    return &f->columns[i].column;
}

uint32_t arrow_column_find(const arrow_file *f, const char *name) {
    for (uint32_t i = 0; i < f->n_columns; i++) {
        if (strcmp(f->columns[i].column.name, name) == 0) return i;
    }
    return UINT32_MAX;
}

uint64_t arrow_n_rows(const arrow_file *f) {
    return f->n_rows;
}

uint32_t arrow_n_batches(const arrow_file *f) {
    return f->n_batches;
}

uint32_t arrow_n_dictionaries(const arrow_file *f) {
    return (uint32_t)f->dictionaries.n;
}

/* The run that a batch belongs to. */
static const file_run *file_run_of(const arrow_file *f, uint32_t batch) {
    size_t low = 0, high = f->n_runs;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (f->runs[middle].first_batch <= batch) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &f->runs[low];
}

uint64_t arrow_batch_first(const arrow_file *f, uint32_t batch) {
    if (batch >= f->n_batches) return f->n_rows;
    const file_run *run = file_run_of(f, batch);
    return run->first_row + (uint64_t)(batch - run->first_batch) * run->rows;
}

uint32_t arrow_batch_rows(const arrow_file *f, uint32_t batch) {
    return batch < f->n_batches ? file_run_of(f, batch)->rows : 0;
}

uint32_t arrow_batch_of(const arrow_file *f, uint64_t row) {
    size_t low = 0, high = f->n_runs;
    if (row >= f->n_rows) return f->n_batches;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (f->runs[middle].first_row <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const file_run *run = &f->runs[low];
    return run->first_batch + (uint32_t)((row - run->first_row) / run->rows);
}

const char *arrow_key_value(const arrow_file *f, const char *key) {
    for (uint32_t i = 0; i < f->n_keys; i++) {
        if (strcmp(f->keys[i].key, key) == 0) return f->keys[i].value;
    }
    return NULL;
}

/* ---- the batches and dictionaries of an Arrow file, checked before they are used ------------- */

/* A message lists the buffers in its body. Whatever it claims, a buffer is used only if it lies
 * within the body, the body lies within the file and before the footer, and the buffer is long
 * enough for the rows. */

/* A batch, or the batch within a dictionary. */
typedef struct cells_batch {
    const arrow_file *file;
    arrow_block block; /* where it lies */
    uint64_t rows;
    flat_list nodes, buffers;
    const unsigned char *body;
} cells_batch;

/* Where the message of a block is, and its body. */
static lode_status cells_message(const arrow_file *f, const flat_list *blocks, uint32_t i,
                                 flat_view *message, cells_batch *out) {
    arrow_block b = {flat_list_number(blocks, i, ARROW_BLOCK_BYTES, BLOCK_AT, 8),
                     flat_list_number(blocks, i, ARROW_BLOCK_BYTES, BLOCK_BEFORE, 4),
                     flat_list_number(blocks, i, ARROW_BLOCK_BYTES, BLOCK_BODY, 8)};
    uint32_t prefix[2];
    bool inside = b.at <= f->body_end && b.before <= f->body_end - b.at &&
                  b.body <= f->body_end - b.at - b.before && b.before >= ARROW_PREFIX;
    if (!inside) return file_damaged(f, "a batch lies outside of the file");
    memcpy(prefix, f->bytes + b.at, sizeof prefix);
    if (prefix[0] != ARROW_MARK || prefix[1] > b.before - ARROW_PREFIX) {
        return file_damaged(f, "a batch does not begin where it should");
    }
    flat_bytes metadata = {f->bytes + b.at + ARROW_PREFIX, prefix[1]};
    if (!flat_root(metadata, message)) return file_damaged(f, "a batch has no description");
    out->file = f;
    out->block = b;
    out->body = f->bytes + b.at + b.before;
    return LODE_OK;
}

/* Takes the header of a message, which must be of a type. */
static bool cells_header(const flat_view *message, unsigned type, flat_view *header) {
    uint64_t its_type;
    return flat_number(message, MESSAGE_TYPE, 1, 0, &its_type) && its_type == type &&
           flat_table_at(message, MESSAGE_HEADER, header);
}

/* Takes what a record batch says of itself. */
static lode_status cells_record(const flat_view *record, cells_batch *out) {
    flat_view compression;
    bool whole = flat_number(record, BATCH_LENGTH, 8, 0, &out->rows) &&
                 flat_vector_at(record, BATCH_NODES, ARROW_PAIR_BYTES, &out->nodes) &&
                 flat_vector_at(record, BATCH_BUFFERS, ARROW_PAIR_BYTES, &out->buffers);
    if (!whole) return file_damaged(out->file, "a batch has no description");
    if (!flat_table_at(record, BATCH_COMPRESSION, &compression)) return LODE_OK;
    return job_fail(out->file->job, LODE_PARSE,
                    "%s: the Arrow file is compressed; lode reads only uncompressed Arrow files",
                    out->file->name);
}

/* The rows of a node, none of which may be null. */
static lode_status cells_node(const cells_batch *b, uint32_t i, uint64_t *rows) {
    if (i >= b->nodes.n)
        return file_damaged(b->file, "a batch has fewer columns than the footer says");
    *rows = flat_list_number(&b->nodes, i, ARROW_PAIR_BYTES, 0, 8);
    uint64_t nulls = flat_list_number(&b->nodes, i, ARROW_PAIR_BYTES, 8, 8);
    return nulls == 0 ? LODE_OK : file_damaged(b->file, "a column has missing values");
}

/* The i-th buffer, which has room for n values of `width` bytes. */
static lode_status cells_buffer(const cells_batch *b, uint32_t i, uint64_t n, size_t width,
                                const void **out) {
    if (i >= b->buffers.n) return file_damaged(b->file, "a batch has too few buffers");
    uint64_t at = flat_list_number(&b->buffers, i, ARROW_PAIR_BYTES, 0, 8);
    uint64_t bytes = flat_list_number(&b->buffers, i, ARROW_PAIR_BYTES, 8, 8);
    if (at > b->block.body || bytes > b->block.body - at || n > bytes / width) {
        return file_damaged(b->file, "a column lies outside of its batch");
    }
    const unsigned char *start = b->body + at;
    if ((uintptr_t)start % width != 0) {
        return file_damaged(b->file, "the numbers of a column are not aligned");
    }
    *out = start;
    return LODE_OK;
}

/* Offsets of n lists, from 0 to at most `end`. */
static lode_status cells_offsets(const cells_batch *b, uint32_t buffer, uint64_t n, uint64_t end,
                                 arrow_cells *out) {
    const void *start = NULL;
    lode_status status = cells_buffer(b, buffer, n + 1, sizeof(int32_t), &start);
    if (status != LODE_OK) return status;
    out->offsets = start;
    int32_t last = MAPPED_READ(out->offsets[n]);
    bool fine = out->offsets[0] == 0 && last >= 0 && (uint64_t)last <= end;
    out->n_values = (uint32_t)last;
    return fine ? LODE_OK : file_damaged(b->file, "the lists of a column have an invalid end");
}

/* Whether they ascend. */
static lode_status cells_check_offsets(const cells_batch *b, const arrow_cells *cells) {
    const int32_t *o = cells->offsets;
    int32_t descents = 0;
    for (uint64_t i = 0; i < b->rows; i++) descents |= o[i + 1] < o[i];
    return descents ? file_damaged(b->file, "the offsets of the lists of a column decrease")
                    : LODE_OK;
}

/* Properties of the cells of a column, found in one pass over them. */
typedef struct cells_tally {
    uint64_t sum;     /* checksum, if the file has any */
    uint32_t largest; /* code */
} cells_tally;

static uint32_t cells_largest(const uint32_t *codes, size_t n, uint32_t largest) {
    for (size_t i = 0; i < n; i++) largest = codes[i] > largest ? codes[i] : largest;
    return largest;
}

/* By pieces that stay in the cache, so that values are read from memory once. */
static cells_tally cells_look(const cells_batch *b, const arrow_cells *cells, arrow_type type) {
    cells_tally t = {.sum = metadata_block_sum(&b->block)};
    const unsigned char *values = cells->values;
    bool summed = b->file->sums.at != 0, codes = type == ARROW_NAMES;
    size_t n = (size_t)(cells->offsets ? cells->n_values : b->rows) * arrow_width(type);
    if (summed && cells->offsets) {
        t.sum = checksum_add(t.sum, cells->offsets, (size_t)(b->rows + 1) * sizeof *cells->offsets);
    }
    for (size_t at = 0; at < n && (summed || codes); at += CHECKSUM_PIECE) {
        size_t piece = n - at < CHECKSUM_PIECE ? n - at : CHECKSUM_PIECE;
        if (summed) t.sum = checksum_add(t.sum, values + at, piece);
        if (!codes) continue;
        const void *start = values + at;
        t.largest = cells_largest(start, piece / sizeof t.largest, t.largest);
    }
    return t;
}

/* ---- dictionaries --------------------------------------------------------------------------- */

/* The batch of names within a dictionary. */
static lode_status cells_dictionary(const arrow_file *f, uint32_t dictionary, cells_batch *out) {
    lode_status status = LODE_OK;
    flat_view message, header, record;
    uint64_t id, delta;
    LODE_TRY(cells_message(f, &f->dictionaries, dictionary, &message, out));
    if (!cells_header(&message, MESSAGE_DICTIONARY, &header) ||
        !flat_table_at(&header, DICTIONARY_DATA, &record) ||
        !flat_number(&header, DICTIONARY_ID, 8, 0, &id) ||
        !flat_number(&header, DICTIONARY_IS_DELTA, 1, 0, &delta)) {
        LODE_LEAVE(file_damaged(f, "a dictionary has no description"));
    }
    if (id != dictionary || delta != 0)
        LODE_LEAVE(file_damaged(
            f, "a dictionary is split into several batches, which lode does not support"));
    LODE_TRY(cells_record(&record, out));
    if (out->rows > INT32_MAX) LODE_LEAVE(file_damaged(f, "a dictionary has too many names"));
done:
    return status;
}

/* Checks the names of a dictionary; under the lock. */
static lode_status cells_check_names(arrow_file *f, uint32_t dictionary) {
    lode_status status = LODE_OK;
    cells_batch b;
    uint64_t rows = 0;
    file_names *names = &f->names[dictionary];
    LODE_TRY(cells_dictionary(f, dictionary, &b));
    LODE_TRY(cells_node(&b, 0, &rows));
    if (rows != b.rows)
        LODE_LEAVE(
            file_damaged(f, "a dictionary has another number of names than its description says"));
    LODE_TRY(cells_offsets(&b, 1, rows, INT32_MAX, &names->texts));
    LODE_TRY(cells_buffer(&b, 2, names->texts.n_values, 1, &names->texts.values));
    if (!file_sum_fits(f, 1 + dictionary, cells_look(&b, &names->texts, ARROW_TEXT).sum)) {
        LODE_LEAVE(file_changed(f, "the list of names"));
    }
    LODE_TRY(cells_check_offsets(&b, &names->texts));
    names->n = rows;
    atomic_store(&names->ready, true);
done:
    return status;
}

lode_status arrow_names(arrow_file *f, uint32_t dictionary, uint64_t *n) {
    lode_status status = LODE_OK;
    if (dictionary >= f->dictionaries.n) return file_damaged(f, "a dictionary is missing");
    file_names *names = &f->names[dictionary];
    if (!atomic_load(&names->ready)) {
        pthread_mutex_lock(&f->lock);
        if (!atomic_load(&names->ready)) status = cells_check_names(f, dictionary);
        pthread_mutex_unlock(&f->lock);
    }
    if (status == LODE_OK) *n = names->n;
    return status;
}

const char *arrow_name(const arrow_file *f, uint32_t dictionary, uint64_t i, size_t *bytes) {
    const file_names *names = &f->names[dictionary];
    arrow_list text = {0, 0};
    if (i < names->n) text = arrow_list_at(&names->texts, (uint32_t)i);
    *bytes = text.n;
    return (const char *)names->texts.values + text.first;
}

/* ---- columns -------------------------------------------------------------------------------- */

/* Whether codes up to the largest have names; a negative one is too large. */
static lode_status cells_check_codes(const cells_batch *b, uint32_t dictionary,
                                     const arrow_cells *cells, uint32_t largest) {
    cells_batch names;
    lode_status status = cells_dictionary(b->file, dictionary, &names);
    if (status != LODE_OK || cells->n_values == 0 || largest < names.rows) return status;
    return file_damaged(b->file, "a code is not in its dictionary");
}

/* Lists and texts: offsets, and the values they lead to. */
static lode_status cells_lists(const cells_batch *b, const file_column *c, arrow_cells *out) {
    lode_status status = LODE_OK;
    arrow_type type = c->column.type;
    uint64_t end = INT32_MAX;
    uint32_t values = c->first_buffer + arrow_buffers(type) - 1;
    if (arrow_is_list(type)) LODE_TRY(cells_node(b, c->first_node + 1, &end));
    LODE_TRY(cells_offsets(b, c->first_buffer + 1, b->rows, end, out));
    LODE_TRY(cells_buffer(b, values, out->n_values, arrow_width(type), &out->values));
done:
    return status;
}

/* Fails because the column of a batch was changed after it was written. */
static lode_status cells_changed(const arrow_file *f, uint32_t batch, const char *column) {
    char what[256];
    uint64_t first = arrow_batch_first(f, batch);
    snprintf(what, sizeof what, "column '%.100s' of rows %" PRIu64 " to %" PRIu64, column, first,
             first + arrow_batch_rows(f, batch) - 1);
    return file_changed(f, what);
}

/* Whether cells are unchanged since they were written, and valid. */
static lode_status cells_check(const cells_batch *b, uint32_t batch, uint32_t column,
                               const arrow_cells *cells) {
    lode_status status = LODE_OK;
    const arrow_file *f = b->file;
    const arrow_column *c = &f->columns[column].column;
    size_t at = 1 + f->dictionaries.n + (size_t)batch * f->n_columns + column;
    cells_tally t = cells_look(b, cells, c->type);
    if (!file_sum_fits(f, at, t.sum)) LODE_LEAVE(cells_changed(f, batch, c->name));
    if (cells->offsets) LODE_TRY(cells_check_offsets(b, cells));
    if (c->type == ARROW_NAMES) LODE_TRY(cells_check_codes(b, c->dictionary, cells, t.largest));
done:
    return status;
}

lode_status arrow_cells_at(const arrow_file *f, uint32_t batch, uint32_t column, bool check,
                           arrow_cells *out) {
    lode_status status = LODE_OK;
    const file_column *c = &f->columns[column];
    arrow_type type = c->column.type;
    flat_view message, record;
    cells_batch b;
    uint64_t rows = 0;
    *out = (arrow_cells){0};
    LODE_TRY(cells_message(f, &f->batches, batch, &message, &b));
    if (!cells_header(&message, MESSAGE_BATCH, &record)) {
        LODE_LEAVE(file_damaged(f, "a batch has no description"));
    }
    LODE_TRY(cells_record(&record, &b));
    LODE_TRY(cells_node(&b, c->first_node, &rows));
    if (b.rows != arrow_batch_rows(f, batch) || rows != b.rows) {
        LODE_LEAVE(file_damaged(f, "a batch has another number of rows than the footer says"));
    }
    if (type == ARROW_TEXT || arrow_is_list(type)) {
        LODE_TRY(cells_lists(&b, c, out));
    } else {
        LODE_TRY(cells_buffer(&b, c->first_buffer + 1, rows, arrow_width(type), &out->values));
    }
    if (check) LODE_TRY(cells_check(&b, batch, column, out));
done:
    return status;
}
