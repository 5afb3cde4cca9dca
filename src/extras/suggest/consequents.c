/* consequents.c - see consequents.h
 *
 * A rule (X without h) → h has the confidence support(X) / support(X without h). The supports of a
 * set without each of its items h come from bit rows: the AND of the rows of the items before h,
 * and of those after h. A stretch of transactions in which neither of the two rarest items occurs
 * is skipped, because at most one item may be missing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/suggest/consequents.h"

#include "base/bits.h"
#include "data/transactions/vertical.h"

#define CONSEQUENTS_WORDS 32   /* of a stretch */
#define CONSEQUENTS_WORK  40e6 /* words that may be joined: some hundredths of a second */
#define CONSEQUENTS_EXACT 4    /* times as much where that makes the number exact */

typedef struct consequents_run {
    lode_job *job;
    const lode_dataset *data;
    uint32_t *rank; /* by item id: its row */
    size_t rank_bytes;
    uint32_t n_rows;
    uint64_t *rows;
    size_t words, row_bytes;
    uint64_t *joined; /* scratch: those after each item, a stretch each */
    uint64_t *counts; /* scratch: support without each item, … */
    uint64_t whole;   /* … and with all */
    size_t joined_bytes, counts_bytes;
} consequents_run;

/* ---- the rows -------------------------------------------------------------------------------- */

/* Words that would be joined for the sets that were kept, and the most items of a set. */
static uint64_t consequents_work(const tally_sets *s, size_t words, uint32_t *longest) {
    uint64_t work = 0;
    *longest = 0;
    for (size_t i = 0; i < s->items.n; i += s->items.data[i] + (size_t)1) {
        work += 2 * (uint64_t)s->items.data[i] * words;
        if (s->items.data[i] > *longest) *longest = s->items.data[i];
    }
    return work;
}

static void consequents_rank(consequents_run *r, const tally_sets *s) {
    for (uint32_t id = 0; id < r->data->item_bound; id++) r->rank[id] = VERTICAL_NO_RANK;
    for (size_t i = 0; i < s->items.n; i += s->items.data[i] + (size_t)1) {
        for (uint32_t k = 1; k <= s->items.data[i]; k++) {
            uint32_t *rank = &r->rank[s->items.data[i + k]];
            if (*rank == VERTICAL_NO_RANK) *rank = r->n_rows++;
        }
    }
}

static lode_status consequents_open(consequents_run *r, const tally_sets *s, uint32_t longest) {
    lode_status status = LODE_OK;
    mem *m = &r->job->mem;
    r->rank_bytes = r->data->item_bound * sizeof *r->rank;
    LODE_TRY(mem_zalloc(m, (void **)&r->rank, r->rank_bytes));
    consequents_rank(r, s);
    r->row_bytes = r->n_rows * r->words * sizeof *r->rows;
    LODE_TRY(mem_zalloc(m, (void **)&r->rows, r->row_bytes));
    r->joined_bytes = (longest + (size_t)1) * CONSEQUENTS_WORDS * sizeof *r->joined;
    LODE_TRY(mem_zalloc(m, (void **)&r->joined, r->joined_bytes));
    r->counts_bytes = (longest + (size_t)1) * sizeof *r->counts;
    LODE_TRY(mem_zalloc(m, (void **)&r->counts, r->counts_bytes));
    status = vertical_fill_rows(r->job, r->data, r->rank, r->n_rows, false, r->rows);
done:
    return status;
}

static void consequents_close(consequents_run *r) {
    mem *m = &r->job->mem;
    mem_free(m, r->rank, r->rank ? r->rank_bytes : 0);
    mem_free(m, r->rows, r->rows ? r->row_bytes : 0);
    mem_free(m, r->joined, r->joined ? r->joined_bytes : 0);
    mem_free(m, r->counts, r->counts ? r->counts_bytes : 0);
}

/* ---- a set ----------------------------------------------------------------------------------- */

/* The transactions of a word of bits, or their weight. */
static uint64_t consequents_weight(const consequents_run *r, uint64_t bits, size_t word) {
    uint64_t sum = 0;
    if (!r->data->weights) return bits_count(bits);
    for (; bits; bits &= bits - 1) {
        sum += r->data->weights[word * 64 + (unsigned)__builtin_ctzll(bits)];
    }
    return sum;
}

static const uint64_t *consequents_row(const consequents_run *r, uint32_t id) {
    return r->rows + r->rank[id] * r->words;
}

/* Adds the transactions of a stretch that have all items but one, to the count of that one. */
static void consequents_add_stretch(consequents_run *r, const uint32_t *items, uint32_t n,
                                    size_t from) {
    uint64_t before[CONSEQUENTS_WORDS];
    size_t end = r->words - from < CONSEQUENTS_WORDS ? r->words - from : CONSEQUENTS_WORDS;
    uint64_t *last = r->joined + (size_t)n * CONSEQUENTS_WORDS;
    for (size_t w = 0; w < end; w++) before[w] = last[w] = ~UINT64_C(0);
    for (uint32_t i = n; i-- > 1;) { /* joined[i]: items i, i + 1, … */
        const uint64_t *row = consequents_row(r, items[i]) + from;
        uint64_t *to = r->joined + (size_t)i * CONSEQUENTS_WORDS, *after = to + CONSEQUENTS_WORDS;
        for (size_t w = 0; w < end; w++) to[w] = after[w] & row[w];
    }
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t *row = consequents_row(r, items[i]) + from;
        const uint64_t *after = r->joined + (size_t)(i + 1) * CONSEQUENTS_WORDS;
        for (size_t w = 0; w < end; w++) {
            r->counts[i] += consequents_weight(r, before[w] & after[w], from + w);
            before[w] &= row[w];
        }
    }
    for (size_t w = 0; w < end; w++) r->whole += consequents_weight(r, before[w], from + w);
}

