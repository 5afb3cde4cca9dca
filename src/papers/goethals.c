/* goethals.c - the horizontal baseline: transactions run through a trie of candidates
 *
 * Problem:  all frequent itemsets, level by level.
 * Itemsets: a trie on the host joins and prunes; the candidates of a level are its leaves.
 * Counting: every transaction (frequent items only, as ascending ranks) walks down the trie along
 *           the items it holds and counts the leaves it reaches. Threads take ranges of
 *           transactions and count into arrays of their own.
 * Memory:   4 bytes per item occurrence, 4 per candidate and thread; no bit rows.
 * Wins:     on sparse data with short transactions; a long transaction reaches too many nodes.
 * After:    Goethals' Apriori, the multi-threaded CPU baseline of the 2009 paper on bitmaps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "papers/horizontal.h"
#include "papers/levelwise.h"
#include "papers/trie.h"
#include "runtime/parallel.h"

typedef struct goethals_state {
    horizontal rows;
    vec_u32 leaf_first; /* where the candidates of left set first + i start in w->pairs */
    vec_u32 low, high;  /* by level: the nodes above the left sets of the block */
    uint32_t first;     /* left sets of the block start here */
    vec_u32 counts;     /* threads times candidates */
} goethals_state;

static lode_status goethals_read(levelwise *w) {
    goethals_state *s = w->state;
    return horizontal_read(w->job, &s->rows, w->task->items.data, &w->v);
}

/* ---- counting ------------------------------------------------------------------------------ */

typedef struct walk {
    const levelwise *w;
    const goethals_state *s;
    const trie *trie;
    const uint32_t *end; /* of the transaction */
    uint32_t *counts;
} walk;

/* The leaves of a left set that the rest of the transaction reaches. */
static void walk_leaves(const walk *k, uint32_t node, const uint32_t *rest) {
    uint32_t leaf = k->s->leaf_first.data[node - k->s->first];
    uint32_t end = k->s->leaf_first.data[node - k->s->first + 1];
    while (leaf < end && rest < k->end) {
        uint32_t item = k->w->last[k->w->pairs[leaf].b];
        if (item == *rest) k->counts[leaf]++;
        leaf += item <= *rest;
        rest += item >= *rest;
    }
}

/* Nodes [node, end) of a level, which are siblings, against the rest of the transaction. Recursion:
 * as deep as there are levels, and a set of k items has 2^k subsets in memory. */
static void walk_nodes(const walk *k, uint32_t level, uint32_t node, uint32_t end,
                       const uint32_t *rest) {
    const trie_level *here = trie_at(k->trie, level);
    uint32_t below = k->w->k - level; /* items a candidate has below this level */
    if (node < k->s->low.data[level]) node = k->s->low.data[level];
    if (end > k->s->high.data[level]) end = k->s->high.data[level];
    while (node < end && (size_t)(k->end - rest) > below) {
        uint32_t item = here->items.data[node];
        if (item == *rest) {
            if (level + 1 == k->w->k) {
                walk_leaves(k, node, rest + 1);
            } else {
                walk_nodes(k, level + 1, here->first.data[node], here->first.data[node + 1],
                           rest + 1);
            }
        }
        node += item <= *rest;
        rest += item >= *rest;
    }
}

static lode_status goethals_count_range(void *arg, unsigned worker) {
    const levelwise *w = arg;
    const goethals_state *s = w->state;
    uint64_t n = s->rows.n;
    walk k = {.w = w, .s = s, .trie = trie_of(w), .counts = s->counts.data + worker * w->n_pairs};
    for (uint64_t t = n * worker / w->threads; t < n * (worker + 1) / w->threads; t++) {
        lode_status status = job_check(w->job); /* a long transaction can take a while */
        if (status != LODE_OK) return status;
        k.end = s->rows.items.data + s->rows.offsets[t + 1];
        walk_nodes(&k, 1, 0, UINT32_MAX, s->rows.items.data + s->rows.offsets[t]);
    }
    return LODE_OK;
}

/* Where the leaves of each left set start, and which nodes lie above them. */
static lode_status goethals_index(levelwise *w, uint32_t first, uint32_t end) {
    lode_status status = LODE_OK;
    goethals_state *s = w->state;
    s->first = first;
    s->leaf_first.n = s->low.n = s->high.n = 0;
    LODE_TRY(vec_u32_reserve(w->mem, &s->leaf_first, (size_t)(end - first) + 1));
    LODE_TRY(vec_u32_reserve(w->mem, &s->low, w->k));
    LODE_TRY(vec_u32_reserve(w->mem, &s->high, w->k));
    uint32_t leaf = 0;
    for (uint32_t a = first; a <= end; a++) {
        while (leaf < w->n_pairs && w->pairs[leaf].a < a) leaf++;
        s->leaf_first.data[a - first] = leaf;
    }
    uint32_t low = first, high = end - 1;
    for (uint32_t level = w->k - 1; level >= 1; level--) {
        s->low.data[level] = low;
        s->high.data[level] = high + 1;
        low = trie_at(trie_of(w), level)->parents.data[low];
        high = trie_at(trie_of(w), level)->parents.data[high];
    }
done:
    return status;
}

static lode_status goethals_count(levelwise *w) {
    lode_status status = LODE_OK;
    goethals_state *s = w->state;
    s->counts.n = 0;
    LODE_TRY(vec_u32_reserve(w->mem, &s->counts, w->n_pairs * w->threads));
    memset(s->counts.data, 0, w->n_pairs * w->threads * sizeof *s->counts.data);
    LODE_TRY(parallel_run(w->job, w->threads, false, goethals_count_range, w));
    for (size_t i = 0; i < w->n_pairs; i++) {
        w->counts.data[i] = 0;
        for (unsigned t = 0; t < w->threads; t++) {
            w->counts.data[i] += s->counts.data[t * w->n_pairs + i];
        }
    }
done:
    return status;
}

static lode_status goethals_block(levelwise *w, uint32_t first, uint32_t end, size_t bound) {
    lode_status status = LODE_OK;
    LODE_TRY(trie_sets_join(w, first, end, bound));
    if (w->n_pairs == 0) return LODE_OK;
    LODE_TRY(goethals_index(w, first, end));
    w->tally->candidate_bytes +=
        w->n_pairs * (sizeof(backend_pair) + w->threads * sizeof(uint32_t));
    levelwise_lap(w, &w->tally->candidate);
    LODE_TRY(goethals_count(w));
    levelwise_lap_count(w);
done:
    return status;
}

static size_t goethals_candidate_bytes(const levelwise *w) {
    return sizeof(backend_pair) + (w->threads + 1) * sizeof(uint32_t);
}

static void goethals_stop(levelwise *w) {
    goethals_state *s = w->state;
    horizontal_free(w->mem, &s->rows);
    vec_u32 *vectors[] = {&s->leaf_first, &s->low, &s->high, &s->counts};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) vec_u32_free(w->mem, vectors[i]);
}

const levelwise_method goethals_method = {
    .sets = &levelwise_trie,
    .horizontal = true,
    .state_bytes = sizeof(goethals_state),
    .start = goethals_read,
    .stop = goethals_stop,
    .candidate_bytes = goethals_candidate_bytes,
    .block = goethals_block,
};
