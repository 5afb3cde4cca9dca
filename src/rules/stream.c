/* stream.c - see stream.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/stream.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/sort.h"
#include "rules/family.h"
#include "rules/general.h"
#include "rules/measures/measure.h"
#include "write/itemsets/item_sink.h"

#define STREAM_ASK_EVERY 1024 /* antecedents of a family between checks for a stop, … */
#define STREAM_ASK_NEXT  64   /* … and families: one node of a search may have many of them */
#define STREAM_KNOWN     4096 /* answers to counts that are kept; a power of two */

/* A cached answer: whether rules with these counts are wanted. At low supports the same counts
 * recur, and computing a p-value takes longer than a look-up. */
typedef struct stream_known {
    uint64_t both, count, of_rhs; /* count 0: no answer yet */
    bool wanted;
} stream_known;

/* What a thread of the search has. */
typedef struct stream_worker {
    stream *s;
    rule_writer writer;
    bool numbers;         /* only numbers are wanted */
    vec_u32 consequents;  /* of the family: those that are wanted, and room for perfect ones */
    vec_u64 both, of_rhs; /* by consequent */
    vec_u32 failed;       /* consequents that only their measures keep out */
    vec_u32 perfect_consequents; /* places in `perfect` of those that are wanted, ascending */
    vec_u32 perfect_failed;      /* likewise, but for their measures */
    vec_u32 lhs;                 /* one antecedent, ascending */
    subsets chosen;              /* antecedents of the family */
    ways_item *items;            /* of `perfect`, by their groups */
    size_t n_items;              /* room for them */
    unsigned n_families;         /* that came */
    stream_known *known;         /* NULL: no bound is that of a p-value */
} stream_worker;

/* ---- workers --------------------------------------------------------------------------------- */

static lode_status stream_close(void *worker) {
    stream_worker *w = worker;
    mem *m = &w->s->out->job->mem;
    lode_status status = rule_writer_close(&w->writer);
    vec_u32_free(m, &w->consequents);
    vec_u64_free(m, &w->both);
    vec_u64_free(m, &w->of_rhs);
    vec_u32_free(m, &w->failed);
    vec_u32_free(m, &w->perfect_consequents);
    vec_u32_free(m, &w->perfect_failed);
    vec_u32_free(m, &w->lhs);
    subsets_free(&w->chosen, m);
    mem_free(m, w->items, w->n_items * sizeof *w->items);
    if (w->known) mem_free(m, w->known, STREAM_KNOWN * sizeof *w->known);
    mem_free(m, w, sizeof *w);
    return status;
}

static bool stream_bounds_p(const wants *w) {
    for (uint32_t i = 0; i < w->n_bounds; i++) {
        if (measure_table[w->bounds[i].measure].log_p) return true;
    }
    return false;
}

static lode_status stream_open(void *user, void **worker) {
    lode_status status = LODE_OK;
    stream *s = user;
    stream_worker *w = NULL;
    mem *m = &s->out->job->mem;
    size_t known = STREAM_KNOWN * sizeof *w->known;
    LODE_TRY(mem_zalloc(m, (void **)&w, sizeof *w));
    w->s = s;
    w->numbers = rule_out_takes_numbers(s->out);
    if (stream_bounds_p(s->wants)) LODE_TRY(mem_zalloc(m, (void **)&w->known, known));
    LODE_TRY(rule_writer_open(s->out, &w->writer));
    *worker = w;
    w = NULL;
done:
    if (w && w->known) mem_free(m, w->known, known);
    if (w) mem_free(m, w, sizeof *w);
    return status;
}

static lode_status stream_reserve(stream_worker *w, const engine_antecedents *b) {
    lode_status status = LODE_OK;
    mem *m = &w->s->out->job->mem;
    size_t consequents = (size_t)b->n_consequents + b->n_perfect;
    w->consequents.n = w->both.n = w->of_rhs.n = w->failed.n = 0;
    w->perfect_consequents.n = w->perfect_failed.n = 0;
    LODE_TRY(vec_u32_reserve(m, &w->consequents, consequents));
    LODE_TRY(vec_u64_reserve(m, &w->both, consequents));
    LODE_TRY(vec_u64_reserve(m, &w->of_rhs, consequents));
    LODE_TRY(vec_u32_reserve(m, &w->failed, b->n_consequents));
    LODE_TRY(vec_u32_reserve(m, &w->perfect_consequents, b->n_perfect));
    LODE_TRY(vec_u32_reserve(m, &w->perfect_failed, b->n_perfect));
    LODE_TRY(vec_u32_reserve(m, &w->lhs, (size_t)b->n_lhs + b->n_perfect));
    if (w->n_items < b->n_perfect) {
        size_t n = 2 * (size_t)b->n_perfect;
        LODE_TRY(
            mem_resize(m, (void **)&w->items, w->n_items * sizeof *w->items, n * sizeof *w->items));
        w->n_items = n;
    }
done:
    return status;
}

