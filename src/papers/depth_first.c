/* depth_first.c - see depth_first.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/depth_first.h"

#include "itemsets/common/forecast.h"

#define FORECAST_SPAN 0.003 /* the smallest span that is divided by a forecast */
#define TICK          64    /* members between two looks at the clock */

static mem *memory_of(const depth_first *d) {
    return &d->task->job->mem;
}

/* ---- classes ------------------------------------------------------------------------------- */

lode_status depth_first_open(depth_first *d, size_t depth) {
    if (depth == d->n_classes) {
        lode_status status = vec_grow(memory_of(d), (void **)&d->classes, d->n_classes,
                                      &d->cap_classes, 1, sizeof *d->classes);
        if (status != LODE_OK) return status;
        d->classes[d->n_classes++] = (depth_class){0};
    }
    depth_class *c = &d->classes[depth];
    c->n = c->plain.n = c->plain_supports.n = c->next = 0;
    return LODE_OK;
}

lode_status depth_first_add(depth_first *d, size_t depth, depth_member member) {
    depth_class *c = &d->classes[depth];
    if (c->n == c->cap) {
        lode_status status =
            vec_grow(memory_of(d), (void **)&c->members, c->n, &c->cap, 1, sizeof *c->members);
        if (status != LODE_OK) return status;
    }
    c->members[c->n++] = member;
    return LODE_OK;
}

lode_status depth_first_judge(depth_first *d, size_t depth, uint32_t of, depth_member item,
                              bool *is_member) {
    *is_member = item.support < of && item.support >= job_threshold(d->task->job);
    if (item.support == of) return vec_u32_push(memory_of(d), &d->perfect, item.item);
    return *is_member ? depth_first_add(d, depth, item) : LODE_OK;
}

static bool support_before(const depth_member *a, const depth_member *b) {
    return a->support != b->support ? a->support < b->support : a->item < b->item;
}
#define SORT_NAME   sort_members
#define SORT_TYPE   depth_member
#define SORT_BEFORE support_before
#include "base/sort_body.h"

void depth_first_sort(depth_first *d, size_t depth) {
    sort_members(d->classes[depth].members, d->classes[depth].n, NULL);
}

static void drop_rest(depth_first *d, depth_class *c) {
    mem_free(memory_of(d), c->rest, c->rest_bytes);
    c->rest = NULL;
    c->rest_bytes = 0;
}

void depth_first_free(depth_first *d) {
    mem *m = memory_of(d);
    for (size_t i = 0; i < d->n_classes; i++) {
        depth_class *c = &d->classes[i];
        mem_free(m, c->members, c->cap * sizeof *c->members);
        vec_u32_free(m, &c->plain);
        vec_u64_free(m, &c->plain_supports);
        drop_rest(d, c);
    }
    mem_free(m, d->classes, d->cap_classes * sizeof *d->classes);
    vec_u32_free(m, &d->prefix);
    vec_u32_free(m, &d->perfect);
}

/* ---- progress ------------------------------------------------------------------------------ */

/* Divides the span of a large class among its members. `of`: the support of its prefix. */
static lode_status divide_class(depth_first *d, depth_class *c, uint64_t of) {
    lode_status status = LODE_OK;
    const forecast_config config = {.power = 1, .skip_perfect = true};
    uint32_t n = (uint32_t)c->n, *supports = NULL;
    if (c->span < FORECAST_SPAN || n < 2) return LODE_OK;
    LODE_TRY(mem_resize(memory_of(d), (void **)&supports, 0, n * sizeof *supports));
    LODE_TRY(mem_resize(memory_of(d), (void **)&c->rest, 0, n * sizeof *c->rest));
    c->rest_bytes = n * sizeof *c->rest;
    for (uint32_t i = 0; i < n; i++) supports[i] = c->members[i].support;
    forecast_class members = {
        .n = n,
        .supports = supports,
        .of = of,
        .min_count = job_threshold(d->task->job),
        .max_added = d->task->items.options->max_size - (uint32_t)d->prefix.n - 1,
    };
    forecast_members(&members, &config, c->rest);
    forecast_to_rest(c->rest, n);
done:
    mem_free(memory_of(d), supports, supports ? n * sizeof *supports : 0);
    return status;
}

