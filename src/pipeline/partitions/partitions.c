/* partitions.c - see partitions.h
 *
 * Pieces are branches that are not finished, on a stack: the top one is searched, and the bottom
 * one, which is the oldest, is handed out first. If no other process can ask for work, a piece is
 * searched in one run of the engine. Otherwise a run takes only a few roots, and a single root with
 * a lot of work is replaced by the items below it, so that there is something to hand out.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "pipeline/partitions/partitions.h"

#include <math.h>

#include "base/check.h"
#include "base/vec.h"
#include "pipeline/partitions/partition_base.h"
#include "pipeline/partitions/partition_data.h"

typedef struct open_piece {
    engine_branch b;
    double share; /* of the progress */
    double chunk; /* expected work that a run should have; 0: not known yet */
} open_piece;

typedef struct partition_stack {
    partition_data data;
    engine_task *task;
    const engine_branches *given; /* the branch to search */
    open_piece *list;
    size_t n, cap;
    double first, part; /* the share of the progress that the run has, … */
    double done;        /* … and how much of it is done, from 0 to 1 */
} partition_stack;

static bool stack_gives(const partition_stack *s) {
    return s->given->give != NULL;
}

static open_piece *stack_top(const partition_stack *s) {
    return &s->list[s->n - 1];
}

static void stack_pop(partition_stack *s) {
    s->done += stack_top(s)->share;
    s->n--;
}

static lode_status stack_push(partition_stack *s, const open_piece *piece) {
    lode_status status = LODE_OK;
    mem *m = &s->task->job->mem;
    if (s->n == s->cap) {
        LODE_TRY(vec_grow(m, (void **)&s->list, s->n, &s->cap, 1, sizeof *s->list));
    }
    s->list[s->n++] = *piece;
done:
    return status;
}

/* ---- filling --------------------------------------------------------------------------------- */

/* Whether b goes on where a ends. */
static bool partition_follows(const engine_branch *a, const engine_branch *b) {
    size_t bytes = a->n_prefix * sizeof *a->prefix;
    if (a->end != b->first || a->n_prefix != b->n_prefix) return false;
    return bytes == 0 || memcmp(a->prefix, b->prefix, bytes) == 0;
}

/* The first branch comes to the top. Neighbours become one piece. */
static lode_status stack_fill(partition_stack *s) {
    lode_status status = LODE_OK;
    const engine_branches *g = s->given;
    double work = 0;
    for (size_t i = 0; i < g->n; i++) work += g->list[i].work;
    for (size_t i = g->n; i-- > 0;) {
        const engine_branch *b = &g->list[i];
        double share = work > 0 ? b->work / work : 1.0 / (double)g->n;
        if (partition_check(&s->data.base, b) == PARTITION_NONSENSE) {
            return job_fail(s->task->job, LODE_INVALID,
                            "task %llu: the items of the prefix are not in the order of the "
                            "search, rarest first",
                            (unsigned long long)i);
        }
        if (s->n > 0 && partition_follows(b, &stack_top(s)->b)) {
            open_piece *top = stack_top(s);
            top->b.first = b->first;
            top->b.own = top->b.own || (b->own && b->n_prefix > 0);
            top->share += share;
            continue;
        }
        open_piece piece = {.b = *b, .share = share};
        if (b->n_prefix == 0) piece.b.own = false; /* the caller reports it (constrain.h) */
        LODE_TRY(stack_push(s, &piece));
    }
done:
    return status;
}

/* ---- the top piece --------------------------------------------------------------------------- */

/* Goes to its prefix and trims its range. *there: something is left of it. */
static lode_status top_enter(partition_stack *s, bool *there) {
    lode_status status = LODE_OK;
    open_piece *top = stack_top(s);
    partition_data *d = &s->data;
    const partition_base *base = &d->base;
    engine_branch *b = &top->b;
    *there = false;
    if (partition_check(base, b) == PARTITION_GONE) return LODE_OK;
    LODE_TRY(partition_data_enter(d, b));
    if (base->total < d->least || partition_is_subsumed(base, b)) return LODE_OK;
    if (b->own) LODE_TRY(partition_data_report(d));
    b->own = false;
    if (b->n_prefix >= s->task->items.options->max_size) return LODE_OK;
    uint32_t bound = partition_bound(base, b);
    if (b->end > bound) b->end = bound;
    while (b->end > b->first && base->supports[b->end - 1] < d->least) b->end--;
    while (b->first < b->end && base->supports[b->first] < d->least) b->first++;
    *there = b->first < b->end;
done:
    return status;
}

