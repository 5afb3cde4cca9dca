/* device_forecast.c - expected sets by a knapsack over logarithms of frequencies
 *
 * All items of a bucket are added at once, by binomials, so the time does not depend on how many
 * items there are: n buckets take n (1 + 1/2 + 1/3 + …) steps each, 20,000 in all.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/engine/device_forecast.h"

#include <math.h>

#include "pipeline/engine/device_tuning.h"

#define BUCKETS 64 /* from a frequency of 1 to that of the threshold */

/* How many of the most frequent items lie in each bucket does not matter beyond the first few, so
 * these are taken away from the front. */
static void drop_most_frequent(uint64_t *in_bucket, uint64_t n) {
    for (unsigned b = 0; b <= BUCKETS && n > 0; b++) {
        uint64_t taken = in_bucket[b] < n ? in_bucket[b] : n;
        in_bucket[b] -= taken;
        n -= taken;
    }
}

/* Adds m items of bucket k to sets[b], the number of sets whose buckets add up to b. */
static void add_items(double *sets, unsigned k, uint64_t m) {
    for (unsigned b = BUCKETS; b >= k; b--) { /* downwards: below it, everything is as it was */
        double ways = 1;
        for (unsigned i = 1; i * k <= b && i <= m; i++) {
            ways *= (double)(m - i + 1) / i;
            sets[b] += ways * sets[b - i * k];
        }
    }
}

/* The sets of the items in buckets, without the most frequent ones. */
static void expect_sets(uint64_t *in_bucket, double width, forecast_shape *s) {
    double sets[BUCKETS + 1] = {1};
    drop_most_frequent(in_bucket, CPU_LATTICE_ITEMS);
    for (unsigned k = 1; k <= BUCKETS; k++) {
        if (in_bucket[k] > 0) add_items(sets, k, in_bucket[k]);
    }
    for (unsigned b = 0; b <= BUCKETS; b++) {
        s->nodes += sets[b];
        s->held += sets[b] * exp(-width * b);
    }
}

forecast_shape forecast_shape_of(const forecast_items *items) {
    forecast_shape s = {0};
    uint64_t in_bucket[BUCKETS + 1] = {0};
    double n = (double)items->n_transactions, n_items = 0;
    if (n == 0) return s;
    uint64_t least = items->min_count > 0 ? items->min_count : 1;
    double width = log(n / (double)least) / BUCKETS;
    for (uint32_t i = 0; i < items->n; i++) {
        if (items->supports[i] < least) continue;
        double at = width > 0 ? log(n / (double)items->supports[i]) / width : 0;
        in_bucket[at < 1 ? 1 : at > BUCKETS ? BUCKETS : (unsigned)(at + 0.5)]++;
        n_items++;
        s.occurrences += (double)items->supports[i];
    }
    s.density = n_items > 0 ? s.occurrences / n / n_items : 0;
    expect_sets(in_bucket, width, &s);
    return s;
}

static double of_threads(double microseconds, unsigned threads) {
    return microseconds * 1e-6 / pow(threads > 0 ? threads : 1, CPU_THREADS_POWER);
}

double forecast_cpu(const forecast_items *items, const forecast_shape *s, unsigned threads) {
    double nodes = (double)items->n_transactions * sqrt(s->nodes) * sqrt(s->held);
    bool alone = threads <= 1 && s->density >= CPU_ALONE_DENSITY;
    double occurrence = alone ? CPU_ALONE_OCCURRENCE_US : CPU_OCCURRENCE_US;
    double node = alone ? CPU_ALONE_NODE_US : CPU_NODE_US;
    return of_threads(occurrence * s->occurrences + node * nodes, threads);
}

bool forecast_lists_stay(const forecast_shape *s, unsigned threads) {
    if (s->density >= GPU_LEAST_DENSITY) return false;
    double gpu = GPU_START_SECONDS + of_threads(GPU_LIST_US * s->occurrences, threads);
    return of_threads(CPU_LIST_US * s->occurrences, threads) < gpu;
}

double forecast_cpu_graphs(uint64_t n_edges, double threshold, unsigned threads) {
    if (n_edges == 0) return 0;
    return of_threads(CPU_EDGE_US * (double)n_edges / threshold, threads);
}
