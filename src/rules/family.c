/* family.c - see family.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/family.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "data/transactions/project.h"

#define FAMILY_MOST_GROUPS 12 /* of consequents, in --include and --include-rhs together */

/* The terms of inclusion and exclusion: for each subset of the groups, how many items may be
 * consequents and are in none of them. Bits of --include-rhs come first, then those of
 * --include. */
typedef struct family_terms {
    uint64_t rhs, any;     /* the groups that consequents must have */
    uint32_t n_rhs, n_all; /* how many these are: --include-rhs; both options */
    uint64_t outside[1 << FAMILY_MOST_GROUPS];
} family_terms;

typedef struct family_sink {
    lode_sink base;
    const family *f;
    const family_terms *terms;
    bool closed_form;       /* consequents depend on numbers only: antecedents are tallied */
    uint64_t n_consequents; /* items that may be consequents */
    vec_u64 tally;   /* closed form: antecedents by size, then by items that may be consequents */
    family_size sum; /* else */
    bool over;       /* it does not fit */
} family_sink;

typedef struct family_worker {
    item_worker base;
    vec_u64 tally;
    family_size sum;
    bool over;
} family_worker;

/* ---- consequents ----------------------------------------------------------------------------- */

/* C(n, k); returns false if it does not fit. */
static bool family_choose(uint64_t n, uint64_t k, family_size *out) {
    family_size choose = 1;
    if (k > n) choose = 0;
    for (uint64_t j = 0; j < k && choose > 0; j++) {
        if (choose > ~(family_size)0 / (n - j)) return false;
        choose = choose * (n - j) / (j + 1);
    }
    *out = choose;
    return true;
}

/* Adds up C(n, s) over the sizes that consequents of an antecedent of n_lhs items may have. */
static bool family_consequents(const wants *w, uint64_t n_lhs, uint64_t n, family_size *out) {
    uint64_t least = w->min_size > n_lhs + 1 ? w->min_size - n_lhs : 1;
    uint64_t most = w->max_size > n_lhs ? w->max_size - n_lhs : 0;
    if (most > w->max_rhs) most = w->max_rhs;
    *out = 0;
    for (uint64_t s = least; s <= most && s <= n; s++) {
        family_size choose;
        if (!family_choose(n, s, &choose) || *out + choose < choose) return false;
        *out += choose;
    }
    return true;
}

/* ---- groups that consequents must have ------------------------------------------------------- */

/* The groups of a term, as bits of the two options. */
static uint64_t family_groups_rhs(const family_terms *t, uint32_t term) {
    return term & (((uint32_t)1 << t->n_rhs) - 1);
}
static uint64_t family_groups_any(const family_terms *t, uint32_t term) {
    return term >> t->n_rhs;
}

static bool family_is_outside(const family_terms *t, const wants *w, uint32_t term, uint32_t id) {
    return !(wants_mask(&w->include_rhs, id) & family_groups_rhs(t, term)) &&
           !(wants_mask(&w->include, id) & family_groups_any(t, term));
}

static bool family_may_rhs(const family *f, uint32_t id, uint64_t least) {
    return wants_role(f->wants, id, ENGINE_ROLE_RHS) && f->rhs_counts[id] >= least;
}

static void family_fill_terms(const family *f, uint32_t item_bound, uint64_t least,
                              family_terms *t) {
    const wants *w = f->wants;
    t->rhs = w->include_rhs.all;
    t->any = w->include.all;
    t->n_rhs = (uint32_t)bits_count(t->rhs);
    t->n_all = t->n_rhs + (uint32_t)bits_count(t->any);
    for (uint32_t term = 0; term < (uint32_t)1 << t->n_all; term++) {
        t->outside[term] = 0;
        for (uint32_t id = 0; id < item_bound; id++) {
            t->outside[term] += family_may_rhs(f, id, least) && family_is_outside(t, w, term, id);
        }
    }
}

