/* prepared.c - see prepared.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/prepared.h"

#include <string.h>

#include "base/check.h"
#include "base/os.h"

#define WAIT_SECONDS 0.02 /* between two looks at whether the job was cancelled */

typedef enum prepared_state {
    STATE_BUILDING, /* jobs that want it wait */
    STATE_READY,
    STATE_ONCE,    /* only for the job that built it */
    STATE_REPLACED /* only for its present users; freed with the last of them */
} prepared_state;

struct prepared {
    prepared_store *store;
    prepared *next; /* in the store */
    const prepared_kind *kind;
    prepared_state state;
    unsigned n_users;
    lode_job *builder; /* its memory counts in this job; NULL: in the context */
    mem mem;
    void *value;
    size_t bytes; /* of this struct and the key after it */
};

struct prepared_store {
    ctx_home *home;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a build has ended */
    prepared *first;        /* the newest */
    ctx_reclaimer reclaimer;
};

const char *prepared_origin_text(prepared_origin origin) {
    static const char *const texts[] = {"built", "extended", "reused"};
    return texts[origin];
}

#define KEY_OFFSET (MEM_ALIGN * ((sizeof(prepared) + MEM_ALIGN - 1) / MEM_ALIGN))

static void *prepared_key_of(const prepared *p) {
    return (char *)(uintptr_t)p + KEY_OFFSET;
}

const void *prepared_value(const prepared *p) {
    return p->value;
}

/* ---- leaving the store ----------------------------------------------------------------------- */

static void prepared_unlink(prepared *p) {
    prepared **at = &p->store->first;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    p->next = NULL;
}

/* Frees a list of entries that have left the store. Not under the lock. */
static size_t prepared_free_list(prepared *list) {
    size_t bytes = 0;
    while (list) {
        prepared *p = list;
        list = p->next;
        mem *home = &p->store->home->mem;
        bytes += mem_used(&p->mem) + p->bytes;
        if (p->value) p->kind->free(&p->mem, p->value);
        LODE_DEBUG_CHECK(mem_used(&p->mem) == 0, "%zu bytes of prepared data were not freed",
                         mem_used(&p->mem));
        mem_free(home, p, p->bytes);
    }
    return bytes;
}

/* Removes entries without users from the store: all of them, or only those that no job can find any
 * more. The caller holds the lock. */
static prepared *prepared_collect(prepared_store *store, bool all) {
    prepared *list = NULL;
    for (prepared *p = store->first, *next; p; p = next) {
        next = p->next;
        if (p->n_users > 0 || (!all && p->state == STATE_READY)) continue;
        prepared_unlink(p);
        p->next = list;
        list = p;
    }
    return list;
}

/* Whether this thread holds the lock of a store. */
static _Thread_local bool prepared_holds;

static void prepared_lock(prepared_store *store) {
    pthread_mutex_lock(&store->lock);
    prepared_holds = true;
}

static void prepared_unlock(prepared_store *store) {
    prepared_holds = false;
    pthread_mutex_unlock(&store->lock);
}

size_t prepared_reclaim(prepared_store *store) {
    prepared_lock(store);
    prepared *list = prepared_collect(store, true);
    prepared_unlock(store);
    return prepared_free_list(list);
}

/* A ctx_reclaimer. A thread that holds the lock of a store must not allocate memory: it could wait
 * here for itself, or for a thread that waits for it. */
static bool prepared_reclaim_asked(void *user, size_t bytes) {
    (void)bytes;
    LODE_DEBUG_CHECK(!prepared_holds,
                     "memory is allocated while the lock of prepared data is held");
    return !prepared_holds && prepared_reclaim(user) > 0;
}

lode_status prepared_store_create(ctx_home *home, prepared_store **out) {
    prepared_store *store = NULL;
    lode_status status = mem_zalloc(&home->mem, (void **)&store, sizeof *store);
    if (status != LODE_OK) return status;
    store->home = home;
    pthread_mutex_init(&store->lock, NULL);
    cond_init(&store->changed);
    store->reclaimer = (ctx_reclaimer){.reclaim = prepared_reclaim_asked, .user = store};
    ctx_add_reclaimer(home->ctx, &store->reclaimer);
    *out = store;
    return LODE_OK;
}

