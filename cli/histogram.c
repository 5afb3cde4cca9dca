/* histogram.c - see stats.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "stats.h"

#define BAR_WIDTH 40

void histogram_add(histogram *h, uint64_t value) {
    unsigned bucket = 0;
    while (value > 0 && bucket < N_BUCKETS - 1) {
        value >>= 1;
        bucket++;
    }
    h->n[bucket]++;
}

static void print_bar(uint64_t n, uint64_t most) {
    int width = most ? (int)((n * BAR_WIDTH + most - 1) / most) : 0;
    for (int i = 0; i < width; i++) putchar('#');
}

void histogram_print(const histogram *h, const char *title) {
    uint64_t most = 0;
    unsigned first = N_BUCKETS, last = 0;
    for (unsigned k = 0; k < N_BUCKETS; k++) {
        if (h->n[k] == 0) continue;
        if (first == N_BUCKETS) first = k;
        last = k;
        if (h->n[k] > most) most = h->n[k];
    }
    printf("\n%s\n", title);
    for (unsigned k = first; k <= last && first < N_BUCKETS; k++) {
        char range[48];
        unsigned long long low = k ? 1ull << (k - 1) : 0, high = k ? (1ull << k) - 1 : 0;
        snprintf(range, sizeof range, low == high ? "%llu" : "%llu-%llu", low, high);
        printf("  %13s %11s  ", range, cli_count(h->n[k]));
        print_bar(h->n[k], most);
        putchar('\n');
    }
}
