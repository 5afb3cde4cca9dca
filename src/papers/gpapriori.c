/* gpapriori.c - complete intersection: a candidate is the list of its items
 *
 * Problem:  all frequent itemsets, level by level.
 * Itemsets: a trie on the host joins and prunes; the device gets k item numbers per candidate.
 * Counting: AND of k item rows for every candidate; no row is ever stored.
 * Memory:   4k bytes a candidate, and the item rows; what other algorithms spend on rows of
 *           itemsets this one spends on reading: k rows a candidate instead of two.
 * Wins:     when device memory is small and itemsets are short.
 * After:    Zhang, Zhang, Bakos: GPApriori, IEEE CLUSTER 2011, as the baseline of the 2014 paper on
 *           candidate representation.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "papers/levelwise_team.h"
#include "papers/trie.h"

typedef struct gpapriori_state {
    vec_u32 lists; /* k items per candidate */
} gpapriori_state;

/* Writes out the items of every candidate. */
static lode_status gpapriori_list(levelwise *w) {
    gpapriori_state *s = w->state;
    uint32_t k = w->k;
    s->lists.n = 0;
    lode_status status = vec_u32_reserve(w->mem, &s->lists, w->n_pairs * k);
    if (status != LODE_OK) return status;
    uint32_t *at = s->lists.data;
    for (size_t i = 0; i < w->n_pairs; i++, at += k) {
        if (i > 0 && w->pairs[i].a == w->pairs[i - 1].a) {
            memcpy(at, at - k, (k - 1) * sizeof *at);
        } else {
            trie_path(trie_of(w), k - 1, w->pairs[i].a, at);
        }
        at[k - 1] = w->last[w->pairs[i].b];
    }
    s->lists.n = w->n_pairs * k;
    return LODE_OK;
}

static lode_status gpapriori_count(levelwise *w, levelwise_member *m) {
    const gpapriori_state *s = w->state;
    return m->ops->and_count_lists(m->papers, s->lists.data + m->first * w->k, w->k, m->share,
                                   w->counts.data + m->first);
}

static lode_status gpapriori_block(levelwise *w, uint32_t first, uint32_t end, size_t bound) {
    lode_status status = LODE_OK;
    gpapriori_state *s = w->state;
    LODE_TRY(trie_sets_join(w, first, end, bound));
    LODE_TRY(gpapriori_list(w));
    w->tally->candidate_bytes += s->lists.n * sizeof *s->lists.data;
    levelwise_lap(w, &w->tally->candidate);
    levelwise_team_divide(w, w->n_pairs);
    LODE_TRY(levelwise_team_count(w, gpapriori_count));
done:
    return status;
}

static size_t gpapriori_candidate_bytes(const levelwise *w) {
    return sizeof(backend_pair) + (w->k + 1) * sizeof(uint32_t);
}

static void gpapriori_stop(levelwise *w) {
    gpapriori_state *s = w->state;
    vec_u32_free(w->mem, &s->lists);
}

const levelwise_method gpapriori_method = {
    .sets = &levelwise_trie,
    .state_bytes = sizeof(gpapriori_state),
    .list_share = 0.125,
    .stop = gpapriori_stop,
    .candidate_bytes = gpapriori_candidate_bytes,
    .block = gpapriori_block,
};
