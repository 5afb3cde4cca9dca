/* long_set.c - see long_set.h
 *
 * Each of the longest baskets is tried: the baskets that share most with it are looked up in one
 * pass. Of these, the one that shares most with what is left is joined to it, again and again,
 * until there are as many as the threshold asks for.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/suggest/long_set.h"

#define LONG_SET_TRIES  5   /* baskets */
#define LONG_SET_OTHERS 512 /* baskets that are considered for joining, of each */

typedef struct long_set_search {
    lode_job *job;
    const lode_dataset *data;
    uint64_t min_count;
    uint8_t *marks;   /* by item id: it is in what is left */
    uint32_t *shared; /* by basket: items that it shares with the one that is tried */
    size_t mark_bytes, shared_bytes;
    vec_u32 left;   /* items */
    vec_u32 others; /* baskets that may be joined */
    vec_u32 *best;
    uint32_t longest; /* what is not longer than this is of no use */
} long_set_search;

static uint64_t basket_weight(const long_set_search *s, uint64_t t) {
    return s->data->weights ? s->data->weights[t] : 1;
}

static uint32_t basket_shares(const long_set_search *s, uint64_t t) {
    uint32_t n, found = 0;
    const uint32_t *ids = dataset_row(s->data, t, &n);
    for (uint32_t i = 0; i < n; i++) found += s->marks[ids[i]];
    return found;
}

/* ---- which baskets --------------------------------------------------------------------------- */

/* Fills `shared` for all baskets. */
static lode_status share_all(long_set_search *s) {
    lode_status status = LODE_OK;
    for (size_t b = 0; b < s->data->n_blocks; b++) {
        const data_block *block = &s->data->blocks[b];
        LODE_TRY(job_check(s->job));
        for (uint32_t i = 0; i < block->n; i++) {
            uint32_t n = 0;
            for (uint32_t k = block->offsets[i]; k < block->offsets[i + 1]; k++) {
                n += s->marks[block->items[k]];
            }
            s->shared[block->first + i] = n;
        }
    }
done:
    return status;
}

/* The baskets with the most in `shared`, at most n, longest first or in any order. */
static lode_status take_most(long_set_search *s, size_t n, vec_u32 *out) {
    lode_status status = LODE_OK;
    uint64_t n_baskets = s->data->profile.n_transactions;
    uint32_t low = 1, high = 1;
    for (uint64_t t = 0; t < n_baskets; t++) {
        if (s->shared[t] >= high) high = s->shared[t] + 1;
    }
    while (low + 1 < high) { /* the lowest number that at most n baskets reach */
        uint32_t middle = low + (high - low) / 2;
        size_t reach = 0;
        for (uint64_t t = 0; t < n_baskets; t++) reach += s->shared[t] >= middle;
        *(reach <= n ? &high : &low) = middle;
    }
    for (unsigned round = 0; round < 2; round++) { /* then some that have one less */
        for (uint64_t t = 0; t < n_baskets && out->n < n; t++) {
            bool wanted = round == 0 ? s->shared[t] >= high : s->shared[t] + 1 == high;
            if (wanted && s->shared[t] > 0) LODE_TRY(vec_u32_push(&s->job->mem, out, (uint32_t)t));
        }
    }
done:
    return status;
}

/* ---- joining --------------------------------------------------------------------------------- */

/* Leaves only the items that basket t has as well. */
static void join_basket(long_set_search *s, uint64_t t) {
    uint32_t n;
    size_t kept = 0;
    const uint32_t *ids = dataset_row(s->data, t, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (s->marks[ids[i]]) s->marks[ids[i]] = 2;
    }
    for (size_t i = 0; i < s->left.n; i++) {
        uint32_t id = s->left.data[i];
        s->marks[id] = s->marks[id] == 2;
        if (s->marks[id]) s->left.data[kept++] = id;
    }
    s->left.n = kept;
}

/* Joins the basket that shares most, and forgets it; returns its weight. 0: nothing better than the
 * best so far can come of it. */
