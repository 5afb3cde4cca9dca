/* supports.c - the supports of any sets, from a store of itemsets: one pass for all of them
 *
 * If the store has all frequent sets, or the closed ones, the support of a set is the highest count
 * of the rows that contain all of its items. Each set is indexed by one of its items, the one that
 * the fewest sets have; so a row is only compared with the few sets indexed by one of its own
 * items.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/store/item_names.h"
#include "results/store/scan_rows.h"
#include "runtime/valid.h"

typedef struct supports_search {
    lode_store *store;
    uint64_t n_sets;
    const uint64_t *offsets; /* of the caller, as are the items */
    const uint32_t *items;
    uint64_t *first; /* by item: where the sets filed under it begin in `filed`; n_names + 1 */
    uint64_t *filed;
    _Atomic uint64_t *best;  /* by set: the highest count of a row that holds it, … */
    _Atomic uint64_t *exact; /* … and of the row that is it */
    uint32_t *sizes;         /* by set: different items */
    uint32_t **stamps;       /* by thread, then by item: 1 + the row that has it, in its batch */
    mem_kept kept;
} supports_search;

/* ---- filing --------------------------------------------------------------------------------- */

static uint64_t supports_n_items(const supports_search *s) {
    return s->offsets[s->n_sets];
}

/* The item of a set that the fewest sets have. */
static uint32_t supports_rarest(const supports_search *s, uint64_t set, const uint32_t *frequency) {
    uint32_t best = s->items[s->offsets[set]];
    for (uint64_t i = s->offsets[set]; i < s->offsets[set + 1]; i++) {
        if (frequency[s->items[i]] < frequency[best]) best = s->items[i];
    }
    return best;
}

static lode_status supports_file(supports_search *s) {
    lode_status status = LODE_OK;
    mem *m = &s->store->job->mem;
    uint32_t *frequency = NULL;
    size_t bytes = (s->store->n_names + (size_t)1) * sizeof *frequency;
    LODE_TRY(mem_zalloc(m, (void **)&frequency, bytes));
    for (uint64_t i = 0; i < supports_n_items(s); i++) {
        if (frequency[s->items[i]] < UINT32_MAX) frequency[s->items[i]]++;
    }
    for (uint64_t k = 0; k < s->n_sets; k++) {
        if (s->offsets[k] < s->offsets[k + 1]) s->first[supports_rarest(s, k, frequency) + 1]++;
    }
    for (uint32_t i = 0; i < s->store->n_names; i++) s->first[i + 1] += s->first[i];
    for (uint64_t k = s->n_sets; k-- > 0;) { /* from their ends on, which become beginnings */
        if (s->offsets[k] == s->offsets[k + 1]) continue;
        uint32_t under = supports_rarest(s, k, frequency);
        s->filed[--s->first[under + 1]] = k;
    }
    memmove(s->first, s->first + 1, s->store->n_names * sizeof *s->first);
    uint64_t n = 0;
    for (uint64_t k = 0; k < s->n_sets; k++) n += s->offsets[k] < s->offsets[k + 1];
    s->first[s->store->n_names] = n;
done:
    if (frequency) mem_free(m, frequency, bytes);
    return status;
}

/* How many different items a set has; `seen` has `stamp` for those that were met. */
static uint32_t supports_size(const supports_search *s, uint64_t set, uint32_t *seen,
                              uint32_t stamp) {
    uint32_t n = 0;
    for (uint64_t i = s->offsets[set]; i < s->offsets[set + 1]; i++) {
        n += seen[s->items[i]] != stamp;
        seen[s->items[i]] = stamp;
    }
    return n;
}

