/* arrow_write.c - writes Arrow files: see arrow.h
 *
 * The file is written front to back and never changed afterwards, so it may be a pipe. Buffers are
 * written from where they are in memory. They are padded with zeros, so that each begins at a
 * multiple of 64 bytes in the file and can be used where the file is mapped.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/os.h"
#include "results/arrow/metadata.h"
#include "results/arrow/table_parquet.h"
#include "results/arrow/table_sheet.h"

#define WRITE_NAMES_MOST ((uint64_t)INT32_MAX) /* names of a dictionary, and bytes of them */

/* Batches of the same number of rows, one after the other. */
typedef struct rows_run {
    uint32_t rows, n;
} rows_run;

struct arrow_writer {
    lode_job *job;
    output *to;
    uint64_t at;    /* bytes written */
    uint64_t start; /* of these, before the first batch */
    mem_kept texts;
    arrow_table table; /* a copy; its dictionaries are gone once they are written */
    flat flat;
    vec_char head;       /* scratch: what precedes a body */
    arrow_block *blocks; /* of dictionaries, then of batches */
    size_t n_blocks, cap_blocks;
    rows_run *runs;
    size_t n_runs, cap_runs;
    vec_char sums; /* checksums, as the footer has them; the first is not known yet */
    uint64_t rows;
    lode_status broken;     /* why the file is incomplete */
    table_sheet *sheet;     /* the table is written as .xlsx; NULL = as Arrow */
    table_parquet *parquet; /* the file is for this, which writes it as Parquet; or NULL */
    /* scratch, for a batch: */
    const void **buffers;
    uint64_t *nodes, *places, *lengths;
};

/* ---- copies --------------------------------------------------------------------------------- */

static lode_status write_copy_text(arrow_writer *w, const char **text) {
    size_t n = strlen(*text) + 1;
    void *copy = NULL;
    lode_status status = mem_keep(&w->job->mem, &w->texts, &copy, n);
    if (status == LODE_OK) *text = memcpy(copy, *text, n);
    return status;
}

static lode_status write_copy_table(arrow_writer *w, const arrow_table *table) {
    lode_status status = LODE_OK;
    mem *m = &w->job->mem;
    arrow_column *columns = NULL;
    arrow_key *keys = NULL;
    w->table = *table;
    LODE_TRY(mem_keep(m, &w->texts, (void **)&columns, table->n_columns * sizeof *columns));
    for (uint32_t i = 0; i < table->n_columns; i++) {
        columns[i] = table->columns[i];
        LODE_TRY(write_copy_text(w, &columns[i].name));
    }
    LODE_TRY(mem_keep(m, &w->texts, (void **)&keys, table->n_keys * sizeof *keys));
    for (uint32_t i = 0; i < table->n_keys; i++) {
        keys[i] = table->keys[i];
        LODE_TRY(write_copy_text(w, &keys[i].key));
        LODE_TRY(write_copy_text(w, &keys[i].value));
    }
    w->table.columns = columns;
    w->table.keys = keys;
done:
    return status;
}

