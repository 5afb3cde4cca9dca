/* family.c - see family.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/family.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "data/transactions/project.h"

#define FAMILY_MOST_GROUPS 12 /* of heads, in the options must and must-rhs together */

/* The terms of inclusion and exclusion: for each set of groups, the items that may be heads and are
 * in none of them. Bits of must-rhs come first, then those of must. */
typedef struct family_terms {
    uint64_t rhs, any;     /* the groups that heads must have */
    uint32_t n_rhs, n_all; /* how many these are: must-rhs; both options */
    uint64_t outside[1 << FAMILY_MOST_GROUPS];
} family_terms;

typedef struct family_sink {
    lode_sink base;
    const family *f;
    const family_terms *terms;
    bool closed_form; /* heads depend on numbers only: bodies are tallied */
    uint64_t n_heads; /* items that may be heads */
    vec_u64 tally;   /* closed form: bodies by size, then by how many of their items may be heads */
    family_size sum; /* else */
    bool over;       /* it does not fit */
} family_sink;

typedef struct family_worker {
    item_worker base;
    vec_u64 tally;
    family_size sum;
    bool over;
} family_worker;

/* ---- heads ---------------------------------------------------------------------------------- */

/* C(n, k); false: it does not fit. */
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

/* Adds up C(n, s) over the sizes that heads of a body of n_body items may have. */
static bool family_heads(const wants *w, uint64_t n_body, uint64_t n, family_size *out) {
    uint64_t least = w->min_size > n_body + 1 ? w->min_size - n_body : 1;
    uint64_t most = w->max_size > n_body ? w->max_size - n_body : 0;
    if (most > w->max_head) most = w->max_head;
    *out = 0;
    for (uint64_t s = least; s <= most && s <= n; s++) {
        family_size choose;
        if (!family_choose(n, s, &choose) || *out + choose < choose) return false;
        *out += choose;
    }
    return true;
}

/* ---- groups that heads must have ------------------------------------------------------------- */

/* The groups of a term, as bits of the two options. */
static uint64_t family_groups_rhs(const family_terms *t, uint32_t term) {
    return term & (((uint32_t)1 << t->n_rhs) - 1);
}
static uint64_t family_groups_any(const family_terms *t, uint32_t term) {
    return term >> t->n_rhs;
}

static bool family_is_outside(const family_terms *t, const wants *w, uint32_t term, uint32_t id) {
    return !(wants_mask(&w->must_rhs, id) & family_groups_rhs(t, term)) &&
           !(wants_mask(&w->must, id) & family_groups_any(t, term));
}

static bool family_may_head(const family *f, uint32_t id, uint64_t least) {
    return wants_role(f->wants, id, ENGINE_ROLE_HEAD) && f->head_counts[id] >= least;
}

static void family_fill_terms(const family *f, uint32_t item_bound, uint64_t least,
                              family_terms *t) {
    const wants *w = f->wants;
    t->rhs = w->must_rhs.all;
    t->any = w->must.all;
    t->n_rhs = (uint32_t)bits_count(t->rhs);
    t->n_all = t->n_rhs + (uint32_t)bits_count(t->any);
    for (uint32_t term = 0; term < (uint32_t)1 << t->n_all; term++) {
        t->outside[term] = 0;
        for (uint32_t id = 0; id < item_bound; id++) {
            t->outside[term] += family_may_head(f, id, least) && family_is_outside(t, w, term, id);
        }
    }
}

/* The heads that go with one body. */
static bool family_heads_of(const family_sink *sink, const uint32_t *body, uint32_t n,
                            family_size *out) {
    const family_terms *t = sink->terms;
    const wants *w = sink->f->wants;
    uint64_t has = wants_masks(&w->must, body, n);
    family_size plus = 0, minus = 0;
    for (uint32_t term = 0; term < (uint32_t)1 << t->n_all; term++) {
        if (family_groups_any(t, term) & has) continue; /* that group is there already */
        uint64_t left = t->outside[term];
        for (uint32_t i = 0; i < n; i++) {
            left -=
                wants_role(w, body[i], ENGINE_ROLE_HEAD) && family_is_outside(t, w, term, body[i]);
        }
        family_size heads, *to = bits_count(term) % 2 ? &minus : &plus;
        if (!family_heads(w, n, left, &heads) || *to + heads < heads) return false;
        *to += heads;
    }
    *out = plus - minus;
    return true;
}

/* ---- bodies --------------------------------------------------------------------------------- */

static size_t family_place(uint64_t size, uint64_t n_heads) {
    return (size_t)(size * (size + 1) / 2 + n_heads);
}

