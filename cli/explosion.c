/* explosion.c - see explosion.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "explosion.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#define LOOK_SECONDS    0.05
#define FIRST_SECONDS   0.2  /* of the search, before anything is decided */
#define COST            0.05 /* share of the expected processor time that estimates may take; … */
#define LEAST_ESTIMATE  0.08 /* … in seconds: what the first one needs, … */
#define NEXT_ESTIMATE   0.3  /* … what a second one needs, … */
#define MOST_ESTIMATE   0.35 /* … and what is always enough */
#define LEAST_LEFT      0.5  /* seconds left, for an estimate */
#define MANY            3e7  /* patterns, found or expected, that deserve a note */
#define SURE            1e6  /* a low end of an interval that deserves a note if the high end … */
#define PERHAPS         1e9  /* … reaches this */
#define VAGUE           1e6  /* times the estimate: a high end that makes it a lower bound */
#define LONG_LEFT       1.0  /* seconds left, for a note by the progress of the search alone */
#define MISTAKE_SECONDS 2    /* of a search for subgraphs whose -s may be meant in percent */
#define PERCENT_MOST    50   /* higher counts are not mistaken for percentages */
#define MEMORY          ((uint64_t)256 << 20) /* bytes for an estimate, … */
#define MEMORY_SHARE    16                    /* … and at most the budget divided by this */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards `ending` and `estimating` */
static pthread_cond_t wake;
static bool ending, ready, watching;
static lode_job *estimating; /* NULL = no estimate is being made */
static pthread_t watcher;

/* What the watcher knows; only its thread uses it after the start. */
static struct watched {
    const cli_args *args;
    lode_job *job;
    const lode_dataset *data; /* NULL = no estimate can be made */
    uint64_t total;           /* transactions or graphs */
    unsigned threads;
    double spent;     /* seconds of estimates */
    bool may_mistake; /* -s 5 of many graphs may be meant as 5% */
} seen;

/* ---- the note -------------------------------------------------------------------------------- */

static lode_threshold support_of(const cli_args *args) {
    unsigned groups = args->command->groups;
    if (groups & LODE_OPTION_GRAPH) return lode_options_graph(args->options)->min_support;
    if (groups & LODE_OPTION_RULE) return lode_options_rule(args->options)->min_support;
    return lode_options_mine(args->options)->min_support;
}

static const char *counted_patterns(const cli_args *args) {
    unsigned groups = args->command->groups;
    if (groups & LODE_OPTION_GRAPH) return "subgraphs expected";
    return groups & LODE_OPTION_RULE ? "itemsets to search" : "itemsets expected";
}

/* Whether -s is a count that may have been meant as a percentage. */
static bool is_small_count(void) {
    lode_threshold t = support_of(seen.args);
    bool plain = t.denominator == 0;
    return plain && lode_threshold_count(t, seen.total) <= PERCENT_MOST && seen.total > 200;
}

/* Prints the note. `much` says how many patterns there are. */
static void say(const char *much) {
    uint64_t count = lode_threshold_count(support_of(seen.args), seen.total);
    bool graphs = seen.args->command->groups & LODE_OPTION_GRAPH;
    char percent[64] = "";
    if (is_small_count()) {
        snprintf(percent, sizeof percent, "; for %llu percent, write -s %llu%%",
                 (unsigned long long)count, (unsigned long long)count);
    }
    cli_progress_hide();
    fprintf(stderr, "note: -s %s means %s of %s %s (%.3g%%); %s%s\n", seen.args->min_support,
            cli_count(count), cli_count(seen.total), graphs ? "graphs" : "transactions",
            100 * (double)count / (double)seen.total, much, percent);
}

static void say_about(const char *about, double n) {
    char much[96];
    snprintf(much, sizeof much, "%s 10^%.0f %s", about, n, counted_patterns(seen.args));
    say(much);
}

/* ---- the estimate ---------------------------------------------------------------------------- */

/* Whether lode_suggest() can count what the command searches; *target receives what that is. */
static bool can_estimate(const cli_args *args, unsigned *target) {
    *target = 1u << LODE_SUGGEST_ALL;
    if (args->command->groups & LODE_OPTION_RULE) {
        const lode_rule_options *r = lode_options_rule(args->options);
        bool groups = r->lhs || r->rhs || r->include || r->include_lhs || r->include_rhs ||
                      r->exclude || r->exclude_lhs || r->exclude_rhs;
        return !groups && !r->max_size && !r->max_lhs && !r->limit_patterns;
    }
    const lode_mine_options *o = lode_options_mine(args->options);
    if (o->target == LODE_TARGET_CLOSED) *target = 1u << LODE_SUGGEST_CLOSED;
    if (o->target == LODE_TARGET_MAXIMAL) *target = 1u << LODE_SUGGEST_MAXIMAL;
    bool known = o->target == LODE_TARGET_ALL || *target != 1u << LODE_SUGGEST_ALL;
    bool narrow = o->include || o->exclude || o->groups || o->max_support.numerator || o->max_size;
    return known && !narrow && o->min_size < 6 && o->n_shares < 2 && !o->limit_patterns;
}

/* Says how many patterns there are, if they are far too many; returns whether it did. */
static bool judge_estimate(const lode_suggestion *s) {
    lode_suggest_point p = LODE_INIT(lode_suggest_point);
    if (!lode_suggestion_point(s, 0, &p)) return false;
    if (p.patterns < MANY && (p.low < SURE || p.high < PERHAPS)) return false;
    double digits = log10(p.patterns);
    bool least = !p.exact && p.low >= p.patterns, vague = p.high > VAGUE * p.patterns;
    const char *about = least ? "at least" : vague ? "more than" : "about";
    say_about(about, least || vague ? floor(digits) : round(digits));
    return true;
}

