/* stats_parts.c - see stats.h
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

/* ---- what lode stats may take to count patterns ---------------------------------------------- */

lode_status stats_limit(lode_job **job, const cli_args *args, uint64_t *memory) {
    lode_usage u = LODE_INIT(lode_usage);
    lode_ctx_usage(lode_job_ctx(*job), &u);
    *memory = 0;
    if (cli_word(args, "memory")) return LODE_OK;
    uint64_t left = u.memory_budget > u.memory_used ? u.memory_budget - u.memory_used : 0;
    *memory = STATS_MEMORY + 4 * u.memory_used;
    if (u.memory_budget > 0 && left < *memory) *memory = left > 0 ? left : 1;
    return cli_job_narrow(job, args, *memory);
}

bool stats_is_too_much(lode_status status) {
    return status == LODE_BUDGET || status == LODE_NOMEM || status == LODE_STOPPED;
}

void stats_explain(lode_status ended, uint64_t memory) {
    if (ended == LODE_STOPPED) {
        printf("  (-: not counted, because that takes more than %d seconds)\n", STATS_SECONDS);
    } else if (ended != LODE_OK && memory > 0) {
        printf("  (-: not counted, because that takes more than %s of memory; allow more with "
               "--memory SIZE)\n",
               cli_bytes(memory));
    } else if (ended != LODE_OK) {
        printf("  (-: not counted, because that takes more memory than --memory allows)\n");
    }
}
