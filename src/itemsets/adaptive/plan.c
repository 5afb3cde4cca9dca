/* plan.c - see plan.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/plan.h"

#include <math.h>

#include "base/os.h"
#include "itemsets/adaptive/span.h"
#include "itemsets/adaptive/walk.h"

lode_status plan_open(adaptive_plan *plan, const adaptive_root *root, const engine_task *task) {
    adaptive a = {.job = task->job,
                  .wanted.max_size = adaptive_task_longest(task),
                  .wanted.target = task->items.options->target,
                  .root.twins = root->twins};
    *plan = (adaptive_plan){.n = root->to, .left = 1, .start = os_seconds()};
    plan->bytes = 3 * (plan->n + (size_t)1) * sizeof *plan->weights;
    lode_status status = mem_resize(&a.job->mem, (void **)&plan->weights, 0, plan->bytes);
    if (status != LODE_OK) return status;
    pthread_mutex_init(&plan->lock, NULL);
    plan->open = true;
    plan->prior = plan->weights + plan->n + 1;
    plan->probed = plan->prior + plan->n + 1;
    plan->sum = span_weigh(&a, &root->items, (uint32_t)task->items.data->total_weight, root->from,
                           root->to, plan->weights);
    for (uint32_t i = root->from; i < plan->n; i++) {
        plan->prior[i] = plan->weights[i];
        plan->probed[i] = NAN;
    }
    return LODE_OK;
}

void plan_close(adaptive_plan *plan, mem *m) {
    if (plan->open) pthread_mutex_destroy(&plan->lock);
    mem_free(m, plan->weights, plan->weights ? plan->bytes : 0);
}

void plan_begin(adaptive_plan *plan, uint32_t first) {
    plan->next = first;
    plan->stop = UINT32_MAX;
}

void plan_narrow(adaptive_plan *plan, const adaptive_root *root, double share) {
    plan->wanted = root->wanted + root->n_always;
    plan->left = share;
    plan->sum = 0;
    for (uint32_t i = root->from; i < plan->n; i++) {
        if (!plan->wanted[i]) plan->weights[i] = 0;
        plan->sum += plan->weights[i];
    }
}

/* Where the items of the slice end that this process searches. */
static uint32_t plan_end(const adaptive_plan *plan, const adaptive_root *root) {
    return plan->stop < root->end ? plan->stop : root->end;
}

static bool plan_wants(const adaptive_plan *plan, uint32_t item) {
    return !plan->wanted || plan->wanted[item];
}

bool plan_cut(adaptive_plan *plan, const adaptive_root *root, uint32_t *first, uint32_t *end) {
    double work = 0;
    pthread_mutex_lock(&plan->lock);
    double half = plan->sum / 2;
    uint32_t to = plan_end(plan, root);
    while (to > plan->next && !plan_wants(plan, to - 1)) to--;
    uint32_t from = to;
    while (from > plan->next && plan_wants(plan, from - 1) && (from == to || work < half)) {
        from--;
        work += plan->weights[from];
        if (!isnan(plan->probed[from])) plan->n_probes--;
    }
    plan->sum -= work;
    plan->stop = from;
    pthread_mutex_unlock(&plan->lock);
    *first = from;
    *end = to;
    return from < to;
}

/* ---- probing --------------------------------------------------------------------------------- */

/* Where to probe next: golden-section steps spread the probes evenly over the items left. */
static uint32_t plan_choose(adaptive_plan *plan, uint32_t end) {
    double at = (double)++plan->turn * 0.6180339887498949;
    return plan->next + (uint32_t)((at - floor(at)) * (end - plan->next));
}

/* Recomputes the weights. The logarithm of work / prior is interpolated, by item number, between
 * two probed items; before the first probed item and after the last it is constant. */
static void plan_weigh_anew(adaptive_plan *plan) {
    uint32_t before = plan->n, i = plan->next;
    plan->sum = 0;
    while (i < plan->n) {
        uint32_t to = i;
        while (to < plan->n && isnan(plan->probed[to])) to++;
        double left = before < plan->n ? plan->probed[before] : plan->probed[to < plan->n ? to : i];
        double right = to < plan->n ? plan->probed[to] : left;
        double width = before < plan->n ? to - before : 1;
        for (uint32_t k = i; k <= to && k < plan->n; k++) {
            double share = before < plan->n ? (k - before) / width : 1;
            double ratio = k == to ? right : left + (right - left) * share;
            plan->weights[k] = plan->prior[k] * exp(isnan(ratio) ? 0 : ratio);
            plan->sum += plan->weights[k];
        }
        before = to;
        i = to + 1;
    }
}

/* Returns the seconds that may have been spent on probing by now. The expected time is that of all
 * frequent sets; closed and maximal sets take less, so for them only the elapsed time counts. */
static double plan_allowed(const adaptive_plan *plan, const adaptive *a, double now) {
    double passed = now - plan->start, expected = PLAN_TRUST * plan->sum * SPAN_SECONDS;
    if (a->wanted.keeps_earlier) expected = 0;
    if (expected > PLAN_MOST) expected = PLAN_MOST;
    return PLAN_EFFORT * (passed > expected ? passed : expected);
}

