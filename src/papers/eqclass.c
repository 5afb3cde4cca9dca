/* eqclass.c - candidates by equivalence class: the prefix once, then the members
 *
 * Problem:  all frequent itemsets, level by level.
 * Itemsets: a trie on the host joins and prunes. The device gets two lists: the prefixes (k - 1
 *           items, once a class) and, per class, the last items.
 *
 *               classes   (A B) (A C) (B C)      prefixes  A B|A C|B C
 *               members    C D   D     D         members   C D' D' D'   (' = the last of its class)
 *
 * Counting: first AND of the prefix rows, once a class; then AND of that with each member's item
 *           row. A GPU keeps the prefix in registers. With --lists N it is a row of the BitsetCache
 *           of N rows (the paper: one), as always on a CPU, which has one per thread and counts
 *           classes too small to pay for it directly.
 * Memory:   4 bytes a member and 4(k-1) a class, against 4k a member in gpapriori; the item rows,
 *           and the cache if there is one.
 * Wins:     over gpapriori from level 3 on, the more the larger the classes. At level 2 the prefix
 *           is a row already.
 * After:    Bhalodia, Patel: Mining frequent patterns with optimized candidate representation on
 *           graphics processor, 2014.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/levelwise_team.h"
#include "papers/trie.h"

typedef struct eqclass_state {
    vec_u32 prefixes; /* k - 1 items per class */
    vec_u32 members;  /* last items, class by class; the last of a class is marked */
} eqclass_state;

/* Lists pairs [first, end), the part of one device: a class that is cut has its prefix twice. */
static lode_status eqclass_list(levelwise *w, size_t first, size_t end) {
    lode_status status = LODE_OK;
    eqclass_state *s = w->state;
    uint32_t prefix = w->k - 1;
    LODE_TRY(vec_u32_reserve(w->mem, &s->members, end - first));
    for (size_t i = first; i < end; i++) {
        if (i == first || w->pairs[i].a != w->pairs[i - 1].a) {
            LODE_TRY(vec_u32_reserve(w->mem, &s->prefixes, prefix));
            trie_path(trie_of(w), prefix, w->pairs[i].a, s->prefixes.data + s->prefixes.n);
            s->prefixes.n += prefix;
        }
        bool last = i + 1 == end || w->pairs[i + 1].a != w->pairs[i].a;
        s->members.data[s->members.n++] = w->last[w->pairs[i].b] | (last ? BACKEND_LAST_MEMBER : 0);
    }
done:
    return status;
}

static lode_status eqclass_list_all(levelwise *w) {
    lode_status status = LODE_OK;
    eqclass_state *s = w->state;
    s->prefixes.n = s->members.n = 0;
    levelwise_team_divide(w, w->n_pairs);
    for (unsigned i = 0; i < w->n_team; i++) {
        levelwise_member *m = &w->team[i];
        m->first_class = s->prefixes.n / (w->k - 1);
        LODE_TRY(eqclass_list(w, m->first, m->end));
        m->end_class = s->prefixes.n / (w->k - 1);
    }
    w->tally->candidate_bytes += (s->prefixes.n + s->members.n) * sizeof(uint32_t);
done:
    return status;
}

/* On a device with kernels: uses them once, as levelwise_team_open() does with the others. */
static lode_status eqclass_warm(const levelwise *w, levelwise_member *m) {
    const uint32_t prefix[] = {0, 0}, members[] = {0, 0, 0, BACKEND_LAST_MEMBER};
    uint32_t counts[4];
    backend_classes classes = {prefix, members, 2, 1, 4};
    if (m->is_host || w->v.n_items == 0) return LODE_OK;
    lode_status status =
        m->ops->and_count_classes(m->papers, &classes, m->cache.data, m->cache.n, counts);
    levelwise_member_reset(m);
    return status;
}

/* Takes lists for the cache of each device, once: a part of its start. A GPU needs none, unless
 * they were asked for. */
static lode_status eqclass_start(levelwise *w) {
    lode_status status = LODE_OK;
    double start = os_seconds();
    if (w->n_sets < 2) return LODE_OK;
    for (unsigned i = 0; i < w->n_team; i++) {
        levelwise_member *m = &w->team[i];
        bool caches = m->is_host || w->task->items.options->max_lists > 0;
        uint64_t wanted = caches ? m->backend->fill(m->device, w->v.words) : 0;
        uint32_t row = 0;
        while (m->cache.n < wanted && row != BACKEND_NO_ROW) {
            row = levelwise_member_take(m);
            if (row != BACKEND_NO_ROW) LODE_TRY(vec_u32_push(w->mem, &m->cache, row));
        }
        if (caches && m->cache.n == 0)
            return mem_left(w->mem) == SIZE_MAX ? LODE_NOMEM : LODE_BUDGET;
        LODE_TRY(eqclass_warm(w, m));
    }
    report_add_start(w->task->report, start);
done:
    return status;
}

static lode_status eqclass_count(levelwise *w, levelwise_member *m) {
    const eqclass_state *s = w->state;
    backend_classes classes = {
        .prefixes = s->prefixes.data + m->first_class * (w->k - 1),
        .members = s->members.data + m->first,
        .n_prefix = w->k - 1,
        .n_classes = m->end_class - m->first_class,
        .n_members = m->share,
    };
    return m->ops->and_count_classes(m->papers, &classes, m->cache.data, m->cache.n,
                                     w->counts.data + m->first);
}

static lode_status eqclass_block(levelwise *w, uint32_t first, uint32_t end, size_t bound) {
    lode_status status = LODE_OK;
    LODE_TRY(trie_sets_join(w, first, end, bound));
    LODE_TRY(eqclass_list_all(w));
    levelwise_lap(w, &w->tally->candidate);
    LODE_TRY(levelwise_team_count(w, eqclass_count));
done:
    return status;
}

static size_t eqclass_candidate_bytes(const levelwise *w) {
    return sizeof(backend_pair) + (w->k + 2) * sizeof(uint32_t);
}

static void eqclass_stop(levelwise *w) {
    eqclass_state *s = w->state;
    vec_u32_free(w->mem, &s->prefixes);
    vec_u32_free(w->mem, &s->members);
}

const levelwise_method eqclass_method = {
    .sets = &levelwise_trie,
    .state_bytes = sizeof(eqclass_state),
    .list_share = 0.125,
    .paper_rows = 1,
    .start = eqclass_start,
    .stop = eqclass_stop,
    .candidate_bytes = eqclass_candidate_bytes,
    .block = eqclass_block,
};
