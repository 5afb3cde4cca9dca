/* sink_feed.h - sinks fed by hand, without a search
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_SINK_FEED_H
#define LODE_TESTS_SINK_FEED_H

#include "generated.h"
#include "write/itemsets/item_sink.h"

static inline lode_dataset *line_data(lode_job *job, const char *text) {
    lode_dataset *data = NULL;
    CHECK_EQUAL(lode_dataset_parse(job, &data, text, strlen(text), "text", NULL), LODE_OK);
    return data;
}

static inline lode_sink *text_sink(lode_job *job, const lode_dataset *data,
                                   lode_write_format format, bool sort) {
    lode_sink *sink = NULL;
    lode_write_options options = {
        .size = sizeof options, .format = format, .sort = sort, .unsorted = !sort};
    CHECK_EQUAL(lode_sink_file(job, &sink, data, generated_path, &options), LODE_OK);
    return sink;
}

static inline void emit_one(lode_sink *sink, const lode_batch *batch) {
    sink_worker *worker = NULL;
    CHECK_EQUAL(sink_open_worker(sink, &worker), LODE_OK);
    CHECK_EQUAL(sink_emit(worker, batch), LODE_OK);
    CHECK_EQUAL(sink_close_worker(worker), LODE_OK);
}

/* Finishes and frees the sink, and returns the text that it has written. */
static inline char *finish_text(lode_sink *sink) {
    CHECK_EQUAL(lode_sink_finish(sink, false), LODE_OK);
    uint64_t claimed = lode_sink_bytes(sink);
    lode_sink_free(sink);
    size_t n = 0;
    char *text = generated_take(&n);
    CHECK(text != NULL);
    CHECK_EQUAL(n, claimed);
    return text;
}

static inline int compare_patterns(const lode_result *r, uint64_t a, uint64_t b) {
    uint64_t n = r->offsets[a + 1] - r->offsets[a], m = r->offsets[b + 1] - r->offsets[b];
    if (n != m) return n < m ? -1 : 1;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t x = r->items[r->offsets[a] + i], y = r->items[r->offsets[b] + i];
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}

static inline void check_columns(const lode_result *r) {
    CHECK_EQUAL(r->offsets[0], 0);
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < r->n; i++) {
        for (uint64_t k = r->offsets[i] + 1; k < r->offsets[i + 1]; k++) {
            wrong += r->items[k - 1] >= r->items[k];
        }
        wrong += i > 0 && compare_patterns(r, i - 1, i) > 0;
    }
    CHECK_EQUAL(wrong, 0);
}

#endif
