/* probe.c - see probe.h: runs the search, and estimates numbers with their intervals
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/suggest/probe.h"

#include <math.h>

#include "base/os.h"
#include "extras/suggest/support_levels.h"
#include "pipeline/run.h"

static lode_status probe_mine(lode_job *job, const lode_dataset *data, const probe_request *r,
                              lode_sink *sink) {
    lode_mine_options checked, options = {.size = sizeof options,
                                          .target = r->target,
                                          .algorithm = "adaptive",
                                          .min_support = {r->base ? r->base : r->min_count, 0}};
    engine_sample sample = {r->seed, r->parts, r->of, r->by_root};
    engine_task task = {.job = job, .items = {data, &checked}, .sink = sink};
    mine_call call = {&mine_itemsets, &options, &checked, sizeof checked};
    /* Sets are kept by one thread, so that they are the same each time. */
    if (r->parts < r->of || r->keeps_sets) task.items.sample = &sample;
    if (r->deadline > 0) {
        double left = r->deadline - os_seconds();
        options.limit_seconds = left > 1e-3 ? left : 1e-3;
    }
    return mine_run(&task, &call);
}

/* The highest support of an item. */
static uint64_t probe_most(const lode_dataset *data) {
    uint64_t most = 1;
    for (uint32_t i = 0; i < data->item_bound; i++) {
        if (data->item_supports[i] > most) most = data->item_supports[i];
    }
    return most;
}

lode_status probe_run(lode_job *job, const lode_dataset *data, const probe_request *r, probe *out) {
    lode_status status = LODE_OK;
    lode_sink *sink = NULL;
    double start = os_thread_seconds();
    *out = (probe){.by_root = r->by_root};
    out->tally = (tally){.parts = r->parts,
                         .of = r->of,
                         .most = probe_most(data),
                         .least = r->min_count,
                         .enough = r->enough,
                         .too_many = r->too_many > 0 ? r->too_many : INFINITY,
                         .keeps_sets = r->keeps_sets,
                         .plain = r->plain,
                         .cpu_until = r->seconds > 0 ? start + r->seconds : 0,
                         .seed = r->seed};
    LODE_TRY(tally_open(&job->mem, &out->tally));
    LODE_TRY(tally_sink(job, &out->tally, &sink));
    status = probe_mine(job, data, r, sink);
    out->complete = status == LODE_OK;
    if (status == LODE_STOPPED) {
        status = LODE_OK;
        job_clear_message(job);
    }
    out->min_count = job_threshold(job);
    out->seconds = os_thread_seconds() - start;
    out->searching = out->tally.opened > start ? out->seconds - (out->tally.opened - start) : 0;
    tally_add_up(&out->tally);
    out->too_many = !out->complete && out->tally.many;
done:
    lode_sink_free(sink);
    return status;
}

void probe_free(lode_job *job, probe *p) {
    tally_free(&job->mem, &p->tally);
    mem_free(&job->mem, p->consequents, p->consequents ? p->consequents_bytes : 0);
    *p = (probe){0};
}

/* ---- from the parts that were searched to the whole, with an interval ------------------------ */

/* k of `parts` parts were searched. With E patterns outside of all parts and y_j in part j, the
 * estimate is
 *
 *     n = E + (parts / k) * sum y_j                     with the variance
 *     parts² / k * (1 - k / parts) * variance of y_j
 *
 * If the exact number at another threshold is known, the same parts estimate that as well, and the
 * relative errors of both estimates are mostly similar:
 *
 *     n' = n * (exact number there) / (estimate there)
 *
 * Its variance is that of y_j - (n / estimate there) * x_j. It grows with the distance between the
 * thresholds, because branches that are empty at one may not be empty at the other. The better of
 * the two estimates is used. The interval is that of the logarithm, with Student's quantile for k -
 * 1 differences, multiplied by WIDER, since branch sizes are far from normally distributed.
 *
 * If the largest parts are larger than the others by factors, even larger ones may not have been
 * searched. If the logarithms of the largest parts exceed that of the last of them by `spread` on
 * average, the largest of all parts is about (parts / k)^spread times the largest searched one
 * (Hill's estimate for such tails). The interval then extends to TAIL^spread times that.
 *
 * For rules, the number of sets is multiplied by the mean number of consequents of the kept
 * sets. */

#define WIDER      1.35
#define MOST       1e300
#define CERTAIN    0.9999 /* intervals begin below that; else only a bound is meant */
#define TAIL       10.0
#define TAIL_PARTS 4    /* of these, the largest; at least three */
#define DRIFT      0.15 /* error of a correction, for each factor of e between the two numbers */

/* What the parts say of the patterns that reach a support. */
typedef struct parts_sum {
    double n;         /* estimate of all */
    double seen;      /* the patterns really found */
    const double *at; /* the numbers of part j are at[j * stride], j from 1 on */
    size_t stride;
} parts_sum;

static parts_sum sum_parts(const tally *t, uint64_t support) {
    uint32_t level = t->plain ? 0 : level_of(support);
    parts_sum s = {.at = t->counts + (level < t->n_levels ? level : t->n_levels - 1),
                   .stride = t->n_levels};
    if (level >= t->n_levels) return s;
    s.n = s.seen = s.at[0];
    for (uint32_t j = 1; j < t->n_rows; j++) {
        s.seen += s.at[j * s.stride];
        s.n += s.at[j * s.stride] * tally_factor(t);
    }
    return s;
}