/* The consequents that go with one antecedent. */
static bool family_consequents_of(const family_sink *sink, const uint32_t *lhs, uint32_t n,
                                  family_size *out) {
    const family_terms *t = sink->terms;
    const wants *w = sink->f->wants;
    uint64_t has = wants_masks(&w->include, lhs, n);
    family_size plus = 0, minus = 0;
    for (uint32_t term = 0; term < (uint32_t)1 << t->n_all; term++) {
        if (family_groups_any(t, term) & has) continue; /* that group is there already */
        uint64_t left = t->outside[term];
        for (uint32_t i = 0; i < n; i++) {
            left -= wants_role(w, lhs[i], ENGINE_ROLE_RHS) && family_is_outside(t, w, term, lhs[i]);
        }
        family_size consequents, *to = bits_count(term) % 2 ? &minus : &plus;
        if (!family_consequents(w, n, left, &consequents) || *to + consequents < consequents)
            return false;
        *to += consequents;
    }
    *out = plus - minus;
    return true;
}

/* ---- antecedents ----------------------------------------------------------------------------- */

static size_t family_place(uint64_t size, uint64_t n_consequents) {
    return (size_t)(size * (size + 1) / 2 + n_consequents);
}

static lode_status family_add(family_worker *w, const family_sink *sink, const uint32_t *lhs,
                              uint32_t n) {
    const wants *want = sink->f->wants;
    if (wants_masks(&want->include_lhs, lhs, n) != want->include_lhs.all) return LODE_OK;
    if (!sink->closed_form) {
        family_size consequents;
        w->over = w->over || !family_consequents_of(sink, lhs, n, &consequents) ||
                  w->sum + consequents < consequents;
        if (!w->over) w->sum += consequents;
        return LODE_OK;
    }
    uint64_t n_consequents = 0;
    for (uint32_t i = 0; i < n; i++) n_consequents += wants_role(want, lhs[i], ENGINE_ROLE_RHS);
    size_t place = family_place(n, n_consequents);
    lode_status status = sink_reach_size(&sink->base.job->mem, &w->tally, place);
    if (status == LODE_OK) w->tally.data[place]++;
    return status;
}

static lode_status family_emit(sink_worker *worker, const lode_batch *batch) {
    lode_status status = LODE_OK;
    item_worker *w = (item_worker *)worker;
    const family_sink *sink = (const family_sink *)worker->sink;
    uint32_t n = batch->n_prefix;
    w->outside.n = 0;
    LODE_TRY(vec_u32_reserve(&sink->base.job->mem, &w->outside, n + (size_t)1));
    if (n > 0) memcpy(w->outside.data, batch->prefix, n * sizeof *batch->prefix);
    for (uint32_t i = 0; i < batch->n; i++) {
        w->outside.data[n] = batch->items[i];
        LODE_TRY(family_add((family_worker *)worker, sink, w->outside.data, n + 1));
    }
done:
    return status;
}

static lode_status family_close(sink_worker *worker) {
    family_worker *w = (family_worker *)worker;
    family_sink *sink = (family_sink *)worker->sink;
    mem *m = &sink->base.job->mem;
    lode_status status = LODE_OK;
    pthread_mutex_lock(&sink->base.lock);
    if (w->tally.n > 0) status = sink_reach_size(m, &sink->tally, w->tally.n - 1);
    for (size_t i = 0; i < w->tally.n && status == LODE_OK; i++) {
        sink->tally.data[i] += w->tally.data[i];
    }
    sink->over = sink->over || w->over || sink->sum + w->sum < w->sum;
    sink->sum += w->sum;
    pthread_mutex_unlock(&sink->base.lock);
    vec_u64_free(m, &w->tally);
    return status;
}

static void family_free(lode_sink *base) {
    vec_u64_free(&base->job->mem, &((family_sink *)base)->tally);
}

static const item_ops family_items = {
    .worker_bytes = sizeof(family_worker),
    .emit = family_emit,
    .close = family_close,
};

static const sink_kind family_kind = {
    .bytes = sizeof(family_sink),
    .itemsets = &family_items,
    .free = family_free,
};

/* Each antecedent of a kind has this many consequents. */
static bool family_multiply(family_sink *sink, uint64_t size, uint64_t in_lhs,
                            uint64_t antecedents) {
    family_size consequents;
    if (antecedents == 0) return true;
    if (!family_consequents(sink->f->wants, size, sink->n_consequents - in_lhs, &consequents))
        return false;
    if (consequents > ~(family_size)0 / antecedents ||
        sink->sum + consequents * antecedents < sink->sum)
        return false;
    sink->sum += consequents * antecedents;
    return true;
}