static lode_status supports_prepare(supports_search *s, unsigned width) {
    lode_status status = LODE_OK;
    mem *m = &s->store->job->mem;
    size_t names = s->store->n_names + (size_t)1, sets = (size_t)s->n_sets + 1;
    LODE_TRY(mem_keep_zero(m, &s->kept, (void **)&s->first, (names + 1) * sizeof *s->first));
    LODE_TRY(mem_keep_zero(m, &s->kept, (void **)&s->filed, sets * sizeof *s->filed));
    LODE_TRY(mem_keep_zero(m, &s->kept, (void **)&s->best, sets * sizeof *s->best));
    LODE_TRY(mem_keep_zero(m, &s->kept, (void **)&s->exact, sets * sizeof *s->exact));
    LODE_TRY(mem_keep_zero(m, &s->kept, (void **)&s->sizes, sets * sizeof *s->sizes));
    LODE_TRY(mem_keep_zero(m, &s->kept, (void **)&s->stamps, width * sizeof *s->stamps));
    for (unsigned w = 0; w < width; w++) {
        LODE_TRY(mem_keep_zero(m, &s->kept, (void **)&s->stamps[w], names * sizeof **s->stamps));
    }
    for (uint64_t k = 0; k < s->n_sets; k++) {
        uint32_t stamp = (uint32_t)(k % (UINT32_MAX - 1)) + 1;
        if (stamp == 1) memset(s->stamps[0], 0, names * sizeof **s->stamps);
        s->sizes[k] = supports_size(s, k, s->stamps[0], stamp);
    }
    memset(s->stamps[0], 0, names * sizeof **s->stamps);
    LODE_TRY(supports_file(s));
done:
    return status;
}

/* ---- the pass ------------------------------------------------------------------------------- */

static void supports_raise(_Atomic uint64_t *best, uint64_t count) {
    uint64_t old = atomic_load_explicit(best, memory_order_relaxed);
    while (count > old && !atomic_compare_exchange_weak(best, &old, count)) {
    }
}

/* A row: its items and its count. */
typedef struct supports_row {
    const uint32_t *codes;
    uint32_t n, stamp;
    uint64_t count;
} supports_row;

static bool supports_held(const supports_search *s, uint64_t set, const uint32_t *stamps,
                          uint32_t stamp) {
    for (uint64_t i = s->offsets[set]; i < s->offsets[set + 1]; i++) {
        if (stamps[s->items[i]] != stamp) return false;
    }
    return true;
}

/* Returns the i-th item of a row. An invalid item becomes the first number past the end, which is
 * in no set. */
static inline uint32_t supports_item(const supports_search *s, const supports_row *r, uint32_t i) {
    uint32_t code = MAPPED_READ(r->codes[i]);
    return code < s->store->n_names ? code : s->store->n_names;
}

static void supports_compare(supports_search *s, const supports_row *r, uint32_t *stamps) {
    bool any = false;
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t item = supports_item(s, r, i);
        any |= s->first[item] < s->first[item + 1];
    }
    if (!any) return;
    for (uint32_t i = 0; i < r->n; i++) stamps[supports_item(s, r, i)] = r->stamp;
    for (uint32_t i = 0; i < r->n; i++) {
        uint32_t item = supports_item(s, r, i);
        for (uint64_t f = s->first[item]; f < s->first[item + 1]; f++) {
            uint64_t set = s->filed[f];
            if (s->sizes[set] > r->n || !supports_held(s, set, stamps, r->stamp)) continue;
            supports_raise(&s->best[set], r->count);
            if (s->sizes[set] == r->n) supports_raise(&s->exact[set], r->count);
        }
    }
}

static lode_status supports_visit(void *user, const scan_block *block) {
    lode_status status = LODE_OK;
    supports_search *s = user;
    const arrow_cells *items, *counts;
    uint32_t *stamps = s->stamps[block->worker];
    LODE_TRY(stored_cells(block->batch, s->store->items, &items));
    LODE_TRY(stored_cells(block->batch, s->store->count, &counts));
    if (block->range.from == 0) { /* stamps are rows of a batch */
        memset(stamps, 0, s->store->n_names * sizeof *stamps);
    }
    for (uint32_t i = 0; i < block->range.n; i++) {
        uint32_t row = block->range.from + i;
        if (i % 64 == 0) LODE_TRY(job_check(s->store->job));
        arrow_list list = arrow_list_at(items, row);
        supports_row r = {.codes = (const uint32_t *)items->values + list.first,
                          .n = list.n,
                          .stamp = row + 1,
                          .count = ((const uint64_t *)counts->values)[row]};
        supports_compare(s, &r, stamps);
    }
done:
    return status;
}

