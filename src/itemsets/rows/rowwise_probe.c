/* rowwise_probe.c - see rowwise_probe.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/rows/rowwise_probe.h"

#include <string.h>

#include "base/bits.h"
#include "itemsets/rows/rowwise_tuning.h"

/* ---- probes into the tree of items ----------------------------------------------------------- */

/* A node is a set of items, the rows that contain it, and the columns that are frequent in these
 * rows. As in adaptive.h, a child adds a column that is more frequent than those added before. The
 * columns of a node are in this order: the first ones may be added, the others only show whether
 * the set is closed. A column that contains all rows of a node is part of its closure; its entry in
 * the child is cleared. */

/* Estimates the words that counting reads: for each column that may be added, all columns are
 * counted in its rows. Dense data use bit rows of whole vectors; other data use lists first, and
 * bits as soon as these are shorter. */
static double rowwise_item_words(const rowwise_prober *d, const rowwise_node *node,
                                 const uint32_t *counts, uint32_t addable) {
    double all = 0, sum = 0, words = (double)((node->weight + 63) / 64);
    if (d->dense) words = (double)bits_round_up((size_t)words, ROWWISE_LANES);
    for (uint32_t i = 0; i < node->list.n; i++) all += counts[i];
    double by_bits = node->list.n * words,
           by_list = all / (double)node->weight * ROWWISE_LIST_WORDS;
    if (d->dense) return addable * by_bits;
    for (uint32_t i = 0; i < addable; i++) {
        double lists = counts[i] * by_list;
        sum += lists < by_bits ? lists : by_bits;
    }
    return sum;
}

