/* sink_file.c - patterns as text, at memory speed
 *
 * A batch shares its prefix, whose text is mostly known from the batch before (prefix.h). A pattern
 * is that text with the new item in its place, and the tail:
 *
 *     prefix  "2 7 9 "   item "8 "   →   "2 7 " "8 " "9 " (minus the last blank) " (45)\n"
 *
 * Every worker fills a block of its own and hands whole blocks to the file under the lock. With
 * `sort` the workers collect columns instead, and finish() sorts them and writes them through the
 * same code. Where a memory budget has no room for all of them, they go to a scratch file on the
 * way (spill.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/outfile.h"
#include "sink/families.h"
#include "sink/prefix.h"
#include "sink/sink_memory.h"
#include "sink/spill.h"

#define FILE_BLOCK_BYTES ((size_t)128 << 10)

typedef struct file_sink {
    lode_sink base;
    lines lines;
    outfile out;
    bool open;
    lode_sink *sorted; /* a memory sink, when sorting */
    spill spill;       /* what it has no room for */
    const char *path;
    char *path_copy;
    size_t path_bytes;
} file_sink;

typedef struct file_worker {
    sink_worker base;
    vec_char block;
    prefix prefix;
    families families;
    columns found; /* when sorting */
    size_t most;   /* bytes of them, before they are spilled; 0 = not asked yet */
} file_worker;

static lode_status file_error(file_sink *sink, lode_status status) {
    if (status != LODE_IO) return status;
    return ctx_fail(sink->base.ctx, status, "cannot write '%s': %s", sink->path,
                    strerror(sink->out.error));
}

static lode_status file_put(file_sink *sink, const char *text, size_t n) {
    if (n == 0) return LODE_OK;
    pthread_mutex_lock(&sink->base.lock);
    lode_status status = outfile_write(&sink->out, text, n);
    if (status == LODE_OK) sink->base.bytes += n;
    status = file_error(sink, status);
    pthread_mutex_unlock(&sink->base.lock);
    return status;
}

static lode_status file_flush(file_worker *w) {
    lode_status status = file_put((file_sink *)w->base.sink, w->block.data, w->block.n);
    w->block.n = 0;
    return status;
}

/* Makes room in the block for one line more. */
static lode_status file_reserve(file_worker *w, size_t line_bytes) {
    if (w->block.cap - w->block.n >= line_bytes) return LODE_OK;
    lode_status status = file_flush(w);
    size_t bytes = line_bytes > FILE_BLOCK_BYTES ? line_bytes : FILE_BLOCK_BYTES;
    return status != LODE_OK ? status : vec_char_reserve(&w->base.sink->ctx->mem, &w->block, bytes);
}

/* The folder of the result has room for it, most likely. */
static lode_status file_spill(file_worker *w) {
    file_sink *sink = (file_sink *)w->base.sink;
    bool is_file = sink->path == sink->path_copy;
    return spill_write(&sink->spill, is_file ? sink->path : NULL, &w->found);
}

static lode_status file_collect(file_worker *w, const lode_batch *batch) {
    mem *m = &w->base.sink->ctx->mem;
    if (w->most == 0) w->most = spill_limit(w->base.sink->ctx);
    lode_status status = columns_bytes(&w->found) >= w->most ? file_spill(w) : LODE_OK;
    if (status == LODE_OK) status = columns_append(m, &w->found, batch);
    if (status != LODE_BUDGET || columns_count(&w->found) == 0) return status;
    status = file_spill(w);
    return status == LODE_OK ? columns_append(m, &w->found, batch) : status;
}

static lode_status file_emit(sink_worker *worker, const lode_batch *batch) {
    file_worker *w = (file_worker *)worker;
    file_sink *sink = (file_sink *)worker->sink;
    const lines *l = &sink->lines;
    lode_status status = LODE_OK;
    if (sink->sorted) return file_collect(w, batch);

    LODE_TRY(prefix_set(&w->prefix, l, batch));
    size_t line_bytes = w->prefix.text_bytes + 2 * (size_t)l->longest + LINES_MORE_MAX;
    for (uint32_t i = 0; i < batch->n; i++) {
        LODE_TRY(file_reserve(w, line_bytes));
        char *to = w->block.data + w->block.n;
        for (const char *head = l->head; *head; head++) *to++ = *head;
        to = prefix_put(&w->prefix, l, to, batch->items[i]) - 1; /* without the last separator */
        to = lines_put_tail(l, to, batch->n_prefix + 1, batch->supports[i]);
        w->block.n = (size_t)(to - w->block.data);
    }
done:
    return status;
}

static lode_status file_room(void *user, size_t bytes, char **to) {
    file_worker *w = user;
    lode_status status = file_reserve(w, bytes);
    *to = w->block.data + w->block.n;
    return status;
}

static void file_used(void *user, const char *end) {
    file_worker *w = user;
    w->block.n = (size_t)(end - w->block.data);
}

static lode_status file_emit_family(sink_worker *worker, const sink_lattice *lattice, bool *done) {
    file_worker *w = (file_worker *)worker;
    file_sink *sink = (file_sink *)worker->sink;
    families_out out = {w, file_room, file_used};
    *done = false;
    if (sink->sorted) return LODE_OK;
    lode_status status = families_set(&w->families, &sink->lines, lattice, done);
    return status == LODE_OK && *done ? families_write(&w->families, &out) : status;
}

