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
 * Counting: as in tbi: AND of the two joined sets' transaction rows.
 * On a GPU: everything stays there. The sets of a level, their groups and rows are made on the
 *           device from the frequent pairs of the level before; candidates are joined, pruned,
 *           counted and filtered there. Totals come back, and the frequent sets if they are to be
 *           written (resident.h). When memory or lists run out, and on the CPU backend, the host
 *           keeps the table.
 * Memory:   a bit per item and candidate: short rows when items are few, wasteful when many.
 * Wins:     over `tbi` wherever both were measured, most on retail at low support: it makes
 *           candidates on the device, `tbi` on the host.
 * After:    Fang, Lu, Xiao, He, Luo: Frequent itemset mining on graphics processors, DaMoN 2009.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/bit_sets.h"
#include "papers/resident.h"

static lode_status pbi_block(levelwise *w, uint32_t first, uint32_t end, size_t bound) {
    lode_status status = LODE_OK;
    const bit_sets *s = w->sets;
    backend_joined joined = {0};
    LODE_TRY(levelwise_reserve(w, bound));
    LODE_TRY(levelwise_join_count(w, first, end, &joined));
    uint64_t candidates = joined.generated - joined.pruned;
    w->tally->candidate_bytes += candidates * s->words * sizeof(uint64_t);
done:
    return status;
}

static lode_status pbi_begin_blocks(levelwise *w) {
    backend_sets table = bit_sets_table(w);
    return levelwise_use_sets(w, &table);
}

static size_t pbi_candidate_bytes(const levelwise *w) {
    const bit_sets *s = w->sets;
    return sizeof(backend_pair) + sizeof(backend_work) + s->words * sizeof(uint64_t);
}

static lode_status pbi_level(levelwise *w) {
    const resident *r = w->state;
    return r->stays ? resident_level(w) : levelwise_do_blocks(w);
}

const levelwise_method pbi_method = {
    .sets = &levelwise_bits_16,
    .keeps_rows = true,
    .state_bytes = sizeof(resident),
    .list_share = 0.25, /* the tables of itemsets are large themselves */
    .start = resident_start,
    .advance = resident_advance,
    .level = pbi_level,
    .begin_blocks = pbi_begin_blocks,
    .candidate_bytes = pbi_candidate_bytes,
    .block = pbi_block,
};
