/* scripted_waves.c - schedules of messages in which a careless detection of the end would be wrong
 *
 * What: four schedulers, and a script that determines when each message arrives. Rank 2 answers a
 *        wave while it is passive. Then rank 0, which has not answered, gives rank 2 a task, and
 *        rank 2 gives a task to rank 3, which has not answered either. Ranks 3, 1 and 0 finish and
 *        answer. Now the wave has counted as many messages sent (one to rank 2) as received (one by
 *        rank 3), although rank 2 still searches.
 * Why: this shows that a single wave that finds as many messages sent as received proves nothing,
 *        nor does the second of two waves if it is only compared with itself (`again`). Random
 *        delays rarely lead to such a schedule: once in thousands of random trees.
 *
 *     rank 0 ── rank 1 ── rank 3        the tree of the waves
 *        └───── rank 2
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scripted_waves.h"

#include <stdlib.h>
#include <string.h>

#include "scheduler.h"

#define WAVE_RANKS 4
#define WAVE_MAIL  256

typedef struct wave_mail {
    int from, to;
    bool arrived;
    sched_message message;
    uint64_t task;
} wave_mail;

typedef struct wave_play {
    sched *ranks[WAVE_RANKS];
    wave_mail mail[WAVE_MAIL]; /* in the order in which they were sent */
    size_t n_mail;
    uint64_t n_tasks;
} wave_play;

typedef struct wave_rank {
    wave_play *play;
    int rank;
} wave_rank;

/* ---- actions --------------------------------------------------------------------------------- */

static void wave_send(void *user, int to, const sched_message *m) {
    const wave_rank *r = user;
    wave_play *p = r->play;
    if (p->n_mail == WAVE_MAIL) return; /* then the play does not end, which is told */
    wave_mail *mail = &p->mail[p->n_mail++];
    *mail = (wave_mail){.from = r->rank, .to = to, .message = *m};
    if (m->n_tasks > 0) mail->task = m->tasks[0];
}

static void wave_start(void *user, const uint64_t *tasks, size_t n) {
    (void)user;
    (void)tasks;
    (void)n;
}

/* ---- the script ------------------------------------------------------------------------------ */

/* What rank `from` has sent to rank `to` arrives. Returns how many messages there were. */
static int wave_arrive(wave_play *p, int from, int to) {
    int n = 0;
    for (size_t i = 0; i < p->n_mail; i++) {
        wave_mail *mail = &p->mail[i];
        if (mail->arrived || mail->from != from || mail->to != to) continue;
        mail->arrived = true;
        mail->message.tasks = &mail->task;
        sched_received(p->ranks[to], from, &mail->message);
        n++;
    }
    return n;
}

/* Rank `to`, which waits, asks rank `from`, whose search hands out a task. */
static void wave_give(wave_play *p, int from, int to) {
    wave_arrive(p, to, from);
    sched_given(p->ranks[from], ++p->n_tasks);
    wave_arrive(p, from, to);
}

/* Rank 2 has answered the wave: what is told above. */
static void wave_deceive(wave_play *p) {
    wave_give(p, 0, 1); /* which may have asked before */
    wave_give(p, 0, 2);
    wave_give(p, 2, 3);
    sched_finished(p->ranks[3]);
    wave_arrive(p, 1, 3);
    wave_arrive(p, 3, 1);
    sched_finished(p->ranks[1]);
    sched_finished(p->ranks[0]);
    wave_arrive(p, 1, 0);
}

/* An honest first wave, of which rank 2 has a task again when it ends, and gives one to rank 0; it
 * then finishes, and answers the second wave. */
static void wave_first(wave_play *p) {
    wave_give(p, 0, 2);
    wave_arrive(p, 0, 1);
    wave_arrive(p, 1, 3);
    wave_arrive(p, 3, 1);
    sched_finished(p->ranks[0]);
    wave_arrive(p, 1, 0);
    wave_give(p, 2, 0);
    wave_arrive(p, 0, 2);
    sched_finished(p->ranks[2]);
}

/* All goes on until nothing happens any more. */
static bool wave_finish(wave_play *p) {
    sched_finished(p->ranks[2]);
    for (int n = 1; n > 0;) {
        n = 0;
        for (int i = 0; i < WAVE_RANKS * WAVE_RANKS; i++) {
            n += wave_arrive(p, i / WAVE_RANKS, i % WAVE_RANKS);
        }
    }
    bool over = true;
    for (int i = 0; i < WAVE_RANKS; i++) over &= sched_is_over(p->ranks[i]);
    return over;
}

static bool wave_play_all(wave_play *p, bool again) {
    if (!sched_add(p->ranks[0], ++p->n_tasks)) return false;
    for (int i = 0; i < WAVE_RANKS; i++) sched_begin(p->ranks[i]);
    wave_arrive(p, 0, 2); /* rank 2 answers at once */
    if (again) wave_first(p);
    wave_deceive(p);
    bool busy = sched_is_searching(p->ranks[2]) && !sched_is_searching(p->ranks[0]) &&
                !sched_is_searching(p->ranks[3]);
    return busy && !sched_is_over(p->ranks[0]) && wave_finish(p);
}

bool waves_hold(bool again) {
    wave_play play = {0};
    wave_rank ranks[WAVE_RANKS];
    bool fine = true;
    for (int i = 0; i < WAVE_RANKS; i++) {
        sched_config config = {.rank = i, .n_ranks = WAVE_RANKS, .batch_part = 1, .batch_least = 1};
        ranks[i] = (wave_rank){&play, i};
        sched_actions actions = {.user = &ranks[i], .send = wave_send, .start = wave_start};
        play.ranks[i] = sched_create(&config, &actions);
        fine &= play.ranks[i] != NULL;
    }
    fine = fine && wave_play_all(&play, again);
    for (int i = 0; i < WAVE_RANKS; i++) sched_free(play.ranks[i]);
    return fine;
}
