/* tbi.c - trie-based bitmaps: the trie joins and prunes, the device intersects
 *
 * Problem:  all frequent itemsets, level by level.
 * Itemsets: a trie on the host. A candidate is a node and a sibling to its right; it is dropped if
 *           a binary search down the trie misses one of its subsets.
 * Counting: triples (left row, right row, new row) go to the device: AND, count, store.
 * Memory:   12 bytes a candidate, a bit row for every frequent set of the level.
 * Wins:     nowhere any more: on a CPU it is about as fast as `pbi`, on a GPU slower.
 * After:    Fang, Lu, Xiao, He, Luo: Frequent itemset mining on graphics processors, DaMoN 2009.
 *           On the CPU backend with threads it is the paper's TBI-CPU, but for short rows: see
 *           team_list_limit() in levelwise_team.c.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/levelwise.h"
#include "papers/trie.h"

static lode_status tbi_block(levelwise *w, uint32_t first, uint32_t end, size_t bound) {
    lode_status status = LODE_OK;
    LODE_TRY(trie_sets_join(w, first, end, bound));
    w->tally->candidate_bytes += w->n_pairs * sizeof(backend_work);
    LODE_TRY(levelwise_count_rows(w));
done:
    return status;
}

static size_t tbi_candidate_bytes(const levelwise *w) {
    (void)w;
    return sizeof(backend_pair) + sizeof(backend_work);
}

const levelwise_method tbi_method = {
    .sets = &levelwise_trie,
    .keeps_rows = true,
    .list_share = 0.5,
    .candidate_bytes = tbi_candidate_bytes,
    .block = tbi_block,
};
