/* record.c - records, for the event model, how long the smallest tasks of a search take
 *
 *     mpi-record itemsets|graphs FILE SUPPORT GOAL [TARGET] > TREE
 *
 * Divides the search into about GOAL tasks, does each alone on one thread, and prints for each the
 * work that lode expected and the CPU seconds that it took, in the order in which the tree is
 * walked. The time of a call without tasks is measured first, and subtracted, because a rank pays
 * it once for many tasks. The time in which a task rebuilds its data is part of its cost. The last
 * line, on standard error, shows how much this is: it compares the sum of all costs with one search
 * of all tasks. A recorded tree is useful if the two are close.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "kinds.h"
#include "stored_task.h"

typedef struct recording {
    const rank_kind *kind;
    lode_job *job;
    void *data;
    rank_options options;
} recording;

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void give_up(const recording *r, const char *what) {
    fprintf(stderr, "mpi-record: %s: %s\n", what, lode_job_error(r->job));
    exit(1);
}

/* CPU seconds of a search of these tasks. */
static double cost_of(const recording *r, const lode_task *const *tasks, size_t n) {
    lode_sink *sink = NULL;
    lode_task_search search = {.size = sizeof search, .tasks = tasks, .n_tasks = n};
    if (lode_sink_count(r->job, &sink) != LODE_OK) give_up(r, "a sink");
    double began = cpu_seconds();
    if (r->kind->mine(r->job, r->data, &r->options, &search, sink) != LODE_OK) give_up(r, "mining");
    double took = cpu_seconds() - began;
    lode_sink_free(sink);
    return took;
}

/* All tasks in the order of the walk. */
static stored_task **tasks_in_order(const lode_tasks *tasks, size_t n) {
    stored_task **list = calloc(n + 1, sizeof(stored_task *));
    lode_task task = LODE_INIT(lode_task);
    if (!list) exit(1);
    for (size_t i = 0; i < n; i++) {
        lode_tasks_at(tasks, i, &task);
        list[i] = task_copy(&task, i);
        if (!list[i]) exit(1);
    }
    qsort(list, n, sizeof *list, task_by_prefix);
    return list;
}

static double cost_of_nothing(const recording *r) {
    double least = 1e9;
    for (int i = 0; i < 20; i++) {
        double took = cost_of(r, NULL, 0);
        if (took < least) least = took;
    }
    return least;
}

static void record_all(const recording *r, const lode_tasks *tasks) {
    size_t n = lode_tasks_count(tasks);
    stored_task **list = tasks_in_order(tasks, n);
    const lode_task **all = calloc(n + 1, sizeof(const lode_task *));
    double idle = cost_of_nothing(r), sum = 0;
    if (!all) exit(1);
    for (size_t i = 0; i < n; i++) {
        all[i] = &list[i]->task;
        double took = cost_of(r, &all[i], 1) - idle;
        if (took < 1e-7) took = 1e-7;
        printf("%.9g %.9g\n", all[i]->work, took);
        sum += took;
    }
    fprintf(stderr, "mpi-record: %.3f CPU seconds in %zu tasks, %.3f in one search of all\n", sum,
            n, cost_of(r, all, n) - idle);
    for (size_t i = 0; i < n; i++) free(list[i]);
    free(list);
    free(all);
}

int main(int argc, char **argv) {
    recording r = {.options = {LODE_INIT(lode_mine_options), LODE_INIT(lode_graph_options)}};
    lode_job_options one = {.size = sizeof one, .threads = 1, .device = "cpu"};
    lode_tasks *tasks = NULL;
    if (argc < 5 || argc > 6) {
        fprintf(stderr, "usage: mpi-record itemsets|graphs FILE SUPPORT GOAL [closed|maximal]\n");
        return 2;
    }
    r.kind = strcmp(argv[1], "graphs") == 0 ? &rank_graphs : &rank_itemsets;
    rank_request request = {.target = argc == 5                        ? LODE_TARGET_ALL
                                      : strcmp(argv[5], "closed") == 0 ? LODE_TARGET_CLOSED
                                                                       : LODE_TARGET_MAXIMAL};
    if (lode_job_create(&r.job, NULL, &one) != LODE_OK) return 1;
    if (lode_threshold_parse(argv[3], &request.min_support, NULL, 0) != LODE_OK) return 2;
    const char *files[] = {argv[2]};
    lode_options *none = NULL;
    if (lode_options_create(&none) != LODE_OK) return 1;
    cli_args args = {.file = argv[2], .files = files, .n_files = 1, .options = none};
    if (r.kind->open(r.job, &args, NULL, &r.data) != LODE_OK) give_up(&r, argv[2]);
    r.kind->ask_for(&r.options, &request);
    uint32_t goal = (uint32_t)strtoul(argv[4], NULL, 10);
    if (r.kind->divide(r.job, &tasks, r.data, &r.options, goal) != LODE_OK) give_up(&r, "dividing");
    record_all(&r, tasks);
    lode_tasks_free(tasks);
    r.kind->free(r.data);
    lode_options_free(none);
    lode_job_free(r.job);
    return 0;
}
