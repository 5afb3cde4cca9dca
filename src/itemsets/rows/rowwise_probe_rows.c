/* rowwise_probe_rows.c - probes into the tree of rows: see rowwise_probe.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bits.h"
#include "itemsets/rows/rowwise_probe.h"

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

/* How many rows of a column may be added next, if it has so many left: after these, too few would
 * follow. */
static uint64_t probe_choices(const rowwise_prober *d, const rowwise_node *node, uint64_t left) {
    uint64_t need = d->min > node->weight ? d->min - node->weight : 1;
    return left >= need ? left - need + 1 : 0;
}

/* The n-th row, as a bit. */
static uint64_t probe_nth(uint64_t word, uint64_t n) {
    for (; n > 0; n--) word &= word - 1;
    return word & -word;
}

/* Draws a row of a column, the earlier one of two, and leaves only this. False: the column has none
 * to choose. */
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

/* The chance that the row of a child had. Its columns are those that go on with it; of m choices,
 * the one that has u - 1 behind it is the earlier one of two with a chance of (2 u - 1) / m². */
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
