/* mine_tasks.c - searches in parts, for several processes: lode/tasks.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "data/graphs/graphs.h"
#include "data/transactions/dataset.h"
#include "pipeline/batches.h"
#include "pipeline/divide.h"
#include "pipeline/engine/branches.h"

/* Default interval of `done`, in seconds: a killed process loses this much work. */
#define TASKS_DONE_SECONDS 1

/* ---- the list -------------------------------------------------------------------------------- */

struct lode_tasks {
    lode_job *job;
    branch_list list;
    uint64_t hash;
    uint32_t share, n_shares; /* they are only those of a share; 0: all */
};

/* Replaces ids by the items of lode.h, in place: prefixes belong to this list alone. Branches of
 * one prefix share it and are neighbours in the list. */
static void tasks_name_items(const lode_tasks *t, const lode_dataset *data) {
    const uint32_t *done = NULL;
    for (size_t i = 0; i < t->list.n; i++) {
        const engine_branch *b = &t->list.list[i];
        if (b->prefix == done) continue;
        uint32_t *prefix = (uint32_t *)(uintptr_t)b->prefix;
        for (uint32_t k = 0; k < b->n_prefix; k++) prefix[k] = dataset_item_of(data, prefix[k]);
        done = b->prefix;
    }
}

/* Options of either kind. */
typedef union tasks_options {
    lode_mine_options items;
    lode_graph_options graphs;
} tasks_options;

/* The call of a task whose data are set: its options are copied to `copy`. */
static mine_call tasks_call_of(engine_task *task, const void *given, tasks_options *copy) {
    if (task->items.data) {
        task->items.options = &copy->items;
        return (mine_call){&mine_itemsets, given, &copy->items, sizeof copy->items};
    }
    task->graphs.options = &copy->graphs;
    return (mine_call){&mine_graphs, given, &copy->graphs, sizeof copy->graphs};
}

/* The share of the options, and a goal if none is given. */
static lode_status tasks_plan(engine_task *task, const mine_call *call, lode_tasks *t,
                              uint32_t goal) {
    lode_status status = LODE_OK;
    LODE_TRY(valid_take_bytes(task->job, call->kind->options, call->given, call->copy,
                              call->copy_bytes));
    LODE_TRY(call->kind->read(task, call->copy));
    const engine_request *r = &task->request;
    t->share = r->share;
    t->n_shares = r->n_shares;
    if (goal == 0 && r->n_shares > 0) goal = divide_goal(task, r->n_shares);
    if (goal == 0) return job_fail(task->job, LODE_INVALID, "the number of tasks is 0");
    branches_init(&t->list, &task->job->mem, goal);
done:
    return status;
}

/* Leaves only the tasks of the share, if there is one, and computes the hash of all. */
static lode_status tasks_deal(lode_tasks *t) {
    lode_status status = LODE_OK;
    mem *m = &t->job->mem;
    branch_list *l = &t->list;
    uint32_t *share = NULL;
    size_t n = 0, bytes = (l->n + 1) * sizeof *share;
    LODE_TRY(mem_resize(m, (void **)&share, 0, bytes));
    LODE_TRY(branches_deal(l, t->n_shares > 0 ? t->n_shares : 1, share, &t->hash));
    for (size_t i = 0; i < l->n; i++) {
        if (t->n_shares == 0 || share[i] == t->share) l->list[n++] = l->list[i];
    }
    l->n = n;
done:
    mem_free(m, share, share ? bytes : 0);
    return status;
}

/* Divides a search of the data that the task has. */
static lode_status tasks_make(engine_task *task, const void *options, uint32_t goal,
                              lode_tasks **out) {
    lode_status status = LODE_OK;
    lode_tasks *t = NULL;
    tasks_options checked;
    mine_call call = tasks_call_of(task, options, &checked);
    LODE_TRY(mem_zalloc(&task->job->mem, (void **)&t, sizeof *t));
    t->job = task->job;
    LODE_TRY(tasks_plan(task, &call, t, goal));
    task->parts.division = &t->list;
    LODE_TRY(mine_prepare(task, &call));
    LODE_TRY(tasks_deal(t));
    if (task->items.data) tasks_name_items(t, task->items.data);
    *out = t;
done:
    if (status != LODE_OK) lode_tasks_free(t);
    return status == LODE_OK ? status : job_explain(task->job, status, "dividing a search");
}

lode_status lode_tasks_create(lode_job *job, lode_tasks **out, const lode_dataset *data,
                              const lode_mine_options *options, uint32_t goal) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data), VALID_NEEDS(options));
    return tasks_make(&(engine_task){.job = job, .items.data = data}, options, goal, out);
}

lode_status lode_graph_tasks_create(lode_job *job, lode_tasks **out, const lode_graphs *data,
                                    const lode_graph_options *options, uint32_t goal) {
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data), VALID_NEEDS(options));
    return tasks_make(&(engine_task){.job = job, .graphs.data = data}, options, goal, out);
}

