/* test_reclaim.c - unused memory is freed when a budget is short
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "check.h"
#include "runtime/ctx.h"
#include "runtime/job.h"

#define BUDGET ((size_t)1 << 20)
#define BLOCK  ((size_t)100 << 10)

/* Blocks that are kept for later, as what was prepared from a data set is. */
typedef struct store {
    lode_ctx *ctx;
    void *blocks[8];
    unsigned n, n_asked;
} store;

static bool store_reclaim(void *user, size_t bytes) {
    store *s = user;
    size_t freed = 0;
    s->n_asked++;
    while (s->n > 0 && freed < bytes) {
        mem_free(&s->ctx->mem, s->blocks[--s->n], BLOCK);
        freed += BLOCK;
    }
    return freed > 0;
}

static void store_fill(store *s, unsigned n) {
    for (; s->n < n; s->n++) {
        CHECK_EQUAL(mem_zalloc(&s->ctx->mem, &s->blocks[s->n], BLOCK), LODE_OK);
    }
}

static lode_ctx *make_ctx(lode_resize_fn resize, void *user, size_t budget) {
    lode_ctx_options o = {
        .size = sizeof o, .memory_bytes = budget, .resize = resize, .resize_user = user};
    lode_ctx *ctx = NULL;
    CHECK_EQUAL(lode_ctx_create(&ctx, &o), LODE_OK);
    return ctx;
}

static void test_makes_room(void) {
    lode_ctx *ctx = make_ctx(NULL, NULL, BUDGET);
    store first = {.ctx = ctx}, second = {.ctx = ctx};
    ctx_reclaimer a = {.reclaim = store_reclaim, .user = &first};
    ctx_reclaimer b = {.reclaim = store_reclaim, .user = &second};
    mem inner;
    void *block = NULL;
    mem_init_inner(&inner, &ctx->mem, 0);
    ctx_add_reclaimer(ctx, &a);
    ctx_add_reclaimer(ctx, &b);
    store_fill(&first, 5);
    store_fill(&second, 4);

    CHECK_EQUAL(mem_zalloc(&inner, &block, BLOCK), LODE_OK); /* there is room */
    CHECK_EQUAL(first.n_asked + second.n_asked, 0);
    mem_free(&inner, block, BLOCK);
    CHECK_EQUAL(mem_zalloc(&inner, &block, 3 * BLOCK), LODE_OK); /* the oldest gives */
    CHECK_EQUAL(first.n, 2);
    CHECK_EQUAL(second.n, 4);
    mem_free(&inner, block, 3 * BLOCK);
    CHECK_EQUAL(mem_zalloc(&inner, &block, 9 * BLOCK), LODE_OK); /* all that is asked for */
    CHECK_EQUAL(first.n + second.n, 0);
    CHECK_EQUAL(mem_charge(&inner, 5 * BLOCK), LODE_BUDGET); /* nothing is left to give */
    CHECK_EQUAL(mem_used(&inner), 9 * BLOCK);
    mem_free(&inner, block, 9 * BLOCK);

    store_fill(&first, 3);
    unsigned asked = first.n_asked;
    CHECK_EQUAL(mem_charge(&inner, BUDGET + 1), LODE_BUDGET); /* never fits: nothing is lost */
    CHECK_EQUAL(first.n, 3);
    CHECK_EQUAL(first.n_asked, asked);
    ctx_remove_reclaimer(ctx, &a);
    CHECK_EQUAL(mem_charge(&inner, 9 * BLOCK), LODE_BUDGET);
    CHECK_EQUAL(first.n, 3);
    ctx_remove_reclaimer(ctx, &b);
    store_reclaim(&first, SIZE_MAX);
    lode_ctx_free(ctx);
}

/* The budget of a job is its own affair: what lies in the context does not count in it. */
static void test_own_budget(void) {
    lode_ctx *ctx = make_ctx(NULL, NULL, BUDGET);
    store s = {.ctx = ctx};
    ctx_reclaimer r = {.reclaim = store_reclaim, .user = &s};
    mem inner;
    mem_init_inner(&inner, &ctx->mem, BLOCK);
    ctx_add_reclaimer(ctx, &r);
    store_fill(&s, 2);
    CHECK_EQUAL(mem_charge(&inner, 2 * BLOCK), LODE_BUDGET);
    CHECK_EQUAL(s.n, 2);
    ctx_remove_reclaimer(ctx, &r);
    store_reclaim(&s, SIZE_MAX);
    lode_ctx_free(ctx);
}

/* A system with room for a few blocks. */
static void *scarce_resize(void *user, void *pointer, size_t old_bytes, size_t new_bytes,
                           size_t align) {
    size_t *left = user;
    (void)align;
    if (new_bytes > old_bytes && new_bytes - old_bytes > *left) return NULL;
    *left += old_bytes - new_bytes;
    if (new_bytes > 0) return aligned_alloc(64, (new_bytes + 63) / 64 * 64);
    free(pointer);
    return NULL;
}

static void test_system_is_short(void) {
    size_t left = 4 * BLOCK + ((size_t)64 << 10);
    lode_ctx *ctx = make_ctx(scarce_resize, &left, 0);
    store s = {.ctx = ctx};
    ctx_reclaimer r = {.reclaim = store_reclaim, .user = &s};
    void *block = NULL;
    ctx_add_reclaimer(ctx, &r);
    store_fill(&s, 4);
    CHECK_EQUAL(mem_zalloc(&ctx->mem, &block, 2 * BLOCK), LODE_OK);
    CHECK_EQUAL(s.n, 2);
    void *more = NULL;
    CHECK_EQUAL(mem_zalloc(&ctx->mem, &more, 8 * BLOCK), LODE_NOMEM);
    CHECK_EQUAL(s.n, 0);
    mem_free(&ctx->mem, block, 2 * BLOCK);
    ctx_remove_reclaimer(ctx, &r);
    lode_ctx_free(ctx);
}

int main(void) {
    CHECK_RUN(test_makes_room);
    CHECK_RUN(test_own_budget);
    CHECK_RUN(test_system_is_short);
    return check_result();
}