static double range_work(const partition_stack *s, uint32_t first, uint32_t end) {
    double work = 0;
    for (uint32_t i = first; i < end; i++) work += s->data.base.weights[i];
    return work;
}

/* The share of the progress of a part of the top's range. */
static double top_share(const partition_stack *s, uint32_t first, uint32_t end) {
    const open_piece *top = stack_top(s);
    double work = range_work(s, top->b.first, top->b.end);
    return work > 0 ? top->share * (range_work(s, first, end) / work) : 0;
}

/* Expects the work of the top piece, and decides how much of it is a run. */
static void top_weigh(partition_stack *s) {
    open_piece *top = stack_top(s);
    partition_weigh(&s->data.base, &top->b, top->b.end, s->data.least);
    if (top->chunk > 0) return;
    top->chunk = range_work(s, top->b.first, top->b.end) / PARTITION_RUNS;
    if (top->chunk < PARTITION_LEAST) top->chunk = PARTITION_LEAST;
}

/* Where the next run ends: from the most frequent items on, as much as a chunk. */
static uint32_t top_run_end(const partition_stack *s) {
    const open_piece *top = stack_top(s);
    const double *weights = s->data.base.weights;
    uint32_t end = top->b.first;
    double work = 0;
    if (!stack_gives(s) || !s->data.engine->ranges) return top->b.end;
    while (end < top->b.end && (work == 0 || work + weights[end] <= top->chunk)) {
        work += weights[end++];
    }
    return end;
}

/* ---- handing out ----------------------------------------------------------------------------- */

/* Returns where the second half of the top's range begins, that of the rarest items, which is
 * handed out. Each half has at least one root. */
static uint32_t top_half(const partition_stack *s) {
    const engine_branch *b = &stack_top(s)->b;
    const double *weights = s->data.base.weights;
    double half = range_work(s, b->first, b->end) / 2, work = 0;
    uint32_t from = b->end;
    while (from > b->first + 1 && (work == 0 || work + weights[from - 1] <= half)) {
        work += weights[--from];
    }
    return from;
}

/* Hands out half of the top, which is all there is. */
static lode_status give_half(partition_stack *s) {
    open_piece *top = stack_top(s);
    engine_branch b = top->b;
    b.first = top_half(s);
    b.work = 0;
    double share = top_share(s, b.first, b.end);
    s->done += share;
    top->share -= share;
    top->b.end = b.first;
    return s->given->give(s->given->user, &b);
}

static lode_status give_oldest(partition_stack *s) {
    open_piece oldest = s->list[0];
    s->n--;
    memmove(s->list, s->list + 1, s->n * sizeof *s->list);
    s->done += oldest.share;
    return s->given->give(s->given->user, &oldest.b);
}

/* Answers other processes that have asked, as long as there is something to give. The top is
 * weighed. */
static lode_status stack_answer(partition_stack *s) {
    lode_status status = LODE_OK;
    lode_job *job = s->task->job;
    while (stack_gives(s) && job_is_asked(job)) {
        const engine_branch *top = &stack_top(s)->b;
        bool more = s->n > 1;
        if (!more && top->end - top->first < 2) return LODE_OK;
        if (!job_claim_ask(job)) return LODE_OK;
        LODE_TRY(more ? give_oldest(s) : give_half(s));
    }
done:
    return status;
}

/* ---- searching ------------------------------------------------------------------------------- */

/* Whether the rarest root of the top becomes a piece of its own: because the engine cannot search
 * the range at once, or because it is a lot of work and the only work that could be handed out. */
