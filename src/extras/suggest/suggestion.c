/* suggestion.c - lode_suggest(): runs a hunt (hunt.h) for each target, and makes the public results
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/os.h"
#include "extras/suggest/hunt.h"
#include "extras/suggest/maximal.h"
#include "extras/suggest/support_levels.h"
#include "runtime/valid.h"

#define N_TARGETS    4
#define BUDGET       0.43 /* seconds of the processor for each target … */
#define BUDGET_SHARE 0.05 /* … or this share of counting */
/* Targets that min_size allows: the number of single items among closed and maximal itemsets is not
 * known, and rules have at least two items. */
#define WITH_SIZE (1u << LODE_SUGGEST_ALL | 1u << LODE_SUGGEST_RULES)
#define MANY      1e9 /* patterns; with `at`, more need not be told apart */

struct lode_suggestion {
    lode_job *job;
    lode_suggest_point *points;
    size_t n, cap;
};

static const char *const suggest_names[N_TARGETS] = {"all", "closed", "maximal", "rules"};

const char *lode_suggest_target_name(lode_suggest_target target) {
    return (unsigned)target < N_TARGETS ? suggest_names[target] : NULL;
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Adds a point. Without single items, there may be thresholds that give no itemsets: they are
 * points, too. */
static lode_status suggest_add(lode_suggestion *s, const hunt *h, uint64_t min_count,
                               const estimate *e) {
    lode_status status = LODE_OK;
    if (e->n < 0.5 && !h->pairs) return LODE_OK;
    if (s->n == s->cap) {
        LODE_TRY(vec_grow(&s->job->mem, (void **)&s->points, s->n, &s->cap, 1, sizeof *s->points));
    }
    s->points[s->n++] = (lode_suggest_point){.target = h->target,
                                             .exact = e->exact,
                                             .min_count = min_count,
                                             .patterns = e->n,
                                             .low = e->low,
                                             .high = e->high};
done:
    return status;
}

/* Marks the answer among the points from `from` on. */
static void suggest_mark(lode_suggestion *s, size_t from, uint64_t answer) {
    for (size_t i = from; i < s->n; i++) s->points[i].answer = s->points[i].min_count == answer;
}

/* Numbers only grow as the threshold falls, so an interval also bounds its neighbours. */
static void suggest_narrow(lode_suggestion *s, size_t from) {
    for (size_t i = s->n; i-- > from + 1;) {
        lode_suggest_point *p = &s->points[i - 1];
        double high = s->points[i].high;
        if (p->high > high && high >= p->patterns) p->high = high;
    }
    for (size_t i = from + 1; i < s->n; i++) {
        lode_suggest_point *p = &s->points[i];
        double low = s->points[i - 1].low;
        if (p->low < low && low <= p->patterns) p->low = low;
    }
}

/* Points at even distances in the logarithm of the support, the answer, and its neighbours. */
static lode_status suggest_add_curve(lode_suggestion *s, const hunt *h) {
    lode_status status = LODE_OK;
    uint64_t lowest = hunt_lowest(h), answer = isfinite(h->want) ? hunt_answer(h) : 0;
    double next = (double)h->most;
    size_t from = s->n;
    if (lowest == 0) return LODE_OK;
    uint64_t point = hunt_next_point(&next);
    for (uint32_t level = level_of(h->most); level >= level_above(lowest) && level > 0; level--) {
        uint64_t support = level_support(level);
        bool near = level + 1 >= level_of(answer) && level <= level_of(answer) + 1 && answer > 0;
        estimate e;
        if (support != point && !near && level > level_above(lowest)) continue;
        if (support == point) point = hunt_next_point(&next);
        if (hunt_number(h, support, &e)) LODE_TRY(suggest_add(s, h, support, &e));
    }
    if (answer > 0 && answer < lowest) { /* a guess beyond the end of the curve */
        estimate e;
        if (hunt_number(h, answer, &e)) LODE_TRY(suggest_add(s, h, answer, &e));
    }
    uint64_t end = answer > 0 && answer < lowest ? answer : lowest;
    for (uint64_t at; (at = hunt_spot_below(h, end)) > 0; end = at) {
        estimate e;
        if (hunt_number(h, at, &e)) LODE_TRY(suggest_add(s, h, at, &e));
        if (h->too_low == at) break; /* lower thresholds are of no interest */
    }
    suggest_mark(s, from, answer);
    suggest_narrow(s, from);
done:
    return status;
}

/* ---- targets --------------------------------------------------------------------------------- */

static lode_status suggest_target(lode_suggestion *s, hunt *h, uint64_t at) {
    lode_status status = LODE_OK;
    estimate e;
    if (at > 0) {
        LODE_TRY(hunt_glance(h, at, &e));
        if (e.n > 0) status = suggest_add(s, h, at, &e);
    } else {
        LODE_TRY(hunt_run(h));
        status = suggest_add_curve(s, h);
    }
done:
    hunt_free(h);
    return status;
}

static lode_status suggest_maximal(lode_suggestion *s, const hunt *h) {
    lode_status status = LODE_OK;
    maximal_curve curve;
    size_t from = s->n;
    LODE_TRY(maximal_run(h, &curve));
    for (uint32_t i = 0; i < curve.n; i++) {
        LODE_TRY(suggest_add(s, h, curve.min_counts[i], &curve.numbers[i]));
    }
    if (isfinite(h->want)) suggest_mark(s, from, maximal_answer(&curve, h->want));
done:
    return status;
}

static unsigned suggest_targets(const lode_suggest_options *o) {
    if (o->targets) return o->targets;
    if (o->want || o->at) return 1u << LODE_SUGGEST_ALL;
    return o->min_size > 1 ? WITH_SIZE : (1u << N_TARGETS) - 1;
}

static lode_status suggest_all(lode_suggestion *s, const lode_dataset *data,
                               const lode_suggest_options *o) {
    lode_status status = LODE_OK;
    unsigned targets = suggest_targets(o);
    double start = os_seconds();
    lode_threshold half = {1, 2};
    unsigned left = (unsigned)__builtin_popcount(targets);
    for (unsigned t = 0; t < N_TARGETS; t++) {
        hunt h = {.job = s->job,
                  .data = data,
                  .target = (lode_suggest_target)t,
                  .confidence = o->min_confidence.denominator ? o->min_confidence : half,
                  .pairs = o->min_size > 1 && t == LODE_SUGGEST_ALL,
                  .want = o->want ? (double)o->want
                          : o->at ? MANY
                                  : INFINITY,
                  .least = BUDGET,
                  .share = BUDGET_SHARE,
                  .seed = o->seed};
        if (!(targets >> t & 1)) continue;
        if (o->limit_seconds > 0) { /* the time left, in equal shares */
            double rest = start + o->limit_seconds - os_seconds();
            h.deadline = os_seconds() + rest / left;
            h.least = rest > 0 ? rest / left : 0;
        }
        left--;
        bool curve = t == LODE_SUGGEST_MAXIMAL && o->at == 0;
        LODE_TRY(curve ? suggest_maximal(s, &h) : suggest_target(s, &h, o->at));
    }
done:
    return status;
}

/* ---- the interface --------------------------------------------------------------------------- */

static lode_status suggest_check(lode_job *job, const lode_suggest_options *o) {
    if (o->targets >> N_TARGETS) {
        return job_fail(job, LODE_INVALID, "targets has bits that stand for no target");
    }
    if (o->min_size > 1 && o->targets & ~WITH_SIZE) {
        return job_fail(job, LODE_INVALID,
                        "min_size 2 cannot be combined with the targets CLOSED and MAXIMAL");
    }
    if (o->min_confidence.denominator == 0 && o->min_confidence.numerator > 0) {
        return job_fail(job, LODE_INVALID, "the minimum confidence is a count; expected a share");
    }
    return LODE_OK;
}

lode_status lode_suggest(lode_job *job, const lode_dataset *data,
                         const lode_suggest_options *options, lode_suggestion **out) {
    lode_status status = LODE_OK;
    lode_suggest_options checked;
    lode_suggestion *s = NULL;
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(out));
    *out = NULL;
    LODE_TRY(valid_take(job, VALID_SUGGEST, options, &checked));
    LODE_TRY(suggest_check(job, &checked));
    LODE_TRY(dataset_in_memory(job, data));
    LODE_TRY(mem_zalloc(&job->mem, (void **)&s, sizeof *s));
    s->job = job;
    LODE_TRY(suggest_all(s, data, &checked));
    *out = s;
    s = NULL;
done:
    lode_suggestion_free(s);
    return job_explain(job, status, "estimating");
}

void lode_suggestion_free(lode_suggestion *s) {
    if (!s) return;
    mem *m = &s->job->mem;
    mem_free(m, s->points, s->cap * sizeof *s->points);
    mem_free(m, s, sizeof *s);
}

bool lode_suggestion_point(const lode_suggestion *s, size_t i, lode_suggest_point *out) {
    return valid_fill(out, s && i < s->n ? &s->points[i] : NULL);
}

bool lode_suggestion_answer(const lode_suggestion *s, lode_suggest_target target,
                            lode_suggest_point *out) {
    const lode_suggest_point *found = NULL;
    for (size_t i = 0; s && i < s->n; i++) {
        if (s->points[i].answer && s->points[i].target == target) found = &s->points[i];
    }
    return valid_fill(out, found);
}