static bool family_sum_tally(family_sink *sink) {
    bool fits = true;
    for (uint64_t size = 1; family_place(size, 0) < sink->tally.n; size++) {
        for (uint64_t k = 0; k <= size && family_place(size, k) < sink->tally.n; k++) {
            fits = fits && family_multiply(sink, size, k, sink->tally.data[family_place(size, k)]);
        }
    }
    return fits;
}

/* ---- counting ------------------------------------------------------------------------------- */

/* Whether the items that may be in antecedents may also be consequents: all of them, none, or
 * some. */
typedef enum family_mix {
    FAMILY_NO_CONSEQUENTS,
    FAMILY_ALL_CONSEQUENTS,
    FAMILY_SOME_CONSEQUENTS
} family_mix;

static family_mix family_mix_of(const family *f, const lode_dataset *data, uint64_t least) {
    uint64_t antecedents = 0, consequents = 0;
    for (uint32_t id = 0; id < data->item_bound; id++) {
        if (data->item_supports[id] < least || !wants_role(f->wants, id, ENGINE_ROLE_LHS)) continue;
        antecedents++;
        consequents += wants_role(f->wants, id, ENGINE_ROLE_RHS);
    }
    if (consequents == 0) return FAMILY_NO_CONSEQUENTS;
    return consequents == antecedents ? FAMILY_ALL_CONSEQUENTS : FAMILY_SOME_CONSEQUENTS;
}

/* Counts antecedents by size alone, at the speed of the engine. */
static lode_status family_count_sizes(family_sink *sum, lode_sink *antecedents,
                                      bool all_consequents) {
    bool fits = true;
    for (uint32_t size = 1; size <= lode_sink_largest(antecedents); size++) {
        uint64_t n = lode_sink_patterns_of_size(antecedents, size);
        fits = fits && family_multiply(sum, size, all_consequents ? size : 0, n);
    }
    sum->over = !fits;
    return LODE_OK;
}

/* Mines the antecedents into a sink. */
static lode_status family_mine(engine_task *task, const lode_engine *engine, const wants *w,
                               const lode_dataset *antecedents, lode_sink *sink) {
    lode_mine_options options = *task->items.options;
    engine_task inner = *task;
    engine_report ignored = *task->report; /* that of the search stays */
    options.max_size = w->max_lhs;
    options.min_size = 1;
    inner.items.options = &options;
    inner.items.rules = NULL;
    inner.items.data = antecedents;
    inner.sink = sink;
    inner.report = &ignored;
    sink->nested = true;
    sink_limit(sink, 1, w->max_lhs);
    return engine->run(&inner);
}

/* Returns the data without items that cannot be in an antecedent; NULL if there are no such
 * items. */
static lode_status family_project(const family *f, const engine_task *task, lode_dataset **out) {
    const lode_dataset *data = f->data;
    uint8_t *drop = NULL;
    bool any = false;
    lode_status status = mem_zalloc(&task->job->mem, (void **)&drop, data->item_bound + (size_t)1);
    if (status != LODE_OK) return status;
    for (uint32_t id = 0; id < data->item_bound; id++) {
        drop[id] = !wants_role(f->wants, id, ENGINE_ROLE_LHS);
        any = any || (drop[id] && data->item_supports[id] > 0);
    }
    if (any) status = dataset_project(task->job, data, NULL, drop, out);
    mem_free(&task->job->mem, drop, data->item_bound + (size_t)1);
    return status;
}

static lode_status family_too_large(lode_job *job) {
    return job_fail(
        job, LODE_UNSUPPORTED,
        "there are 2^128 tests or more; use a lower --max-rhs, --max-lhs or --max-size");
}

