/* rowwise_probe.c - see rowwise_probe.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/rows/rowwise_probe.h"

#include <string.h>

#include "base/bits.h"
#include "itemsets/rows/rowwise_tuning.h"

/* Rows of weight 1, and the threshold for these. */
static void prober_take_rows(rowwise_prober *d, const engine_task *task, const rowwise_table *t) {
    double share = (double)t->rows.n / (double)task->data->total_weight;
    double min = (double)job_threshold(task->job) * share + 0.5;
    d->min = min < 1 ? 1 : min > t->rows.n ? t->rows.n : (uint32_t)min;
    d->rows = (rowwise_rows){.n = t->rows.n, .words = t->rows.words, .n_planes = 1, .lightest = 1};
    for (uint32_t r = 0; r < t->rows.n; r++) d->rows.planes[0][r / 64] |= (uint64_t)1 << r % 64;
}

static lode_status prober_take_memory(rowwise_prober *d, const rowwise_table *t) {
    lode_status status = LODE_OK;
    mem *m = &d->walker.job->mem;
    rowwise_list *to = &d->ordered;
    *to = (rowwise_list){.n = t->list.n, .stride = rowwise_stride(t->list.n)};
    size_t n = to->stride, words = t->rows.words * n;
    LODE_TRY(mem_keep(m, &d->kept, (void **)&to->columns, words * sizeof *to->columns));
    LODE_TRY(mem_keep(m, &d->kept, (void **)&to->which, n * sizeof *to->which));
    LODE_TRY(mem_keep(m, &d->kept, (void **)&d->supports, n * sizeof *d->supports));
    LODE_TRY(mem_keep(m, &d->kept, (void **)&d->before, n * sizeof *d->before));
    LODE_TRY(mem_keep(m, &d->kept, (void **)&d->counts, n * sizeof *d->counts));
    LODE_TRY(mem_keep(m, &d->kept, (void **)&d->later, n * sizeof *d->later));
done:
    return status;
}

/* Copies the columns from the most frequent on, by counting how many there are of each support. */
static void prober_order(rowwise_prober *d, const rowwise_table *t) {
    const rowwise_list *from = &t->list;
    rowwise_list *to = &d->ordered;
    uint32_t starts[ROWWISE_ROWS + 2] = {0}, n = d->rows.n;
    d->walker.kernels->share(t->rows.words, from, d->rows.planes[0], 0, NULL, d->counts);
    for (uint32_t i = 0; i < from->n; i++) starts[n - d->counts[i] + 1]++;
    for (uint32_t r = 1; r <= n + 1; r++) starts[r] += starts[r - 1];
    for (uint32_t i = 0; i < from->n; i++) {
        uint32_t at = starts[n - d->counts[i]]++;
        to->which[at] = at;
        d->supports[at] = d->counts[i];
        for (unsigned w = 0; w < t->rows.words; w++) {
            to->columns[w * to->stride + at] = from->columns[w * from->stride + i];
        }
    }
    uint64_t sum = 0;
    for (uint32_t i = 0; i < to->n; i++) {
        d->before[i] = sum;
        sum += d->supports[i];
    }
    d->before[to->n] = sum;
    d->dense = (double)sum * ROWWISE_DENSE_ONE_IN >= (double)n * to->n;
    rowwise_node root = {.list = *to, .weight = n};
    d->root_words = rowwise_item_words(d, &root, d->supports, to->n);
}

lode_status rowwise_prober_open(rowwise_prober *d, engine_task *task, const rowwise_table *table) {
    lode_status status = LODE_OK;
    d->walker = (rowwise_walker){.task = task,
                                 .job = task->job,
                                 .table = table,
                                 .kernels = rowwise_kernels_pick(),
                                 .target = task->options->target,
                                 .min_size = task->options->min_size};
    d->random = rng_make(1, 0);
    prober_take_rows(d, task, table);
    LODE_TRY(rowwise_walker_open(&d->walker));
    LODE_TRY(prober_take_memory(d, table));
    rowwise_make_root(table, &d->root);
    d->root.weight = 0;
    for (unsigned w = 0; w < d->rows.words; w++) d->root.weight += bits_count(d->root.held[w]);
    prober_order(d, table);
done:
    return status;
}

void rowwise_prober_close(rowwise_prober *d, mem *m) {
    if (d->walker.job) rowwise_walker_close(&d->walker);
    mem_drop(m, &d->kept);
}
