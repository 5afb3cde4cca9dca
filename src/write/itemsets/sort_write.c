/* sort_write.c - see sort_write.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/itemsets/sort_write.h"

#include "write/core/sort_output.h"

static file_sink *sorted_sink(const sort_hand *h) {
    return (file_sink *)h->out->sink;
}

/* Makes lines of as many rows at a time as the writer has room for. */
static lode_status sorted_text(sort_hand *h, uint32_t size, sort_span span) {
    lode_status status = LODE_OK;
    file_sink *sink = sorted_sink(h);
    file_worker *worker = (file_worker *)h->worker;
    unsigned words = keys_words(&sink->store.keys, size);
    while (span.n > 0) {
        file_rows rows = {&sink->store.keys, size, span.rows, span.n};
        LODE_TRY(sink->writer->write_rows(worker, &rows));
        LODE_TRY(hand_may_write(h));
        LODE_TRY(sink->writer->flush(worker));
        sink_note_written(&sink->base.base, rows.n);
        span = (sort_span){span.rows + rows.n * words, span.n - rows.n};
    }
done:
    return status;
}

/* Writes rows through the writer's ordinary way, alone. */
static lode_status sorted_batches(sort_hand *h, uint32_t size, sort_span rows) {
    lode_status status = LODE_OK;
    file_sink *sink = sorted_sink(h);
    const sort_keys *keys = &sink->store.keys;
    unsigned words = keys_words(keys, size);
    uint32_t *items = h->items.data;
    size_t n = 0;
    for (; n < rows.n; n++, rows.rows += words) {
        if (n % SINK_ASK_EVERY == 0) LODE_TRY(hand_may_write(h));
        keys_items(keys, size, rows.rows, NULL, items);
        uint64_t support = keys_support(keys, words, rows.rows);
        lode_batch one = {.prefix = items,
                          .n_prefix = size - 1,
                          .items = items + size - 1,
                          .supports = &support,
                          .n = 1};
        LODE_TRY(sink->writer->write((file_worker *)h->worker, &one));
    }
done:
    sink_note_written(&sink->base.base, n);
    return status;
}

static lode_status sorted_rows(sort_hand *h, uint32_t size, sort_span rows) {
    return sorted_sink(h)->writer->write_rows ? sorted_text(h, size, rows)
                                              : sorted_batches(h, size, rows);
}

static lode_status sorted_open(sort_hand *h) {
    return sink_open_worker(h->out->sink, &h->worker);
}

/* What came by the ordinary way is written when the worker closes. */
static void sorted_forget(sort_hand *h) {
    const file_writer *writer = sorted_sink(h)->writer;
    if (writer->write_rows) writer->drop((file_worker *)h->worker);
}

static const sort_output_ops sorted_ops = {
    .open = sorted_open, .write = sorted_rows, .forget = sorted_forget};

lode_status sorted_write(file_sink *sink, const sort_stop *stop, bool *partial) {
    sort_output out = {.ops = &sorted_ops,
                       .sink = &sink->base.base,
                       .store = &sink->store.base,
                       .near = output_path(&sink->base.out),
                       .stop = stop,
                       .alone = !sink->writer->write_rows || sink->base.out.write};
    lode_status status = sort_output_run(&out, partial);
    if (!*partial) sink->order = "size";
    return status;
}