/* Computing all weights takes a look at every item left, so it waits for many more probes. */
static bool is_time_to_weigh(const adaptive_plan *plan, uint32_t end) {
    if (plan->n_probes <= plan->n_weighed) return false;
    if (plan->n_probes == end - plan->next) return true;
    return plan->n_probes >= PLAN_FEW && plan->n_probes >= PLAN_MORE * plan->n_weighed;
}

/* Probes one of the items that are left. */
static lode_status plan_probe_one(adaptive_plan *plan, adaptive *a, const adaptive_root *root) {
    uint32_t end = plan_end(plan, root), item = plan_choose(plan, end);
    double work = 0;
    while (!isnan(plan->probed[item])) item = item + 1 < end ? item + 1 : plan->next;
    lode_status status = walk_probe(a, &root->db, item, &work);
    if (status != LODE_OK) return status;
    plan->probed[item] = log(work / plan->prior[item]);
    plan->n_probes++;
    return LODE_OK;
}

lode_status plan_survey(adaptive_plan *plan, adaptive *a, const adaptive_root *root,
                        uint32_t probes) {
    lode_status status = LODE_OK;
    uint32_t n = root->end - plan->next;
    for (uint32_t i = 0; i < probes && i < n; i++) {
        LODE_TRY(job_check(a->job));
        LODE_TRY(plan_probe_one(plan, a, root));
    }
    if (n > 0 && probes > 0) plan_weigh_anew(plan);
done:
    return status;
}

/* Probes some of the items that are left, as far as there is time for it. */
static void plan_probe(adaptive_plan *plan, adaptive *a, const adaptive_root *root) {
    double now = os_seconds(), from = now;
    uint32_t end = plan_end(plan, root);
    if (plan->wanted) return; /* the caller that chose them has weighed them */
    while (plan->n_probes < end - plan->next && plan->spent < plan_allowed(plan, a, now)) {
        if (plan_probe_one(plan, a, root) != LODE_OK) return;
        now = os_seconds();
        plan->spent += now - from;
        from = now;
    }
    if (!is_time_to_weigh(plan, end)) return;
    plan_weigh_anew(plan);
    plan->n_weighed = plan->n_probes;
    plan->spent += os_seconds() - now;
}

/* Whether to check if a probe is due. If there are very many items this is not done before each of
 * them, because searching one takes less time than reading the clock. */
static bool plan_looks(const adaptive_plan *plan, uint32_t end) {
    return plan->next % (1 + (end - plan->next) / PLAN_LOOKS) == 0;
}

/* Returns how many items a worker takes at a time: a block, if counting them together pays and
 * enough items are left for all workers. */
static uint32_t plan_block(const adaptive_plan *plan, const adaptive *a, uint32_t end) {
    uint32_t left = end - plan->next;
    bool many = left / (ROOT_BLOCK * ROOT_BLOCK) >= a->job->threads;
    if (!a->root.block.counts || a->wanted.sample || !many) return 1;
    for (uint32_t i = 0; i < ROOT_BLOCK; i++) {
        if (!plan_wants(plan, plan->next + i)) return 1;
    }
    return ROOT_BLOCK;
}

static void plan_take_block(adaptive_plan *plan, adaptive *a, const adaptive_root *root) {
    root_block *b = &a->root.block;
    b->first = b->next = plan->next;
    b->end = plan->next += plan_block(plan, a, plan_end(plan, root));
    b->weight = 0;
    b->counted = false;
    for (uint32_t i = b->first; i < b->end; i++) {
        if (!isnan(plan->probed[i])) plan->n_probes--;
        b->weight += plan->weights[i];
    }
    if (plan->n_weighed > plan->n_probes) plan->n_weighed = plan->n_probes;
    b->span = plan->sum > b->weight ? plan->left * b->weight / plan->sum : plan->left;
    plan->left -= b->span;
    plan->sum -= b->weight;
}

bool plan_take(adaptive_plan *plan, adaptive *a, const adaptive_root *root, uint32_t *item) {
    root_block *b = &a->root.block;
    if (!plan_has_taken(a)) {
        pthread_mutex_lock(&plan->lock);
        while (plan->next < plan_end(plan, root) && !plan_wants(plan, plan->next)) plan->next++;
        bool got = plan->next < plan_end(plan, root);
        if (got) {
            if (plan_looks(plan, root->end)) plan_probe(plan, a, root);
            plan_take_block(plan, a, root);
        }
        pthread_mutex_unlock(&plan->lock);
        if (!got) return false;
    }
    *item = b->next++;
    double weight = plan->weights[*item]; /* weights of taken items do not change */
    a->progress.span =
        b->next < b->end && b->weight > weight ? b->span * weight / b->weight : b->span;
    b->span -= a->progress.span;
    b->weight -= weight;
    return true;
}
