/* tbi.c - trie-based bitmaps: the trie joins and prunes, the device intersects
 *
 * Problem:  all frequent itemsets, level by level.
 * Itemsets: a trie on the host. A candidate is a node and a sibling to its right; it is dropped if
 *           a binary search down the trie misses one of its subsets.
 * Counting: triples (left row, right row, new row) go to the device: AND, count, store.
 * Memory:   12 bytes a candidate, a bit row for every frequent set of the level.
 * Wins:     on sparse data, where bit rows of itemsets (pbi) would be mostly empty.
 * After:    Fang, Lu, Xiao, He, Luo: Frequent itemset mining on graphics processors, DaMoN 2009.
 *           On the CPU backend with threads it is the paper's TBI-CPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemset/prepare.h"
#include "papers/levelwise.h"
#include "papers/trie_method.h"

static lode_status tbi_block(levelwise *w, uint32_t first, uint32_t end, size_t bound) {
    lode_status status = LODE_OK;
    LODE_TRY(trie_method_generate(w, first, end, bound));
    w->tally->candidate_bytes += w->n_pairs * sizeof(backend_work);
    LODE_TRY(levelwise_count_rows(w));
    LODE_TRY(levelwise_settle(w));
done:
    return status;
}

static lode_status tbi_level(levelwise *w) {
    return levelwise_blocks(w, sizeof(backend_pair) + sizeof(backend_work), tbi_block);
}

static lode_status tbi_keep(levelwise *w, backend_pair pair, size_t i) {
    lode_status status = trie_method_keep(w, pair, i);
    return status == LODE_OK ? levelwise_keep_row(w, i) : status;
}

static const levelwise_method tbi_method = {
    .state_bytes = sizeof(trie_method),
    .list_share = 0.5,
    .start = trie_method_start,
    .level = tbi_level,
    .keep = tbi_keep,
    .advance = trie_method_advance,
    .items = trie_method_items,
    .stop = trie_method_stop,
};

static lode_status tbi_run(engine_task *task) {
    return levelwise_run(task, &tbi_method);
}

const lode_engine lode_engine_tbi = {
    .name = "tbi",
    .summary = "Apriori: candidates from a trie, counted by intersecting the parents' bit rows.",
    .uses = ENGINE_DEVICES | ENGINE_LISTS | ENGINE_POPCOUNT,
    .grows = true,
    .estimate = levelwise_estimate,
    .need = levelwise_need,
    .prepare = prepare_engine_rows,
    .run = tbi_run,
};
