/* hunt_probe.c - what a hunt does at one threshold, and what follows from it; see hunt_parts.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/os.h"
#include "extras/suggest/consequents.h"
#include "extras/suggest/draws.h"
#include "extras/suggest/hunt_parts.h"
#include "extras/suggest/support_levels.h"

#define HUNT_ROOTS                                                                                 \
    300 /* from this many frequent items on, parts are divided by the first item alone */
#define HUNT_FEW_ROOTS 48   /* … of which at least this many are searched */
#define HUNT_THIN      40   /* … if fewer than one in this many pairs of item and basket occurs */
#define HUNT_DEEPER    32   /* by which the data are prepared for a lower threshold, … */
#define HUNT_RESERVE   0.04 /* seconds for a last look at long baskets */
#define HUNT_SUBSETS   64   /* of a long set, from which its rules are estimated */
#define HUNT_DRAWN     1    /* the highest threshold for which sets are drawn from baskets */
#define HUNT_GLANCE    0.25 /* of the effort for rules, far from the number wanted */

/* ---- probes ---------------------------------------------------------------------------------- */

uint32_t hunt_frequent_items(const hunt *h, uint64_t min_count) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < h->data->item_bound; i++) {
        n += h->data->item_supports[i] >= min_count;
    }
    return n;
}

double hunt_singles(const hunt *h, uint64_t min_count) {
    return h->pairs ? hunt_frequent_items(h, min_count) : 0;
}

void hunt_drop_singles(const hunt *h, uint64_t min_count, estimate *e) {
    double n = hunt_singles(h, min_count);
    e->n = fmax(e->n - n, 0);
    e->low = fmax(e->low - n, 0);
    e->high = fmax(e->high - n, 0);
}

static lode_target hunt_mined(const hunt *h) {
    if (h->target == LODE_SUGGEST_CLOSED) return LODE_TARGET_CLOSED;
    return h->target == LODE_SUGGEST_MAXIMAL ? LODE_TARGET_MAXIMAL : LODE_TARGET_ALL;
}

/* Rules for each set, where the threshold is lowest. */
static double hunt_rules_each(const hunt *h) {
    const probe *p = h->part.tally.counts ? &h->part : &h->whole;
    if (h->target != LODE_SUGGEST_RULES || !p->consequents) return 1;
    double sum = 0.1;
    for (size_t i = 0; i < p->tally.sets.supports.n; i++) sum += p->consequents[i];
    return sum / ((double)p->tally.sets.supports.n + 0.1);
}

double hunt_left(const hunt *h) {
    uint64_t lowest = hunt_lowest(h);
    bool low = isfinite(h->want) && lowest > 0 && lowest <= LONG_SET_MOST;
    return h->budget - h->spent - (low ? HUNT_RESERVE : 0);
}

bool hunt_is_thin(const hunt *h, uint64_t min_count) {
    double occurrences = 0, n = 0;
    for (uint32_t i = 0; i < h->data->item_bound; i++) {
        if (h->data->item_supports[i] < min_count) continue;
        occurrences += (double)h->data->item_supports[i];
        n++;
    }
    return occurrences * HUNT_THIN < n * (double)h->data->total_weight;
}

/* Lists hardly get longer for a lower threshold: so they are made once. */
static uint64_t hunt_base(hunt *h, uint64_t min_count) {
    if (!hunt_is_thin(h, min_count)) return 0;
    if (h->base == 0 || h->base > min_count) h->base = min_count / HUNT_DEEPER + 1;
    return h->base;
}

uint64_t hunt_next_point(double *next) {
    if (*next < 1) return 0;
    uint64_t support = level_support(level_of((uint64_t)*next));
    while ((uint64_t)*next >= support) *next *= pow(10, -1.0 / HUNT_DECADE);
    return support;
}

/* Whether an estimate says more than an earlier one; where no rule was seen, it says nothing. */
static bool hunt_is_better(const estimate *e, const estimate *old) {
    if (old->exact || e->exact) return e->exact;
    if (e->low <= 0 || old->low <= 0) return e->low > old->low;
    return e->high / e->low < old->high / old->low;
}