static bool top_goes_below(const partition_stack *s) {
    const engine_branch *b = &stack_top(s)->b;
    if (!partition_data_takes(&s->data, b->first)) return true;
    if (!stack_gives(s) || s->n > 1 || b->end - b->first > 1) return false;
    return s->data.base.weights[b->first] > PARTITION_LEAST &&
           b->n_prefix + 1 < s->task->items.options->max_size;
}

static lode_status top_go_below(partition_stack *s) {
    lode_status status = LODE_OK;
    open_piece *top = stack_top(s);
    uint32_t root = top->b.end - 1, *prefix, n = top->b.n_prefix;
    open_piece below = {.b = {.n_prefix = n + 1, .end = root, .own = true}};
    size_t bytes = (n + (size_t)1) * sizeof *prefix;
    LODE_TRY(mem_keep(&s->task->job->mem, &s->data.kept, (void **)&prefix, bytes));
    if (n > 0) memcpy(prefix, top->b.prefix, n * sizeof *prefix);
    prefix[n] = s->data.base.order[root];
    below.b.prefix = prefix;
    below.share = top_share(s, root, root + 1);
    top->share -= below.share;
    top->b.end = root;
    if (top->b.first == root) stack_pop(s);
    status = stack_push(s, &below);
done:
    return status;
}

static lode_status top_search(partition_stack *s) {
    lode_status status = LODE_OK;
    open_piece *top = stack_top(s);
    uint32_t end = top_run_end(s);
    double share = top_share(s, top->b.first, end);
    progress_begin_step(&s->task->job->at, s->first + s->part * s->done, s->part * share);
    LODE_TRY(partition_data_search(&s->data, top->b.first, end));
    s->done += share;
    top->share -= share;
    top->b.first = end;
    if (end == top->b.end) stack_pop(s);
done:
    return status;
}

static lode_status stack_step(partition_stack *s) {
    lode_status status = LODE_OK;
    bool there;
    LODE_TRY(job_check(s->task->job));
    LODE_TRY(top_enter(s, &there));
    if (!there) {
        stack_pop(s);
        return LODE_OK;
    }
    LODE_DEBUG_CHECK(stack_top(s)->b.end <= s->data.base.n,
                     "the roots of a branch end at %u, but there are only %u", stack_top(s)->b.end,
                     s->data.base.n);
    top_weigh(s);
    LODE_TRY(stack_answer(s));
    status = top_goes_below(s) ? top_go_below(s) : top_search(s);
done:
    return status;
}

#if LODE_DEBUG
/* The finished and the open parts must add up to the whole. */
static void stack_validate(const partition_stack *s) {
    double sum = s->done;
    for (size_t i = 0; i < s->n; i++) {
        const engine_branch *b = &s->list[i].b;
        LODE_DEBUG_CHECK(b->first <= b->end, "a branch has roots %u to %u", b->first, b->end);
        sum += s->list[i].share;
    }
    LODE_DEBUG_CHECK(s->given->n == 0 || fabs(sum - 1) < 1e-6,
                     "shares of the work add up to %g instead of 1", sum);
}
#endif

lode_status partitions_run(engine_task *task, const lode_engine *engine,
                           const item_filter *filter) {
    lode_status status = LODE_OK;
    partition_stack s = {.task = task, .given = task->parts.branches};
    s.first = task->job->at.first;
    s.part = task->job->at.part;
    LODE_TRY(partition_data_open(&s.data, task, engine, filter));
    LODE_TRY(stack_fill(&s));
    LODE_VALIDATE(stack_validate(&s));
    while (s.n > 0) LODE_TRY(stack_step(&s));
    LODE_VALIDATE(stack_validate(&s));
done:
    partition_data_close(&s.data);
    mem_free(&task->job->mem, s.list, s.cap * sizeof *s.list);
    progress_begin_step(&task->job->at, s.first, s.part);
    return status;
}

uint64_t partitions_need(const engine_task *task) {
    const lode_profile *p = &task->items.data->profile;
    return partition_base_bytes(task->items.data) +
           partition_data_bytes(task->items.data, p->n_transactions);
}
