/* writer.c - how fast a sink takes patterns (replays.h)
 *
 *     bench-writer FILE SUPPORT FORMAT     FORMAT: count, fimi, spmf, csv or jsonl, to /dev/null
 *
 * The batches are those of a real search, most of them with a pattern or two, because that is what
 * a writer has to live with.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "replays.h"
#include "write/itemsets/item_sink.h"

/* Batches one after another: n_prefix, n, prefix …, items …, then supports in an array of their
 * own. */
typedef struct recording {
    mem *mem;
    vec_u32 words;
    vec_u64 supports;
} recording;

static int record(void *user, const lode_batch *batch) {
    recording *r = user;
    size_t words = 2 + (size_t)batch->n_prefix + batch->n;
    if (vec_u32_reserve(r->mem, &r->words, words) != LODE_OK) return 1;
    if (vec_u64_reserve(r->mem, &r->supports, batch->n) != LODE_OK) return 1;
    uint32_t *at = r->words.data + r->words.n;
    at[0] = batch->n_prefix;
    at[1] = batch->n;
    if (batch->n_prefix > 0) memcpy(at + 2, batch->prefix, batch->n_prefix * sizeof *at);
    memcpy(at + 2 + batch->n_prefix, batch->items, batch->n * sizeof *at);
    memcpy(r->supports.data + r->supports.n, batch->supports, batch->n * sizeof *batch->supports);
    r->words.n += words;
    r->supports.n += batch->n;
    return 0;
}

static lode_status record_search(replays *c) {
    lode_status status = LODE_OK;
    lode_sink *sink = NULL;
    ((recording *)c->recording)->mem = &c->job->mem;
    LODE_TRY(lode_sink_callback(c->job, &sink, record, c->recording));
    LODE_TRY(lode_mine(c->job, c->data, lode_options_mine(c->options), sink));
done:
    lode_sink_free(sink);
    return status;
}

static lode_status play(const replays *c, lode_sink *sink) {
    const recording *r = c->recording;
    sink_worker *worker = NULL;
    lode_status status = sink_open_worker(sink, &worker);
    const uint32_t *at = r->words.data, *end = at + r->words.n;
    const uint64_t *supports = r->supports.data;
    while (at < end && status == LODE_OK) {
        lode_batch batch = {.prefix = at + 2, .n_prefix = at[0], .n = at[1], .supports = supports};
        batch.items = batch.prefix + batch.n_prefix;
        status = sink_emit(worker, &batch);
        at = batch.items + batch.n;
        supports += batch.n;
    }
    lode_status closed = sink_close_worker(worker);
    return status != LODE_OK ? status : closed;
}

static lode_status open_sink(const replays *c, lode_sink **out) {
    lode_status status = lode_options_set(c->options, "write", c->format, NULL, 0);
    if (status != LODE_OK) return status;
    return lode_sink_file(c->job, out, c->data, "/dev/null", lode_options_write(c->options));
}

static void forget(replays *c) {
    recording *r = c->recording;
    vec_u32_free(&c->job->mem, &r->words);
    vec_u64_free(&c->job->mem, &r->supports);
}

int main(int argc, char **argv) {
    recording r = {0};
    replays c = {.recording = &r,
                 .record = record_search,
                 .open = open_sink,
                 .play = play,
                 .forget = forget};
    if (argc != 4) {
        fprintf(stderr, "usage: bench-writer FILE SUPPORT count|fimi|spmf|csv|jsonl\n");
        return 2;
    }
    c.format = argv[3];
    lode_status status = lode_options_create(&c.options);
    if (status == LODE_OK) status = lode_options_set(c.options, "min-support", argv[2], NULL, 0);
    return replays_run(&c, argv[1], status);
}
