/* forecast.c - see forecast.h
 *
 * How the constants were found: the true cost of every root class of nine data sets (chess 40%,
 * connect 60%, mushroom 3%, accidents 15%, covtype 10%, retail 0.05%, kosarak 0.15%, T10I4 0.02%,
 * T40I10 0.7%) was measured by searching each class alone, with frontier and with tensor. Then the
 * running sum of the forecasts, as a share of the total, was compared with that of the true costs,
 * at 20 points of the latter. The table has values of a constant, each followed by the mean
 * distance between the two sums:
 *
 *     frontier, no pairs      WIDER 1     0.113     1.5     0.109     2     0.152
 *               power 0.8                 0.112             0.088           0.121
 *     frontier, pairs         WIDER 1     0.042     1.5     0.098     2     0.146
 *     tensor,   no pairs      power 1     0.121     0.8     0.086     0.6   0.079     (WIDER 1.5)
 *
 * "Pairs" are the five dense data sets only, with pairs counted in 4,096 columns; with 448 columns,
 * the distance at WIDER 1 is 0.078. The constants were chosen on the same data, so expect larger
 * distances on other data.
 *
 * The forecasts are numbers of sets; each miner adds the cost of the class itself.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/common/forecast.h"

#include <math.h>

#include "base/bits.h"

#define FORECAST_BINS 32
#define WIDER         1.5 /* the knapsack, where pairs are not known */
#define BLUNT         0.8 /* power, where pairs are not known */
#define LEAST_SAMPLE  8   /* words of a row */
#define MOST_SAMPLE   64
#define PAIR_WORK     50  /* of a pair in addition to its words, in words */
#define PAYS          100 /* the search must be this many times as much work as its forecast */
#define LIKELY        0.9 /* share of the threshold from which on a pair may be frequent */
#define PRIOR         2.0 /* imaginary columns added to a sample, in which items are independent */
#define LARGEST       1e280 /* numbers above are scaled down */
#define LARGEST_LOG   600.0

/* Ways to fill a knapsack of up to this many bins, times e^scale. */
typedef struct knapsack {
    double ways[FORECAST_BINS + 1];
    double scale;
    double unit; /* of a bin */
} knapsack;

static void knapsack_init(knapsack *k, double capacity) {
    for (int i = 0; i <= FORECAST_BINS; i++) k->ways[i] = 1;
    k->scale = 0;
    k->unit = capacity > 0 ? capacity / FORECAST_BINS : 1;
}

/* Adds a thing that may be in or out. A size between two bins counts in both, in proportion. */
static void knapsack_add(knapsack *k, double size) {
    double bins = size / k->unit;
    if (!(bins < FORECAST_BINS + 1)) return;
    int whole = (int)bins;
    double part = bins - whole;
    for (int i = FORECAST_BINS; i > whole; i--) {
        k->ways[i] += (1 - part) * k->ways[i - whole] + part * k->ways[i - whole - 1];
    }
    if (whole <= FORECAST_BINS) k->ways[whole] += (1 - part) * k->ways[0];
    if (k->ways[FORECAST_BINS] < LARGEST) return;
    for (int i = 0; i <= FORECAST_BINS; i++) k->ways[i] /= LARGEST;
    k->scale += log(LARGEST);
}

/* The logarithm of the number of ways to fill at most `capacity`. */
static double knapsack_log(const knapsack *k, double capacity) {
    double bins = capacity / k->unit;
    int whole = bins < FORECAST_BINS ? (int)bins : FORECAST_BINS;
    double part = whole < FORECAST_BINS ? bins - whole : 0;
    double ways = k->ways[whole];
    if (part > 0) ways += part * (k->ways[whole + 1] - ways);
    return ways > 0 ? log(ways) + k->scale : 0;
}

/* An upper bound for the logarithm of the number of sets of at most `most` of n things. */
static double log_sets(uint32_t n, uint32_t most) {
    double sum = 0;
    if (most >= n || most > 64) return n * 0.69314718;
    for (uint32_t i = 0; i < most; i++) sum += log((double)(n - i) / (i + 1));
    return sum;
}

static double room_of(const forecast_class *c, uint32_t member, double wider) {
    double s = c->supports[member], min = c->min_count > 0 ? (double)c->min_count : 1;
    return s > min ? wider * log(s / min) : 0;
}

static double largest_room(const forecast_class *c, double wider) {
    double most = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        double room = room_of(c, i, wider);
        if (room > most) most = room;
    }
    return most;
}

static double class_support(const forecast_class *c) {
    uint64_t of = c->of;
    for (uint32_t i = 0; i < c->n && c->of == 0; i++) {
        if (c->supports[i] > of) of = c->supports[i];
    }
    return of > 0 ? (double)of : 1;
}

/* Turns logarithms into weights, all scaled by the same factor; returns their sum. */
static double weights_finish(double *weights, uint32_t first, uint32_t end, double power) {
    double most = 0, sum = 0;
    for (uint32_t i = first; i < end; i++) {
        if (power * weights[i] > most) most = power * weights[i];
    }
    double less = most > LARGEST_LOG ? most - LARGEST_LOG : 0;
    for (uint32_t i = first; i < end; i++) {
        weights[i] = exp(power * weights[i] - less);
        sum += weights[i];
    }
    return sum;
}

