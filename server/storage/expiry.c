/* expiry.c - see expiry.h
 *
 * A data set expires with its jobs and results when it was not used for --expire days. The wall
 * clock may be wrong or be set: the monotonic clock reveals a jump, and then the stored times of
 * all data sets are shifted by it. After a start, nothing is deleted for an hour, so that a server
 * that was off for long, or starts in the wrong year, does not empty its folder. An announced
 * upload that received no byte within an hour is deleted in any case.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "storage/expiry.h"

#include <event2/event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "datasets/datasets.h"
#include "storage/trash.h"

#define EXPIRY_DAY   86400.0
#define EXPIRY_GRACE 3600.0 /* seconds after a start */
#define EXPIRY_JUMP  60.0   /* seconds by which clocks may differ */

struct expiry {
    struct event *timer;
    double wall, steady; /* both clocks at the last check */
    double jump;         /* jump of the wall clock at that time */
};

static double expiry_steady(void) {
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static db_change *expiry_change(const char *sql, double first, double second) {
    db_change *c = db_change_new(sql);
    db_change_real(c, first);
    db_change_real(c, second);
    return c;
}

static uint64_t expiry_next(server *s, double before) {
    sqlite3_stmt *q = db_statement(
        s->db, "SELECT id FROM datasets WHERE used < ? AND NOT EXISTS (SELECT 1 FROM jobs WHERE "
               "dataset = datasets.id AND state IN ('queued', 'running')) ORDER BY used LIMIT 1");
    uint64_t id;
    db_bind_real(q, 1, before);
    return db_number(s->db, q, &id) ? id : 0; /* if the database cannot be read, nothing expires */
}

/* An announced upload that has received no byte. */
static uint64_t expiry_announced(server *s, double before) {
    sqlite3_stmt *q = db_statement(s->db, "SELECT id FROM datasets WHERE state = 'uploading' AND "
                                          "received = 0 AND used < ? LIMIT 1");
    uint64_t id;
    db_bind_real(q, 1, before);
    return db_number(s->db, q, &id) ? id : 0;
}

static void expiry_again(struct expiry *e, double seconds) {
    const struct timeval after = {.tv_sec = (time_t)seconds,
                                  .tv_usec = (suseconds_t)(fmod(seconds, 1) * 1e6)};
    event_add(e->timer, &after);
}

/* Checks again soon if there may be others, otherwise after a while. */
static void expiry_next_look(server *s, bool soon) {
    struct expiry *e = s->datasets->expiry;
    const double often = s->config->expire_days * EXPIRY_DAY / 24;
    expiry_again(e, soon ? 0.1 : often > 0 && often < EXPIRY_GRACE ? often : EXPIRY_GRACE);
}

static void expiry_deleted(void *user, const db_outcome *outcome) {
    expiry_next_look(user, outcome->stored);
}

static void expiry_followed(void *user, const db_outcome *outcome) {
    server *s = user;
    struct expiry *e = s->datasets->expiry;
    if (!e || (!outcome->stored && !outcome->given_up)) return;
    if (!outcome->stored) e->wall -= e->jump; /* it is found again at the next check */
    expiry_next_look(s, outcome->stored);
}

/* Corrects the stored times after the wall clock was set. Returns true if it was: nothing may be
 * deleted before the correction is stored. */
static bool expiry_follow_clock(server *s, struct expiry *e) {
    const double wall = db_now(), steady = expiry_steady();
    e->jump = (wall - e->wall) - (steady - e->steady);
    e->wall = wall;
    e->steady = steady;
    if (fabs(e->jump) <= EXPIRY_JUMP) return false;
    /* Clock set back: only times in the future are wrong for certain. The others stay, which at
     * worst keeps a data set too long. */
    db_send_surely(
        s->db,
        expiry_change(e->jump > 0 ? "UPDATE datasets SET used = MIN(used + ?1, ?2)"
                                  : "UPDATE datasets SET used = MIN(used + ?1, ?2) WHERE used > ?2",
                      e->jump, wall),
        expiry_followed, s);
    return true;
}

/* Deletes one data set at a time, so that requests are answered in between. */
static void expiry_look(evutil_socket_t fd, short what, void *arg) {
    server *s = arg;
    (void)fd;
    (void)what;
    struct expiry *e = s->datasets->expiry;
    const double days = s->config->expire_days;
    if (expiry_follow_clock(s, e)) return;
    uint64_t id = days > 0 ? expiry_next(s, e->wall - days * EXPIRY_DAY) : 0;
    if (id == 0) id = expiry_announced(s, e->wall - EXPIRY_GRACE);
    if (id) {
        trash_dataset(s, id, expiry_deleted, s);
    } else {
        expiry_next_look(s, false);
    }
}

bool expiry_start(server *s, char *why, size_t room) {
    struct expiry *e = calloc(1, sizeof *e);
    s->datasets->expiry = e;
    if (e) e->timer = evtimer_new(s->base, expiry_look, s);
    if (!e || !e->timer) {
        snprintf(why, room, "out of memory for a timer");
        return false;
    }
    e->wall = db_now();
    e->steady = expiry_steady();
    const double days = s->config->expire_days, limit = days * EXPIRY_DAY;
    const double grace = limit / 24 < EXPIRY_GRACE ? limit / 24 : EXPIRY_GRACE;
    if (days > 0 && !db_make(s->db, expiry_change("UPDATE datasets SET used = MIN(MAX(used, ?), ?)",
                                                  e->wall - limit + grace, e->wall))) {
        snprintf(why, room, "the database cannot be written: %s", db_message(s->db));
        return false;
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
