/* ctx.c - see ctx.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "runtime/ctx.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/os.h"
#include "base/outfile.h"
#include "runtime/valid.h"

#define CTX_TICK_SECONDS 0.1
#define CTX_SLACK_BYTES  ((uint64_t)1 << 20) /* for small things that nobody counts beforehand */

lode_status lode_ctx_create(lode_ctx **out, const lode_ctx_options *options) {
    lode_ctx_options none = {0};
    if (!out || valid_options(NULL, VALID_CTX, options) != LODE_OK) return LODE_INVALID;
    const lode_ctx_options *o = options ? options : &none;
    const char *device = o->device ? o->device : "auto";
    if (strlen(device) >= CTX_DEVICE_BYTES) return LODE_INVALID;

    /* The context cannot count itself: it holds the counter. */
    mem outside;
    lode_ctx *ctx = NULL;
    mem_init(&outside, o->resize, o->resize_user, 0);
    if (mem_resize(&outside, (void **)&ctx, 0, sizeof *ctx) != LODE_OK) return LODE_NOMEM;
    memset(ctx, 0, sizeof *ctx);
    mem_init(&ctx->mem, o->resize, o->resize_user, o->memory_bytes);
    ctx->threads = o->threads ? o->threads : os_cpu_count();
    memcpy(ctx->device, device, strlen(device) + 1);
    ctx->device_memory = o->device_memory_bytes;
    ctx->log = o->log;
    ctx->log_user = o->log_user;
    ctx->progress = o->progress;
    ctx->progress_user = o->progress_user;
    ctx->phase = "";
    pthread_mutex_init(&ctx->lock, NULL);
    pthread_mutex_init(&ctx->log_lock, NULL);
    *out = ctx;
    return LODE_OK;
}

void lode_ctx_free(lode_ctx *ctx) {
    if (!ctx) return;
    LODE_DEBUG_CHECK(lode_ctx_memory_used(ctx) == 0, "%llu bytes are held by a context's objects",
                     (unsigned long long)lode_ctx_memory_used(ctx));
    pthread_mutex_destroy(&ctx->lock);
    pthread_mutex_destroy(&ctx->log_lock);
    mem outside;
    mem_init(&outside, ctx->mem.resize, ctx->mem.user, 0);
    atomic_init(&outside.used, sizeof *ctx);
    mem_free(&outside, ctx, sizeof *ctx);
}

const char *lode_ctx_error(const lode_ctx *ctx) {
    return ctx ? ctx->message : "";
}

void lode_ctx_cancel(lode_ctx *ctx) {
    if (ctx) atomic_store_explicit(&ctx->halt, CTX_CANCELLED, memory_order_relaxed);
}

void lode_ctx_reset(lode_ctx *ctx) {
    if (!ctx) return;
    atomic_store_explicit(&ctx->halt, CTX_RUNS, memory_order_relaxed);
    ctx_clear_message(ctx);
}

void ctx_halt(lode_ctx *ctx, ctx_halt_reason reason) {
    int runs = CTX_RUNS;
    atomic_compare_exchange_strong(&ctx->halt, &runs, (int)reason);
}

ctx_halt_reason ctx_end_limits(lode_ctx *ctx) {
    int reason = atomic_load(&ctx->halt);
    ctx->deadline = 0;
    atomic_store_explicit(&ctx->total, 0, memory_order_relaxed);
    if (reason != CTX_CANCELLED) atomic_compare_exchange_strong(&ctx->halt, &reason, CTX_RUNS);
    return (ctx_halt_reason)reason;
}

void ctx_start_limits(lode_ctx *ctx, double seconds) {
    ctx_end_limits(ctx); /* a sink may have been stopped between the jobs */
    ctx->deadline = seconds > 0 ? os_seconds() + seconds : 0;
}