/* The first number for which the sums before it are more than `at`, less one. */
static uint32_t probe_find(const uint64_t *before, uint32_t n, uint64_t at) {
    uint32_t low = 0, high = n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (before[middle] <= at) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Draws one of the first columns, with a probability proportional to its frequency, and divides
 * `weight` by that probability. Returns false if there is none. */
static bool probe_draw_item(rowwise_prober *d, bool root, uint32_t addable, uint32_t *drawn,
                            double *weight) {
    const uint32_t *counts = root ? d->supports : d->counts;
    uint64_t sum = root ? d->before[addable] : 0;
    for (uint32_t i = 0; i < addable && !root; i++) sum += counts[i];
    if (sum == 0) return false;
    uint64_t at = rng_below(&d->random, sum);
    uint32_t i = root ? probe_find(d->before, addable, at) : 0;
    for (; !root && at >= counts[i]; i++) at -= counts[i];
    *weight *= (double)sum / counts[i];
    *drawn = i;
    return true;
}

/* Columns of a node that may be added: those before the one that was added last. */
static uint32_t probe_addable(const rowwise_node *node) {
    uint32_t n = 0;
    while (n < node->list.n && node->list.which[n] < node->row) n++;
    return n;
}

/* Makes the child that adds column i. Returns false if it has all rows of the node, or is not
 * closed. */
static bool probe_add(rowwise_prober *d, const rowwise_node *node, uint32_t i,
                      rowwise_node *child) {
    const rowwise_list *list = &node->list;
    rowwise_list *to = &child->list;
    unsigned words = d->rows.words;
    child->weight = 0;
    child->row = list->which[i];
    for (unsigned w = 0; w < words; w++) {
        child->held[w] = node->held[w] & list->columns[w * list->stride + i];
        child->weight += bits_count(child->held[w]);
    }
    if (child->weight == node->weight) return false;
    to->n = d->walker.kernels->share(words, list, child->held, d->min, to, d->counts);
    for (uint32_t k = 0; k < to->n; k++) {
        if (d->counts[k] < child->weight) continue;
        if (to->which[k] > child->row) return false;
        d->counts[k] = 0;
        for (unsigned w = 0; w < words; w++) to->columns[w * to->stride + k] = 0;
    }
    return true;
}

/* The level of all rows. `row` is the place of the column that was added last. */
static void probe_enter_root(rowwise_prober *d, rowwise_node *root) {
    *root = (rowwise_node){.list = d->ordered, .weight = d->rows.n, .row = d->ordered.n};
    memcpy(root->held, d->rows.planes[0], sizeof root->held);
}

lode_status rowwise_probe_items(rowwise_prober *d, rowwise_work *work) {
    lode_status status = LODE_OK;
    rowwise_walker *w = &d->walker;
    double weight = 1;
    uint32_t drawn = 0;
    LODE_TRY(job_check(w->job));
    probe_enter_root(d, &w->levels[0].node);
    for (uint32_t depth = 0;; depth++) {
        rowwise_level *level = &w->levels[depth];
        rowwise_node *node = &level->node;
        uint32_t addable = depth > 0 ? probe_addable(node) : node->list.n;
        double words = depth > 0 ? rowwise_item_words(d, node, d->counts, addable) : d->root_words;
        work->nodes += weight;
        work->tries += weight * addable;
        work->words += weight * words;
        if (!probe_draw_item(d, depth == 0, addable, &drawn, &weight)) break;
        LODE_TRY(rowwise_level_reserve(w, level + 1, node->list.n));
        d->looked += (double)node->list.n * d->rows.words;
        if (!probe_add(d, node, drawn, &level[1].node)) break;
    }
done:
    return status;
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
                                 .target = task->items.options->target,
                                 .min_size = task->items.options->min_size};
    d->random = rng_make(1, 0);
    /* Rows of weight 1, and the threshold for these. */
    double share = (double)table->rows.n / (double)task->items.data->total_weight;
    double min = (double)job_threshold(task->job) * share + 0.5;
    d->min = min < 1 ? 1 : min > table->rows.n ? table->rows.n : (uint32_t)min;
    d->rows = (rowwise_rows){
        .n = table->rows.n, .words = table->rows.words, .n_planes = 1, .lightest = 1};
    for (uint32_t r = 0; r < table->rows.n; r++) d->rows.planes[0][r / 64] |= (uint64_t)1 << r % 64;
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

/* ---- probes into the tree of rows ------------------------------------------------------------ */

/* What a node takes: each row that is left is tried with all its columns. */
static void probe_count_node(const rowwise_prober *d, const rowwise_node *node, double weight,
                             rowwise_work *work) {
    double tries = 0, columns = (node->list.n + ROWWISE_LANES - 1) / ROWWISE_LANES * ROWWISE_LANES;
    for (unsigned w = 0; w < d->rows.words; w++) tries += (double)bits_count(node->left[w]);
    work->nodes += weight;
    if (!rowwise_leads_on(&d->walker, node, d->min)) return;
    work->tries += weight * tries;
    work->words += weight * tries * columns * d->rows.words;
}

/* Returns how many rows of a column may be added next if it has `left` rows left: after any later
 * one, too few rows would follow. */
static uint64_t probe_choices(const rowwise_prober *d, const rowwise_node *node, uint64_t left) {
    uint64_t need = d->min > node->weight ? d->min - node->weight : 1;
    return left >= need ? left - need + 1 : 0;
}

/* The n-th row, as a bit. */
static uint64_t probe_nth(uint64_t word, uint64_t n) {
    for (; n > 0; n--) word &= word - 1;
    return word & -word;
}

/* Draws two rows of a column and keeps only the earlier one. Returns false if no row of the column
 * may be added. */
static bool probe_draw_row(rowwise_prober *d, rowwise_node *node) {
    const rowwise_list *list = &node->list;
    const uint64_t *column = list->columns + rng_below(&d->random, list->n);
    uint64_t left = 0;
    for (unsigned w = 0; w < d->rows.words; w++) {
        left += bits_count(column[w * list->stride] & node->left[w]);
    }
    uint64_t m = probe_choices(d, node, left);
    if (m == 0) return false;
    uint64_t a = rng_below(&d->random, m), b = rng_below(&d->random, m), skip = a < b ? a : b;
    bool found = false;
    for (unsigned w = 0; w < d->rows.words; w++) {
        uint64_t word = column[w * list->stride] & node->left[w], here = bits_count(word);
        bool take = !found && skip < here;
        node->left[w] = take ? probe_nth(word, skip) : 0;
        skip -= !found && !take ? here : 0;
        found |= take;
    }
    return true;
}

/* Returns the probability with which the row of a child was drawn: the mean over the columns of the
 * node, of which only those that contain the row contribute. If a column has m choices and u - 1 of
 * them come after this row, the row is the earlier one of two with probability (2 u - 1) / m². */
static double probe_chance(rowwise_prober *d, const rowwise_node *node, const rowwise_node *child,
                           const uint64_t *left) {
    const rowwise_kernels *k = d->walker.kernels;
    unsigned words = d->rows.words, at = child->row / 64;
    uint64_t from[ROWWISE_WORDS];
    double sum = 0;
    for (unsigned w = 0; w < words; w++) from[w] = w < at ? 0 : left[w];
    from[at] &= ~(uint64_t)0 << child->row % 64;
    k->share(words, &child->list, left, 0, NULL, d->counts);
    k->share(words, &child->list, from, 0, NULL, d->later);
    for (uint32_t i = 0; i < child->list.n; i++) {
        double m = (double)probe_choices(d, node, d->counts[i]);
        double u = (double)probe_choices(d, node, d->later[i]);
        sum += (2 * u - 1) / (m * m);
    }
    return sum / node->list.n;
}

lode_status rowwise_probe_rows(rowwise_prober *d, rowwise_work *work) {
    lode_status status = LODE_OK;
    rowwise_walker *w = &d->walker;
    uint64_t left[ROWWISE_WORDS];
    double weight = 1;
    LODE_TRY(job_check(w->job));
    w->levels[0].node = d->root;
    for (uint32_t depth = 0;; depth++) {
        rowwise_level *level = &w->levels[depth];
        rowwise_node *node = &level->node;
        probe_count_node(d, node, weight, work);
        if (!rowwise_leads_on(w, node, d->min)) break;
        memcpy(left, node->left, sizeof left);
        if (!probe_draw_row(d, node)) break;
        LODE_TRY(rowwise_level_reserve(w, level + 1, node->list.n));
        d->looked += (double)node->list.n * d->rows.words;
        if (!w->kernels->next(&d->rows, node, d->min, &level[1].node)) break;
        weight /= probe_chance(d, node, &level[1].node, left);
    }
done:
    return status;
}