/* For rules: a probe keeps mostly sets just above its threshold, so probes at higher thresholds
 * know more about higher supports. */
static void hunt_remember(hunt *h, const probe *p) {
    double next = (double)h->most;
    uint32_t i = 0;
    for (uint64_t at; (at = hunt_next_point(&next)) >= p->min_count && at > 0; i++) {
        estimate e = probe_estimate(p, &h->known, at);
        if (i == HUNT_POINTS) return;
        if (i == h->n_rules) h->rules[h->n_rules++] = (hunt_point){.min_count = at};
        if (hunt_is_better(&e, &h->rules[i].e)) h->rules[i].e = e;
    }
}

/* ---- numbers apart from the curve ------------------------------------------------------------ */

static void hunt_note(hunt *h, uint64_t min_count, const estimate *e) {
    hunt_point *spot = (hunt_point *)hunt_spot(h, min_count);
    if (!spot && h->n_spots == HUNT_SPOTS) return;
    if (!spot) spot = &h->spots[h->n_spots++];
    bool draws = e->low < e->n;
    if (spot->min_count == 0 || draws || e->n > spot->e.n) *spot = (hunt_point){min_count, *e};
    if (e->low >= HUNT_MANY * h->want && min_count > h->too_low) h->too_low = min_count;
}

/* At least n patterns are there. */
static void hunt_note_least(hunt *h, uint64_t min_count, double n) {
    double most = draws_bound(h->data, min_count, h->target == LODE_SUGGEST_RULES);
    estimate e = {n, n, most > n ? most : n, false};
    if (n >= HUNT_MANY * h->want) {
        hunt_note(h, min_count, &e);
    } else if (n > h->floor.e.n) {
        h->floor = (hunt_point){min_count, e};
    }
}

static bool hunt_counts_subsets(const hunt *h) {
    return isfinite(h->want) && (h->target == LODE_SUGGEST_ALL || h->target == LODE_SUGGEST_RULES);
}

/* Rules of the subsets of a set, for each of these. */
static lode_status hunt_rules_of_set(hunt *h, const vec_u32 *items, double *each) {
    lode_status status = LODE_OK;
    probe p = {0};
    consequents_request request = {h->confidence, HUNT_GLANCE};
    rng random = rng_make(h->seed, 4);
    double sum = 0;
    p.tally.n_rows = 1;
    p.tally.sets.thinned = 1;
    for (unsigned i = 0; i < HUNT_SUBSETS; i++) {
        LODE_TRY(draws_keep_subset(&h->job->mem, &random, items, &p));
    }
    LODE_TRY(consequents_count(h->job, h->data, &request, &p));
    for (size_t i = 0; i < p.tally.sets.supports.n; i++) sum += p.consequents[i];
    *each = sum / (double)p.tally.sets.supports.n;
done:
    probe_free(h->job, &p);
    return status;
}

lode_status hunt_look_for_set(hunt *h, uint64_t min_count, double known) {
    lode_status status = LODE_OK;
    vec_u32 items = {0};
    double start = os_thread_seconds(), each = 1;
    if (known < 1) known = 1;
    if (!hunt_counts_subsets(h) || min_count > LONG_SET_MOST) return LODE_OK;
    uint32_t least = (uint32_t)log2(known / (h->target == LODE_SUGGEST_RULES ? 8 : 1) + 1);
    LODE_TRY(long_set_find(h->job, h->data, min_count, least, &items));
    if (items.n > 0 && h->target == LODE_SUGGEST_RULES) {
        LODE_TRY(hunt_rules_of_set(h, &items, &each));
    }
    if (items.n > 0) {
        double n = each * (ldexp(1, items.n < 900 ? (int)items.n : 900) - 1);
        if (h->pairs) n -= (double)items.n;
        if (n > known) hunt_note_least(h, min_count, n);
    }
    job_log(h->job, LODE_LOG_DEBUG, "draws: a set of %zu items at %llu, %.3f s", items.n,
            (unsigned long long)min_count, os_thread_seconds() - start);
done:
    vec_u32_free(&h->job->mem, &items);
    h->spent += os_thread_seconds() - start;
    h->looked += os_thread_seconds() - start;
    return status;
}

