/* branch.c - see branch.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "itemsets/adaptive/branch.h"

#include "itemsets/adaptive/plan.h"
#include "itemsets/adaptive/walk.h"

/* ---- what is wanted -------------------------------------------------------------------------- */

static void branch_mark(adaptive_root *root, const engine_branch *b) {
    uint32_t n = root->n_always + root->items.n;
    for (uint32_t i = b->first; i < b->end && i < n; i++) root->wanted[i] = true;
}

lode_status branch_open(adaptive_branches *b, adaptive_root *root, const engine_task *task) {
    lode_status status = LODE_OK;
    const engine_branches *of = task->parts.branches;
    mem *m = &task->job->mem;
    *b = (adaptive_branches){0};
    if (!of) return LODE_OK;
    size_t ranks = root->n_always + (size_t)root->items.n + 1;
    LODE_TRY(mem_zalloc(m, (void **)&root->wanted, ranks));
    root->n_wanted = ranks;
    LODE_TRY(mem_zalloc(m, (void **)&b->list, (of->n + 1) * sizeof *b->list));
    b->n = of->n;
    pthread_mutex_init(&b->lock, NULL);
    b->open = true;
    size_t n = 0;
    for (size_t i = 0; i < of->n; i++) {
        const engine_branch *one = &of->list[i];
        b->work += one->work;
        if (one->n_prefix == 0) {
            branch_mark(root, one);
            b->at_root += one->work;
        } else {
            b->list[n++] = one;
        }
    }
    b->end = n;
done:
    return status;
}

void branch_close(adaptive_branches *b, adaptive_root *root, mem *m) {
    if (b->open) {
        pthread_mutex_destroy(&b->lock);
        mem_free(m, b->list, (b->n + 1) * sizeof *b->list);
    }
    mem_free(m, root->wanted, root->wanted ? root->n_wanted : 0);
    root->wanted = NULL;
}

/* ---- taking one after the other -------------------------------------------------------------- */

/* The item of the root whose branch it is in; `n` if that is not frequent any more. */
static uint32_t branch_root_item(const adaptive_root *root, const engine_branch *b, uint32_t n) {
    for (uint32_t i = 0; i < b->n_prefix; i++) {
        uint32_t item = root->rank[b->prefix[i]];
        if (item != NO_RANK) return item;
    }
    return n;
}

void branch_begin(adaptive_branches *b, const adaptive_root *root) {
    size_t n = b->end, end = b->next;
    if (!b->open) return;
    for (size_t i = b->next; i < n; i++) {
        const engine_branch *one = b->list[i];
        uint32_t item = branch_root_item(root, one, root->items.n);
        if (item < root->first || item >= root->end) continue;
        b->list[i] = b->list[end];
        b->list[end++] = one;
    }
    b->here = end;
}

const engine_branch *branch_take(adaptive_branches *b) {
    const engine_branch *one = NULL;
    if (!b->open) return NULL;
    pthread_mutex_lock(&b->lock);
    if (b->next < b->here) one = b->list[b->next++];
    pthread_mutex_unlock(&b->lock);
    return one;
}

const engine_branch *branch_take_last(adaptive_branches *b) {
    const engine_branch *one = NULL;
    if (!b->open) return NULL;
    pthread_mutex_lock(&b->lock);
    if (b->next < b->here) { /* the last one of all takes its place */
        one = b->list[--b->here];
        b->list[b->here] = b->list[--b->end];
    }
    pthread_mutex_unlock(&b->lock);
    return one;
}

/* ---- dividing -------------------------------------------------------------------------------- */

/* The items below a prefix, and the work expected below each. `of` contains the prefix and says
 * whether it is to be reported. */
typedef struct branch_items {
    engine_branch of;
    const item_list *items;
    const double *weights;
    bool divides;   /* branches below an item can be divided further */
    uint32_t block; /* number of consecutive items counted together: root_block */
} branch_items;

/* An item that would be counted together with its block gets a branch of its own only if its work
 * is this many times the usual minimum. [guess] */
#define BRANCH_ALONE 4

/* Adds branches for the items of one prefix: each heavy item gets its own, light ones share one.
 * The prefix itself is reported with the first branch. */
static lode_status divide_items(const adaptive *a, const branch_items *s, branch_list *into) {
    lode_status status = LODE_OK;
    double least = branches_least(into);
    double alone_from = s->block > 1 ? BRANCH_ALONE * least : least;
    engine_branch light = s->of;
    light.end = light.first;
    light.work = light.own ? SPAN_NODE : 0;
    for (uint32_t i = 0; i < s->items->n; i++) {
        uint32_t rank = a->root.n_always + a->root.rank[s->items->ids[i]];
        engine_branch alone = s->of;
        bool heavy = s->weights[i] >= alone_from;
        if (!heavy) light.work += s->weights[i];
        if (!heavy) light.end = rank + 1;
        bool full = light.work >= least && (light.end - light.first) % s->block == 0;
        if (light.end > light.first && (heavy || full)) {
            LODE_TRY(branches_add(into, &light, false));
            light.own = false;
            light.work = 0;
            light.first = light.end;
        }
        if (!heavy) continue;
        alone.own = false;
        alone.work = s->weights[i];
        alone.first = rank;
        alone.end = light.first = light.end = rank + 1;
        LODE_TRY(branches_add(into, &alone, s->divides));
    }
    if (light.own || light.end > light.first) status = branches_add(into, &light, false);
done:
    return status;
}

typedef struct branch_survey {
    const adaptive *a;
    branch_list *into;
    engine_branch of;
} branch_survey;

static lode_status survey_add(walk_found *found) {
    const branch_survey *s = found->user;
    branch_items below = {s->of, &found->items, found->weights, true, 1};
    return divide_items(s->a, &below, s->into);
}

/* Divides the branch of one item. */
static lode_status divide_branch(adaptive *a, const adaptive_root *root, const engine_branch *b,
                                 branch_list *into) {
    lode_status status = LODE_OK;
    const item_list *items = &root->items;
    branch_survey survey = {a, into, {.own = true, .n_prefix = b->n_prefix + 1}};
    walk_found found = {.add = survey_add, .user = &survey};
    uint32_t id = items->ids[b->first - root->n_always];
    LODE_TRY(branches_prefix(into, b, &id, 1, &survey.of.prefix));
    LODE_TRY(walk_survey(a, &root->db, &survey.of, &found));
done:
    return status;
}

lode_status branch_divide(adaptive *a, const adaptive_root *root, const adaptive_plan *plan,
                          branch_list *into) {
    lode_status status = LODE_OK;
    bool divides = a->shapes[root->db.shape] && root->first == 0 && root->end == root->items.n;
    uint32_t block = a->root.block.counts ? ROOT_BLOCK : 1;
    branch_items items = {{.first = root->n_always}, &root->items, plan->weights, divides, block};
    engine_branch always = {.end = root->n_always, .own = true}, next;
    branches_expect(into, plan->sum);
    LODE_TRY(branches_add(into, &always, false));
    LODE_TRY(divide_items(a, &items, into));
    while (branches_next(into, &next)) {
        LODE_TRY(job_check(a->job));
        LODE_TRY(divide_branch(a, root, &next, into));
    }
done:
    return status;
}