/* Makes a job of its own, whose memory and threads the search does not wait for. */
static lode_job *estimate_job(void) {
    lode_usage u = LODE_INIT(lode_usage);
    lode_ctx_usage(lode_job_ctx(seen.job), &u);
    lode_job_options o = {.size = sizeof o, .threads = 1, .memory_bytes = MEMORY};
    lode_job *job = NULL;
    if (u.memory_budget && u.memory_budget / MEMORY_SHARE < MEMORY) {
        o.memory_bytes = u.memory_budget / MEMORY_SHARE;
    }
    return lode_job_create(&job, NULL, &o) == LODE_OK ? job : NULL;
}

/* Estimates, and says what follows; returns whether it said anything. Called with the lock, which
 * it gives up meanwhile. */
static bool estimate(unsigned target, double seconds) {
    lode_suggestion *s = NULL;
    lode_suggest_options o = {
        .size = sizeof o,
        .targets = target,
        .at = lode_threshold_count(support_of(seen.args), seen.total),
        .limit_seconds = seconds,
    };
    estimating = estimate_job();
    pthread_mutex_unlock(&lock);
    bool known = estimating && lode_suggest(estimating, seen.data, &o, &s) == LODE_OK;
    pthread_mutex_lock(&lock);
    bool said = known && !ending && judge_estimate(s);
    lode_suggestion_free(s);
    lode_job_free(estimating);
    estimating = NULL;
    return said;
}

/* ---- watching -------------------------------------------------------------------------------- */

/* Seconds that an estimate may take now; 0 = none is to be made. */
static double estimate_seconds(double so_far, double left) {
    double seconds = COST * seen.threads * (so_far + left) - seen.spent;
    if (!seen.data || left < LEAST_LEFT) return 0;
    if (seconds < (seen.spent > 0 ? NEXT_ESTIMATE : LEAST_ESTIMATE)) return 0;
    if (seen.spent >= NEXT_ESTIMATE) return 0;
    return seconds < MOST_ESTIMATE ? seconds : MOST_ESTIMATE;
}

/* Looks at the search once; returns whether there is more to watch. */
static bool look(void) {
    lode_progress p = LODE_INIT(lode_progress);
    char much[96];
    unsigned target = 0;
    lode_job_progress(seen.job, &p);
    if (strcmp(p.phase, "mine") != 0 || p.seconds < FIRST_SECONDS) return true;
    if (p.patterns == 0 && p.share == 0) return true; /* the search is being prepared */
    double left = p.share > 0 ? p.seconds * (1 - p.share) / p.share : INFINITY;
    double found = (double)p.patterns, expected = p.share > 0 ? found / p.share : INFINITY;
    if (found >= MANY) {
        snprintf(much, sizeof much, "%s patterns found so far", cli_count(p.patterns));
        say(much);
        return false;
    }
    double seconds = estimate_seconds(p.seconds, left);
    if (seconds > 0 && !can_estimate(seen.args, &target)) {
        seen.data = NULL;
    } else if (seconds > 0) {
        seen.spent += seconds;
        if (estimate(target, seconds)) return false;
    }
    if (seen.may_mistake && p.seconds > MISTAKE_SECONDS && left > MISTAKE_SECONDS) {
        snprintf(much, sizeof much, "%s subgraphs found so far", cli_count(p.patterns));
        say(much);
        return false;
    }
    if (found < SURE || expected < MANY || left < LONG_LEFT) return true;
    if (p.share > 0) {
        snprintf(much, sizeof much, "more than 10^%.0f patterns expected", floor(log10(expected)));
    } else {
        snprintf(much, sizeof much, "far more than %s patterns expected", cli_count(p.patterns));
    }
    say(much);
    return false;
}

static void *watch_search(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    bool more = true;
    while (more && !ending) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += (long)(LOOK_SECONDS * 1e9);
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&wake, &lock, &until);
        if (!ending) more = look();
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void start_watcher(void) {
    lode_resources r = LODE_INIT(lode_resources);
    unsigned threads = lode_options_job(seen.args->options)->threads;
    lode_resources_get(&r);
    seen.threads = threads ? threads : r.threads;
    watching = pthread_create(&watcher, NULL, watch_search, NULL) == 0;
}

void explosion_watch(const mine_run *run) {
    const cli_args *args = run->args;
    pthread_condattr_t clock;
    bool graphs = args->command->groups & LODE_OPTION_GRAPH;
    if (ready || !args->min_support || totals_target(args) == LODE_TARGET_TOP) return;
    if (cli_given(args, "quiet") || pthread_condattr_init(&clock) != 0) return;
    seen = (struct watched){.args = args, .job = run->job};
    if (graphs) {
        seen.total = cli_graph_profile(run->data).n_graphs;
        seen.may_mistake = is_small_count();
    } else {
        seen.total = lode_dataset_total_weight(run->data);
        /* An estimate takes memory of its own, which --memory would not limit. */
        seen.data = cli_word(args, "memory") ? NULL : run->data;
    }
    ending = false;
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&wake, &clock);
    pthread_condattr_destroy(&clock);
    ready = true;
    cli_progress_when_long(start_watcher);
}

void explosion_end(void) {
    if (!ready) return;
    cli_progress_when_long(NULL);
    pthread_mutex_lock(&lock);
    ending = true;
    if (estimating) lode_job_cancel(estimating);
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&lock);
    if (watching) pthread_join(watcher, NULL);
    pthread_cond_destroy(&wake);
    ready = watching = false;
}
