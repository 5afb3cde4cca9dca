/* expect.c - lode_ctx_expect: what will be done with data that are still to be read
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "engine/engine.h"

#define TOP_BYTES 96 /* of a pattern that is kept, and sorted */

/* The engine that was asked for; `auto` without the data is taken for its usual choice. */
static const lode_engine *expected_engine(const lode_mine_options *o) {
    const char *usual = o->reduce || o->root_first || o->root_end ? "frontier" : "adaptive";
    bool automatic = !o->algorithm || strcmp(o->algorithm, "auto") == 0;
    const lode_engine *engine = engine_find(automatic ? usual : o->algorithm);
    return engine ? engine : engine_find(usual);
}

static uint64_t expect_forecast(lode_ctx *ctx, const ctx_sizes *sizes) {
    const lode_mine_options *o = &ctx->expected;
    engine_sizes s = {.data = *sizes, .threads = ctx->threads, .target = o->target};
    ctx->unsure = engine_is_unsure(expected_engine(o), o->target);
    uint64_t kept = o->target == LODE_TARGET_TOP ? o->top_k * 4 * TOP_BYTES : 0;
    return engine_need(expected_engine(o), &s) + kept;
}

void lode_ctx_expect(lode_ctx *ctx, const lode_mine_options *options) {
    ctx->forecast = options ? expect_forecast : NULL;
    ctx->expected = options ? *options : (lode_mine_options){0};
}
