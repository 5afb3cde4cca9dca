/* totals.c - see totals.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "totals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

lode_pattern_kind totals_kind(const cli_args *args) {
    return args->command->groups & LODE_OPTION_GRAPH ? LODE_GRAPHS : LODE_ITEMSETS;
}

lode_target totals_target(const cli_args *args) {
    return totals_kind(args) == LODE_GRAPHS ? lode_options_graph(args->options)->target
                                            : lode_options_mine(args->options)->target;
}

uint64_t totals_patterns(const mine_totals *t) {
    uint64_t n = 0;
    for (size_t i = 0; i < t->n_sizes; i++) n += t->sizes[i];
    return n;
}

bool totals_add(mine_totals *t, const uint64_t *sizes, size_t n, uint64_t hash,
                lode_pattern_kind kind) {
    if (n > t->n_sizes) {
        uint64_t *grown = realloc(t->sizes, n * sizeof *grown);
        if (!grown) return false;
        memset(grown + t->n_sizes, 0, (n - t->n_sizes) * sizeof *grown);
        t->sizes = grown;
        t->n_sizes = n;
    }
    for (size_t i = 0; i < n; i++) t->sizes[i] += sizes[i];
    t->hash = lode_hash_join(kind, (const uint64_t[]){t->hash, hash}, 2);
    return true;
}

bool totals_add_sink(mine_totals *t, const lode_sink *sink, lode_pattern_kind kind) {
    size_t n = lode_sink_largest(sink) + (size_t)1;
    uint64_t *sizes = calloc(n, sizeof *sizes);
    if (!sizes) return false;
    for (size_t i = 0; i < n; i++) sizes[i] = lode_sink_patterns_of_size(sink, (uint32_t)i);
    bool added = totals_add(t, sizes, n, lode_sink_hash_value(sink), kind);
    free(sizes);
    return added;
}

void totals_free(mine_totals *t) {
    free(t->sizes);
    *t = (mine_totals){0};
}

static bool mine_print_counts(const mine_totals *t, bool hashed, FILE *out) {
    for (size_t size = 0; size < t->n_sizes; size++) {
        if (t->sizes[size] > 0) {
            fprintf(out, "%zu %llu\n", size, (unsigned long long)t->sizes[size]);
        }
    }
    fprintf(out, "total %llu\n", (unsigned long long)totals_patterns(t));
    if (hashed) fprintf(out, "hash %016llx\n", (unsigned long long)t->hash);
    return fflush(out) == 0 && !ferror(out);
}

lode_status totals_print(const mine_totals *t, const cli_args *args, lode_job *job) {
    char message[256];
    if (!cli_given(args, "count")) return LODE_OK;
    if (mine_print_counts(t, cli_given(args, "hash"), stdout)) return LODE_OK;
    snprintf(message, sizeof message, "cannot write 'standard output': %s", strerror(errno));
    lode_report_fail(job, LODE_IO, message);
    cli_error("%s", message);
    return LODE_IO;
}