void prepared_store_free(prepared_store *store) {
    if (!store) return;
    mem *home = &store->home->mem;
    ctx_remove_reclaimer(store->home->ctx, &store->reclaimer);
    while (store->first && prepared_reclaim(store) > 0) { /* again, as one may hold another */
    }
    LODE_DEBUG_CHECK(!store->first, "prepared data are still in use when their data set is freed");
    pthread_mutex_destroy(&store->lock);
    pthread_cond_destroy(&store->changed);
    mem_free(home, store, sizeof *store);
}

static void prepared_drop_one(prepared *p, const lode_job *job) {
    prepared_store *store = p->store;
    prepared_lock(store);
    LODE_DEBUG_CHECK(p->n_users > 0, "prepared data are dropped, but nobody uses them");
    p->n_users--;
    if (job && p->builder == job) {
        p->builder = NULL;
        mem_move_out(&p->mem);
    }
    prepared *list = prepared_collect(store, false);
    prepared_unlock(store);
    prepared_free_list(list);
}

void prepared_drop(lode_job *job, prepared *p) {
    if (p) prepared_drop_one(p, job);
}

/* ---- taking ---------------------------------------------------------------------------------- */

/* Returns the newest entry in a state that `serves` the request. The caller holds the lock. */
static prepared *prepared_find(const prepared_request *r, prepared_state state,
                               bool (*serves)(const void *key, const void *wanted)) {
    for (prepared *p = r->store->first; p && serves; p = p->next) {
        if (p->kind == r->kind && p->state == state && serves(prepared_key_of(p), r->wanted))
            return p;
    }
    return NULL;
}

/* Waits a little for a build of another job. Under the lock. */
static lode_status prepared_wait(lode_job *job, prepared_store *store) {
    lode_status status = job_check(job);
    if (status == LODE_OK) cond_wait_for(&store->changed, &store->lock, WAIT_SECONDS);
    return status;
}

/* Finds an entry that fits, and waits for it if it is being built. Sets *out to NULL if there is
 * none. The caller holds the lock. */
static lode_status prepared_find_ready(lode_job *job, const prepared_request *r, prepared **out) {
    lode_status status = LODE_OK;
    while (!(*out = prepared_find(r, STATE_READY, r->kind->fits))) {
        if (!prepared_find(r, STATE_BUILDING, r->kind->fits)) return LODE_OK;
        LODE_TRY(prepared_wait(job, r->store));
    }
    (*out)->n_users++;
    LODE_DEBUG_CHECK((*out)->value && (*out)->store == r->store,
                     "prepared data are marked ready, but are missing");
done:
    return status;
}

/* Makes an entry that is to be built. */
static lode_status prepared_enter(lode_job *job, const prepared_request *r, prepared **out) {
    prepared *p = NULL;
    ctx_home *home = r->store->home;
    size_t bytes = KEY_OFFSET + r->kind->key_bytes;
    lode_status status = mem_zalloc(&home->mem, (void **)&p, bytes);
    if (status != LODE_OK) return status;
    *p = (prepared){.store = r->store,
                    .kind = r->kind,
                    .state = STATE_BUILDING,
                    .n_users = 1,
                    .builder = job,
                    .bytes = bytes};
    memcpy(prepared_key_of(p), r->wanted, r->kind->key_bytes);
    /* If the job is in another context than the data, memory cannot move there later: it counts
     * with the data from the start. */
    mem_init_inner(&p->mem, job->ctx == home->ctx ? &job->mem : &home->mem, 0);
    *out = p;
    return LODE_OK;
}

/* Whether `by`, of the same kind, makes it superfluous. */
static bool prepared_is_outdated(const prepared *p, const prepared *by) {
    if (p == by || p->kind != by->kind || p->state != STATE_READY) return false;
    if (p->kind->outdated) return p->kind->outdated(prepared_key_of(p), prepared_key_of(by));
    return p->kind->fits(prepared_key_of(by), prepared_key_of(p));
}

