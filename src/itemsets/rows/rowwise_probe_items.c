/* rowwise_probe_items.c - probes into the tree of items: see rowwise_probe.h
 *
 * A node is a set of items, the rows that hold it, and the columns that are frequent in these. As
 * in adaptive.h, a child adds a column that is more frequent than those before. The columns of a
 * node are in this order, so that the first ones may be added; the others only tell whether the set
 * is closed. A column that holds all rows of a node is part of its closure: it is emptied there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bits.h"
#include "itemsets/rows/rowwise_probe.h"
#include "itemsets/rows/rowwise_tuning.h"

/* For each column that may be added, all are counted in its rows. Dense data are rows of bits, of
 * whole vectors; others are lists at first, and bits as soon as that is less. */
double rowwise_item_words(const rowwise_prober *d, const rowwise_node *node, const uint32_t *counts,
                          uint32_t addable) {
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

/* Draws one of the first columns, each as likely as it is frequent, and makes `weight` 1 / its
 * chance times as large. False: there is none. */
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

/* Makes the child that adds column i. False: it has all rows of the node, or is not closed. */
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
