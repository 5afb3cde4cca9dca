/* prepared.c - see prepared.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/prepared.h"

#include <string.h>
#include <time.h>

#define WAIT_NANOSECONDS (20 * 1000 * 1000) /* between looks at whether to go on waiting */

typedef enum prepared_state {
    STATE_BUILDING, /* those who want it wait */
    STATE_READY,
    STATE_ONCE,    /* of the job that built it alone */
    STATE_REPLACED /* of those who use it; goes with the last */
} prepared_state;

struct prepared {
    prepared_store *store;
    prepared *next; /* in the store */
    const prepared_kind *kind;
    prepared_state state;
    unsigned n_users;
    lode_job *builder; /* in whose memory it counts; NULL: in the context's */
    mem mem;
    void *value;
    size_t bytes; /* of this struct, with the key behind it */
};

struct prepared_store {
    ctx_home *home;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a build has ended */
    prepared *first;        /* the newest */
    ctx_reclaimer reclaimer;
};

const char *prepared_how_text(prepared_how how) {
    static const char *const texts[] = {"built", "extended", "reused"};
    return texts[how];
}

static void *key_of(const prepared *p) {
    return (char *)(uintptr_t)p + MEM_ALIGN * ((sizeof *p + MEM_ALIGN - 1) / MEM_ALIGN);
}

const void *prepared_value(const prepared *p) {
    return p->value;
}

const void *prepared_key(const prepared *p) {
    return key_of(p);
}

/* ---- leaving the store ----------------------------------------------------------------------- */

static void unlink_one(prepared *p) {
    prepared **at = &p->store->first;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    p->next = NULL;
}

/* Frees a list of what has left the store; not under the lock. */
static size_t free_list(prepared *list) {
    size_t bytes = 0;
    while (list) {
        prepared *p = list;
        list = p->next;
        mem *home = &p->store->home->mem;
        bytes += mem_used(&p->mem) + p->bytes;
        if (p->value) p->kind->free(&p->mem, p->value);
        LODE_DEBUG_CHECK(mem_used(&p->mem) == 0, "%zu bytes of what was prepared are left",
                         mem_used(&p->mem));
        mem_free(home, p, p->bytes);
    }
    return bytes;
}

/* Takes all that nobody uses out of the store, or only what nobody can find. Under the lock. */
static prepared *collect(prepared_store *store, bool all) {
    prepared *list = NULL;
    for (prepared *p = store->first, *next; p; p = next) {
        next = p->next;
        if (p->n_users > 0 || (!all && p->state == STATE_READY)) continue;
        unlink_one(p);
        p->next = list;
        list = p;
    }
    return list;
}

size_t prepared_reclaim(prepared_store *store) {
    pthread_mutex_lock(&store->lock);
    prepared *list = collect(store, true);
    pthread_mutex_unlock(&store->lock);
    return free_list(list);
}

/* The lock is never held by anybody who waits for memory, so it may be waited for here. */
static bool reclaim_asked(void *user, size_t bytes) {
    (void)bytes;
    return prepared_reclaim(user) > 0;
}

lode_status prepared_store_create(ctx_home *home, prepared_store **out) {
    prepared_store *store = NULL;
    lode_status status = mem_zalloc(&home->mem, (void **)&store, sizeof *store);
    if (status != LODE_OK) return status;
    store->home = home;
    pthread_mutex_init(&store->lock, NULL);
    pthread_cond_init(&store->changed, NULL);
    store->reclaimer = (ctx_reclaimer){.reclaim = reclaim_asked, .user = store};
    ctx_add_reclaimer(home->ctx, &store->reclaimer);
    *out = store;
    return LODE_OK;
}