static bool stretch_is_empty(const uint64_t *row, size_t n) {
    uint64_t any = 0;
    for (size_t i = 0; i < n; i++) any |= row[i];
    return any == 0;
}

/* Puts the two rarest items first. */
static void consequents_order(const consequents_run *r, uint32_t *items, uint32_t n) {
    const uint64_t *supports = r->data->item_supports;
    for (uint32_t place = 0; place < 2; place++) {
        for (uint32_t i = place + 1; i < n; i++) {
            if (supports[items[i]] >= supports[items[place]]) continue;
            uint32_t item = items[i];
            items[i] = items[place];
            items[place] = item;
        }
    }
}

/* Whether support / antecedent reaches the confidence, as integers. */
static bool consequents_confident(lode_threshold c, uint64_t support, uint64_t lhs) {
    return (unsigned __int128)support * c.denominator >= (unsigned __int128)lhs * c.numerator;
}

/* Counts the supports of a set, and of it without each item. */
static void consequents_count_supports(consequents_run *r, uint32_t *items, uint32_t n) {
    r->whole = 0;
    consequents_order(r, items, n);
    memset(r->counts, 0, n * sizeof *r->counts);
    for (size_t from = 0; from < r->words; from += CONSEQUENTS_WORDS) {
        size_t end = r->words - from < CONSEQUENTS_WORDS ? r->words - from : CONSEQUENTS_WORDS;
        if (stretch_is_empty(consequents_row(r, items[0]) + from, end) &&
            (n < 2 || stretch_is_empty(consequents_row(r, items[1]) + from, end))) {
            continue;
        }
        consequents_add_stretch(r, items, n, from);
    }
}

static uint32_t consequents_of_set(consequents_run *r, uint32_t *items, uint32_t n,
                                   uint64_t *support, lode_threshold confidence) {
    uint32_t consequents = 0;
    if (n == 0 || (n == 1 && *support > 0)) return 0;
    consequents_count_supports(r, items, n);
    if (*support == 0) *support = r->whole;
    if (n == 1) return 0;
    for (uint32_t i = 0; i < n; i++)
        consequents += consequents_confident(confidence, *support, r->counts[i]);
    return consequents;
}

/* ---- all sets -------------------------------------------------------------------------------- */

static lode_status consequents_of_sets(consequents_run *r, lode_threshold confidence, probe *p) {
    lode_status status = LODE_OK;
    tally_sets *s = &p->tally.sets;
    size_t at = 0;
    for (size_t i = 0; i < s->supports.n; i++) {
        uint32_t n = s->items.data[at];
        LODE_TRY(job_check(r->job));
        p->consequents[i] = (float)consequents_of_set(r, &s->items.data[at + 1], n,
                                                      &s->supports.data[i], confidence);
        at += n + (size_t)1;
    }
done:
    return status;
}

lode_status consequents_count(lode_job *job, const lode_dataset *data,
                              const consequents_request *request, probe *p) {
    lode_status status = LODE_OK;
    tally_sets *s = &p->tally.sets;
    consequents_run r = {.job = job, .data = data};
    uint32_t longest;
    r.words = vertical_row_bytes(data->profile.n_transactions) / sizeof *r.rows;
    double work = request->effort * CONSEQUENTS_WORK;
    double most = s->thinned == 0 && p->tally.n_rows == 1 ? CONSEQUENTS_EXACT * work : work;
    while ((double)consequents_work(s, r.words, &longest) > most && s->supports.n > 64) {
        tally_thin(&p->tally);
        most = work;
    }
    p->consequents_bytes = (s->supports.n + 1) * sizeof *p->consequents;
    LODE_TRY(mem_zalloc(&job->mem, (void **)&p->consequents, p->consequents_bytes));
    LODE_TRY(consequents_open(&r, s, longest));
    status = consequents_of_sets(&r, request->confidence, p);
done:
    consequents_close(&r);
    return status;
}

/* Looks for a long set that many baskets contain: they contain all of its subsets as well, so there
 * are at least as many frequent sets as it has subsets.
 *
 * Each of the longest baskets is tried. One pass finds the baskets that share the most items with
 * it. Then it is intersected with the one of these that shares the most with what is left, again
 * and again, until there are as many baskets as the threshold asks for. */

#define LONG_SET_TRIES  5   /* baskets */
#define LONG_SET_OTHERS 512 /* baskets that are considered for joining, of each */

typedef struct long_set_search {
    lode_job *job;
    const lode_dataset *data;
    uint64_t min_count;
    uint8_t *marks;   /* by item id: it is in the present set */
    uint32_t *shared; /* by basket: items that it shares with the one that is tried */
    size_t mark_bytes, shared_bytes;
    vec_u32 left;   /* items */
    vec_u32 others; /* baskets that may be joined */
    vec_u32 *best;
    uint32_t longest; /* only longer sets are of use */
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

/* Intersects with the basket that shares the most items, and removes that from the candidates.
 * Returns its weight, or 0 if the result cannot become better than the best so far. */
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