lode_status hunt_draw(hunt *h, uint64_t min_count) {
    lode_status status = LODE_OK;
    estimate e, old;
    double start = os_thread_seconds();
    draws_request r = {h->confidence, min_count, h->target == LODE_SUGGEST_RULES, h->seed};
    if (!hunt_counts_subsets(h) || min_count > HUNT_DRAWN) return LODE_OK;
    LODE_TRY(draws_estimate(h->job, h->data, &r, &e));
    job_log(h->job, LODE_LOG_DEBUG, "draws: %g (%g to %g) at %llu, %.3f s", e.n, e.low, e.high,
            (unsigned long long)min_count, os_thread_seconds() - start);
    hunt_drop_singles(h, min_count, &e);
    bool known = hunt_look_up(h, min_count, &old);
    if (e.n > 0 && (!known || hunt_is_better(&e, &old))) hunt_note(h, min_count, &e);
done:
    h->spent += os_thread_seconds() - start;
    return status;
}

/* ---- probes ---------------------------------------------------------------------------------- */

lode_status hunt_probe(hunt *h, uint64_t min_count, double share, double seconds, bool *kept) {
    lode_status status = LODE_OK;
    probe p = {0};
    double start = os_thread_seconds();
    uint32_t n_roots = hunt_frequent_items(h, min_count);
    double singles = hunt_singles(h, min_count);
    bool by_root = n_roots >= HUNT_ROOTS;
    double least = HUNT_FEW_ROOTS / (double)n_roots;
    probe_request r = {.target = hunt_mined(h),
                       .min_count = min_count,
                       .base = hunt_base(h, min_count),
                       .parts = HUNT_PARTS,
                       .of = HUNT_PARTS,
                       .by_root = by_root,
                       .keeps_sets = h->target == LODE_SUGGEST_RULES,
                       .enough = singles + HUNT_BEYOND * h->want / hunt_rules_each(h),
                       .too_many = singles + HUNT_FAR * h->want / hunt_rules_each(h),
                       .seconds = seconds,
                       .deadline = h->deadline,
                       .seed = h->seed};
    if (by_root && share < least) share = least;
    while (r.parts > share * r.of && r.of < HUNT_MOST_PARTS) r.of *= 2;
    if (r.parts < r.of) r.parts = (uint32_t)(share * r.of);
    if (r.parts < HUNT_PARTS) r.parts = HUNT_PARTS;
    LODE_TRY(probe_run(h->job, h->data, &r, &p));
    *kept = p.complete;
    h->reached = p.min_count;
    h->overran = p.too_many;
    h->unfinished = p.complete ? 0 : probe_sets(&p, p.min_count);
    h->seen = h->unfinished / tally_factor(&p.tally);
    if (p.too_many && !r.keeps_sets) {
        hunt_note_least(h, p.min_count, p.tally.at_least - hunt_singles(h, p.min_count));
    }
    job_log(h->job, LODE_LOG_DEBUG,
            "probe: threshold %llu, %u of %u parts%s, at most %.3f s: %.3f s (%.3f s), %s, reached "
            "%llu",
            (unsigned long long)min_count, r.parts, r.of, r.by_root ? " by root" : "", seconds,
            p.seconds, p.searching, p.complete ? "complete" : "given up",
            (unsigned long long)p.min_count);
    bool far = probe_sets(&p, p.min_count) * hunt_rules_each(h) * HUNT_FAR < h->want;
    consequents_request consequents = {h->confidence, far && isfinite(h->want) ? HUNT_GLANCE : 1};
    if (*kept && r.keeps_sets) LODE_TRY(consequents_count(h->job, h->data, &consequents, &p));
    if (*kept && r.keeps_sets) hunt_remember(h, &p);
    if (*kept) {
        probe *to = probe_is_whole(&p) ? &h->whole : &h->part;
        if (to == &h->whole && h->part.tally.counts && h->part.min_count >= p.min_count) {
            probe_free(h->job, &h->part);
        }
        probe_free(h->job, to);
        *to = p;
        if (to == &h->whole) h->known = (anchor){p.min_count, probe_sets(&p, p.min_count)};
        p = (probe){0};
    }
done:
    probe_free(h->job, &p);
    h->spent += os_thread_seconds() - start;
    return status;
}

