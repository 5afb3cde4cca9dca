/* arrow_cells.c - the batches and dictionaries of an Arrow file, checked before they are used
 *
 * A message says which buffers its body has. Whatever it says, a buffer that is handed out lies
 * within the body, the body within the file and before the footer, and the buffer is as long as the
 * rows need.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "arrow/file.h"

/* A batch, or the batch within a dictionary. */
typedef struct cells_batch {
    const arrow_file *file;
    uint64_t rows;
    flat_list nodes, buffers;
    const unsigned char *body;
    uint64_t body_bytes;
} cells_batch;

/* Where the message of a block is, and its body. */
static lode_status cells_message(const arrow_file *f, const flat_list *blocks, uint32_t i,
                                 flat_view *message, cells_batch *out) {
    uint64_t at = flat_list_number(blocks, i, ARROW_BLOCK_BYTES, BLOCK_AT, 8);
    uint64_t before = flat_list_number(blocks, i, ARROW_BLOCK_BYTES, BLOCK_BEFORE, 4);
    uint64_t body = flat_list_number(blocks, i, ARROW_BLOCK_BYTES, BLOCK_BODY, 8);
    uint32_t prefix[2];
    bool inside = at <= f->body_end && before <= f->body_end - at &&
                  body <= f->body_end - at - before && before >= ARROW_PREFIX;
    if (!inside) return file_damaged(f, "a batch lies outside of the file");
    memcpy(prefix, f->bytes + at, sizeof prefix);
    if (prefix[0] != ARROW_MARK || prefix[1] > before - ARROW_PREFIX) {
        return file_damaged(f, "a batch does not begin where it should");
    }
    flat_bytes metadata = {f->bytes + at + ARROW_PREFIX, prefix[1]};
    if (!flat_root(metadata, message)) return file_damaged(f, "a batch has no description");
    out->file = f;
    out->body = f->bytes + at + before;
    out->body_bytes = body;
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
                    "%s: the Arrow file is compressed; lode maps files that are not",
                    out->file->name);
}

/* The rows of a node, none of which may be null. */
static lode_status cells_node(const cells_batch *b, uint32_t i, uint64_t *rows) {
    if (i >= b->nodes.n) return file_damaged(b->file, "a batch has too few columns");
    *rows = flat_list_number(&b->nodes, i, ARROW_PAIR_BYTES, 0, 8);
    uint64_t nulls = flat_list_number(&b->nodes, i, ARROW_PAIR_BYTES, 8, 8);
    return nulls == 0 ? LODE_OK : file_damaged(b->file, "a column has empty cells");
}

/* The i-th buffer, which has room for n values of `width` bytes. */
static lode_status cells_buffer(const cells_batch *b, uint32_t i, uint64_t n, size_t width,
                                const void **out) {
    if (i >= b->buffers.n) return file_damaged(b->file, "a batch has too few buffers");
    uint64_t at = flat_list_number(&b->buffers, i, ARROW_PAIR_BYTES, 0, 8);
    uint64_t bytes = flat_list_number(&b->buffers, i, ARROW_PAIR_BYTES, 8, 8);
    if (at > b->body_bytes || bytes > b->body_bytes - at || n > bytes / width) {
        return file_damaged(b->file, "a column lies outside of its batch");
    }
    const unsigned char *start = b->body + at;
    if ((uintptr_t)start % width != 0) {
        return file_damaged(b->file, "the numbers of a column are not aligned");
    }
    *out = start;
    return LODE_OK;
}

/* Offsets of n lists, from 0 to at most `end`; with `check`, ascending. */
static lode_status cells_offsets(const cells_batch *b, uint32_t buffer, uint64_t n, uint64_t end,
                                 bool check, const int32_t **out) {
    lode_status status =
        cells_buffer(b, buffer, n + 1, sizeof(int32_t), (const void **)(void *)out);
    if (status != LODE_OK) return status;
    const int32_t *o = *out;
    bool fine = o[0] == 0 && o[n] >= 0 && (uint64_t)o[n] <= end;
    int32_t descents = 0;
    for (uint64_t i = 0; check && i < n; i++) descents |= o[i + 1] < o[i];
    return fine && !descents ? LODE_OK : file_damaged(b->file, "its lists overlap or have no end");
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
    if (id != dictionary || delta != 0) LODE_LEAVE(file_damaged(f, "a dictionary is in pieces"));
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
    if (rows != b.rows) LODE_LEAVE(file_damaged(f, "a dictionary contradicts itself"));
    LODE_TRY(cells_offsets(&b, 1, rows, INT32_MAX, true, &names->offsets));
    LODE_TRY(cells_buffer(&b, 2, (uint64_t)names->offsets[rows], 1, (const void **)&names->text));
    names->n = rows;
    atomic_store(&names->ready, true);
done:
    return status;
}

lode_status arrow_names(arrow_file *f, uint32_t dictionary, uint64_t *n) {
    lode_status status = LODE_OK;
    if (dictionary >= f->dictionaries.n) return file_damaged(f, "it lacks a dictionary");
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
    *bytes = (size_t)(names->offsets[i + 1] - names->offsets[i]);
    return names->text + names->offsets[i];
}

/* ---- columns -------------------------------------------------------------------------------- */

static lode_status cells_check_codes(const cells_batch *b, uint32_t dictionary,
                                     const arrow_cells *cells) {
    cells_batch names;
    const uint32_t *codes = cells->values; /* a negative one is too large */
    uint32_t largest = 0, n = (uint32_t)cells->offsets[b->rows];
    lode_status status = cells_dictionary(b->file, dictionary, &names);
    if (status != LODE_OK || n == 0) return status;
    for (uint32_t i = 0; i < n; i++) largest = codes[i] > largest ? codes[i] : largest;
    return largest < names.rows ? LODE_OK
                                : file_damaged(b->file, "a code is not in its dictionary");
}

/* Lists and texts: offsets, and the values they lead to. */
static lode_status cells_lists(const cells_batch *b, const file_column *c, bool check,
                               arrow_cells *out) {
    lode_status status = LODE_OK;
    arrow_type type = c->column.type;
    uint64_t end = INT32_MAX;
    uint32_t values = c->first_buffer + arrow_buffers(type) - 1;
    if (arrow_is_list(type)) LODE_TRY(cells_node(b, c->first_node + 1, &end));
    LODE_TRY(cells_offsets(b, c->first_buffer + 1, b->rows, end, check, &out->offsets));
    LODE_TRY(
        cells_buffer(b, values, (uint64_t)out->offsets[b->rows], arrow_width(type), &out->values));
    if (check && type == ARROW_NAMES) LODE_TRY(cells_check_codes(b, c->column.dictionary, out));
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
        LODE_TRY(cells_lists(&b, c, check, out));
    } else {
        LODE_TRY(cells_buffer(&b, c->first_buffer + 1, rows, arrow_width(type), &out->values));
    }
done:
    return status;
}
