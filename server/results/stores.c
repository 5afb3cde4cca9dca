/* stores.c - see stores.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/stores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/request.h"

#define STORES_IDLE 12 /* idle handles that are kept open */

struct facts *stores_facts(stores *p) {
    return p->facts;
}

struct asked *stores_asked(stores *p) {
    return p->asked;
}

/* ---- handles -------------------------------------------------------------------------------- */

static void store_close(store_handle *h) {
    if (!h) return;
    lode_store_free(h->store);
    lode_job_free(h->job);
    free(h);
}

/* Takes the path of the file out of a message: "…/results/3.arrow: damaged" is "damaged". */
static void store_hide_path(char *message) {
    char *slash = strrchr(message, '/');
    char *end = slash ? strstr(slash, ".arrow") : NULL;
    if (!end) return;
    char *start = slash;
    while (start > message && start[-1] != ' ' && start[-1] != '\'') start--;
    end += strlen(".arrow");
    if (start == message && strncmp(end, ": ", 2) == 0) {
        memmove(start, end + 2, strlen(end + 2) + 1);
        return;
    }
    static const char words[] = "the result";
    size_t rest = strlen(end) + 1;
    if ((size_t)(end - start) < sizeof words - 1) return;
    memmove(start + sizeof words - 1, end, rest);
    memcpy(start, words, sizeof words - 1);
}

static void store_explain(const store_handle *h, lode_status status, store_failure *why) {
    const char *said = lode_job_error(h->job);
    why->status = status;
    snprintf(why->message, sizeof why->message, "%s", *said ? said : lode_status_text(status));
    store_hide_path(why->message);
}

lode_status stores_settle(store_handle *h, lode_status status, store_failure *why) {
    if (status != LODE_OK && why->status == LODE_OK) store_explain(h, status, why);
    h->damaged = status == LODE_PARSE;
    if (lode_store_check(h->store) == LODE_OK) return status;
    h->damaged = true;
    store_explain(h, LODE_PARSE, why);
    return LODE_PARSE;
}

static store_handle *store_open(stores *p, uint64_t id, store_failure *why) {
    char path[4096 + 64];
    lode_job_options options = {.size = sizeof options, .threads = 1};
    store_handle *h = calloc(1, sizeof *h);
    if (!h) {
        why->status = LODE_NOMEM;
        snprintf(why->message, sizeof why->message, "the server is out of memory");
        return NULL;
    }
    h->id = id;
    h->info.size = sizeof h->info;
    snprintf(path, sizeof path, "%s/%llu.arrow", p->results_dir, (unsigned long long)id);
    lode_status status = lode_job_create(&h->job, p->ctx, &options);
    if (status == LODE_OK) status = lode_store_open(h->job, &h->store, path);
    if (status == LODE_OK) {
        (void)lode_store_about(h->store, &h->info);
        return h;
    }
    store_explain(h, status, why);
    store_close(h);
    return NULL;
}

/* Under the lock. */
static void store_lend(stores *p, store_handle *h) {
    h->next = p->lent;
    p->lent = h;
}

store_handle *stores_take(stores *p, uint64_t job, store_failure *why) {
    store_handle *found = NULL;
    pthread_mutex_lock(&p->lock);
    store_handle **at = &p->idle;
    while (*at && (*at)->id != job) at = &(*at)->next;
    if (*at) {
        found = *at;
        *at = found->next;
        p->n_idle--;
        store_lend(p, found);
    }
    pthread_mutex_unlock(&p->lock);
    if (found) return found;
    found = store_open(p, job, why);
    if (!found) return NULL;
    pthread_mutex_lock(&p->lock);
    store_lend(p, found);
    pthread_mutex_unlock(&p->lock);
    return found;
}

/* Under the lock: removes the least recently used idle handle. */
static store_handle *store_oldest(stores *p) {
    store_handle **at = &p->idle;
    while ((*at)->next) at = &(*at)->next;
    store_handle *oldest = *at;
    *at = NULL;
    p->n_idle--;
    return oldest;
}

void stores_give(stores *p, store_handle *h) {
    store_handle *closed = NULL;
    lode_job_reset(h->job);
    pthread_mutex_lock(&p->lock);
    store_handle **at = &p->lent;
    while (*at != h) at = &(*at)->next;
    *at = h->next;
    if (h->forgotten || h->damaged) {
        closed = h;
    } else {
        h->next = p->idle;
        p->idle = h;
        if (++p->n_idle > STORES_IDLE) closed = store_oldest(p);
    }
    pthread_mutex_unlock(&p->lock);
    store_close(closed);
}

store_handle *stores_drop(stores *p, uint64_t job, bool all) {
    store_handle *dropped = NULL;
    pthread_mutex_lock(&p->lock);
    for (store_handle *h = p->lent; h; h = h->next) h->forgotten |= all || h->id == job;
    for (store_handle **at = &p->idle; *at;) {
        store_handle *h = *at;
        if (!all && h->id != job) {
            at = &h->next;
            continue;
        }
        *at = h->next;
        h->next = dropped;
        dropped = h;
        p->n_idle--;
    }
    pthread_mutex_unlock(&p->lock);
    return dropped;
}

void stores_close_all(void *dropped) {
    for (store_handle *h = dropped, *next; h; h = next) {
        next = h->next;
        store_close(h);
    }
}

static void store_reply_damaged(request *r, const char *why) {
    char words[600];
    snprintf(words, sizeof words, "The file of this result is damaged: %s", why);
    reply_hint(r, 500, "damaged", words, "Run the job again, or restore the file from a backup.");
}

void stores_reply_failure(request *r, const store_failure *why) {
    switch (why->status) {
    case LODE_INVALID: reply_error(r, 422, "invalid", "%s", why->message); return;
    case LODE_NOTFOUND: reply_error(r, 404, "notfound", "%s", why->message); return;
    case LODE_PARSE: store_reply_damaged(r, why->message); return;
    default: reply_error(r, 503, "unavailable", "%s", why->message); return;
    }
}