lode_status hunt_count(hunt *h, uint64_t min_count) {
    probe p = {0};
    double singles = hunt_singles(h, min_count);
    probe_request r = {.target = hunt_mined(h),
                       .min_count = min_count,
                       .parts = 1,
                       .of = 1,
                       .plain = true,
                       .enough = singles + HUNT_MANY * h->want / 2,
                       .too_many = singles + HUNT_MANY * h->want,
                       .seconds = h->budget - h->spent,
                       .deadline = h->deadline,
                       .seed = h->seed};
    lode_status status = probe_run(h->job, h->data, &r, &p);
    job_log(h->job, LODE_LOG_DEBUG, "count: threshold %llu, %.3f s, %s",
            (unsigned long long)min_count, p.seconds, p.complete ? "complete" : "given up");
    if (status == LODE_OK && p.complete) h->known = (anchor){min_count, p.tally.counts[0]};
    if (status == LODE_OK && !p.complete) {
        hunt_note_least(h, min_count, p.tally.counts[0] - singles);
    }
    h->spent += p.seconds;
    probe_free(h->job, &p);
    return status;
}

/* ---- what has been found out about a curve, and what follows from it ------------------------- */

#define HUNT_NEAR 1.5 /* times the number known is near enough to the one wanted */

uint64_t hunt_curve_end(const hunt *h) {
    if (h->part.tally.counts) return h->part.min_count;
    return h->whole.tally.counts ? h->whole.min_count : 0;
}

uint64_t hunt_lowest(const hunt *h) {
    uint64_t end = hunt_curve_end(h);
    return end > 0 && end <= h->too_low ? h->too_low + 1 : end;
}

const hunt_point *hunt_spot(const hunt *h, uint64_t min_count) {
    for (uint32_t i = 0; i < h->n_spots; i++) {
        if (h->spots[i].min_count == min_count) return &h->spots[i];
    }
    return NULL;
}

uint64_t hunt_spot_below(const hunt *h, uint64_t min_count) {
    uint64_t found = 0;
    for (uint32_t i = 0; i < h->n_spots; i++) {
        uint64_t at = h->spots[i].min_count;
        if (at < min_count && at > found) found = at;
    }
    return found;
}

/* An estimate from a sample is at least the number of patterns known to exist. */
static estimate hunt_above_floor(const hunt *h, uint64_t min_count, estimate e) {
    double least = min_count <= h->floor.min_count ? h->floor.e.n : 0;
    if (e.low < least) e.low = least;
    if (e.n < least) e.n = least;
    if (e.high < e.n) e.high = e.n;
    return e;
}

bool hunt_look_up(const hunt *h, uint64_t min_count, estimate *out) {
    bool rules = h->target == LODE_SUGGEST_RULES, sampled = false;
    const hunt_point *spot = hunt_spot(h, min_count);
    if (h->known.min_count == min_count && min_count > 0 && !rules) {
        *out = (estimate){h->known.n, h->known.n, h->known.n, true};
    } else if (h->whole.tally.counts && min_count >= h->whole.min_count) {
        *out = probe_estimate(&h->whole, NULL, min_count);
    } else if (spot) {
        *out = spot->e; /* without single items already */
        return true;
    } else if (h->part.tally.counts && min_count >= h->part.min_count) {
        *out = probe_estimate(&h->part, &h->known, min_count);
        sampled = true;
    } else {
        return false;
    }
    hunt_drop_singles(h, min_count, out);
    if (sampled) *out = hunt_above_floor(h, min_count, *out);
    return true;
}

double hunt_expected(const hunt *h, uint64_t min_count) {
    estimate e;
    return hunt_look_up(h, min_count, &e) ? e.n : 0;
}