/* The variance of s->n, corrected in proportion `slope` by another sum. */
static double sum_variance(const tally *t, const parts_sum *s, const parts_sum *x, double slope) {
    uint32_t k = t->n_rows - 1;
    double sum = 0, squares = 0;
    for (uint32_t j = 1; j <= k; j++) {
        double y = s->at[j * s->stride] - (x ? slope * x->at[j * x->stride] : 0);
        sum += y;
        squares += y * y;
    }
    double variance = k > 1 ? (squares - sum * sum / k) / (k - 1) : squares;
    double of = t->of;
    return of * of / k * (1 - k / of) * variance;
}

/* The n largest numbers of the parts, in descending order. */
static uint32_t largest_parts(const tally *t, const parts_sum *s, uint32_t n, double *largest) {
    uint32_t found = 0;
    for (uint32_t j = 1; j < t->n_rows; j++) {
        double y = s->at[j * s->stride] > 1 ? s->at[j * s->stride] : 1;
        uint32_t at = found < n ? found++ : n - 1;
        if (found == n && at == n - 1 && j > n && y <= largest[at]) continue;
        for (; at > 0 && largest[at - 1] < y; at--) largest[at] = largest[at - 1];
        largest[at] = y;
    }
    return found;
}

/* What a single part that was not searched may have, at most. */
static double tail_of_parts(const tally *t, const parts_sum *s) {
    double largest[64] = {0}, spread = 0;
    uint32_t k = t->n_rows - 1, n = k / TAIL_PARTS < 3 ? 3 : k / TAIL_PARTS;
    n = largest_parts(t, s, n < 64 ? n : 64, largest);
    if (n < 2) return 0;
    for (uint32_t i = 0; i + 1 < n; i++) spread += log(largest[i] / largest[n - 1]) / (n - 1);
    double most = largest[0] * pow(TAIL * t->of / k, spread);
    return most < MOST ? most : MOST;
}

/* Student's quantile for one side of 5 %, near enough from 2 degrees of freedom on. */
static double student(uint32_t degrees) {
    double d = degrees < 2 ? 2 : degrees;
    return 1.645 + 1.6 / d + 1.9 / (d * d);
}

/* Estimates the number of sets and the square of its relative error. The `high` of an estimate
 * allows for what the largest unsearched part may contain. */
static estimate estimate_sets(const probe *p, const anchor *known, uint64_t support,
                              double *error) {
    const tally *t = &p->tally;
    parts_sum s = sum_parts(t, support);
    *error = 0;
    if (t->n_rows == 1) return (estimate){s.n, s.n, s.n, true};
    double n = s.n, variance = sum_variance(t, &s, NULL, 0);
    bool corrects = false;
    if (known && known->min_count >= p->min_count && known->n > 0 && !t->plain) {
        parts_sum x = sum_parts(t, known->min_count);
        double slope = x.n > 0 ? s.n / x.n : 0;
        double corrected = x.n > 0 ? sum_variance(t, &s, &x, slope) : INFINITY;
        if (corrected < variance) {
            n = s.n * known->n / x.n;
            variance = corrected;
            corrects = true;
        }
    }
    *error = n > 0 ? variance / (n * n) : 0;
    if (corrects) *error += pow(DRIFT * log(n / known->n), 2);
    return (estimate){.n = n > s.seen ? n : s.seen, .low = s.seen, .high = tail_of_parts(t, &s)};
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* Computes the mean number of rules per set that reaches a support, and the square of its relative
 * error. Returns true if all sets are known. */
static bool mean_consequents(const probe *p, uint64_t support, double *mean, double *error) {
    const tally_sets *s = &p->tally.sets;
    double weights = 0, sum = 0, squares = 0, mixed = 0, both = 0;
    for (size_t i = 0; i < s->supports.n; i++) {
        if (s->supports.data[i] < support) continue;
        double w = s->parts.data[i] > 0 ? tally_factor(&p->tally) : 1, h = p->consequents[i];
        weights += w;
        sum += w * h;
        squares += w * w * h * h;
        mixed += w * w * h;
        both += w * w;
    }
    *mean = weights > 0 ? sum / weights : 0;
    *error = 0;
    if (s->thinned == 0 && p->tally.n_rows == 1) return true;
    /* If hardly any rule was seen, the uncertainty is one rule more or less. */
    double variance = squares - 2 * *mean * mixed + *mean * *mean * both;
    double least = sum > 0 ? both / weights * sum : 0;
    if (variance < least * 0.25) variance = least * 0.25;
    *error = sum > 0 ? variance / (sum * sum) : 1;
    return false;
}

double probe_sets(const probe *p, uint64_t support) {
    return sum_parts(&p->tally, support).n;
}

estimate probe_estimate(const probe *p, const anchor *known, uint64_t support) {
    double error, more = 0, mean = 1;
    estimate e = estimate_sets(p, known, support, &error);
    bool all = !p->consequents || mean_consequents(p, support, &mean, &more);
    e.n *= mean;
    if (e.exact) e.high = 0; /* no part is missing */
    if (e.exact && all) return (estimate){e.n, e.n, e.n, true};
    uint32_t k = p->tally.n_rows > 1 ? p->tally.n_rows - 2 : 60;
    double wide = exp(WIDER * student(k) * sqrt(error + more));
    double least = p->consequents ? 0 : e.low;
    e.low = e.n / wide > least ? e.n / wide : least;
    double tail = e.n + e.high * mean;
    e.high = e.n * wide > tail ? e.n * wide : tail;
    if (e.low > e.n * CERTAIN) e.low = e.n * CERTAIN;
    e.exact = false;
    return e;
}
