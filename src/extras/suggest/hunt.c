/* hunt.c - lowers the threshold step by step; see hunt.h and hunt_parts.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/suggest/hunt_parts.h"

#include <math.h>

#include "base/os.h"
#include "extras/suggest/consequents.h"
#include "extras/suggest/draws.h"
#include "extras/suggest/support_levels.h"

#define HUNT_STEP      3.5   /* by which the threshold falls at most */
#define HUNT_LOW       64    /* below this threshold, numbers may grow all of a sudden: … */
#define HUNT_STEP_LOW  2.0   /* … smaller steps */
#define HUNT_SOME      0.125 /* the share that is enough on the way down, unless all is cheap: … */
#define HUNT_LEAST     ((double)HUNT_PARTS / HUNT_MOST_PARTS)
#define HUNT_SCOUT     0.06 /* … it takes at most this share of the time left */
#define HUNT_WHOLE     0.15 /* … or everything, if that takes at most this share */
#define HUNT_FIRST     200  /* frequent items to begin with, at most */
#define HUNT_CHEAP     0.02 /* seconds that are not worth a probe */
#define HUNT_OVERSHOOT 1.2  /* times the number wanted, to aim at: the next step shall pass it */
#define HUNT_GROWTH    0.9  /* costs grow by this power of the number of patterns, at most … */
#define HUNT_SHRINK    0.4  /* … and at least; … */
#define HUNT_FUTURE    0.75 /* … in the long run */
#define HUNT_PLAIN     0.5  /* of the cost: counting without telling supports apart */
#define HUNT_TRIES     3    /* that improve an answer */
#define HUNT_RISK      0.5  /* share of the time left that a probe on the way down may take */
/* If few branches seem to have most of the patterns, everything is counted if that is expected to
 * take at most this many times the time left. */
#define HUNT_HOPE 2.0
#define HUNT_TRY  0.6 /* share of the time left that each of them may take */
/* On thin data, whole counts are preferred: the share of the time left that one may take. */
#define HUNT_WHOLE_THIN 0.35
#define HUNT_RISK_THIN  0.42 /* … on thin data, so that there is time for whole counts */
#define HUNT_LOOKS      0.07 /* share of all time for looking for long sets on the way down */

/* ---- the next step --------------------------------------------------------------------------- */

/* Seconds that a search of everything would take at the lowest threshold so far. */
static double hunt_cost(const hunt *h) {
    const probe *p = h->part.tally.counts ? &h->part : &h->whole;
    return (p->searching + 1e-4) / probe_share(p);
}

/* The cost at another number of patterns, by a power of the ratio of the numbers. */
static double hunt_cost_of(const hunt *h, double n, double power) {
    double now = hunt_expected(h, hunt_curve_end(h));
    return hunt_cost(h) * pow(n / (now > 1 ? now : 1), power);
}

/* Returns the threshold to try after the probe at `next` was given up or found far too many:
 * between `next` and `lowest`, the lowest threshold so far; 0 if there is none between them. */
static uint64_t hunt_retreat(uint64_t lowest, uint64_t next) {
    if (lowest <= next + 1) return 0;
    uint64_t between = (uint64_t)sqrt((double)lowest * (double)next);
    return between > next ? between : next + 1;
}

/* Returns the threshold of the next step, below `lowest` and above `failed`, and the number of
 * patterns expected there. */
static uint64_t hunt_next(const hunt *h, uint64_t lowest, uint64_t failed, double *expected) {
    double n = hunt_expected(h, lowest), slope = hunt_slope(h, lowest);
    double step = HUNT_STEP;
    bool none = n < 1;
    if (none) n = 1;
    if (isfinite(h->want) && !none) step = pow(HUNT_OVERSHOOT * h->want / n, 1 / slope);
    if (step > HUNT_STEP) step = HUNT_STEP;
    if (step > HUNT_STEP_LOW && lowest < HUNT_LOW) step = HUNT_STEP_LOW;
    if (!isfinite(h->want) && step > 2) step = 2;
    uint64_t next = (uint64_t)((double)lowest / step);
    if (next >= lowest) next = lowest - 1;
    if (next == 0) next = 1;
    if (next <= failed) next = hunt_retreat(lowest, failed);
    if (next == 0) return 0;
    *expected = n * pow((double)lowest / (double)next, slope);
    return next;
}

/* The share that can be searched in this many seconds, if everything takes `cost`. */
static double hunt_affordable(double seconds, double cost) {
    return seconds < cost ? seconds / cost : 1;
}

/* The share for a step on the way down. */
static double hunt_scouts(const hunt *h, uint64_t min_count, double cost) {
    if (cost < hunt_left(h) * (hunt_is_thin(h, min_count) ? HUNT_WHOLE_THIN : HUNT_WHOLE)) return 1;
    double share = hunt_affordable(hunt_left(h) * HUNT_SCOUT, cost);
    return share > HUNT_SOME ? HUNT_SOME : share;
}