lode_status ctx_check_limits(lode_ctx *ctx) {
    if (ctx->on_poll) ctx->on_poll(ctx->on_poll_user);
    if (ctx->deadline > 0 && os_seconds() >= ctx->deadline) ctx_halt(ctx, CTX_LIMIT_TIME);
    switch (atomic_load_explicit(&ctx->halt, memory_order_relaxed)) {
    case CTX_RUNS: return LODE_OK;
    case CTX_CANCELLED: return LODE_CANCELLED;
    default: return LODE_STOPPED;
    }
}

void lode_ctx_raise_threshold(lode_ctx *ctx, uint64_t min_count) {
    if (!ctx) return;
    uint64_t now = ctx_threshold(ctx);
    while (now < min_count && !atomic_compare_exchange_weak(&ctx->threshold, &now, min_count)) {
    }
}

uint64_t lode_ctx_memory_used(const lode_ctx *ctx) {
    return ctx ? atomic_load_explicit(&ctx->mem.used, memory_order_relaxed) : 0;
}

uint64_t lode_ctx_memory_peak(const lode_ctx *ctx) {
    return ctx ? atomic_load_explicit(&ctx->mem.peak, memory_order_relaxed) : 0;
}

lode_status ctx_fail(lode_ctx *ctx, lode_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    pthread_mutex_lock(&ctx->lock);
    if (ctx->message[0] == 0) vsnprintf(ctx->message, sizeof ctx->message, format, args);
    pthread_mutex_unlock(&ctx->lock);
    va_end(args);
    return status;
}

lode_status ctx_broken(lode_ctx *ctx, const char *file, int line, const char *what) {
    pthread_mutex_lock(&ctx->lock);
    snprintf(
        ctx->message, sizeof ctx->message,
        "internal error at %s:%d: %s; please report this with the command and, if you can, the "
        "data",
        check_file(file), line, what);
    pthread_mutex_unlock(&ctx->lock);
    return LODE_INTERNAL;
}

void ctx_clear_message(lode_ctx *ctx) {
    pthread_mutex_lock(&ctx->lock);
    ctx->message[0] = 0;
    ctx->needed = 0;
    pthread_mutex_unlock(&ctx->lock);
}

double ctx_mib(size_t bytes) {
    return (double)bytes / (1 << 20);
}

double ctx_mib_up(size_t bytes) {
    return (double)((bytes / 1024 * 10 + 10 + 1023) / 1024) / 10;
}

uint64_t lode_ctx_memory_needed(const lode_ctx *ctx) {
    return ctx ? ctx->needed : 0;
}

void ctx_forget_need(lode_ctx *ctx) {
    ctx->unsure = false;
    atomic_store_explicit(&ctx->need, 0, memory_order_relaxed);
}

void ctx_note_need(lode_ctx *ctx, uint64_t bytes) {
    size_t now = atomic_load_explicit(&ctx->need, memory_order_relaxed);
    while (now < bytes && !atomic_compare_exchange_weak(&ctx->need, &now, (size_t)bytes)) {
    }
}

/* A budget that is enough, in MiB. Where the job turned out to take more than could be told, it is
 * twice what it had. */
static uint64_t ctx_enough_mib(const lode_ctx *ctx, uint64_t bytes, bool *sure) {
    const uint64_t mib = 1 << 20;
    uint64_t need = atomic_load_explicit(&ctx->need, memory_order_relaxed);
    uint64_t refused = atomic_load_explicit(&ctx->mem.refused, memory_order_relaxed);
    uint64_t budget = ctx->mem.budget == SIZE_MAX ? 0 : ctx->mem.budget;
    if (bytes > need) need = bytes;
    *sure = need > budget && !ctx->unsure;
    if (refused > need && need > budget) need = refused + refused / 4;
    if (need <= budget) need = 2 * (refused > budget ? refused : budget);
    return (need + CTX_SLACK_BYTES + mib - 1) / mib;
}