/* Room for the buffers of a batch, or of a dictionary. */
static lode_status write_make_scratch(arrow_writer *w) {
    lode_status status = LODE_OK;
    mem *m = &w->job->mem;
    size_t n_nodes = 1, n_buffers = 3;
    for (uint32_t i = 0; i < w->table.n_columns; i++) {
        n_nodes += arrow_nodes(w->table.columns[i].type);
        n_buffers += arrow_buffers(w->table.columns[i].type);
    }
    LODE_TRY(mem_keep(m, &w->texts, (void **)&w->nodes, n_nodes * sizeof *w->nodes));
    LODE_TRY(mem_keep(m, &w->texts, (void **)&w->places, n_buffers * sizeof *w->places));
    LODE_TRY(mem_keep(m, &w->texts, (void **)&w->lengths, n_buffers * sizeof *w->lengths));
    LODE_TRY(mem_keep(m, &w->texts, (void **)&w->buffers, n_buffers * sizeof *w->buffers));
done:
    return status;
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static lode_status write_bytes(arrow_writer *w, const void *bytes, size_t n) {
    if (w->broken != LODE_OK) return w->broken;
    w->broken = output_write(w->to, bytes, n);
    if (w->broken == LODE_STOPPED && w->parquet) w->broken = table_parquet_failed(w->parquet);
    if (w->broken == LODE_OK) w->at += n;
    return w->broken;
}

static size_t write_gap(uint64_t at, size_t align) {
    return (size_t)((align - at % align) % align);
}

/* Zeros up to a multiple of ARROW_ALIGN bytes. */
static lode_status write_pad(arrow_writer *w) {
    static const char zeros[ARROW_ALIGN];
    return write_bytes(w, zeros, write_gap(w->at, ARROW_ALIGN));
}

/* Writes w->flat as a message without a body, or as the part before a body. Sets *before to the
 * number of bytes written. */
static lode_status write_message(arrow_writer *w, uint64_t *before) {
    lode_status status = LODE_OK;
    mem *m = &w->job->mem;
    static const char zeros[ARROW_ALIGN];
    size_t n = w->flat.bytes.n, gap = write_gap(w->at + ARROW_PREFIX + n, ARROW_ALIGN);
    uint32_t prefix[] = {ARROW_MARK, (uint32_t)(n + gap)};
    LODE_TRY(flat_status(&w->flat));
    w->head.n = 0;
    LODE_TRY(vec_char_append(m, &w->head, prefix, sizeof prefix));
    LODE_TRY(vec_char_append(m, &w->head, w->flat.bytes.data, n));
    LODE_TRY(vec_char_append(m, &w->head, zeros, gap));
    *before = w->head.n;
    LODE_TRY(write_bytes(w, w->head.data, w->head.n));
done:
    return status;
}

/* Notes a buffer of the body in the making. */
static void write_add_buffer(arrow_writer *w, arrow_body *body, const void *bytes, uint64_t n) {
    uint32_t i = body->n_buffers++;
    w->buffers[i] = bytes;
    w->places[i] = body->length;
    w->lengths[i] = n;
    body->length += n + write_gap(n, ARROW_ALIGN);
}

static void write_add_node(arrow_writer *w, arrow_body *body, uint64_t rows) {
    w->nodes[body->n_nodes++] = rows;
    write_add_buffer(w, body, NULL, 0); /* which of the rows are null: none */
}

static arrow_body write_begin_body(arrow_writer *w, uint64_t rows) {
    return (arrow_body){.rows = rows, .nodes = w->nodes, .at = w->places, .bytes = w->lengths};
}

/* Makes room for a block and its checksums, so that one that was written is noted, too. */
static lode_status write_reserve_block(arrow_writer *w, uint32_t n_sums) {
    mem *m = &w->job->mem;
    lode_status status = vec_char_reserve(m, &w->sums, n_sums * ARROW_SUM_DIGITS);
    if (status != LODE_OK || w->n_blocks < w->cap_blocks) return status;
    return vec_grow(m, (void **)&w->blocks, w->n_blocks, &w->cap_blocks, 1, sizeof *w->blocks);
}

/* Writes the buffers from `from` to `to` - 1, which have one checksum. */
static lode_status write_buffers(arrow_writer *w, uint32_t from, uint32_t to, uint64_t sum) {
    lode_status status = LODE_OK;
    for (uint32_t i = from; i < to; i++) {
        size_t n = (size_t)w->lengths[i];
        if (n > 0) sum = checksum_add(sum, w->buffers[i], n);
        LODE_TRY(write_bytes(w, w->buffers[i], n));
        LODE_TRY(write_pad(w));
    }
    metadata_put_sum(w->sums.data + w->sums.n, sum);
    w->sums.n += ARROW_SUM_DIGITS;
done:
    return status;
}

/* Writes the message in w->flat and the body, and records their positions. Each column has its own
 * checksum; without columns, one checksum covers all buffers. */
static lode_status write_block(arrow_writer *w, const arrow_body *body, const arrow_column *columns,
                               uint32_t n_columns) {
    lode_status status = LODE_OK;
    arrow_block block = {.at = w->at, .body = body->length};
    uint32_t at = 0;
    LODE_TRY(write_reserve_block(w, n_columns > 0 ? n_columns : 1));
    LODE_TRY(write_message(w, &block.before));
    uint64_t sum = metadata_block_sum(&block);
    for (uint32_t i = 0; i < n_columns; i++) {
        uint32_t end = at + arrow_buffers(columns[i].type);
        LODE_TRY(write_buffers(w, at, end, sum));
        at = end;
    }
    if (n_columns == 0) LODE_TRY(write_buffers(w, 0, body->n_buffers, sum));
    LODE_DEBUG_CHECK(w->at == block.at + block.before + block.body,
                     "a block ends at byte %llu instead of %llu", (unsigned long long)w->at,
                     (unsigned long long)(block.at + block.before + block.body));
    LODE_DEBUG_CHECK(n_columns == 0 || at == body->n_buffers, "%u of %u buffers were written", at,
                     body->n_buffers);
    w->blocks[w->n_blocks++] = block;
done:
    return status;
}

/* ---- the beginning -------------------------------------------------------------------------- */

static lode_status write_dictionary(arrow_writer *w, uint32_t id, const arrow_dictionary *d) {
    lode_status status = LODE_OK;
    mem *m = &w->job->mem;
    int32_t *offsets = NULL;
    uint64_t from = d->n > 0 ? d->offsets[0] : 0, bytes = d->n > 0 ? d->offsets[d->n] - from : 0;
    size_t size = ((size_t)d->n + 1) * sizeof *offsets;
    if (d->n > WRITE_NAMES_MOST || bytes > WRITE_NAMES_MOST) {
        LODE_LEAVE(job_fail(w->job, LODE_UNSUPPORTED,
                            "the names are too long for Arrow: %" PRIu64 " names of %" PRIu64
                            " bytes in all; expected at most 2 GiB",
                            d->n, bytes));
    }
    LODE_TRY(mem_zalloc(m, (void **)&offsets, size));
    for (uint64_t i = 1; i <= d->n; i++) offsets[i] = (int32_t)(d->offsets[i] - from);
    arrow_body body = write_begin_body(w, d->n);
    write_add_node(w, &body, d->n);
    write_add_buffer(w, &body, offsets, size);
    write_add_buffer(w, &body, d->text ? d->text + from : NULL, bytes);
    flat_clear(&w->flat);
    metadata_put_dictionary(&w->flat, id, &body);
    LODE_TRY(write_block(w, &body, NULL, 0));
done:
    mem_free(m, offsets, offsets ? size : 0);
    return status;
}

static lode_status write_start(arrow_writer *w) {
    lode_status status = LODE_OK;
    uint64_t before;
    char unknown[ARROW_SUM_DIGITS];
    metadata_put_sum(unknown, 0);
    LODE_TRY(vec_char_append(&w->job->mem, &w->sums, unknown, sizeof unknown));
    LODE_TRY(write_bytes(w, ARROW_MAGIC "\0", ARROW_MAGIC_BYTES + 2));
    flat_clear(&w->flat);
    metadata_put_schema(&w->flat, &w->table);
    LODE_TRY(write_message(w, &before));
    for (uint32_t i = 0; i < w->table.n_dictionaries; i++) {
        LODE_TRY(write_dictionary(w, i, &w->table.dictionaries[i]));
    }
    w->table.dictionaries = NULL;
    w->start = w->at;
done:
    return status;
}

lode_status arrow_write_begin(lode_job *job, output *to, const arrow_table *table,
                              arrow_writer **out) {
    lode_status status = LODE_OK;
    arrow_writer *w = NULL;
    if (table->form != ARROW_SHEET && to->file.fd >= 0 && os_is_terminal(to->file.fd)) {
        LODE_LEAVE(job_fail(
            job, LODE_INVALID,
            "%s output is binary and cannot be written to a terminal; use -o FILE or a pipe",
            table->form == ARROW_PARQUET ? "Parquet" : "Arrow"));
    }
    LODE_TRY(mem_zalloc(&job->mem, (void **)&w, sizeof *w));
    w->job = job;
    w->to = to;
    flat_begin(&w->flat, &job->mem);
    if (table->form == ARROW_SHEET) {
        LODE_TRY(table_sheet_begin(job, to, table, &w->sheet));
    } else {
        if (table->form == ARROW_PARQUET) {
            LODE_TRY(table_parquet_begin(job, to, &w->parquet));
            w->to = table_parquet_rows(w->parquet);
        }
        LODE_TRY(write_copy_table(w, table));
        LODE_TRY(write_make_scratch(w));
        LODE_TRY(write_start(w));
    }
    *out = w;
    w = NULL;
done:
    arrow_write_free(w);
    return status;
}

void arrow_write_free(arrow_writer *w) {
    if (!w) return;
    mem *m = &w->job->mem;
    table_sheet_free(w->sheet);
    table_parquet_free(w->parquet);
    flat_free(&w->flat);
    vec_char_free(m, &w->head);
    vec_char_free(m, &w->sums);
    mem_free(m, w->blocks, w->cap_blocks * sizeof *w->blocks);
    mem_free(m, w->runs, w->cap_runs * sizeof *w->runs);
    mem_drop(m, &w->texts);
    mem_free(m, w, sizeof *w);
}

/* ---- batches -------------------------------------------------------------------------------- */

static void write_add_column(arrow_writer *w, arrow_body *body, const arrow_column *c,
                             const arrow_cells *cells) {
    uint64_t rows = body->rows, n = cells->offsets ? (uint64_t)cells->offsets[rows] : rows;
    write_add_node(w, body, rows);
    for (uint64_t i = 0; cells->offsets && i < rows; i++) {
        LODE_DEBUG_CHECK(cells->offsets[i] >= 0 && cells->offsets[i] <= cells->offsets[i + 1],
                         "list %llu ends before it begins", (unsigned long long)i);
    }
    if (cells->offsets) {
        write_add_buffer(w, body, cells->offsets, (rows + 1) * sizeof *cells->offsets);
    }
    if (arrow_is_list(c->type)) write_add_node(w, body, n);
    write_add_buffer(w, body, cells->values, n * arrow_width(c->type));
}

/* Makes room for a run more, so that a batch that was written is noted, too. */
static lode_status write_reserve_run(arrow_writer *w) {
    if (w->n_runs < w->cap_runs) return LODE_OK;
    return vec_grow(&w->job->mem, (void **)&w->runs, w->n_runs, &w->cap_runs, 1, sizeof *w->runs);
}

lode_status arrow_write_batch(arrow_writer *w, uint32_t n_rows, const arrow_cells *cells) {
    lode_status status = LODE_OK;
    if (n_rows == 0) return LODE_OK;
    if (w->sheet) return table_sheet_batch(w->sheet, n_rows, cells);
    arrow_body body = write_begin_body(w, n_rows);
    for (uint32_t i = 0; i < w->table.n_columns; i++) {
        write_add_column(w, &body, &w->table.columns[i], &cells[i]);
    }
    LODE_TRY(write_reserve_run(w));
    flat_clear(&w->flat);
    metadata_put_batch(&w->flat, &body);
    LODE_TRY(write_block(w, &body, w->table.columns, w->table.n_columns));
    w->rows += n_rows;
    if (w->n_runs > 0 && w->runs[w->n_runs - 1].rows == n_rows) {
        w->runs[w->n_runs - 1].n++;
    } else {
        w->runs[w->n_runs++] = (rows_run){n_rows, 1};
    }
done:
    return status;
}

void arrow_write_restart(arrow_writer *w) {
    if (w->sheet) {
        table_sheet_restart(w->sheet);
        return;
    }
    if (w->parquet) table_parquet_cut(w->parquet, w->start);
    w->at = w->start;
    w->n_blocks = w->table.n_dictionaries;
    w->sums.n = (w->n_blocks + 1) * ARROW_SUM_DIGITS; /* one each, and the one that is not known */
    w->n_runs = 0;
    w->rows = 0;
    w->broken = LODE_OK;
}

/* ---- the end -------------------------------------------------------------------------------- */

/* The rows of each batch: "65536*12,4000" are 12 of 65536 and one of 4000. */
static lode_status write_list_rows(const arrow_writer *w, vec_char *text) {
    lode_status status = LODE_OK;
    mem *m = &w->job->mem;
    for (size_t i = 0; i < w->n_runs; i++) {
        const rows_run *run = &w->runs[i];
        LODE_TRY(vec_char_printf(m, text, "%s%u", i > 0 ? "," : "", run->rows));
        if (run->n > 1) LODE_TRY(vec_char_printf(m, text, "*%u", run->n));
    }
    LODE_TRY(vec_char_append(m, text, "", 1));
done:
    return status;
}

/* The keys of the end, and those of the writer's own. */
static lode_status write_footer(arrow_writer *w, const arrow_key *keys, uint32_t n_keys,
                                const char *batch_rows) {
    lode_status status = LODE_OK;
    mem *m = &w->job->mem;
    char rows[24];
    arrow_key *all = NULL;
    size_t bytes = ((size_t)n_keys + 3) * sizeof *all;
    LODE_TRY(mem_resize(m, (void **)&all, 0, bytes));
    snprintf(rows, sizeof rows, "%" PRIu64, w->rows);
    all[0] = (arrow_key){ARROW_KEY_ROWS, rows};
    all[1] = (arrow_key){ARROW_KEY_BATCH_ROWS, batch_rows};
    all[2] = (arrow_key){ARROW_KEY_CHECKSUMS, ARROW_CHECKSUMS};
    for (uint32_t i = 0; i < n_keys; i++) all[i + 3] = keys[i];
    LODE_TRY(vec_char_append(m, &w->sums, "", 1));
    arrow_ends ends = {{w->table.keys, all, w->table.n_keys, n_keys + 3},
                       w->blocks,
                       (uint32_t)(w->n_blocks - w->table.n_dictionaries),
                       w->sums.data};
    flat_clear(&w->flat);
    metadata_put_footer(&w->flat, &w->table, &ends);
    status = flat_status(&w->flat);
done:
    mem_free(m, all, all ? bytes : 0);
    return status;
}

#if LODE_DEBUG
/* Blocks follow each other to the end, and batches have all rows. */
static void write_validate(const arrow_writer *w) {
    uint64_t rows = 0, batches = 0;
    for (size_t i = 0; i < w->n_runs; i++) {
        rows += (uint64_t)w->runs[i].rows * w->runs[i].n;
        batches += w->runs[i].n;
    }
    LODE_DEBUG_CHECK(
        rows == w->rows && batches + w->table.n_dictionaries == w->n_blocks,
        "the batches have %llu rows, and there are %llu batches; expected %llu rows in %zu blocks",
        (unsigned long long)rows, (unsigned long long)batches, (unsigned long long)w->rows,
        w->n_blocks);
    for (size_t i = 0; i < w->n_blocks; i++) {
        const arrow_block *b = &w->blocks[i];
        uint64_t next = i + 1 < w->n_blocks ? w->blocks[i + 1].at : w->at;
        LODE_DEBUG_CHECK(b->at + b->before + b->body == next && b->at % ARROW_ALIGN == 0,
                         "block %zu does not end where the next begins", i);
    }
}
#endif

lode_status arrow_write_end(arrow_writer *w, const arrow_key *keys, uint32_t n_keys) {
    lode_status status = LODE_OK;
    vec_char rows = {0};
    uint32_t end_of_stream[] = {ARROW_MARK, 0};
    if (w->sheet) return table_sheet_end(w->sheet);
    LODE_TRY(write_list_rows(w, &rows));
    LODE_TRY(write_footer(w, keys, n_keys, rows.data));
    uint32_t footer_bytes = (uint32_t)w->flat.bytes.n;
    LODE_VALIDATE(write_validate(w));
    LODE_TRY(write_bytes(w, end_of_stream, sizeof end_of_stream));
    LODE_TRY(write_bytes(w, w->flat.bytes.data, footer_bytes));
    LODE_TRY(write_bytes(w, &footer_bytes, sizeof footer_bytes));
    LODE_TRY(write_bytes(w, ARROW_MAGIC, ARROW_MAGIC_BYTES));
    if (w->parquet) status = table_parquet_end(w->parquet);
done:
    vec_char_free(&w->job->mem, &rows);
    return status;
}