uint32_t hunt_level_of(const hunt *h, double n) {
    uint32_t low = level_above(hunt_lowest(h)), high = level_of(h->most) + 1;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (hunt_expected(h, level_support(middle)) >= n) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

double hunt_slope(const hunt *h, uint64_t lowest) {
    double n = hunt_expected(h, lowest);
    uint64_t above = level_support(hunt_level_of(h, n / 3));
    double fewer = hunt_expected(h, above), slope;
    if (above <= lowest || fewer <= 0 || n <= 0) return 1;
    slope = log(n / fewer) / log((double)above / (double)lowest);
    return slope > 0.3 ? slope : 0.3;
}

/* Extrapolates the curve beyond its end in the same direction. The interval extends from the last
 * known number to twice the slope. */
static estimate hunt_guess(const hunt *h, uint64_t min_count) {
    uint64_t lowest = hunt_lowest(h);
    estimate e;
    if (!hunt_look_up(h, lowest, &e)) return (estimate){0};
    double grows = pow((double)lowest / (double)min_count, hunt_slope(h, lowest));
    const hunt_point *below = hunt_spot(h, hunt_spot_below(h, min_count));
    e = (estimate){e.n * grows, e.low, e.high * grows * grows, false};
    if (below && e.high < below->e.n) e.high = below->e.n;
    return hunt_above_floor(h, min_count, e);
}

/* Rules at a point of the curve, by the probe that knew most of them. */
static bool hunt_recall(const hunt *h, uint64_t min_count, estimate *out) {
    for (uint32_t i = 0; i < h->n_rules; i++) {
        if (h->rules[i].min_count != min_count) continue;
        *out = h->rules[i].e;
        return true;
    }
    return false;
}

bool hunt_number(const hunt *h, uint64_t min_count, estimate *out) {
    if (hunt_recall(h, min_count, out) || hunt_look_up(h, min_count, out)) return true;
    if (hunt_lowest(h) == 0 || min_count == 0) return false;
    *out = hunt_guess(h, min_count);
    return out->n > 0;
}

/* The threshold below the end of the curve at which the number that is wanted may be. */
static uint64_t hunt_guess_answer(const hunt *h, uint64_t lowest, double n) {
    double at = (double)lowest * pow(n / h->want, 1 / hunt_slope(h, lowest));
    if (at < (double)h->too_low + 1) at = (double)h->too_low + 1;
    return at > 1 ? (uint64_t)at : 1;
}

/* The answer by the curve alone. */
static uint64_t hunt_curve_answer(const hunt *h, uint64_t lowest) {
    estimate e = {0};
    double last = hunt_look_up(h, lowest, &e) ? e.n : 0;
    bool may_be = last * HUNT_BEYOND > h->want && e.high > h->want;
    bool ended = lowest == h->too_low + 1 || (h->ended && lowest == hunt_curve_end(h)) || may_be;
    if (lowest > 1 && !ended && last > 0 && last * HUNT_NEAR < h->want) {
        return hunt_guess_answer(h, lowest, last);
    }
    uint64_t reached = level_support(hunt_level_of(h, h->want));
    uint64_t above = level_support(level_of(reached) + 1);
    double n = hunt_expected(h, reached), fewer = hunt_expected(h, above);
    return n < h->want || fewer <= 0 || n / h->want < h->want / fewer ? reached : above;
}

/* The distance of a number from the wanted one, as a logarithm. */
static double hunt_off(const hunt *h, const estimate *e) {
    return e->n > 0 ? fabs(log(e->n / h->want)) : INFINITY;
}

uint64_t hunt_answer(const hunt *h) {
    uint64_t lowest = hunt_lowest(h);
    estimate e;
    if (lowest == 0) return 0;
    uint64_t best = hunt_curve_answer(h, lowest);
    double off = hunt_number(h, best, &e) ? hunt_off(h, &e) : INFINITY;
    for (uint32_t i = 0; i < h->n_spots; i++) {
        const hunt_point *spot = &h->spots[i];
        bool only_least = !spot->e.exact && spot->e.low >= spot->e.n;
        if (spot->min_count >= lowest || only_least || hunt_off(h, &spot->e) >= off) continue;
        best = spot->min_count;
        off = hunt_off(h, &spot->e);
    }
    return best;
}
