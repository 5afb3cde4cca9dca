/* general.c - see general.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/general.h"

#include <string.h>

#include "runtime/parallel.h"

#define GENERAL_STEP 1024 /* sets that a thread takes at a time */

static uint64_t general_find(const general_sets *s, const uint32_t *items, uint32_t n) {
    return lookup_find(s->index, lookup_prepare(s->index, items, n), items, n);
}

uint64_t general_support(const general_sets *s, const uint32_t *items, uint32_t n) {
    uint32_t without[GENERAL_MOST], n_without = 0;
    if (n == 1 && !s->has_pivot) return s->one_counts[items[0]];
    for (uint32_t i = 0; i < n && s->has_pivot; i++) {
        if (items[i] != s->pivot) without[n_without++] = items[i];
    }
    bool pivot = s->has_pivot && n_without < n;
    if (pivot && n_without == 0) return s->pivot_count;
    uint64_t at = pivot ? general_find(s, without, n_without) : general_find(s, items, n);
    if (at == LOOKUP_NONE) return 0;
    return s->has_pivot && !pivot ? s->plain[at] : s->sets->supports.data[at];
}

/* Looks up all subsets with one item less. All hash slots are prefetched first, because most of
 * them are not in the cache. `part` is the set without item i; putting item i back for item i + 1
 * makes the next one. */
void general_below(const general_sets *s, const uint32_t *items, uint32_t n, uint64_t *below) {
    uint32_t part[GENERAL_MOST];
    memcpy(part, items + 1, (n - 1) * sizeof *items);
    for (uint32_t i = 0; i < n; i++) {
        below[i] = lookup_prepare(s->index, part, n - 1);
        if (i + 1 < n) part[i] = items[i];
    }
    memcpy(part, items + 1, (n - 1) * sizeof *items);
    for (uint32_t i = 0; i < n; i++) {
        below[i] = lookup_find(s->index, below[i], part, n - 1);
        if (i + 1 < n) part[i] = items[i];
    }
}

/* ---- consequents of one item ----------------------------------------------------------------- */

general_share general_of_item(const general *g, const uint64_t *below, uint32_t n, uint32_t rhs) {
    general_share best = {0, 1};
    for (uint32_t i = 0; i < n; i++) {
        if (i == rhs || below[i] == LOOKUP_NONE) continue;
        general_share here = g->best[g->of.sets->offsets.data[below[i]] + rhs - (rhs > i)];
        if (general_above(here, best)) best = here;
    }
    return best;
}

/* Fills in the entries of one set; those of smaller sets are there. */
static void general_fill(const general *g, uint64_t set) {
    uint64_t below[GENERAL_MOST], first = g->of.sets->offsets.data[set];
    uint32_t n = (uint32_t)(g->of.sets->offsets.data[set + 1] - first);
    const uint32_t *items = g->of.sets->items.data + first;
    uint64_t support = g->of.sets->supports.data[set];
    if (n == 1) {
        g->best[first] = (general_share){support, g->of.total};
        return;
    }
    general_below(&g->of, items, n, below);
    for (uint32_t i = 0; i < n; i++) {
        general_share best = general_of_item(g, below, n, i), own = {support, 1};
        if (below[i] != LOOKUP_NONE) own.lhs = g->of.sets->supports.data[below[i]];
        bool higher = below[i] != LOOKUP_NONE && general_above(own, best);
        g->best[first + i] = higher ? own : best;
    }
}

/* Sets of one size. */
typedef struct general_level {
    const general *g;
    uint64_t first, end;
    _Atomic uint64_t next;
} general_level;

static lode_status general_work(void *arg, unsigned worker) {
    general_level *level = arg;
    lode_job *job = level->g->of.job;
    for (;;) {
        uint64_t i = atomic_fetch_add(&level->next, GENERAL_STEP), end = i + GENERAL_STEP;
        if (i >= level->end) return LODE_OK;
        if (end > level->end) end = level->end;
        lode_status status = worker == 0 ? job_tick(job, 0, 0) : job_check(job);
        if (status != LODE_OK) return status;
        for (; i < end; i++) general_fill(level->g, i);
    }
}