/* If counting the wanted number takes long, more time may be spent. */
static void hunt_extend(hunt *h) {
    if (!h->part.tally.counts || !isfinite(h->want)) return;
    double n = hunt_expected(h, h->part.min_count);
    if (h->part.min_count > 1) n *= HUNT_FAR;
    double cost = hunt_cost_of(h, n < h->want ? n : h->want, HUNT_FUTURE);
    h->budget = h->share * cost > h->least ? h->share * cost : h->least;
}

static uint64_t hunt_begin(const hunt *h) {
    uint64_t most = 1, wanted = h->data->profile.n_items / 8 + 1;
    if (wanted > HUNT_FIRST) wanted = HUNT_FIRST;
    if (h->want / 4 + 1 < (double)wanted) wanted = (uint64_t)(h->want / 4) + 1;
    for (uint64_t step = h->most; step > 0; step /= 2) {
        while (most + step <= h->most && hunt_frequent_items(h, most + step) >= wanted) {
            most += step;
        }
    }
    return most;
}

static uint64_t hunt_most(const hunt *h) {
    uint64_t most = 1;
    for (uint32_t i = 0; i < h->data->item_bound; i++) {
        if (h->data->item_supports[i] > most) most = h->data->item_supports[i];
    }
    return most;
}

/* ---- the way down ---------------------------------------------------------------------------- */

/* A probe that was given up still gives a bound: at thresholds up to *failed, probes take too long
 * or find too many patterns. */
static void hunt_note_failure(hunt *h, uint64_t next, uint64_t *failed) {
    *failed = next;
    if (h->reached > next) *failed = h->reached;
}

/* Goes down until the number that is wanted has been passed, or there is no time left. */
static lode_status hunt_descend(hunt *h) {
    lode_status status = LODE_OK;
    uint64_t failed = 0, next = hunt_begin(h);
    double share = 1;
    bool too_many = false;
    while (next > 0 && hunt_left(h) > HUNT_CHEAP) {
        double expected = 1;
        bool kept = false, first = hunt_lowest(h) == 0, thin = hunt_is_thin(h, next);
        if ((share < 1 || thin) && h->looked < HUNT_LOOKS * h->budget) {
            LODE_TRY(hunt_look_for_set(h, next, HUNT_MANY * h->want));
        }
        h->overran = next <= h->too_low;
        if (h->overran) {
            h->reached = next;
        } else {
            double risk = first ? 1 : thin ? HUNT_RISK_THIN : HUNT_RISK;
            LODE_TRY(hunt_probe(h, next, share, hunt_left(h) * risk, &kept));
        }
        uint64_t lowest = hunt_lowest(h) ? hunt_lowest(h) : h->most + 1;
        if (h->deadline > 0 && os_seconds() >= h->deadline) break;
        if (kept && (lowest <= 1 || hunt_expected(h, lowest) >= h->want)) break;
        bool raised = !kept && h->reached > next;
        if (!kept && share > HUNT_LEAST && !h->overran && !raised) {
            share = share / 8 > HUNT_LEAST ? share / 8 : HUNT_LEAST;
            continue;
        }
        if (!kept) hunt_note_failure(h, next, &failed);
        next =
            hunt_lowest(h) ? hunt_next(h, lowest, failed, &expected) : hunt_retreat(lowest, failed);
        if (!kept) too_many = h->overran;
        h->ended = next == 0 && too_many;
        hunt_extend(h);
        bool scouts = kept || h->overran || raised;
        double cost = hunt_lowest(h) ? hunt_cost_of(h, expected, HUNT_GROWTH) : 0;
        share = scouts ? hunt_scouts(h, next, cost) : HUNT_LEAST;
    }
done:
    return status;
}

/* Improves the answer once, as far as there is time: *more says whether to try again. */
static lode_status hunt_refine_once(hunt *h, bool *more) {
    estimate e;
    bool kept, sets = h->target != LODE_SUGGEST_RULES;
    uint64_t answer = hunt_answer(h);
    *more = false;
    if (!hunt_look_up(h, answer, &e) || e.exact) return LODE_OK;
    if (e.n < 1 || (e.n < h->want / 2 && answer > 1)) return LODE_OK;
    hunt_extend(h);
    /* After an exact count, no time is needed for long baskets. */
    double cost = hunt_cost_of(h, e.n, HUNT_SHRINK), left = (h->budget - h->spent) * 0.8;
    double plain = h->target == LODE_SUGGEST_ALL ? cost * HUNT_PLAIN : cost;
    double margin = sqrt(e.high / e.n), share = hunt_affordable(left, cost);
    if (margin < HUNT_OVERSHOOT) margin = HUNT_OVERSHOOT;
    if (share < 1 && plain < left && sets) {
        *more = h->known.min_count != answer;
        return hunt_count(h, answer);
    }
    if (share < 1.5 * probe_share(&h->part)) return LODE_OK;
    uint64_t from = level_support(hunt_level_of(h, margin * h->want));
    *more = share == 1;
    return hunt_probe(h, from, share, hunt_left(h), &kept);
}