/* Marks outdated entries, so that no other job gets them. The caller holds the lock. */
static void prepared_replace_others(prepared *by) {
    for (prepared *p = by->store->first; p; p = p->next) {
        if (prepared_is_outdated(p, by)) p->state = STATE_REPLACED;
    }
}

/* Makes room for an entry that is about to be built: removes unused entries that it will replace
 * or, if less than half of the budget is free, all unused entries. The caller holds the lock. */
static prepared *prepared_make_room(prepared *fresh) {
    const mem *m = &fresh->store->home->mem;
    bool all = mem_left(m) < mem_budget(m) / 2;
    for (prepared *p = fresh->store->first; p; p = p->next) {
        if (p->n_users == 0 && prepared_is_outdated(p, fresh)) p->state = STATE_REPLACED;
    }
    return prepared_collect(fresh->store, all);
}

/* Calls build() with a copy of the key. The entry's own key, which other threads read, changes only
 * after the build. */
static lode_status prepared_run_build(prepared *p, prepared *older, prepared_build b,
                                      prepared_origin *origin) {
    prepared_store *store = p->store;
    b.mem = &p->mem;
    b.older = older;
    lode_status status = p->kind->build(&b);
    prepared_lock(store);
    p->value = status == LODE_OK ? b.value : NULL;
    memcpy(prepared_key_of(p), b.key, p->kind->key_bytes);
    p->state = status != LODE_OK ? STATE_REPLACED : b.once ? STATE_ONCE : STATE_READY;
    if (p->state == STATE_READY) prepared_replace_others(p);
    pthread_cond_broadcast(&store->changed);
    prepared_unlock(store);
    *origin = b.extended ? PREPARED_EXTENDED : PREPARED_BUILT;
    if (older) prepared_drop_one(older, NULL);
    if (status != LODE_OK) prepared_drop(b.job, p);
    return status;
}

/* Finds one that fits, or adds `fresh` to the store; *older: one that it may be extended from. */
static lode_status prepared_find_or_begin(lode_job *job, const prepared_request *r, prepared *fresh,
                                          prepared **found, prepared **older) {
    prepared_store *store = r->store;
    prepared *list = NULL;
    prepared_lock(store);
    lode_status status = prepared_find_ready(job, r, found);
    if (status == LODE_OK && !*found) {
        *older = prepared_find(r, STATE_READY, r->kind->extends);
        if (*older) (*older)->n_users++;
        list = prepared_make_room(fresh);
        fresh->next = store->first;
        store->first = fresh;
    }
    prepared_unlock(store);
    prepared_free_list(list);
    return status;
}

lode_status prepared_take(lode_job *job, const prepared_request *r, prepared **out,
                          prepared_origin *origin) {
    lode_status status = LODE_OK;
    prepared *fresh = NULL, *found = NULL, *older = NULL;
    prepared_origin unasked;
    size_t key_bytes = r->kind->key_bytes;
    void *key = NULL;
    if (!origin) origin = &unasked;
    LODE_TRY(mem_zalloc(&job->mem, &key, key_bytes));
    LODE_TRY(prepared_enter(job, r, &fresh));
    LODE_TRY(prepared_find_or_begin(job, r, fresh, &found, &older));
    if (found) {
        *origin = PREPARED_REUSED;
        *out = found;
    } else {
        prepared *p = fresh;
        fresh = NULL; /* it is in the store, which frees it */
        memcpy(key, r->wanted, key_bytes);
        LODE_TRY(prepared_run_build(
            p, older, (prepared_build){.job = job, .arg = r->arg, .key = key}, origin));
        *out = p;
    }
done:
    if (fresh) mem_free(&r->store->home->mem, fresh, fresh->bytes);
    mem_free(&job->mem, key, key ? key_bytes : 0);
    return status;
}

bool prepared_has(prepared_store *store, const prepared_kind *kind, const void *wanted) {
    prepared_lock(store);
    bool has = prepared_find(&(prepared_request){store, kind, wanted, NULL}, STATE_READY,
                             kind->fits) != NULL;
    prepared_unlock(store);
    return has;
}