/* The end of the sets that are as large as number `first`. */
static uint64_t general_level_end(const columns *c, uint64_t first) {
    const uint64_t *offsets = c->offsets.data;
    uint64_t size = offsets[first + 1] - offsets[first], low = first, high = columns_count(c);
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (offsets[middle + 1] - offsets[middle] > size) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

lode_status general_create(general *g, const general_sets *of) {
    lode_status status = LODE_OK;
    const columns *c = of->sets;
    *g = (general){.of = *of, .bytes = c->items.n * sizeof *g->best};
    LODE_TRY(mem_resize(&of->job->mem, (void **)&g->best, 0, g->bytes));
    for (uint64_t first = 0, n = columns_count(c); first < n;) {
        general_level level = {.g = g, .first = first, .end = general_level_end(c, first)};
        LODE_REQUIRE(of->job, c->offsets.data[first + 1] - c->offsets.data[first] <= GENERAL_MOST,
                     "an itemset in memory has more items than possible");
        atomic_store(&level.next, first);
        LODE_TRY(parallel_run(of->job, of->job->threads, false, general_work, &level));
        first = level.end;
    }
done:
    if (status != LODE_OK) general_clear(g);
    return status;
}

void general_clear(general *g) {
    if (g->best) mem_free(&g->of.job->mem, g->best, g->bytes);
    *g = (general){0};
}

/* ---- consequents of any size ----------------------------------------------------------------- */

/* A walk through the parts of an antecedent. */
typedef struct general_walk {
    const general_sets *s;
    const lode_rule *rule;
    general_share best;
} general_walk;

/* Writes the items of the antecedent that are left, and these together with the consequent, both
 * ascending. */
static uint32_t general_pick(const lode_rule *rule, uint64_t left, uint32_t *lhs, uint32_t *all,
                             uint32_t *n_all) {
    uint32_t n = 0, h = 0;
    *n_all = 0;
    for (uint32_t i = 0; i < rule->n_lhs; i++) {
        if (!(left >> i & 1)) continue;
        while (h < rule->n_rhs && rule->rhs[h] < rule->lhs[i]) all[(*n_all)++] = rule->rhs[h++];
        lhs[n++] = all[(*n_all)++] = rule->lhs[i];
    }
    while (h < rule->n_rhs) all[(*n_all)++] = rule->rhs[h++];
    return n;
}

/* Examines the subset `left` of the antecedent, and the subsets of it that lack further items, from
 * `next` on. A subset is at least as frequent, and its rules have at most the support of the
 * consequent: subsets that cannot beat the best so far are skipped. */
static void general_look(general_walk *w, uint64_t left, uint32_t next, bool proper) {
    uint32_t lhs[GENERAL_MOST], all[GENERAL_MOST], n_all;
    uint32_t n = general_pick(w->rule, left, lhs, all, &n_all);
    if (n == 0 || job_is_cancelled(w->s->job))
        return; /* an empty antecedent was the starting value */
    general_share here = {0, general_support(w->s, lhs, n)};
    general_share most = {w->rule->counts.rhs, here.lhs};
    if (here.lhs == 0 || !general_above(most, w->best)) return;
    if (proper) here.both = general_support(w->s, all, n_all);
    if (proper && general_above(here, w->best)) w->best = here;
    for (uint32_t i = next; i < w->rule->n_lhs; i++) {
        general_look(w, left & ~((uint64_t)1 << i), i + 1, true);
    }
}

general_share general_of_rhs(const general_sets *s, const lode_rule *rule) {
    uint64_t whole = rule->n_lhs < 64 ? ((uint64_t)1 << rule->n_lhs) - 1 : UINT64_MAX;
    general_walk w = {s, rule, {rule->counts.rhs, s->total}};
    general_look(&w, whole, 0, false);
    return w.best;
}