/* ---- consequents ----------------------------------------------------------------------------- */

/* Whether a consequent of one item may be wanted at all. */
static bool stream_may_rhs(const wants *w, uint32_t id) {
    return wants_role(w, id, ENGINE_ROLE_RHS) &&
           wants_mask(&w->include_rhs, id) == w->include_rhs.all;
}

/* Fills in the counts of the more general rule. An antecedent of one item has only one, that
 * without an antecedent. */
static void stream_fill_general(const wants *w, lode_rule *rule) {
    if (!w->needs_general) return;
    rule->best_confidence = (double)rule->counts.rhs / (double)rule->counts.total;
    rule->best_lift = 1.0;
}

static bool stream_keeps_bounds(const wants *w, const lode_counts *counts) {
    lode_rule rule = {.size = sizeof rule,
                      .counts = *counts,
                      .best_confidence = NAN,
                      .best_lift = NAN,
                      .adjusted_p = NAN};
    if (!wants_measures(w, &rule, LODE_NEEDS_COUNTS)) return false;
    if (!w->needs_general) return true;
    stream_fill_general(w, &rule);
    return wants_measures(w, &rule, LODE_NEEDS_GENERAL);
}

static bool stream_wants_counts(const stream_worker *w, uint32_t rhs, uint64_t count,
                                uint64_t both) {
    const stream *s = w->s;
    lode_counts c = {both, count, s->rhs_counts[rhs], s->total};
    if (s->wants->productive) {
        general_share own = {both, count}, without = {c.rhs, c.total};
        if (!general_above(own, without)) return false;
    }
    if (s->wants->n_bounds == 0) return true;
    if (!w->known) return stream_keeps_bounds(s->wants, &c);
    uint64_t place = bits_mix(both << 42 ^ count << 21 ^ c.rhs);
    stream_known *k = &w->known[place % STREAM_KNOWN];
    if (k->both != both || k->count != count || k->of_rhs != c.rhs) {
        *k = (stream_known){both, count, c.rhs, stream_keeps_bounds(s->wants, &c)};
    }
    return k->wanted;
}

/* Chooses the consequents whose counts are those of a rule that is wanted. */
static void stream_choose_consequents(stream_worker *w, const engine_antecedents *b) {
    const stream *s = w->s;
    for (uint32_t i = 0; i < b->n_consequents; i++) {
        uint32_t id = b->consequents[i];
        if (!wants_confidence(s->wants, b->both[i], b->count) || !stream_may_rhs(s->wants, id)) {
            continue;
        }
        if (!stream_wants_counts(w, id, b->count, b->both[i])) {
            w->failed.data[w->failed.n++] = id;
            continue;
        }
        w->both.data[w->consequents.n] = b->both[i];
        w->of_rhs.data[w->consequents.n] = s->rhs_counts[id];
        w->consequents.data[w->consequents.n++] = id;
    }
    for (uint32_t i = 0; i < b->n_perfect; i++) {
        if (!stream_may_rhs(s->wants, b->perfect[i])) continue;
        bool wanted = stream_wants_counts(w, b->perfect[i], b->count, b->count);
        vec_u32 *to = wanted ? &w->perfect_consequents : &w->perfect_failed;
        to->data[to->n++] = i;
    }
}

/* ---- antecedents of a family ----------------------------------------------------------------- */

/* Finds how many perfect extensions the antecedents of a family may have; returns false if none are
 * wanted. */