lode_status ctx_over_budget(lode_ctx *ctx, uint64_t bytes, const char *format, ...) {
    char what[CTX_MESSAGE_BYTES / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    bool sure = true;
    uint64_t mib = ctx_enough_mib(ctx, bytes, &sure);
    pthread_mutex_lock(&ctx->lock);
    if (ctx->message[0] == 0) ctx->needed = mib << 20;
    pthread_mutex_unlock(&ctx->lock);
    return ctx_fail(
        ctx, LODE_BUDGET,
        "the memory budget of %.1f MiB is too small: %s needs %s%llu MiB%s (--memory %lluM)",
        ctx_mib(ctx->mem.budget), what, sure ? "" : "about ", (unsigned long long)mib,
        sure ? "" : ", more if much is found", (unsigned long long)mib);
}

lode_status ctx_explain(lode_ctx *ctx, lode_status status, const char *doing) {
    switch (status) {
    case LODE_OK: return status;
    case LODE_BUDGET: return ctx_over_budget(ctx, 0, "%s", doing);
    case LODE_CANCELLED: return ctx_fail(ctx, status, "%s was interrupted", doing);
    default: return ctx_fail(ctx, status, "%s failed: %s", doing, lode_status_text(status));
    }
}

void ctx_log(lode_ctx *ctx, lode_log_level level, const char *format, ...) {
    if (!ctx->log) return;
    char text[CTX_MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pthread_mutex_lock(&ctx->log_lock);
    ctx->log(ctx->log_user, level, text);
    pthread_mutex_unlock(&ctx->log_lock);
}

void ctx_begin_phase(lode_ctx *ctx, const char *phase) {
    ctx->phase = phase;
    ctx->phase_start = os_seconds();
    ctx_forget_need(ctx);
    ctx->last_tick = ctx->phase_start;
    atomic_store_explicit(&ctx->total, 0, memory_order_relaxed);
}

double ctx_share(lode_ctx *ctx) {
    uint64_t done = atomic_load_explicit(&ctx->done, memory_order_relaxed);
    uint64_t total = atomic_load_explicit(&ctx->total, memory_order_relaxed);
    return total > 0 && done <= total ? (double)done / (double)total : 0;
}

lode_status ctx_tick(lode_ctx *ctx, uint64_t done, uint64_t total) {
    lode_status status = ctx_check(ctx);
    if (total > 0) ctx_note(ctx, done, total);
    if (status != LODE_OK || !ctx->progress) return status;
    double now = os_seconds();
    if (now - ctx->last_tick < CTX_TICK_SECONDS) return LODE_OK;
    ctx->last_tick = now;
    lode_progress progress = {
        .phase = ctx->phase,
        .done = total > 0 ? done : atomic_load_explicit(&ctx->done, memory_order_relaxed),
        .total = total > 0 ? total : atomic_load_explicit(&ctx->total, memory_order_relaxed),
        .patterns = atomic_load_explicit(&ctx->patterns, memory_order_relaxed),
        .seconds = now - ctx->phase_start,
    };
    if (ctx->progress(ctx->progress_user, &progress) == 0) return LODE_OK;
    lode_ctx_cancel(ctx);
    return LODE_CANCELLED;
}

void lode_outputs_discard(void) {
    outfile_abandon_all();
}

const char *lode_version(void) {
    return LODE_VERSION_TEXT;
}

const char *lode_status_text(lode_status status) {
    switch (status) {
    case LODE_OK: return "done";
    case LODE_NOMEM: return "out of memory";
    case LODE_BUDGET: return "memory budget";
    case LODE_CANCELLED: return "interrupted";
    case LODE_INVALID: return "invalid argument";
    case LODE_PARSE: return "malformed input";
    case LODE_IO: return "input or output error";
    case LODE_UNSUPPORTED: return "not supported";
    case LODE_DEVICE: return "device error";
    case LODE_NOTFOUND: return "not found";
    case LODE_STOPPED: return "stopped early";
    case LODE_INTERNAL: return "internal error";
    }
    return "unknown status";
}