void lode_tasks_free(lode_tasks *tasks) {
    if (!tasks) return;
    branches_free(&tasks->list);
    mem_free(&tasks->job->mem, tasks, sizeof *tasks);
}

size_t lode_tasks_count(const lode_tasks *tasks) {
    return tasks ? tasks->list.n : 0;
}

static lode_task task_of(const engine_branch *b) {
    return (lode_task){.size = sizeof(lode_task),
                       .prefix = b->prefix,
                       .n_prefix = b->n_prefix,
                       .first = b->first,
                       .end = b->end,
                       .own = b->own,
                       .work = b->work};
}

bool lode_tasks_at(const lode_tasks *tasks, size_t i, lode_task *out) {
    bool there = tasks && i < tasks->list.n;
    lode_task task = {0};
    if (there) task = task_of(&tasks->list.list[i]);
    return valid_fill(out, there ? &task : NULL) && there;
}

uint64_t lode_tasks_hash(const lode_tasks *tasks) {
    return tasks ? tasks->hash : 0;
}

/* ---- a search -------------------------------------------------------------------------------- */

/* The branches of a call, and how some of them are given away. */
typedef struct tasks_call {
    lode_job *job;
    const lode_dataset *data; /* of itemsets; else NULL */
    lode_task_search search;
    engine_branches branches;
    mem_kept kept;
    mine_batches batches;
    pthread_mutex_t lock; /* calls of `give` do not overlap; guards `names` */
    uint32_t *names;      /* room for a prefix */
    size_t n_names;
} tasks_call;

static lode_status tasks_refuse(const tasks_call *c, size_t i, const char *why) {
    return job_fail(c->job, LODE_INVALID, "task %llu: %s", (unsigned long long)i, why);
}

/* Ids for the items of a prefix. */
static lode_status tasks_take_items(tasks_call *c, size_t number, uint32_t *prefix, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (!dataset_find_id(c->data, prefix[i], &prefix[i])) {
            return tasks_refuse(c, number, "the prefix contains an item that is not in the data");
        }
    }
    return LODE_OK;
}

static lode_status tasks_take(tasks_call *c, size_t i, engine_branch *to) {
    lode_status status = LODE_OK;
    lode_task t;
    uint32_t *prefix = NULL;
    if (!c->search.tasks[i]) return tasks_refuse(c, i, "the task is NULL");
    LODE_TRY(valid_take(c->job, VALID_TASK, c->search.tasks[i], &t));
    if (t.n_prefix > 0 && !t.prefix) return tasks_refuse(c, i, "the prefix is NULL");
    if (t.first > t.end) return tasks_refuse(c, i, "the range ends before it begins");
    if (!(t.work >= 0)) return tasks_refuse(c, i, "the work is negative; expected 0 or more");
    size_t bytes = (t.n_prefix + (size_t)1) * sizeof *prefix;
    LODE_TRY(mem_keep(&c->job->mem, &c->kept, (void **)&prefix, bytes));
    if (t.n_prefix > 0) memcpy(prefix, t.prefix, t.n_prefix * sizeof *prefix);
    if (c->data) LODE_TRY(tasks_take_items(c, i, prefix, t.n_prefix));
    *to = (engine_branch){.prefix = prefix,
                          .n_prefix = t.n_prefix,
                          .first = t.first,
                          .end = t.end,
                          .own = t.own,
                          .work = t.work};
done:
    return status;
}

/* Makes room for the names of a prefix that is given away. */
static lode_status tasks_room(tasks_call *c, uint32_t n) {
    lode_status status = LODE_OK;
    if (n > c->n_names) {
        LODE_TRY(
            mem_keep(&c->job->mem, &c->kept, (void **)&c->names, 2 * (size_t)n * sizeof *c->names));
        c->n_names = 2 * (size_t)n;
    }
done:
    return status;
}

static lode_status tasks_give(void *user, const engine_branch *branch) {
    tasks_call *c = user;
    engine_branch b = *branch;
    int stops = 0;
    pthread_mutex_lock(&c->lock);
    lode_status status = c->data ? tasks_room(c, b.n_prefix) : LODE_OK;
    if (status == LODE_OK) {
        for (uint32_t i = 0; i < b.n_prefix && c->data; i++) {
            c->names[i] = dataset_item_of(c->data, b.prefix[i]);
        }
        if (c->data) b.prefix = c->names;
        lode_task task = task_of(&b);
        stops = c->search.give(c->search.give_user, &task);
    }
    pthread_mutex_unlock(&c->lock);
    if (stops) return job_fail(c->job, LODE_STOPPED, "stopped by the give callback");
    return status;
}

/* A task of the program's for a branch. Its prefix is kept until the call ends. */
static lode_status tasks_name(tasks_call *c, const engine_branch *b, lode_task *out) {
    lode_status status = LODE_OK;
    uint32_t *names;
    *out = task_of(b);
    if (!c->data) return LODE_OK;
    size_t bytes = (b->n_prefix + (size_t)1) * sizeof *names;
    LODE_TRY(mem_keep(&c->job->mem, &c->kept, (void **)&names, bytes));
    for (uint32_t i = 0; i < b->n_prefix; i++) names[i] = dataset_item_of(c->data, b->prefix[i]);
    out->prefix = names;
done:
    return status;
}

