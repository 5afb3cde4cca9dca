/* mine_tasks.c - searches in parts, for several processes: lode/tasks.h
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <string.h>

#include "engine/branches.h"
#include "graphdata/graphs.h"
#include "mine/constrain.h"
#include "mine/run.h"

/* ---- the list -------------------------------------------------------------------------------- */

struct lode_tasks {
    lode_job *job;
    branch_list list;
    uint64_t hash;
};

/* Items of lode.h for ids, in place: prefixes are nobody else's. Branches of one prefix share it,
 * and come one after the other. */
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

/* Divides a search as the task says. */
static lode_status tasks_make(engine_task *task, const mine_call *call, uint32_t goal,
                              lode_tasks **out) {
    lode_status status = LODE_OK;
    lode_tasks *t = NULL;
    mem *m = &task->job->mem;
    uint32_t *share = NULL;
    size_t bytes = 0;
    if (goal == 0) return job_fail(task->job, LODE_INVALID, "the number of tasks is 0");
    LODE_TRY(mem_zalloc(m, (void **)&t, sizeof *t));
    t->job = task->job;
    branches_init(&t->list, m, goal);
    task->division = &t->list;
    LODE_TRY(mine_prepare(task, call));
    bytes = (t->list.n + 1) * sizeof *share;
    LODE_TRY(mem_resize(m, (void **)&share, 0, bytes));
    LODE_TRY(branches_deal(&t->list, 1, share, &t->hash));
    if (task->data) tasks_name_items(t, task->data);
    *out = t;
done:
    mem_free(m, share, share ? bytes : 0);
    if (status != LODE_OK) lode_tasks_free(t);
    return status == LODE_OK ? status : job_explain(task->job, status, "dividing a search");
}

lode_status lode_tasks_create(lode_job *job, lode_tasks **out, const lode_dataset *data,
                              const lode_mine_options *options, uint32_t goal) {
    lode_mine_options checked;
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data), VALID_NEEDS(options));
    engine_task task = {.job = job, .data = data, .options = &checked};
    mine_call call = {&mine_itemsets, options, &checked, sizeof checked};
    return tasks_make(&task, &call, goal, out);
}

lode_status lode_graph_tasks_create(lode_job *job, lode_tasks **out, const lode_graphs *data,
                                    const lode_graph_options *options, uint32_t goal) {
    lode_graph_options checked;
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data), VALID_NEEDS(options));
    engine_task task = {.job = job, .graphs = data, .graph_options = &checked};
    mine_call call = {&mine_graphs, options, &checked, sizeof checked};
    return tasks_make(&task, &call, goal, out);
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
            return tasks_refuse(c, number, "its prefix has an item that the data do not have");
        }
    }
    return LODE_OK;
}

static lode_status tasks_take(tasks_call *c, size_t i, engine_branch *to) {
    lode_status status = LODE_OK;
    lode_task t;
    uint32_t *prefix = NULL;
    if (!c->search.tasks[i]) return tasks_refuse(c, i, "it is NULL");
    LODE_TRY(valid_take(c->job, VALID_TASK, c->search.tasks[i], &t));
    if (t.n_prefix > 0 && !t.prefix) return tasks_refuse(c, i, "its prefix is NULL");
    if (t.first > t.end) return tasks_refuse(c, i, "its range ends before it begins");
    if (!(t.work >= 0)) return tasks_refuse(c, i, "its work is no number from 0 on");
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
    if (stops) return job_fail(c->job, LODE_STOPPED, "stopped by who takes tasks over");
    return status;
}

static lode_status tasks_open(tasks_call *c, const lode_task_search *search) {
    lode_status status = LODE_OK;
    engine_branch *list;
    LODE_TRY(valid_take(c->job, VALID_TASK_SEARCH, search, &c->search));
    if (c->search.n_tasks > 0 && !c->search.tasks) {
        return job_fail(c->job, LODE_INVALID, "search->tasks is NULL");
    }
    size_t n = c->search.n_tasks;
    LODE_TRY(mem_keep(&c->job->mem, &c->kept, (void **)&list, (n + 1) * sizeof *list));
    for (size_t i = 0; i < n; i++) LODE_TRY(tasks_take(c, i, &list[i]));
    c->branches = (engine_branches){list, n, c->search.give ? tasks_give : NULL, c};
done:
    return status;
}

/* Runs a call whose data and options are set. */
static lode_status tasks_run(engine_task *task, const mine_call *call,
                             const lode_task_search *search) {
    tasks_call c = {.job = task->job, .data = task->data};
    pthread_mutex_init(&c.lock, NULL);
    lode_status status = tasks_open(&c, search);
    if (status == LODE_OK) {
        task->branches = &c.branches;
        status = mine_run(task, call);
    }
    atomic_store(&task->job->asked, 0);
    pthread_mutex_destroy(&c.lock);
    mem_drop(&task->job->mem, &c.kept);
    return job_explain(task->job, status, "mining tasks");
}

lode_status lode_mine_tasks(lode_job *job, const lode_dataset *data,
                            const lode_mine_options *options, const lode_task_search *search,
                            lode_sink *sink) {
    lode_mine_options checked;
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(options), VALID_NEEDS(search),
               VALID_NEEDS(sink));
    engine_task task = {.job = job, .data = data, .options = &checked, .sink = sink};
    mine_call call = {&mine_itemsets, options, &checked, sizeof checked};
    return tasks_run(&task, &call, search);
}

lode_status lode_graphs_mine_tasks(lode_job *job, const lode_graphs *data,
                                   const lode_graph_options *options,
                                   const lode_task_search *search, lode_sink *sink) {
    lode_graph_options checked;
    VALID_CALL(job, VALID_NEEDS(data), VALID_NEEDS(options), VALID_NEEDS(search),
               VALID_NEEDS(sink));
    engine_task task = {.job = job, .graphs = data, .graph_options = &checked, .sink = sink};
    mine_call call = {&mine_graphs, options, &checked, sizeof checked};
    return tasks_run(&task, &call, search);
}
