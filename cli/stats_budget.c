/* stats_budget.c - what lode stats may take to count patterns
 * SPDX-License-Identifier: Apache-2.0 */
#include "stats.h"

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
        printf(
            "  (-: not counted, because that takes more than %s of memory; --memory SIZE lets it "
            "take more)\n",
            cli_bytes(memory));
    } else if (ended != LODE_OK) {
        printf("  (-: not counted, because that takes more memory than --memory allows)\n");
    }
}