static bool stream_sizes(const wants *w, const engine_antecedents *b, uint32_t *least,
                         uint32_t *most) {
    uint64_t from = w->min_size > 1 ? w->min_size - 1 : 1; /* items of an antecedent */
    *least = from > b->n_lhs ? (uint32_t)(from - b->n_lhs) : 0;
    if (w->max_lhs < b->n_lhs || *least > b->n_perfect) return false;
    *most = w->max_lhs - b->n_lhs;
    if (*most > b->n_perfect) *most = b->n_perfect;
    return *least <= *most;
}

/* Finds the groups that the antecedents of the family lack: open[0] of those required in the
 * antecedent, open[1] of those required anywhere. */
static void stream_open_groups(const wants *w, const engine_antecedents *b, uint64_t open[2]) {
    open[0] = w->include_lhs.all & ~wants_masks(&w->include_lhs, b->lhs, b->n_lhs);
    open[1] = w->include.all & ~wants_masks(&w->include, b->lhs, b->n_lhs);
}

/* ---- numbers --------------------------------------------------------------------------------- */

typedef struct stream_family {
    const engine_antecedents *antecedents;
    uint32_t least, most;
    uint64_t open[2];
    bool plain;    /* no perfect item is in a group that is open: they all count alike */
    bool filtered; /* counts rules that only their measures exclude */
} stream_family;

/* Returns the number of antecedents of the family, with j perfect items, that go with a consequent:
 * they have all groups that the consequent lacks, and do not contain perfect item number `skip`,
 * which is the consequent. UINT64_MAX means that many or more. */
static uint64_t stream_antecedents_for(const stream_worker *w, const stream_family *f,
                                       uint64_t rhs_mask, uint32_t skip, uint32_t j) {
    uint64_t open[2] = {f->open[0], f->open[1] & ~rhs_mask}, antecedents;
    uint32_t n = f->antecedents->n_perfect;
    if (f->plain) {
        return open[0] == 0 && open[1] == 0 ? ways_choose((uint64_t)n - (skip < n), j) : 0;
    }
    return ways_count(w->items, n, skip, open, j, &antecedents) ? antecedents : UINT64_MAX;
}

/* Adds up n consequents of each of the antecedents, which have j perfect extensions. */
static lode_status stream_add(stream_worker *w, const stream_family *f, uint32_t j, uint64_t n,
                              uint64_t antecedents) {
    uint64_t rules = UINT64_MAX;
    bool many = antecedents == UINT64_MAX || __builtin_mul_overflow(n, antecedents, &rules);
    if (f->filtered) {
        rule_writer_filtered(&w->writer, many ? UINT64_MAX : rules);
        return LODE_OK;
    }
    if (many) return sink_too_many(w->s->out->job);
    return rules > 0 ? rule_sink_add(w->writer.worker, f->antecedents->n_lhs + j + 1, rules)
                     : LODE_OK;
}

/* Counts the rules of some consequents. Those that lack the same groups are counted together. */
static lode_status stream_count_consequents(stream_worker *w, const stream_family *f,
                                            const vec_u32 *consequents) {
    lode_status status = LODE_OK;
    const wants_includes *include = &w->s->wants->include;
    for (uint32_t j = f->least; j <= f->most; j++) {
        for (size_t i = 0, end; i < consequents->n; i = end) {
            uint64_t mask = wants_mask(include, consequents->data[i]);
            for (end = i;
                 end < consequents->n && wants_mask(include, consequents->data[end]) == mask;)
                end++;
            uint64_t antecedents = stream_antecedents_for(w, f, mask, UINT32_MAX, j);
            LODE_TRY(stream_add(w, f, j, end - i, antecedents));
        }
    }
done:
    return status;
}

/* The same for consequents that are perfect extensions, by their places. */
static lode_status stream_count_perfect(stream_worker *w, const stream_family *f,
                                        const vec_u32 *places) {
    lode_status status = LODE_OK;
    const wants_includes *include = &w->s->wants->include;
    size_t step = f->plain ? places->n : 1; /* then one is like the other */
    for (uint32_t j = f->least; j <= f->most; j++) {
        for (size_t i = 0; i < places->n; i += step) {
            uint64_t mask = wants_mask(include, f->antecedents->perfect[places->data[i]]);
            uint64_t antecedents = stream_antecedents_for(w, f, mask, places->data[i], j);
            LODE_TRY(stream_add(w, f, j, step, antecedents));
        }
    }
done:
    return status;
}

