/* engines.c - the level-wise miners as engines: one method each, and their common parts
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/common/prepare.h"
#include "papers/levelwise.h"

/* The transactions once more, as ranks. */
static uint64_t goethals_need(const engine_sizes *s) {
    uint64_t bytes = (s->data.n_occurrences + s->data.n_transactions) * sizeof(uint32_t);
    return bytes + bytes / 2 + ((uint64_t)512 << 10);
}

/* An engine that runs symbol_method; the arguments are what it does not share with the others. */
#define LEVELWISE_ENGINE(symbol, ...)                                                              \
    static lode_status symbol##_run(engine_task *task) {                                           \
        return levelwise_run(task, &symbol##_method);                                              \
    }                                                                                              \
    const lode_engine lode_engine_##symbol = {                                                     \
        .grows = true, .estimate = levelwise_estimate, .run = symbol##_run, __VA_ARGS__}

/* Most of them keep the items, and count, as rows of bits. */
#define OVER_ROWS .need = levelwise_need, .prepare = prepare_engine_rows

LEVELWISE_ENGINE(tbi, OVER_ROWS, .name = "tbi",
                 .summary = "Apriori: candidates from a trie, counted by intersecting the parents' "
                            "bit rows.",
                 .uses = ENGINE_DEVICES | ENGINE_LISTS | ENGINE_POPCOUNT);
LEVELWISE_ENGINE(pbi, OVER_ROWS, .name = "pbi",
                 .summary = "Apriori: itemsets as bit rows, joined and pruned on the device.",
                 .uses = ENGINE_DEVICES | ENGINE_LISTS | ENGINE_POPCOUNT);
LEVELWISE_ENGINE(goethals, .need = goethals_need, .name = "goethals",
                 .summary = "Apriori: runs the transactions through a trie of candidates, on "
                            "all threads.");
LEVELWISE_ENGINE(gpapriori, OVER_ROWS, .name = "gpapriori",
                 .summary = "Apriori: every candidate intersects the bit rows of all its items.",
                 .uses = ENGINE_DEVICES | ENGINE_POPCOUNT);
LEVELWISE_ENGINE(
    eqclass, OVER_ROWS, .name = "eqclass",
    .summary =
        "Apriori: intersects the rows of a prefix once per class, then the row of each member.",
    .uses = ENGINE_DEVICES | ENGINE_LISTS | ENGINE_POPCOUNT);
LEVELWISE_ENGINE(gpu_apriori, OVER_ROWS, .name = "gpu-apriori",
                 .summary =
                     "Apriori: unites all pairs of a level in a grid of threads, and adds up "
                     "counts by trees.",
                 .uses = ENGINE_DEVICES | ENGINE_LISTS | ENGINE_POPCOUNT | ENGINE_GRID |
                         ENGINE_GRID_ROWS | ENGINE_REDUCE);