static lode_status family_count_in(const family *f, engine_task *task, const lode_engine *engine,
                                   const lode_dataset *antecedents, family_size *out) {
    lode_status status = LODE_OK;
    lode_job *job = task->job;
    const wants *w = f->wants;
    lode_sink *base = NULL, *numbers = NULL;
    family_terms *terms = NULL;
    uint64_t least = job_threshold(job);
    family_mix mix = family_mix_of(f, antecedents, least);
    LODE_TRY(sink_create(job, &family_kind, &base));
    LODE_TRY(mem_zalloc(&job->mem, (void **)&terms, sizeof *terms));
    if (bits_count(w->include_rhs.all) + bits_count(w->include.all) > FAMILY_MOST_GROUPS) {
        status =
            job_fail(job, LODE_UNSUPPORTED,
                     "the number of tests can be counted only for at most %d groups of items in "
                     "--include and --include-rhs together",
                     FAMILY_MOST_GROUPS);
        goto done;
    }
    family_sink *sum = (family_sink *)base;
    family_fill_terms(f, antecedents->item_bound, least, terms);
    sum->f = f;
    sum->terms = terms;
    sum->n_consequents = terms->outside[0];
    sum->closed_form = terms->n_all == 0;
    if (sum->closed_form && !w->include_lhs.all && mix != FAMILY_SOME_CONSEQUENTS) {
        LODE_TRY(lode_sink_count(job, &numbers));
        LODE_TRY(family_mine(task, engine, w, antecedents, numbers));
        LODE_TRY(family_count_sizes(sum, numbers, mix == FAMILY_ALL_CONSEQUENTS));
    } else {
        LODE_TRY(family_mine(task, engine, w, antecedents, base));
        sum->over = sum->over || !family_sum_tally(sum);
    }
    if (sum->over) LODE_LEAVE(family_too_large(job));
    *out = sum->sum;
done:
    if (terms) mem_free(&job->mem, terms, sizeof *terms);
    lode_sink_free(numbers);
    lode_sink_free(base);
    return status;
}

lode_status family_count(const family *f, engine_task *task, const lode_engine *engine,
                         family_size *out) {
    lode_status status = LODE_OK;
    lode_dataset *part = NULL;
    *out = 0;
    if (f->wants->max_lhs == 0) return LODE_OK;
    LODE_TRY(family_project(f, task, &part));
    status = family_count_in(f, task, engine, part ? part : f->data, out);
done:
    lode_dataset_free(part);
    return status;
}

void family_text(family_size n, char *text, size_t bytes) {
    char digits[40];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + (int)(n % 10));
        n /= 10;
    } while (n > 0);
    snprintf(text, bytes, "%.*s", (int)(sizeof digits - at), digits + at);
}

/* ---- in how many ways items can be chosen, so that groups are all there ---------------------- */

uint64_t ways_choose(uint64_t n, uint64_t k) {
    unsigned __int128 choose = 1;
    if (k > n) return 0;
    uint64_t steps = k < n - k ? k : n - k;
    for (uint64_t j = 0; j < steps; j++) {
        choose = choose * (n - j) / (j + 1);
        if (choose > UINT64_MAX) return UINT64_MAX;
    }
    return (uint64_t)choose;
}

/* Items, without number `skip`, that are in none of these groups. */
static uint64_t ways_outside(const ways_item *items, uint32_t n, uint32_t skip,
                             const uint64_t groups[2]) {
    uint64_t outside = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool inside = items[i].in[0] & groups[0] || items[i].in[1] & groups[1];
        outside += i != skip && !inside;
    }
    return outside;
}

/* The groups of `open` whose places in it are set in `chosen`. */
static void ways_pick(const uint64_t open[2], uint32_t chosen, uint64_t out[2]) {
    uint32_t place = 0;
    out[0] = out[1] = 0;
    for (int word = 0; word < 2; word++) {
        for (uint64_t rest = open[word]; rest; rest &= rest - 1) {
            if (chosen >> place++ & 1) out[word] |= rest & (~rest + 1);
        }
    }
}

bool ways_count(const ways_item *items, uint32_t n, uint32_t skip, const uint64_t open[2],
                uint32_t j, uint64_t *out) {
    __int128 sum = 0;
    uint64_t n_open = bits_count(open[0]) + bits_count(open[1]);
    if (n_open > WAYS_MOST_GROUPS) return false;
    for (uint32_t chosen = 0; chosen < (uint32_t)1 << n_open; chosen++) {
        uint64_t groups[2];
        ways_pick(open, chosen, groups);
        uint64_t term = ways_choose(
            n_open > 0 ? ways_outside(items, n, skip, groups) : (uint64_t)n - (skip < n), j);
        if (term == UINT64_MAX) return false;
        sum += bits_count(chosen) % 2 ? -(__int128)term : (__int128)term;
    }
    *out = (uint64_t)sum;
    return sum <= UINT64_MAX;
}