/* ---- what is known -------------------------------------------------------------------------- */

/* Whether the search would have reported every frequent set of this size, or one that holds it. */
static bool supports_was_searched(const lode_store_info *info, uint32_t size) {
    if (!info->complete || (info->max_size > 0 && size > info->max_size)) return false;
    if (info->target == LODE_TARGET_CLOSED || info->target == LODE_TARGET_MAXIMAL) {
        return info->max_size == 0 && size >= info->min_size;
    }
    return size >= info->min_size &&
           (info->target == LODE_TARGET_ALL || info->target == LODE_TARGET_TOP);
}

static lode_known supports_known(const supports_search *s, uint64_t set, uint64_t *support) {
    const lode_store_info *info = &s->store->info;
    uint64_t best = s->best[set], exact = s->exact[set];
    *support = exact > 0 ? exact : best;
    if (exact > 0) return LODE_KNOWN_EXACT;
    if (s->sizes[set] == 0 && info->total > 0) {
        *support = info->total;
        return LODE_KNOWN_EXACT;
    }
    bool searched = supports_was_searched(info, s->sizes[set]);
    if (best > 0) {
        return searched && info->target == LODE_TARGET_CLOSED ? LODE_KNOWN_EXACT
                                                              : LODE_KNOWN_AT_LEAST;
    }
    return searched ? LODE_KNOWN_BELOW : LODE_KNOWN_NOT;
}

static lode_status supports_answer(const query_plan *plan, void *user) {
    lode_status status = LODE_OK;
    supports_search *s = user;
    LODE_TRY(supports_prepare(s, scan_width(plan->store)));
    if (supports_n_items(s) > 0) LODE_TRY(scan_all(plan, supports_visit, s));
done:
    return status;
}

static lode_status supports_check(lode_store *s, uint64_t n_sets, const uint64_t *offsets,
                                  const uint32_t *items) {
    if (s->info.kind != LODE_ITEMSETS) {
        return job_fail(
            s->job, LODE_INVALID,
            "%s: supports can be looked up only in a result of itemsets; this one has %s", s->path,
            s->info.kind == LODE_RULES ? "rules" : "graphs");
    }
    for (uint64_t k = 0; k < n_sets; k++) {
        if (offsets[0] == 0 && offsets[k] <= offsets[k + 1]) continue;
        return job_fail(s->job, LODE_INVALID, "offsets must start at 0 and not decrease");
    }
    for (uint64_t i = 0; n_sets > 0 && i < offsets[n_sets]; i++) {
        if (items[i] < s->n_names) continue;
        return job_fail(s->job, LODE_INVALID, "there is no item %u; expected 0 to %u", items[i],
                        s->n_names - 1);
    }
    return LODE_OK;
}

lode_status lode_store_supports(lode_store *store, uint64_t n_sets, const uint64_t *offsets,
                                const uint32_t *items, uint64_t *supports, lode_known *known) {
    lode_status status = LODE_OK;
    VALID_CALL(store ? store->job : NULL, VALID_NEEDS(offsets), VALID_NEEDS(items),
               VALID_NEEDS(supports));
    supports_search s = {.store = store, .n_sets = n_sets, .offsets = offsets, .items = items};
    LODE_TRY(names_load(store));
    LODE_TRY(supports_check(store, n_sets, offsets, items));
    if (n_sets == 0) goto done;
    LODE_TRY(scan_ask(store, NULL, supports_answer, &s));
    for (uint64_t k = 0; k < n_sets; k++) {
        lode_known is = supports_known(&s, k, &supports[k]);
        if (known) known[k] = is;
    }
done:
    mem_drop(&store->job->mem, &s.kept);
    return job_explain(store->job, stored_end_row(store, status), "looking up supports");
}