static uint64_t join_next(long_set_search *s) {
    uint32_t most = 0;
    size_t at = 0;
    for (size_t i = 0; i < s->others.n; i++) {
        uint32_t n = basket_shares(s, s->others.data[i]);
        if (n > most) {
            most = n;
            at = i;
        }
    }
    if (most <= s->longest) return 0;
    uint64_t t = s->others.data[at];
    s->others.data[at] = s->others.data[--s->others.n];
    join_basket(s, t);
    return basket_weight(s, t);
}

static lode_status mark_basket(long_set_search *s, uint64_t t) {
    lode_status status = LODE_OK;
    uint32_t n;
    const uint32_t *ids = dataset_row(s->data, t, &n);
    s->left.n = s->others.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (s->data->item_supports[ids[i]] < s->min_count) continue;
        s->marks[ids[i]] = 1;
        LODE_TRY(vec_u32_push(&s->job->mem, &s->left, ids[i]));
    }
done:
    return status;
}

static lode_status try_basket(long_set_search *s, uint64_t t) {
    lode_status status = LODE_OK;
    uint64_t weight = basket_weight(s, t), more = 1;
    LODE_TRY(mark_basket(s, t));
    if (s->left.n > s->longest && weight < s->min_count) {
        LODE_TRY(share_all(s));
        s->shared[t] = 0;
        LODE_TRY(take_most(s, LONG_SET_OTHERS, &s->others));
    }
    while (s->left.n > s->longest && weight < s->min_count && more > 0) {
        LODE_TRY(job_check(s->job));
        more = join_next(s);
        weight += more;
    }
    if (weight >= s->min_count && s->left.n > s->longest) {
        s->best->n = 0;
        s->longest = (uint32_t)s->left.n;
        for (size_t i = 0; i < s->left.n; i++) {
            LODE_TRY(vec_u32_push(&s->job->mem, s->best, s->left.data[i]));
        }
    }
done:
    for (size_t i = 0; i < s->left.n; i++) s->marks[s->left.data[i]] = 0;
    return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Whether the baskets that are long enough reach the threshold together. */
static bool enough_are_long(const long_set_search *s) {
    uint64_t weight = 0;
    for (uint64_t t = 0; t < s->data->profile.n_transactions && weight < s->min_count; t++) {
        if (s->shared[t] > s->longest) weight += basket_weight(s, t);
    }
    return weight >= s->min_count;
}

/* The longest baskets, by their items that reach the threshold. */
static lode_status longest_baskets(long_set_search *s, vec_u32 *out) {
    lode_status status = LODE_OK;
    for (uint32_t id = 0; id < s->data->item_bound; id++) {
        s->marks[id] = s->data->item_supports[id] >= s->min_count;
    }
    LODE_TRY(share_all(s));
    if (enough_are_long(s)) status = take_most(s, LONG_SET_TRIES, out);
done:
    memset(s->marks, 0, s->mark_bytes);
    return status;
}

lode_status long_set_find(lode_job *job, const lode_dataset *data, uint64_t min_count,
                          uint32_t least, vec_u32 *items) {
    lode_status status = LODE_OK;
    long_set_search s = {
        .job = job, .data = data, .min_count = min_count, .best = items, .longest = least};
    vec_u32 tries = {0};
    s.mark_bytes = data->item_bound * sizeof *s.marks;
    s.shared_bytes = data->profile.n_transactions * sizeof *s.shared;
    if (min_count > LONG_SET_MOST || data->profile.n_transactions >= UINT32_MAX) return LODE_OK;
    LODE_TRY(mem_zalloc(&job->mem, (void **)&s.marks, s.mark_bytes));
    LODE_TRY(mem_zalloc(&job->mem, (void **)&s.shared, s.shared_bytes));
    LODE_TRY(longest_baskets(&s, &tries));
    for (size_t i = 0; i < tries.n; i++) LODE_TRY(try_basket(&s, tries.data[i]));
done:
    mem_free(&job->mem, s.marks, s.marks ? s.mark_bytes : 0);
    mem_free(&job->mem, s.shared, s.shared ? s.shared_bytes : 0);
    vec_u32_free(&job->mem, &s.left);
    vec_u32_free(&job->mem, &s.others);
    vec_u32_free(&job->mem, &tries);
    return status;
}
