/* need.c - how much memory a job takes, for the sentence that says so when there is too little
 *
 * Figures are on the safe side, and do not count on the ways in which engines get along with less
 * (slices, fewer lists, fewer threads): who is told a number should not have to wait for it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/engine/engine.h"

#define WORKER_BYTES ((uint64_t)256 << 10) /* of a thread: its worker of a sink, blocks of output */
#define ITEM_BYTES   96                    /* of an item: names, ranks and supports */

static uint64_t row_bytes(uint64_t n_transactions) {
    return (n_transactions + 511) / 512 * 64;
}

uint64_t engine_need_rows(const engine_sizes *s) {
    uint64_t rows =
        (s->data.n_items + 4 * (uint64_t)s->threads) * row_bytes(s->data.n_transactions);
    return rows + rows / 8;
}

uint64_t engine_need(const lode_engine *engine, const engine_sizes *s) {
    uint64_t items = s->data.item_bound * 20 + s->data.n_items * ITEM_BYTES;
    return engine->need(s) + items + s->threads * WORKER_BYTES;
}

engine_sizes engine_task_sizes(const engine_task *task) {
    const lode_dataset *data = task->data;
    engine_sizes s = {.rules = task->rules != NULL,
                      .threads =
                          task->plan && task->plan->n > 0 ? task->plan->n : task->job->threads,
                      .target = task->options->target};
    s.data.n_transactions = data->profile.n_transactions;
    s.data.item_bound = data->item_bound;
    s.data.longest = data->profile.longest;
    for (uint32_t i = 0; i < data->item_bound; i++) {
        if (data->item_supports[i] < task->min_count) continue;
        s.data.n_items++;
        s.data.n_occurrences += data->item_supports[i];
    }
    if (s.data.n_occurrences > data->profile.n_occurrences) { /* of weighted transactions */
        s.data.n_occurrences = data->profile.n_occurrences;
    }
    return s;
}
