/* writer.c - how fast a sink takes patterns: the search is recorded, only the sink is timed
 *
 *     bench-writer FILE SUPPORT FORMAT     FORMAT: count, fimi, spmf, csv or jsonl, to /dev/null
 *
 * Prints `total PATTERNS`, `bytes BYTES` and `seconds CPU-SECONDS` of the best of five replays on
 * one thread. The batches are those of a real search, most of them with a pattern or two, because
 * that is what a writer has to live with.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "itemsink/item_sink.h"

#define REPLAYS 5

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

static lode_status replay(const recording *r, lode_sink *sink, double *seconds) {
    sink_worker *worker = NULL;
    lode_status status = sink_open_worker(sink, &worker);
    double start = os_thread_seconds();
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
    *seconds = os_thread_seconds() - start;
    return status != LODE_OK ? status : closed;
}

static lode_status open_sink(lode_job *job, lode_sink **out, const lode_dataset *data,
                             lode_options *o, const char *format) {
    if (strcmp(format, "count") == 0) return lode_sink_count(job, out);
    lode_status status = lode_options_set(o, "write", format, NULL, 0);
    return status == LODE_OK ? lode_sink_file(job, out, data, "/dev/null", lode_options_write(o))
                             : status;
}

static lode_status measure(lode_job *job, const lode_dataset *data, lode_options *o,
                           const char *format) {
    lode_status status = LODE_OK;
    recording r = {.mem = &job->mem};
    lode_sink *sink = NULL;
    double best = 0;
    LODE_TRY(lode_sink_callback(job, &sink, record, &r));
    LODE_TRY(lode_mine(job, data, lode_options_mine(o), sink));
    for (int i = 0; i < REPLAYS; i++) {
        double seconds;
        lode_sink_free(sink);
        sink = NULL;
        LODE_TRY(open_sink(job, &sink, data, o, format));
        LODE_TRY(replay(&r, sink, &seconds));
        if (i == 0 || seconds < best) best = seconds;
    }
    printf("total %llu\nbytes %llu\nseconds %.6f\nMB/s %.0f\n",
           (unsigned long long)lode_sink_patterns(sink), (unsigned long long)lode_sink_bytes(sink),
           best, (double)lode_sink_bytes(sink) / best / 1e6);
done:
    lode_sink_free(sink);
    vec_u32_free(r.mem, &r.words);
    vec_u64_free(r.mem, &r.supports);
    return status;
}

int main(int argc, char **argv) {
    lode_options *o = NULL;
    lode_job *job = NULL;
    lode_dataset *data = NULL;
    if (argc != 4) {
        fprintf(stderr, "usage: bench-writer FILE SUPPORT count|fimi|spmf|csv|jsonl\n");
        return 2;
    }
    lode_status status = lode_options_create(&o);
    if (status == LODE_OK) status = lode_options_set(o, "threads", "1", NULL, 0);
    if (status == LODE_OK) status = lode_options_set(o, "min-support", argv[2], NULL, 0);
    if (status == LODE_OK) status = lode_job_create(&job, NULL, lode_options_job(o));
    if (status == LODE_OK) status = lode_dataset_open(job, &data, argv[1], NULL);
    if (status == LODE_OK) status = measure(job, data, o, argv[3]);
    if (status != LODE_OK) fprintf(stderr, "%s\n", job ? lode_job_error(job) : "bad support");
    lode_dataset_free(data);
    lode_job_free(job);
    lode_options_free(o);
    return status != LODE_OK;
}