static lode_status file_hand_over(file_worker *w) {
    file_sink *sink = (file_sink *)w->base.sink;
    if (!sink->sorted) return file_flush(w);
    if (spill_is_used(&sink->spill)) return file_spill(w);
    pthread_mutex_lock(&sink->base.lock);
    lode_status status =
        columns_join(&sink->base.ctx->mem, sink_memory_columns(sink->sorted), &w->found);
    pthread_mutex_unlock(&sink->base.lock);
    return status;
}

static lode_status file_close(sink_worker *worker) {
    file_worker *w = (file_worker *)worker;
    mem *m = &worker->sink->ctx->mem;
    lode_status status = file_hand_over(w);
    vec_char_free(m, &w->block);
    prefix_free(&w->prefix, m);
    families_free(&w->families, m);
    columns_free(m, &w->found);
    return status;
}

/* Everything through the scratch file, if a part of it is there. */
static lode_status file_replay(file_sink *sink, lode_sink *sorted, bool partial) {
    lode_status status = LODE_OK;
    sink_worker *worker = NULL;
    columns *held = sink_memory_columns(sorted);
    if (!spill_is_used(&sink->spill)) return sink_replay(held, &sink->base);
    LODE_TRY(spill_write(&sink->spill, NULL, held));
    columns_free(&sink->base.ctx->mem, held);
    LODE_TRY(sink_open_worker(&sink->base, &worker));
    status = spill_replay(&sink->spill, !partial, worker);
done:;
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}

/* Sorts what was collected and writes it through the ordinary way; after an interrupt unsorted,
 * because sorting may take longer than the user wants to wait. */
static lode_status file_write_sorted(file_sink *sink, bool partial) {
    lode_status status = partial ? LODE_OK : lode_sink_finish(sink->sorted, false);
    if (status != LODE_OK) return status;
    lode_sink *sorted = sink->sorted;
    vec_u64 counted = sink->base.by_size; /* the replay must not count again */
    uint64_t patterns = sink->base.patterns;
    sink->base.by_size = (vec_u64){0};
    sink->base.patterns = 0;
    sink->sorted = NULL;
    status = file_replay(sink, sorted, partial);
    vec_u64_free(&sink->base.ctx->mem, &sink->base.by_size);
    sink->base.by_size = counted;
    sink->base.patterns = patterns;
    lode_sink_free(sorted);
    return status;
}

static lode_status file_finish(lode_sink *base, bool partial) {
    file_sink *sink = (file_sink *)base;
    lode_status status = sink->sorted ? file_write_sorted(sink, partial) : LODE_OK;
    if (status != LODE_OK) return status;
    sink->open = false;
    return file_error(sink, outfile_commit(&sink->out, partial ? ".partial" : NULL));
}

static void file_free(lode_sink *base) {
    file_sink *sink = (file_sink *)base;
    mem *m = &base->ctx->mem;
    if (sink->open) outfile_discard(&sink->out);
    lode_sink_free(sink->sorted);
    spill_clear(&sink->spill);
    lines_clear(&sink->lines);
    mem_free(m, sink->path_copy, sink->path_bytes);
    sink_clear(base);
    mem_free(m, sink, sizeof *sink);
}

static const sink_kind file_kind = {
    .name = "file",
    .worker_bytes = sizeof(file_worker),
    .emit = file_emit,
    .emit_family = file_emit_family,
    .close = file_close,
    .finish = file_finish,
    .free = file_free,
};

lode_status lode_sink_file(lode_ctx *ctx, lode_sink **out, const lode_dataset *data,
                           const char *path, const lode_write_options *options) {
    lode_status status = LODE_OK;
    file_sink *sink = NULL;
    mem *m = &ctx->mem;
    ctx_clear_message(ctx);
    if (options && options->size != sizeof *options) {
        return ctx_fail(ctx, LODE_INVALID, "the program was built for another version of lode");
    }
    LODE_TRY(mem_zalloc(m, (void **)&sink, sizeof *sink));
    sink_init(&sink->base, &file_kind, ctx);
    sink->out = (outfile)OUTFILE_INIT;
    spill_init(&sink->spill, ctx);
    sink->path_bytes = strlen(path) + 1;
    LODE_TRY(mem_resize(m, (void **)&sink->path_copy, 0, sink->path_bytes));
    memcpy(sink->path_copy, path, sink->path_bytes);
    sink->path = strcmp(path, "-") == 0 ? "standard output" : sink->path_copy;

    LODE_TRY(lines_init(&sink->lines, m, data, options ? options->format : LODE_WRITE_FIMI));
    if (options && options->sort) LODE_TRY(lode_sink_memory(ctx, &sink->sorted));
    LODE_TRY(file_error(sink, outfile_open(&sink->out, m, path)));
    sink->open = true;
    LODE_TRY(file_put(sink, sink->lines.title, strlen(sink->lines.title)));
    *out = &sink->base;
    sink = NULL;
done:
    if (sink) file_free(&sink->base);
    return ctx_explain(ctx, status, "opening the output");
}