void prepared_store_free(prepared_store *store) {
    if (!store) return;
    mem *home = &store->home->mem;
    ctx_remove_reclaimer(store->home->ctx, &store->reclaimer);
    while (store->first && prepared_reclaim(store) > 0) { /* one may hold another */
    }
    LODE_DEBUG_CHECK(!store->first, "what was prepared is in use when its data set is freed");
    pthread_mutex_destroy(&store->lock);
    pthread_cond_destroy(&store->changed);
    mem_free(home, store, sizeof *store);
}

static void drop_one(prepared *p, const lode_job *job) {
    prepared_store *store = p->store;
    pthread_mutex_lock(&store->lock);
    p->n_users--;
    if (job && p->builder == job) {
        p->builder = NULL;
        mem_move_out(&p->mem);
    }
    prepared *list = collect(store, false);
    pthread_mutex_unlock(&store->lock);
    free_list(list);
}

void prepared_drop(lode_job *job, prepared *p) {
    if (p) drop_one(p, job);
}

prepared *prepared_hold(const prepared *p) {
    prepared *held = (prepared *)(uintptr_t)p;
    pthread_mutex_lock(&held->store->lock);
    held->n_users++;
    pthread_mutex_unlock(&held->store->lock);
    return held;
}

void prepared_unhold(prepared *p) {
    if (p) drop_one(p, NULL);
}

/* ---- taking ---------------------------------------------------------------------------------- */

static prepared *find(prepared_store *store, const prepared_kind *kind, prepared_state state,
                      bool (*wanted_by)(const void *key, const void *wanted), const void *wanted) {
    for (prepared *p = store->first; p && wanted_by; p = p->next) {
        if (p->kind == kind && p->state == state && wanted_by(key_of(p), wanted)) return p;
    }
    return NULL;
}

/* Waits a little for a build of another job. Under the lock. */
static lode_status wait_a_little(lode_job *job, prepared_store *store) {
    struct timespec until;
    lode_status status = job_check(job);
    if (status != LODE_OK) return status;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_NANOSECONDS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&store->changed, &store->lock, &until);
    return LODE_OK;
}

/* One that fits, waiting for it where it is being built; NULL: there is none. Under the lock. */
static lode_status find_ready(lode_job *job, prepared_store *store, const prepared_kind *kind,
                              const void *wanted, prepared **out) {
    lode_status status = LODE_OK;
    while (!(*out = find(store, kind, STATE_READY, kind->fits, wanted))) {
        if (!find(store, kind, STATE_BUILDING, kind->fits, wanted)) return LODE_OK;
        LODE_TRY(wait_a_little(job, store));
    }
    (*out)->n_users++;
done:
    return status;
}

/* An entry that is being built from now on. */
static lode_status enter(lode_job *job, prepared_store *store, const prepared_kind *kind,
                         const void *wanted, prepared **out) {
    prepared *p = NULL;
    size_t bytes = MEM_ALIGN * ((sizeof *p + MEM_ALIGN - 1) / MEM_ALIGN) + kind->key_bytes;
    lode_status status = mem_zalloc(&store->home->mem, (void **)&p, bytes);
    if (status != LODE_OK) return status;
    *p = (prepared){.store = store,
                    .kind = kind,
                    .state = STATE_BUILDING,
                    .n_users = 1,
                    .builder = job,
                    .bytes = bytes};
    memcpy(key_of(p), wanted, kind->key_bytes);
    /* For a job in another context than the data, nothing can be moved: it counts with them. */
    bool here = job->ctx == store->home->ctx;
    mem_init_inner(&p->mem, here ? &job->mem : &store->home->mem, 0);
    *out = p;
    return LODE_OK;
}

/* Whether something of the same kind that has another key makes it superfluous. */
static bool is_outdated(const prepared *p, const prepared *by) {
    if (p == by || p->kind != by->kind || p->state != STATE_READY) return false;
    if (p->kind->outdated) return p->kind->outdated(key_of(p), key_of(by));
    return p->kind->fits(key_of(by), key_of(p));
}

