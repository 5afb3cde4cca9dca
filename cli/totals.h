/* totals.h - what a command is to mine, and the numbers of patterns found in one or more runs
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_TOTALS_H
#define LODE_CLI_TOTALS_H

#include "cli.h"

/* Numbers of all patterns found. */
typedef struct mine_totals {
    uint64_t *sizes; /* number of patterns of each size */
    size_t n_sizes;
    uint64_t hash;              /* 0 unless --hash was given */
    uint64_t bytes, bytes_hash; /* length and hash of the output; 0: there is no output */
} mine_totals;

uint64_t totals_patterns(const mine_totals *t);
/* totals_add() adds numbers of a journal to the totals, and totals_add_sink() those of a sink. Both
 * return false if memory runs out. */
bool totals_add(mine_totals *t, const uint64_t *sizes, size_t n, uint64_t hash,
                lode_pattern_kind kind);
bool totals_add_sink(mine_totals *t, const lode_sink *sink, lode_pattern_kind kind);
void totals_free(mine_totals *t);
/* Prints the numbers, if --count asks for them. */
lode_status totals_print(const mine_totals *t, const cli_args *args, lode_job *job);

/* What is mined, according to the command and its options. */
lode_pattern_kind totals_kind(const cli_args *args);
lode_target totals_target(const cli_args *args);

#endif