static lode_status stream_count(stream_worker *w, const stream_family *f,
                                const vec_u32 *consequents, const vec_u32 *places) {
    lode_status status = stream_count_consequents(w, f, consequents);
    return status == LODE_OK ? stream_count_perfect(w, f, places) : status;
}

static void stream_read_groups(stream_worker *w, stream_family *f) {
    const wants *want = w->s->wants;
    const engine_antecedents *b = f->antecedents;
    f->plain = true;
    stream_open_groups(want, b, f->open);
    if (f->open[0] == 0 && f->open[1] == 0) return;
    for (uint32_t i = 0; i < b->n_perfect; i++) {
        w->items[i].in[0] = wants_mask(&want->include_lhs, b->perfect[i]);
        w->items[i].in[1] = wants_mask(&want->include, b->perfect[i]);
        if (w->items[i].in[0] & f->open[0] || w->items[i].in[1] & f->open[1]) f->plain = false;
    }
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* Appends as consequents the perfect extensions that are not in the antecedent. The places chosen
 * for the antecedent descend. Returns the number of consequents. */
static uint32_t stream_append_perfect(stream_worker *w, const engine_antecedents *b) {
    uint32_t n = (uint32_t)w->consequents.n;
    size_t next = w->chosen.chosen.n;
    for (size_t i = 0; i < w->perfect_consequents.n; i++) {
        uint32_t place = w->perfect_consequents.data[i], id = b->perfect[place];
        while (next > 0 && w->chosen.chosen.data[next - 1] < place) next--;
        if (next > 0 && w->chosen.chosen.data[next - 1] == place) continue;
        w->consequents.data[n] = id;
        w->both.data[n] = b->count;
        w->of_rhs.data[n++] = w->s->rhs_counts[id];
    }
    return n;
}

/* Emits the rules of an antecedent one by one, those that have all groups. */
static lode_status stream_emit_some(stream_worker *w, const rule_batch *batch) {
    lode_status status = LODE_OK;
    const wants *want = w->s->wants;
    uint64_t open = want->include.all & ~wants_masks(&want->include, batch->lhs, batch->n_lhs);
    for (uint32_t i = 0; i < batch->n && status == LODE_OK; i++) {
        if (open & ~wants_mask(&want->include, batch->consequents[i])) continue;
        lode_rule rule = rule_batch_at(batch, i, w->s->total);
        stream_fill_general(want, &rule);
        if (w->s->out->fills && want->knows_p) rule.adjusted_p = measure_of_fisher(&rule.counts);
        status = rule_writer_emit(&w->writer, &rule);
    }
    return status;
}

/* Emits all rules of one antecedent of the family, which is in w->chosen. */
static lode_status stream_emit_lhs(stream_worker *w, const engine_antecedents *b) {
    const wants *want = w->s->wants;
    uint32_t n = (uint32_t)w->chosen.items.n;
    memcpy(w->lhs.data, w->chosen.items.data, n * sizeof *w->lhs.data);
    sort_u32(w->lhs.data, n);
    if (wants_masks(&want->include_lhs, w->lhs.data, n) != want->include_lhs.all) return LODE_OK;
    rule_batch batch = {.lhs = w->lhs.data,
                        .n_lhs = n,
                        .count = b->count,
                        .n = stream_append_perfect(w, b),
                        .consequents = w->consequents.data,
                        .both = w->both.data,
                        .of_rhs = w->of_rhs.data};
    if (batch.n == 0) return LODE_OK;
    bool more = w->s->out->fills && (want->needs_general || want->knows_p);
    if (want->include.all || more) return stream_emit_some(w, &batch);
    return rule_writer_batch(&w->writer, &batch, w->s->total);
}

/* Whether antecedents of the family can have the required groups at all; if not, they are
 * skipped. */
static bool stream_can_have_groups(const wants *want, const stream_family *f) {
    const engine_antecedents *b = f->antecedents;
    return (f->open[0] & ~wants_masks(&want->include_lhs, b->perfect, b->n_perfect)) == 0;
}

static lode_status stream_emit(stream_worker *w, const stream_family *f) {
    lode_status status = LODE_OK;
    const engine_antecedents *b = f->antecedents;
    lode_job *job = w->s->out->job;
    bool more = false;
    if (!stream_can_have_groups(w->s->wants, f)) return LODE_OK;
    w->chosen.from = b->perfect;
    w->chosen.n = b->n_perfect;
    w->chosen.least = f->least;
    w->chosen.most = f->most;
    LODE_TRY(subsets_start(&w->chosen, &job->mem, b->lhs, b->n_lhs, &more));
    for (uint64_t i = 1; more; more = subsets_next(&w->chosen), i++) {
        LODE_TRY(stream_emit_lhs(w, b));
        if (i % STREAM_ASK_EVERY == 0) LODE_TRY(lease_poll(job));
    }
done:
    return status;
}

/* ---- for the engine -------------------------------------------------------------------------- */

static lode_status stream_antecedents(void *worker, const engine_antecedents *b) {
    lode_status status = LODE_OK;
    stream_worker *w = worker;
    stream_family f = {.antecedents = b};
    if (++w->n_families % STREAM_ASK_NEXT == 0) LODE_TRY(lease_poll(w->s->out->job));
    if (b->count < w->s->min_count || !stream_sizes(w->s->wants, b, &f.least, &f.most)) {
        return LODE_OK;
    }
    LODE_TRY(stream_reserve(w, b));
    stream_choose_consequents(w, b);
    stream_read_groups(w, &f);
    if (w->failed.n > 0 || w->perfect_failed.n > 0) {
        f.filtered = true;
        LODE_TRY(stream_count(w, &f, &w->failed, &w->perfect_failed));
        f.filtered = false;
    }
    if (w->consequents.n == 0 && w->perfect_consequents.n == 0) goto done;
    bool few = bits_count(f.open[0]) + bits_count(f.open[1]) <= WAYS_MOST_GROUPS;
    if (w->numbers && few) {
        status = stream_count(w, &f, &w->consequents, &w->perfect_consequents);
    } else {
        status = stream_emit(w, &f);
    }
done:
    return status;
}

/* Numbers of antecedents whose items may all be consequents. */
static lode_status stream_add_counts(void *worker, const engine_lhs_counts *c) {
    lode_status status = LODE_OK;
    stream_worker *w = worker;
    engine_antecedents b = {.n_lhs = c->n_lhs, .n_perfect = c->n_perfect};
    stream_family f = {.antecedents = &b};
    if (!stream_sizes(w->s->wants, &b, &f.least, &f.most)) return LODE_OK;
    for (uint32_t j = f.least; j <= f.most; j++) {
        LODE_TRY(stream_add(w, &f, j, c->n_consequents, ways_choose(c->n_perfect, j)));
        uint64_t consequents = c->n_perfect - j, pairs;
        if (__builtin_mul_overflow(consequents, c->n_antecedents, &pairs)) {
            return sink_too_many(w->s->out->job);
        }
        LODE_TRY(stream_add(w, &f, j, pairs, ways_choose(c->n_perfect, j)));
    }
done:
    return status;
}

/* Whether all that decides are sizes and confidence. */
static bool stream_is_plain(const stream *s) {
    const wants *w = s->wants;
    bool plain = rule_out_takes_numbers(s->out) && w->n_bounds == 0 && !w->productive &&
                 !w->include.all && !w->include_lhs.all && !w->include_rhs.all;
    for (uint32_t id = 0; id < s->item_bound && plain; id++) {
        plain = w->roles[id] != ENGINE_ROLE_LHS;
    }
    return plain;
}

static bool stream_may_lead_on(void *user, uint32_t rhs, uint64_t count, uint64_t both) {
    stream *s = user;
    lode_counts here = {both, count, s->rhs_counts[rhs], s->total};
    if (wants_may_reach(s->wants, &here, s->min_count)) return true;
    atomic_fetch_add_explicit(&s->out->pruned, 1, memory_order_relaxed);
    return false;
}

engine_rules stream_rules(stream *s) {
    return (engine_rules){
        .roles = s->wants->roles,
        .max_lhs = s->wants->max_lhs,
        .confidence = s->wants->confidence,
        .user = s,
        .open = stream_open,
        .antecedents = stream_antecedents,
        .close = stream_close,
        .add = stream_is_plain(s) ? stream_add_counts : NULL,
        .may_lead_on = wants_can_prune(s->wants) ? stream_may_lead_on : NULL,
    };
}
