/* stores_part.c - results as a part of the server: how they start, end and are forgotten
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "results/stores.h"
#include "results/stores_ask.h"
#include "results/stores_facts.h"
#include "system/tasks.h"

#define STORES_THREADS 64 /* of the context: more than there are task threads, so nobody waits */

static void stores_nothing(void *arg) {
    (void)arg;
}

/* What is mapped is given back by a task thread, as that takes long for a large result. */
void stores_forget(server *s, uint64_t job) {
    asked_forget(s->stores->asked, job);
    facts_forget(s->stores->facts, job);
    store_handle *dropped = stores_drop(s->stores, job, false);
    if (dropped && tasks_add(s->tasks, stores_close_all, stores_nothing, dropped)) return;
    stores_close_all(dropped);
}

static void stores_stop(server *s) {
    stores *p = s->stores;
    if (!p) return;
    asked_free(p->asked);
    facts_free(p->facts);
    stores_close_all(stores_drop(p, 0, true));
    lode_ctx_free(p->ctx);
    pthread_mutex_destroy(&p->lock);
    free(p);
    s->stores = NULL;
}

static bool stores_start(server *s, char *why, size_t room) {
    lode_ctx_options options = {.size = sizeof options, .threads = STORES_THREADS};
    stores *p = calloc(1, sizeof *p);
    if (!p) goto failed;
    lode_store_guard();
    s->stores = p;
    pthread_mutex_init(&p->lock, NULL);
    p->results_dir = s->config->results_dir;
    p->facts = facts_new();
    p->asked = asked_new(s);
    if (p->facts && p->asked && lode_ctx_create(&p->ctx, &options) == LODE_OK) return true;
    stores_stop(s);
failed:
    snprintf(why, room, "there is no memory for the results");
    return false;
}

static void stores_closing(server *s) {
    asked_close(s->stores->asked);
}

const server_part stores_part = {"stores", stores_start, stores_closing, stores_stop};