static lode_status tasks_done(void *user, size_t first, size_t end, const engine_branch *given,
                              size_t n_given) {
    lode_status status = LODE_OK;
    tasks_call *c = user;
    mem *m = &c->job->mem;
    mem_kept kept = {0};
    lode_task *tasks;
    const lode_task **list;
    LODE_TRY(mem_keep(m, &kept, (void **)&tasks, (n_given + 1) * sizeof *tasks));
    LODE_TRY(mem_keep(m, &kept, (void **)&list, (n_given + 1) * sizeof *list));
    for (size_t i = 0; i < n_given; i++) {
        LODE_TRY(tasks_name(c, &given[i], &tasks[i]));
        list[i] = &tasks[i];
    }
    if (c->search.done(c->search.done_user, first, end, list, n_given)) {
        status = job_fail(c->job, LODE_STOPPED, "stopped by the done callback");
    }
done:
    mem_drop(m, &kept);
    return status;
}

/* Checks the numbers and whether `done` can be called as documented. divide_check() refuses `done`
 * for top:K. */
static lode_status tasks_check_search(const tasks_call *c) {
    if (!(c->search.worth >= 0)) {
        return job_fail(c->job, LODE_INVALID, "search->worth is negative; expected 0 or more");
    }
    if (!c->search.done) return LODE_OK;
    if (c->search.give) {
        return job_fail(c->job, LODE_INVALID, "search->done cannot be combined with search->give");
    }
    if (c->search.done_seconds >= 0) return LODE_OK;
    return job_fail(c->job, LODE_INVALID, "search->done_seconds is negative; expected 0 or more");
}

static lode_status tasks_open(tasks_call *c, const lode_task_search *search) {
    lode_status status = LODE_OK;
    engine_branch *list;
    LODE_TRY(valid_take(c->job, VALID_TASK_SEARCH, search, &c->search));
    LODE_TRY(tasks_check_search(c));
    if (c->search.n_tasks > 0 && !c->search.tasks) {
        return job_fail(c->job, LODE_INVALID, "search->tasks is NULL");
    }
    size_t n = c->search.n_tasks;
    LODE_TRY(mem_keep(&c->job->mem, &c->kept, (void **)&list, (n + 1) * sizeof *list));
    for (size_t i = 0; i < n; i++) LODE_TRY(tasks_take(c, i, &list[i]));
    c->branches = (engine_branches){
        .list = list, .n = n, .give = c->search.give ? tasks_give : NULL, .user = c};
    c->branches.worth = c->search.worth > 0 ? c->search.worth : 1;
done:
    return status;
}

/* What the report says of the share. */
static void tasks_report(const engine_task *task, const lode_tasks *of) {
    engine_report *report = &task->job->report.engine;
    if (!of || of->n_shares == 0) return;
    report->share = of->share;
    report->n_shares = of->n_shares;
    snprintf(report->cut, sizeof report->cut, "%016llx", (unsigned long long)of->hash);
}

/* Searches tasks of the data that the task has. */
static lode_status tasks_run(engine_task *task, const void *options,
                             const lode_task_search *search) {
    tasks_options checked;
    mine_call call = tasks_call_of(task, options, &checked);
    tasks_call c = {.job = task->job, .data = task->items.data};
    pthread_mutex_init(&c.lock, NULL);
    lode_status status = tasks_open(&c, search);
    if (status == LODE_OK) {
        double seconds = c.search.done_seconds;
        c.batches = (mine_batches){tasks_done, &c, seconds > 0 ? seconds : TASKS_DONE_SECONDS};
        task->parts.branches = &c.branches;
        if (c.search.done) task->parts.batches = &c.batches;
        status = mine_run(task, &call);
        tasks_report(task, c.search.of);
    }
    atomic_store(&task->job->asked, 0);
    pthread_mutex_destroy(&c.lock);
    mem_drop(&task->job->mem, &c.kept);
    return job_explain(task->job, status, "mining tasks");
}

lode_status lode_mine_tasks(lode_job *job, const lode_dataset *data,
                            const lode_mine_options *options, const lode_task_search *search,
                            lode_sink *sink) {
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(options), VALID_NEEDS(search),
               VALID_NEEDS(sink));
    return tasks_run(&(engine_task){.job = job, .items.data = data, .sink = sink}, options, search);
}

lode_status lode_graphs_mine_tasks(lode_job *job, const lode_graphs *data,
                                   const lode_graph_options *options,
                                   const lode_task_search *search, lode_sink *sink) {
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(options), VALID_NEEDS(search),
               VALID_NEEDS(sink));
    return tasks_run(&(engine_task){.job = job, .graphs.data = data, .sink = sink}, options,
                     search);
}
