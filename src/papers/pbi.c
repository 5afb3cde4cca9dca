/* pbi.c - pure bitmaps: itemsets are rows of bits too, and the device joins them
 *
 * Problem:  all frequent itemsets, level by level.
 * Itemsets: a bit table, one row per set in lexicographic order, one column per item, rows rounded
 *           to 16 bytes:
 *
 *                       A B C D
 *               A B     1 1 0 0        joined with the rows below while the first k - 2 items
 *               A C     1 0 1 0        agree; the union is an OR, and a binary search looks every
 *               B C     0 1 1 0        subset up
 *
 * Counting: as in tbi: AND of the two joined sets' transaction rows. A GPU does both at once:
 *           candidates stay there, and what comes back are the frequent ones with their counts.
 * Memory:   a bit per item and candidate: short rows when items are few, wasteful when many.
 * Wins:     on dense data with few items (chess); loses on retail, whose rows are over 250 bytes.
 * After:    Fang, Lu, Xiao, He, Luo: Frequent itemset mining on graphics processors, DaMoN 2009.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/bits.h"
#include "itemset/prepare.h"
#include "papers/levelwise.h"
#include "papers/sets.h"

static lode_status pbi_block(levelwise *w, uint32_t first, uint32_t end, size_t bound) {
    lode_status status = LODE_OK;
    const sets_state *s = w->state;
    backend_joined joined = {0};
    LODE_TRY(levelwise_reserve(w, bound));
    LODE_TRY(levelwise_join_count(w, first, end, &joined));
    uint64_t candidates = joined.generated - joined.pruned;
    w->tally->candidate_bytes += candidates * s->words * sizeof(uint64_t);
    LODE_TRY(levelwise_settle(w));
done:
    return status;
}

static lode_status pbi_level(levelwise *w) {
    const sets_state *s = w->state;
    backend_sets table = sets_table(s, w->n_sets);
    lode_status status = levelwise_use_sets(w, &table);
    if (status != LODE_OK) return status;
    return levelwise_blocks(
        w, sizeof(backend_pair) + sizeof(backend_work) + s->words * sizeof(uint64_t), pbi_block);
}

static lode_status pbi_start(levelwise *w) {
    return sets_start(w, bits_round_up(w->v.n_items, 128) / 64);
}

static const levelwise_method pbi_method = {
    .state_bytes = sizeof(sets_state),
    .list_share = 0.25, /* the tables of itemsets are large themselves */
    .start = pbi_start,
    .level = pbi_level,
    .keep = sets_keep,
    .advance = sets_advance,
    .items = sets_items,
    .stop = sets_stop,
};

static lode_status pbi_run(engine_task *task) {
    return levelwise_run(task, &pbi_method);
}

const lode_engine lode_engine_pbi = {
    .name = "pbi",
    .summary = "Apriori: itemsets as bit rows, joined and pruned on the device.",
    .uses = ENGINE_DEVICES | ENGINE_LISTS | ENGINE_POPCOUNT,
    .grows = true,
    .estimate = levelwise_estimate,
    .need = levelwise_need,
    .prepare = prepare_engine_rows,
    .run = pbi_run,
};