/* Takes out the span of the next member. */
static double take_span(depth_class *c) {
    size_t left = c->n - c->next;
    double span = c->span * (c->rest ? c->rest[c->next] : 1.0 / (double)left);
    c->span -= span;
    return span;
}

/* ---- the loop ------------------------------------------------------------------------------ */

static lode_status report_sets(depth_first *d, const uint32_t *items, const uint64_t *supports,
                               size_t n, size_t n_perfect) {
    lode_batch batch = {
        .prefix = d->prefix.data,
        .n_prefix = (uint32_t)d->prefix.n,
        .items = items,
        .supports = supports,
        .n = (uint32_t)n,
        .perfect = d->perfect.data,
        .n_perfect = (uint32_t)n_perfect,
    };
    return sink_emit(d->worker, &batch);
}

/* Reports the set of the prefix and a member, whose own perfect extensions follow the prefix's. */
static lode_status report_extended(depth_first *d, depth_class *c, const depth_member *member) {
    uint64_t support = member->support;
    if (d->perfect.n > c->n_perfect) {
        return report_sets(d, &member->item, &support, 1, d->perfect.n);
    }
    lode_status status = vec_u32_push(memory_of(d), &c->plain, member->item);
    return status == LODE_OK ? vec_u64_push(memory_of(d), &c->plain_supports, support) : status;
}

/* Ends the class at `depth`, and goes back to its parent. */
static lode_status leave(depth_first *d, size_t depth) {
    depth_class *c = &d->classes[depth];
    lode_status status = LODE_OK;
    if (c->plain.n > 0) {
        status = report_sets(d, c->plain.data, c->plain_supports.data, c->plain.n, c->n_perfect);
    }
    progress_retire(&d->task->job->at, &d->progress, c->span);
    drop_rest(d, c);
    if (depth > 0) {
        d->prefix.n--;
        d->perfect.n = d->classes[depth - 1].n_perfect;
    }
    return status;
}

/* Continues with the next member of the class at *depth. */
static lode_status step(depth_first *d, size_t *depth) {
    lode_status status = LODE_OK;
    depth_class *c = &d->classes[*depth];
    double span = take_span(c);
    size_t at = c->next++;
    depth_member member = c->members[at];
    if (member.support < job_threshold(d->task->job)) {
        progress_retire(&d->task->job->at, &d->progress, span);
        return LODE_OK;
    }
    if (d->n_steps++ % TICK == 0) LODE_TRY(job_tick(d->task->job, 0, 0));
    LODE_TRY(depth_first_open(d, *depth + 1));
    if (d->prefix.n + 1 < d->task->items.options->max_size) LODE_TRY(d->extend(d, *depth, at));
    LODE_TRY(report_extended(d, &d->classes[*depth], &member));
    depth_class *below = &d->classes[*depth + 1];
    if (below->n == 0) {
        d->perfect.n = d->classes[*depth].n_perfect;
        progress_retire(&d->task->job->at, &d->progress, span);
        return LODE_OK;
    }
    LODE_TRY(vec_u32_push(memory_of(d), &d->prefix, member.item));
    below->n_perfect = d->perfect.n;
    below->span = span;
    LODE_TRY(divide_class(d, below, member.support));
    ++*depth;
done:
    return status;
}

lode_status depth_first_search(depth_first *d) {
    lode_status status = LODE_OK;
    size_t depth = 0;
    d->classes[0].span = 1;
    d->task->report->n_threads = 1;
    d->task->report->frequent_items = d->classes[0].n;
    LODE_TRY(sink_open_worker(d->task->sink, &d->worker));
    LODE_TRY(divide_class(d, &d->classes[0], d->task->items.data->total_weight));
    for (;;) {
        const depth_class *c = &d->classes[depth];
        if (c->next < c->n) {
            LODE_TRY(step(d, &depth));
        } else {
            LODE_TRY(leave(d, depth));
            if (depth-- == 0) break;
        }
    }
    progress_flush(&d->task->job->at, &d->progress);
done:;
    lode_status closed = sink_close_worker(d->worker);
    return status == LODE_OK ? closed : status;
}