/* Nobody gets what is outdated any more. Under the lock. */
static void replace_others(prepared *by) {
    for (prepared *p = by->store->first; p; p = p->next) {
        if (is_outdated(p, by)) p->state = STATE_REPLACED;
    }
}

/* Makes room for one that is to be built: takes out what nobody uses, if it will be outdated or,
 * where there is a budget, in any case. Under the lock. */
static prepared *make_room(prepared *fresh) {
    bool all = mem_budget(&fresh->store->home->mem) != SIZE_MAX;
    for (prepared *p = fresh->store->first; p; p = p->next) {
        if (p->n_users == 0 && is_outdated(p, fresh)) p->state = STATE_REPLACED;
    }
    return collect(fresh->store, all);
}

/* The key that is seen by others changes only when the build has ended. */
static lode_status build(prepared *p, lode_job *job, prepared *older, void *key, const void *arg,
                         prepared_how *how) {
    prepared_store *store = p->store;
    prepared_build b = {.job = job, .arg = arg, .mem = &p->mem, .key = key, .older = older};
    lode_status status = p->kind->build(&b);
    pthread_mutex_lock(&store->lock);
    p->value = status == LODE_OK ? b.value : NULL;
    memcpy(key_of(p), key, p->kind->key_bytes);
    p->state = status != LODE_OK ? STATE_REPLACED : b.once ? STATE_ONCE : STATE_READY;
    if (p->state == STATE_READY) replace_others(p);
    pthread_cond_broadcast(&store->changed);
    pthread_mutex_unlock(&store->lock);
    *how = b.extended ? PREPARED_EXTENDED : PREPARED_BUILT;
    prepared_unhold(older);
    if (status != LODE_OK) prepared_drop(job, p);
    return status;
}

/* Finds one, or makes `fresh` the one that is being built; *older: what it may be extended from. */
static lode_status find_or_begin(lode_job *job, prepared *fresh, const void *wanted,
                                 prepared **found, prepared **older) {
    prepared_store *store = fresh->store;
    prepared *list = NULL;
    pthread_mutex_lock(&store->lock);
    lode_status status = find_ready(job, store, fresh->kind, wanted, found);
    if (status == LODE_OK && !*found) {
        *older = find(store, fresh->kind, STATE_READY, fresh->kind->extends, wanted);
        if (*older) (*older)->n_users++;
        list = make_room(fresh);
        fresh->next = store->first;
        store->first = fresh;
    }
    pthread_mutex_unlock(&store->lock);
    free_list(list);
    return status;
}

lode_status prepared_take(lode_job *job, prepared_store *store, const prepared_kind *kind,
                          const void *wanted, const void *arg, prepared **out, prepared_how *how) {
    lode_status status = LODE_OK;
    prepared *fresh = NULL, *found = NULL, *older = NULL;
    prepared_how unasked;
    void *key = NULL;
    if (!how) how = &unasked;
    LODE_TRY(mem_zalloc(&job->mem, &key, kind->key_bytes));
    LODE_TRY(enter(job, store, kind, wanted, &fresh));
    LODE_TRY(find_or_begin(job, fresh, wanted, &found, &older));
    if (found) {
        *how = PREPARED_REUSED;
        *out = found;
    } else {
        prepared *p = fresh;
        fresh = NULL; /* it is in the store, which frees it */
        memcpy(key, wanted, kind->key_bytes);
        LODE_TRY(build(p, job, older, key, arg, how));
        *out = p;
    }
done:
    if (fresh) mem_free(&store->home->mem, fresh, fresh->bytes);
    mem_free(&job->mem, key, key ? kind->key_bytes : 0);
    return status;
}

bool prepared_has(prepared_store *store, const prepared_kind *kind, const void *wanted) {
    pthread_mutex_lock(&store->lock);
    bool has = find(store, kind, STATE_READY, kind->fits, wanted) != NULL;
    pthread_mutex_unlock(&store->lock);
    return has;
}
