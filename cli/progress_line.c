/* progress_line.c - a line that shows how far a job is, rewritten in place
 *
 *     mine  45%  1,234,567 patterns  2.1 M/s  12 s left (8 to 20 s)
 *
 * A separate thread updates it a few times a second, so it is right whatever the job does.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

#define LOOK_NS       200000000
#define QUIET_SECONDS 0.3 /* shorter phases are not shown */

static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* guards the variables below, and the line */
static pthread_cond_t ended;
static pthread_t watcher;
static lode_job *watched; /* NULL = there is no watcher */
static bool shown;

/* "40", "12", "3.5": the seconds in the unit that suits `unit_of` seconds, without that unit. */
static void put_time(double seconds, double unit_of) {
    if (unit_of < 90) {
        fprintf(stderr, "%.0f", seconds);
    } else if (unit_of < 5400) {
        fprintf(stderr, "%.0f", seconds / 60);
    } else {
        fprintf(stderr, "%.1f", seconds / 3600);
    }
}

static const char *time_unit(double seconds) {
    return seconds < 90 ? "s" : seconds < 5400 ? "min" : "h";
}

static void put_left(const lode_progress *p) {
    fputs("  about ", stderr);
    put_time(p->left, p->left);
    fprintf(stderr, " %s left (", time_unit(p->left));
    put_time(p->left_least, p->left_most);
    fputs(" to ", stderr);
    put_time(p->left_most, p->left_most);
    fprintf(stderr, " %s)", time_unit(p->left_most));
}

static void show_line(const lode_progress *p) {
    if (p->seconds < QUIET_SECONDS) return;
    fprintf(stderr, "\r\033[K%s", p->phase);
    if (p->share > 0) fprintf(stderr, " %3.0f%%", 100 * p->share);
    if (p->patterns) {
        fprintf(stderr, "  %s patterns  %.1f M/s", cli_count(p->patterns), p->rate / 1e6);
    }
    if (p->left > 0.5) put_left(p);
    fflush(stderr);
    shown = true;
}

static void *watch(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    while (watched) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += LOOK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&ended, &lock, &until);
        lode_progress p = {.size = sizeof p};
        if (watched && lode_job_progress(watched, &p)) show_line(&p);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

void cli_progress_start(lode_job *job) {
    pthread_condattr_t clock;
    if (!isatty(STDERR_FILENO) || pthread_condattr_init(&clock) != 0) return;
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&ended, &clock);
    pthread_condattr_destroy(&clock);
    watched = job;
    if (pthread_create(&watcher, NULL, watch, NULL) != 0) watched = NULL;
}

void cli_progress_hide(void) {
    pthread_mutex_lock(&lock);
    if (shown) fputs("\r\033[K", stderr);
    shown = false;
    pthread_mutex_unlock(&lock);
}

void cli_progress_end(void) {
    pthread_mutex_lock(&lock);
    bool watching = watched != NULL;
    watched = NULL;
    if (watching) pthread_cond_signal(&ended);
    pthread_mutex_unlock(&lock);
    if (watching) pthread_join(watcher, NULL);
    if (watching) pthread_cond_destroy(&ended);
    cli_progress_hide();
}