/* Returns the next threshold at which to search everything: below the lowest one where that
 * succeeded, above the highest one that failed or had too many patterns. Returns 0 if there is
 * none, or no time for it. */
static uint64_t hunt_next_whole(const hunt *h, uint64_t failed) {
    uint64_t answer = hunt_answer(h);
    uint64_t high = h->whole.tally.counts ? h->whole.min_count : h->most + 1;
    double n = hunt_expected(h, hunt_curve_end(h));
    estimate e;
    if (answer == 0 || !h->part.tally.counts || !hunt_is_thin(h, answer)) return 0;
    if (hunt_look_up(h, answer, &e) && e.high < HUNT_FAR * e.n) return 0;
    if (h->whole.tally.counts && hunt_expected(h, high) >= h->want) return 0;
    if (failed < h->too_low) failed = h->too_low;
    if (answer <= failed) answer = failed + 1;
    /* Costs may explode as well: a third of the way. */
    double low = (double)(failed > 0 ? failed : answer);
    uint64_t between = (uint64_t)(cbrt((double)high / low * (double)high / low) * low);
    if (between > answer) answer = between;
    if (answer >= high || hunt_left(h) < HUNT_CHEAP) return 0;
    double there = hunt_expected(h, answer), cost = hunt_cost(h);
    if (there > 0 && there < n) cost = hunt_cost_of(h, there, HUNT_SHRINK);
    return cost < HUNT_HOPE * hunt_left(h) ? answer : 0;
}

/* On thin data, a few branches may contain nearly all patterns, and random samples miss them. But
 * counting everything is cheap for just such data, so this is tried as long as there is time. */
static lode_status hunt_close_in(hunt *h) {
    lode_status status = LODE_OK;
    bool kept = true;
    uint64_t failed = 0;
    for (uint64_t next; isfinite(h->want) && (next = hunt_next_whole(h, failed)) > 0;) {
        LODE_TRY(hunt_probe(h, next, 1, hunt_left(h) * HUNT_TRY, &kept));
        if (!kept) hunt_note_failure(h, next, &failed);
    }
done:
    return status;
}

/* The number that is wanted has been passed by a probe of parts: a better answer. */
static lode_status hunt_refine(hunt *h) {
    lode_status status = LODE_OK;
    bool more = h->part.tally.counts && isfinite(h->want);
    LODE_TRY(hunt_close_in(h));
    for (unsigned i = 0; i < HUNT_TRIES && more && status == LODE_OK; i++) {
        status = hunt_refine_once(h, &more);
    }
done:
    return status;
}

/* What long sets and sets that are drawn tell of the answer and of the next lower threshold. */
static lode_status hunt_look_below(hunt *h) {
    lode_status status = LODE_OK;
    for (uint64_t last = 0, answer; (answer = hunt_answer(h)) != last && answer > 0;) {
        estimate e;
        bool known = hunt_number(h, answer, &e);
        if (known && !e.exact) LODE_TRY(hunt_draw(h, answer));
        if (known && !e.exact) LODE_TRY(hunt_look_for_set(h, answer, e.low));
        if (answer > 1 && hunt_lowest(h) >= answer && answer - 1 >= h->too_low) {
            LODE_TRY(hunt_draw(h, answer - 1));
            LODE_TRY(hunt_look_for_set(h, answer - 1, HUNT_MANY * h->want));
        }
        last = answer;
    }
done:
    return status;
}

lode_status hunt_run(hunt *h) {
    lode_status status = LODE_OK;
    h->most = hunt_most(h);
    h->budget = h->least;
    LODE_TRY(hunt_descend(h));
    LODE_TRY(hunt_refine(h));
    if (isfinite(h->want)) status = hunt_look_below(h);
done:
    return status;
}

lode_status hunt_glance(hunt *h, uint64_t min_count, estimate *out) {
    lode_status status = LODE_OK;
    bool kept = false;
    *out = (estimate){0};
    h->most = hunt_most(h);
    h->budget = h->least;
    LODE_TRY(hunt_look_for_set(h, min_count, HUNT_MANY * h->want));
    bool late = h->deadline > 0 && os_seconds() >= h->deadline;
    if (h->too_low < min_count && !late) {
        LODE_TRY(hunt_probe(h, min_count, HUNT_LEAST, hunt_left(h), &kept));
    }
    if (hunt_number(h, min_count, out) || h->unfinished < 1) return LODE_OK;
    double most = draws_bound(h->data, min_count, h->target == LODE_SUGGEST_RULES);
    *out = (estimate){h->unfinished, h->seen, most > h->unfinished ? most : h->unfinished, false};
    hunt_drop_singles(h, min_count, out);
done:
    return status;
}

void hunt_free(hunt *h) {
    probe_free(h->job, &h->whole);
    probe_free(h->job, &h->part);
}