/* The logarithms of all numbers of sets, as if items were independent. */
static void members_logs(const forecast_class *c, bool skip_perfect, double *logs) {
    double of = class_support(c);
    knapsack k;
    knapsack_init(&k, largest_room(c, WIDER));
    for (uint32_t i = c->n; i-- > 0;) {
        logs[i] = knapsack_log(&k, room_of(c, i, WIDER));
        double most = log_sets(c->n - i - 1, c->max_added);
        if (logs[i] > most) logs[i] = most;
        double p = c->supports[i] > 0 ? c->supports[i] / of : 0;
        if (p > 0 && !(skip_perfect && p >= 1)) knapsack_add(&k, p < 1 ? -log(p) : 0);
    }
}

double forecast_members(const forecast_class *c, const forecast_config *config, double *weights) {
    members_logs(c, config->skip_perfect, weights);
    return weights_finish(weights, 0, c->n, config->power * BLUNT);
}

double forecast_below(const forecast_class *c, const forecast_config *config) {
    double of = class_support(c), min = c->min_count > 0 ? (double)c->min_count : 1;
    double room = of > min ? WIDER * log(of / min) : 0;
    knapsack k;
    knapsack_init(&k, room);
    for (uint32_t i = 0; i < c->n; i++) {
        double p = c->supports[i] / of;
        if (p > 0 && !(config->skip_perfect && p >= 1)) knapsack_add(&k, p < 1 ? -log(p) : 0);
    }
    double sets = knapsack_log(&k, room), most = log_sets(c->n, c->max_added);
    if (sets > most) sets = most;
    sets *= config->power * BLUNT;
    return exp(sets < LARGEST_LOG ? sets : LARGEST_LOG);
}

void forecast_to_rest(double *weights, uint32_t n) {
    double rest = 0;
    for (uint32_t i = n; i-- > 0;) {
        rest += weights[i];
        weights[i] = rest > 0 ? weights[i] / rest : 1;
    }
}

/* ---- the root, from a sample ----------------------------------------------------------------- */

/* Words [0, n) * step of the rows. */
typedef struct sample {
    const forecast_rows *rows;
    size_t n, step;
} sample;

static uint64_t sample_count(const sample *s, uint32_t a, uint32_t b) {
    const uint64_t *x = s->rows->rows + a * s->rows->words, *y = s->rows->rows + b * s->rows->words;
    uint64_t n = 0;
    for (size_t i = 0; i < s->n; i++) n += bits_count(x[i * s->step] & y[i * s->step]);
    return n;
}

static double root_log(const forecast_class *c, bool skip_perfect, const sample *s, uint32_t root) {
    double have = (double)sample_count(s, root, root), of = class_support(c);
    double least = LIKELY * (double)c->min_count / c->supports[root];
    knapsack k;
    knapsack_init(&k, room_of(c, root, 1));
    uint32_t n = 0;
    for (uint32_t i = root + 1; i < c->n; i++) {
        double both = (double)sample_count(s, root, i);
        double p = (both + PRIOR * c->supports[i] / of) / (have + PRIOR);
        bool perfect = both == have && have > 0;
        if (p < least || (perfect && skip_perfect)) continue;
        knapsack_add(&k, p < 1 ? -log(p) : 0);
        n++;
    }
    double sets = knapsack_log(&k, room_of(c, root, 1)), most = log_sets(n, c->max_added);
    return sets < most ? sets : most;
}

/* How many words of each row a sample may have, for what the search is expected to take. */
static size_t sample_words(const forecast_class *c, const forecast_config *config,
                           const forecast_rows *rows, double log_work) {
    double pairs = (double)c->n * c->n / 2, work = log_work < 100 ? exp(log_work) : 1e40;
    double pays = work * config->set_work / PAYS / (pairs + 1) - PAIR_WORK;
    if (!rows->rows || pays < LEAST_SAMPLE) return 0;
    size_t n = pays < MOST_SAMPLE ? (size_t)pays : MOST_SAMPLE;
    return n < rows->words ? n : rows->words;
}

static double largest_of(const double *values, uint32_t n) {
    double most = 0;
    for (uint32_t i = 0; i < n; i++) most = values[i] > most ? values[i] : most;
    return most;
}

bool forecast_roots(const forecast_class *c, const forecast_config *config,
                    const forecast_rows *rows, uint32_t first, uint32_t end, double *weights) {
    members_logs(c, config->skip_perfect, weights);
    sample s = {.rows = rows, .n = sample_words(c, config, rows, largest_of(weights, c->n))};
    if (s.n == 0) {
        weights_finish(weights, first, end, config->power * BLUNT);
        return false;
    }
    s.step = rows->words / s.n;
    for (uint32_t i = first; i < end; i++) weights[i] = root_log(c, config->skip_perfect, &s, i);
    weights_finish(weights, first, end, config->power);
    return true;
}
