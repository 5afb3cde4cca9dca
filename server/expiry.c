/* expiry.c - see expiry.h
 *
 * A data set expires with its jobs and results when it was not used for so many days. Clocks may
 * be wrong and may be set: a jump is told by the clock that only runs forward, and the times of
 * all data sets move along with it. After a start, an hour passes before anything is deleted, so
 * that a server that was off for long, or woke up in the wrong year, does not empty its folder
 * at once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "expiry.h"

#include <event2/event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "database.h"
#include "datasets.h"

#define EXPIRY_DAY   86400.0
#define EXPIRY_GRACE 3600.0 /* seconds after a start */
#define EXPIRY_JUMP  60.0   /* seconds by which clocks may differ */
#define EXPIRY_VIEWS 100000 /* short links that are kept */

struct expiry {
    struct event *timer;
    double wall, steady; /* both clocks when they were last looked at */
};

static double expiry_steady(void) {
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Short links are kept as long as there are not too many. */
static void expiry_views(server *s) {
    sqlite3_stmt *q =
        db_statement(s->db, "DELETE FROM views WHERE id <= (SELECT MAX(id) FROM views) - ?");
    if (!q) return;
    db_bind_count(q, 1, EXPIRY_VIEWS);
    db_run(s->db, q);
}

static bool expiry_run(server *s, const char *sql, double first, double second) {
    sqlite3_stmt *q = db_statement(s->db, sql);
    if (!q) return false;
    db_bind_real(q, 1, first);
    db_bind_real(q, 2, second);
    return db_run(s->db, q);
}

/* If the clock was set, what was used so many days ago still was. */
static void expiry_follow_clock(server *s, struct expiry *e) {
    const double wall = db_now(), steady = expiry_steady();
    const double jump = (wall - e->wall) - (steady - e->steady);
    if (fabs(jump) > EXPIRY_JUMP) {
        expiry_run(s, "UPDATE datasets SET used = MIN(used + ?, ?)", jump, wall);
    }
    e->wall = wall;
    e->steady = steady;
}

static uint64_t expiry_next(server *s, double before) {
    sqlite3_stmt *q = db_statement(
        s->db, "SELECT id FROM datasets WHERE used < ? AND NOT EXISTS (SELECT 1 FROM jobs WHERE "
               "dataset = datasets.id AND state IN ('queued', 'running')) ORDER BY used LIMIT 1");
    if (!q) return 0;
    db_bind_real(q, 1, before);
    const uint64_t id = db_row(s->db, q) ? db_count(q, 0) : 0;
    db_done(q);
    return id;
}

static void expiry_again(struct expiry *e, double seconds) {
    const struct timeval after = {.tv_sec = (time_t)seconds,
                                  .tv_usec = (suseconds_t)(fmod(seconds, 1) * 1e6)};
    event_add(e->timer, &after);
}

/* One data set at a time, so that those who ask have their turn in between. */
static void expiry_look(evutil_socket_t fd, short what, void *arg) {
    server *s = arg;
    (void)fd;
    (void)what;
    struct expiry *e = s->datasets->expiry;
    const double days = s->config->expire_days;
    expiry_follow_clock(s, e);
    const uint64_t id = days > 0 ? expiry_next(s, e->wall - days * EXPIRY_DAY) : 0;
    const bool deleted = id && dataset_delete(s, id);
    expiry_views(s);
    const double often = days * EXPIRY_DAY / 24;
    expiry_again(e, deleted ? 0.1 : often > 0 && often < EXPIRY_GRACE ? often : EXPIRY_GRACE);
}

bool expiry_start(server *s, char *why, size_t room) {
    struct expiry *e = calloc(1, sizeof *e);
    s->datasets->expiry = e;
    if (e) e->timer = evtimer_new(s->base, expiry_look, s);
    if (!e || !e->timer) {
        snprintf(why, room, "there is no memory for a timer");
        return false;
    }
    e->wall = db_now();
    e->steady = expiry_steady();
    const double days = s->config->expire_days, limit = days * EXPIRY_DAY;
    const double grace = limit / 24 < EXPIRY_GRACE ? limit / 24 : EXPIRY_GRACE;
    if (days > 0) {
        expiry_run(s, "UPDATE datasets SET used = MIN(MAX(used, ?), ?)", e->wall - limit + grace,
                   e->wall);
    }
    expiry_again(e, days > 0 && grace > 0 ? grace : EXPIRY_GRACE);
    return true;
}

void expiry_stop(server *s) {
    struct expiry *e = s->datasets->expiry;
    if (!e) return;
    if (e->timer) event_free(e->timer);
    free(e);
    s->datasets->expiry = NULL;
}
