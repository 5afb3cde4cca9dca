/* expect.c - lode_job_expect(): announces the mining of data that are still to be read
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/engine/engine.h"
#include "runtime/valid.h"

#define TOP_BYTES 96 /* of a pattern that is kept, and sorted */

/* The engine that was asked for; `auto` without the data is taken for its usual choice. */
static const lode_engine *expected_engine(const lode_mine_options *o) {
    const char *usual = o->reduce ? "frontier" : "adaptive";
    bool automatic = !o->algorithm || strcmp(o->algorithm, "auto") == 0;
    const lode_engine *engine = engine_find(LODE_ITEMSETS, automatic ? usual : o->algorithm);
    return engine ? engine : engine_find(LODE_ITEMSETS, usual);
}

/* Consumers: as many as the text of the device says, or a thread each. */
static unsigned expected_threads(const lode_job *job) {
    const char *star = strncmp(job->device, "cpu*", 4) == 0 ? job->device + 4 : NULL;
    unsigned long n = star ? strtoul(star, NULL, 10) : 0;
    return n > 0 && n < 1024 ? (unsigned)n : job->threads;
}

static uint64_t expect_forecast(lode_job *job, const job_sizes *sizes) {
    const lode_mine_options *o = &job->expected;
    engine_sizes s = {.data = *sizes, .threads = expected_threads(job), .target = o->target};
    job->unsure = engine_is_unsure(expected_engine(o), o->target);
    uint64_t kept = o->target == LODE_TARGET_TOP ? o->top_k * 4 * TOP_BYTES : 0;
    return engine_need(expected_engine(o), &s) + kept;
}

lode_status lode_job_expect(lode_job *job, const lode_mine_options *options) {
    lode_mine_options checked;
    VALID_CALL(job, {true, "options"});
    lode_status status = valid_take(job, VALID_MINE, options, &checked);
    if (status != LODE_OK) return status;
    job->forecast = options ? expect_forecast : NULL;
    job->expected = checked;
    /* The texts belong to the caller, and constraints only reduce the memory needed. */
    job->expected.include = job->expected.exclude = job->expected.groups = NULL;
    if (checked.algorithm) {
        snprintf(job->expected_algorithm, sizeof job->expected_algorithm, "%s", checked.algorithm);
        job->expected.algorithm = job->expected_algorithm;
    }
    return LODE_OK;
}
