/* progress.c - how good is the progress of a job? Runs it, looks at it, and compares with the truth
 *
 *     bench-progress itemsets|graphs FILE NAME=VALUE...    options by name: min-support=1%
 *
 * The truth is known at the end: at each of 20 moments, evenly spread over the processors' time,
 * how much of that time had passed, and how many seconds were left. Prints a line:
 *
 *     seconds 7.1  error 0.06 (most 0.13)  interval 17 of 20 (factor 2.9)  monotone  ends 1
 *
 * With LODE_VERBOSE=1 also the 20 moments: true share, share, seconds left, and the interval.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lode.h"

#define MOST_LOOKS 200000
#define N_MOMENTS  20

typedef struct look {
    double cpu, wall, share, least, most;
} look;

typedef struct watcher {
    lode_job *job;
    look *looks;
    size_t n;
    _Atomic bool stop;
} watcher;

static double clock_seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void look_once(watcher *w) {
    lode_progress p = {.size = sizeof p};
    if (w->n == MOST_LOOKS || !lode_job_progress(w->job, &p)) return;
    if (strcmp(p.phase, "mine") != 0) return; /* the end of reading is still to be seen */
    if (strcmp(p.phase, "mine") != 0) return; /* it has not begun */
    w->looks[w->n++] = (look){clock_seconds(CLOCK_PROCESS_CPUTIME_ID),
                              clock_seconds(CLOCK_MONOTONIC), p.share, p.left_least, p.left_most};
}

static void *watch(void *arg) {
    watcher *w = arg;
    while (!atomic_load(&w->stop)) {
        look_once(w);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return NULL;
}

static void judge(const watcher *w) {
    look first = w->looks[0], last = w->looks[w->n - 1];
    double cpu = last.cpu - first.cpu, error = 0, most = 0, factor = 0;
    unsigned held = 0, known = 0;
    bool monotone = true;
    for (size_t i = 1; i < w->n; i++)
        monotone = monotone && w->looks[i].share >= w->looks[i - 1].share;
    for (unsigned k = 0; k < N_MOMENTS; k++) {
        double truth = (k + 0.5) / N_MOMENTS;
        size_t at = 0;
        while (at + 1 < w->n && w->looks[at].cpu - first.cpu < truth * cpu) at++;
        look l = w->looks[at];
        truth = (l.cpu - first.cpu) / cpu;
        double off = fabs(l.share - truth), left = last.wall - l.wall;
        error += off / N_MOMENTS;
        if (off > most) most = off;
        if (l.least >= 0) {
            known++;
            held += left >= l.least && left <= l.most;
            factor += log(l.most / (l.least > 1e-3 ? l.least : 1e-3));
        }
        if (getenv("LODE_VERBOSE")) {
            printf("  %.3f %.3f  left %.1f in %.1f to %.1f\n", truth, l.share, left, l.least,
                   l.most);
        }
    }
    printf("seconds %.1f  error %.3f (most %.3f)  interval %u of %u (factor %.1f)  %s  ends %g\n",
           cpu, error, most, held, known, known ? exp(factor / known) : 0,
           monotone ? "monotone" : "NOT MONOTONE", last.share);
}

static lode_status mine_itemsets(lode_job *job, const char *path, const lode_options *o, watcher *w,
                                 pthread_t *thread) {
    lode_dataset *data = NULL;
    lode_sink *sink = NULL;
    lode_status status = lode_dataset_open(job, &data, path, lode_options_read(o));
    if (status == LODE_OK) status = lode_sink_count(job, &sink);
    if (status == LODE_OK && pthread_create(thread, NULL, watch, w) != 0) exit(1);
    if (status == LODE_OK) {
        status = lode_mine(job, data, lode_options_mine(o), sink);
        atomic_store(&w->stop, true);
        pthread_join(*thread, NULL);
    }
    lode_sink_free(sink);
    lode_dataset_free(data);
    return status;
}

static lode_status mine_graphs(lode_job *job, const char *path, const lode_options *o, watcher *w,
                               pthread_t *thread) {
    lode_graphs *data = NULL;
    lode_sink *sink = NULL;
    lode_status status = lode_graphs_open(job, &data, path, lode_options_graph_read(o));
    if (status == LODE_OK) status = lode_sink_count(job, &sink);
    if (status == LODE_OK && pthread_create(thread, NULL, watch, w) != 0) exit(1);
    if (status == LODE_OK) {
        status = lode_graphs_mine(job, data, lode_options_graph(o), sink);
        atomic_store(&w->stop, true);
        pthread_join(*thread, NULL);
    }
    lode_sink_free(sink);
    lode_graphs_free(data);
    return status;
}

static bool set_options(lode_options *o, bool graphs, int n, char **words) {
    const unsigned both = LODE_OPTION_JOB | LODE_OPTION_DEVICE;
    unsigned groups = graphs ? both | LODE_OPTION_GRAPH | LODE_OPTION_GRAPH_READ
                             : both | LODE_OPTION_MINE | LODE_OPTION_READ;
    for (int i = 0; i < n; i++) {
        char message[300], *equals = strchr(words[i], '=');
        if (equals) *equals = 0;
        if (lode_options_set_in(o, groups, words[i], equals ? equals + 1 : NULL, message,
                                sizeof message) == LODE_OK)
            continue;
        fprintf(stderr, "%s: %s\n", words[i], message);
        return false;
    }
    return true;
}

int main(int argc, char **argv) {
    lode_options *o = NULL;
    lode_job *job = NULL;
    pthread_t thread;
    watcher w = {.looks = malloc(MOST_LOOKS * sizeof *w.looks)};
    bool graphs = argc > 1 && strcmp(argv[1], "graphs") == 0;
    if (argc < 4 || !w.looks || lode_options_create(&o) != LODE_OK ||
        !set_options(o, graphs, argc - 3, argv + 3)) {
        fprintf(stderr, "usage: bench-progress itemsets|graphs FILE NAME=VALUE...\n");
        return 2;
    }
    lode_status status = lode_job_create(&job, NULL, lode_options_job(o));
    w.job = job;
    if (status == LODE_OK) {
        status = graphs ? mine_graphs(job, argv[2], o, &w, &thread)
                        : mine_itemsets(job, argv[2], o, &w, &thread);
    }
    if (status == LODE_OK) {
        look_once(&w);
        judge(&w);
    } else {
        fprintf(stderr, "%s\n", job ? lode_job_error(job) : lode_status_text(status));
    }
    lode_job_free(job);
    lode_options_free(o);
    free(w.looks);
    return status != LODE_OK;
}