static lode_status family_add(family_worker *w, const family_sink *sink, const uint32_t *body,
                              uint32_t n) {
    const wants *want = sink->f->wants;
    if (wants_masks(&want->must_lhs, body, n) != want->must_lhs.all) return LODE_OK;
    if (!sink->closed_form) {
        family_size heads;
        w->over = w->over || !family_heads_of(sink, body, n, &heads) || w->sum + heads < heads;
        if (!w->over) w->sum += heads;
        return LODE_OK;
    }
    uint64_t n_heads = 0;
    for (uint32_t i = 0; i < n; i++) n_heads += wants_role(want, body[i], ENGINE_ROLE_HEAD);
    size_t place = family_place(n, n_heads);
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

/* Bodies of one kind go with so many heads each. */
static bool family_multiply(family_sink *sink, uint64_t size, uint64_t in_body, uint64_t bodies) {
    family_size heads;
    if (bodies == 0) return true;
    if (!family_heads(sink->f->wants, size, sink->n_heads - in_body, &heads)) return false;
    if (heads > ~(family_size)0 / bodies || sink->sum + heads * bodies < sink->sum) return false;
    sink->sum += heads * bodies;
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

/* How the items that may be in bodies are spread over the sides: all of them may be heads, too, or
 * none; or some. */
typedef enum family_mix { FAMILY_NO_HEADS, FAMILY_ALL_HEADS, FAMILY_SOME_HEADS } family_mix;

static family_mix family_mix_of(const family *f, const lode_dataset *data, uint64_t least) {
    uint64_t bodies = 0, heads = 0;
    for (uint32_t id = 0; id < data->item_bound; id++) {
        if (data->item_supports[id] < least || !wants_role(f->wants, id, ENGINE_ROLE_BODY))
            continue;
        bodies++;
        heads += wants_role(f->wants, id, ENGINE_ROLE_HEAD);
    }
    if (heads == 0) return FAMILY_NO_HEADS;
    return heads == bodies ? FAMILY_ALL_HEADS : FAMILY_SOME_HEADS;
}

/* Counts bodies by size alone, at the speed of the engine. */
static lode_status family_count_sizes(family_sink *sum, lode_sink *bodies, bool all_heads) {
    bool fits = true;
    for (uint32_t size = 1; size <= lode_sink_largest(bodies); size++) {
        uint64_t n = lode_sink_patterns_of_size(bodies, size);
        fits = fits && family_multiply(sum, size, all_heads ? size : 0, n);
    }
    sum->over = !fits;
    return LODE_OK;
}

/* Mines the bodies into a sink. */
static lode_status family_mine(engine_task *task, const lode_engine *engine, const wants *w,
                               const lode_dataset *bodies, lode_sink *sink) {
    lode_mine_options options = *task->options;
    engine_task inner = *task;
    engine_report ignored = *task->report; /* that of the search stays */
    options.max_size = w->max_body;
    options.min_size = 1;
    inner.options = &options;
    inner.rules = NULL;
    inner.data = bodies;
    inner.sink = sink;
    inner.report = &ignored;
    sink->nested = true;
    sink_limit(sink, 1, w->max_body);
    return engine->run(&inner);
}

/* The data without items that may be in no body; NULL: there are none of these. */
static lode_status family_project(const family *f, const engine_task *task, lode_dataset **out) {
    const lode_dataset *data = f->data;
    uint8_t *drop = NULL;
    bool any = false;
    lode_status status = mem_zalloc(&task->job->mem, (void **)&drop, data->item_bound + (size_t)1);
    if (status != LODE_OK) return status;
    for (uint32_t id = 0; id < data->item_bound; id++) {
        drop[id] = !wants_role(f->wants, id, ENGINE_ROLE_BODY);
        any = any || (drop[id] && data->item_supports[id] > 0);
    }
    if (any) status = dataset_project(task->job, data, NULL, drop, out);
    mem_free(&task->job->mem, drop, data->item_bound + (size_t)1);
    return status;
}

static lode_status family_too_large(lode_job *job) {
    return job_fail(job, LODE_UNSUPPORTED,
                    "there are 2^128 tests or more: limit heads by --max-head, or sizes");
}

static lode_status family_count_in(const family *f, engine_task *task, const lode_engine *engine,
                                   const lode_dataset *bodies, family_size *out) {
    lode_status status = LODE_OK;
    lode_job *job = task->job;
    const wants *w = f->wants;
    lode_sink *base = NULL, *numbers = NULL;
    family_terms *terms = NULL;
    uint64_t least = job_threshold(job);
    family_mix mix = family_mix_of(f, bodies, least);
    LODE_TRY(sink_create(job, &family_kind, &base));
    LODE_TRY(mem_zalloc(&job->mem, (void **)&terms, sizeof *terms));
    if (bits_count(w->must_rhs.all) + bits_count(w->must.all) > FAMILY_MOST_GROUPS) {
        status = job_fail(job, LODE_UNSUPPORTED,
                          "the number of tests is counted for at most %d groups of --must and "
                          "--must-rhs together",
                          FAMILY_MOST_GROUPS);
        goto done;
    }
    family_sink *sum = (family_sink *)base;
    family_fill_terms(f, bodies->item_bound, least, terms);
    sum->f = f;
    sum->terms = terms;
    sum->n_heads = terms->outside[0];
    sum->closed_form = terms->n_all == 0;
    if (sum->closed_form && !w->must_lhs.all && mix != FAMILY_SOME_HEADS) {
        LODE_TRY(lode_sink_count(job, &numbers));
        LODE_TRY(family_mine(task, engine, w, bodies, numbers));
        LODE_TRY(family_count_sizes(sum, numbers, mix == FAMILY_ALL_HEADS));
    } else {
        LODE_TRY(family_mine(task, engine, w, bodies, base));
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
    if (f->wants->max_body == 0) return LODE_OK;
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
