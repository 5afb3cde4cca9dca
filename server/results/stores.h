/* stores.h - results that are open: mapped Arrow files, lent to one task thread at a time
 *
 * What:   a handle is one opened file with a lode_job of its own. Several threads that ask about
 *         the same result use several handles; what they map is the same memory. Handles that
 *         nobody uses are kept, a few of them, because opening and the table of item names take a
 *         moment.
 * Files:  stores.c (handles); stores_facts.c (answers that are kept); stores_ask.c (questions on
 *         task threads); stores_routes.c (which results there are); stores_routes.c (the part of
 * the
 *         server). Above them the questions themselves: patterns.c, columns.c, columns.c,
 *         network.c, rule_page.c, patterns_occurrences.c, export.c, all with the filter of query.c.
 * Thread: the loop owns everything but the handles, which task threads take and give.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_STORES_H
#define LODE_SERVER_STORES_H

#include <lode.h>
#include <pthread.h>

#include "http/request.h"
#include "server.h"

typedef struct stores stores;

typedef struct store_handle {
    uint64_t id; /* of the job */
    lode_job *job;
    lode_store *store;
    lode_store_info info;
    bool damaged;              /* the file is damaged: close the store. Set by the borrower */
    bool forgotten;            /* its job was deleted while it was lent: close it */
    struct store_handle *next; /* in the list of those that are lent, or of those that are not */
} store_handle;

/* Why a question has no answer. */
typedef struct store_failure {
    lode_status status;
    char message[512];
} store_failure;

/* Task threads. NULL: `why` says it. */
store_handle *stores_take(stores *p, uint64_t job, store_failure *why);
void stores_give(stores *p, store_handle *h);
/* Ends a question to a handle: its status, or PARSE if the file was cut or changed, so that the
 * answer cannot be trusted. `why` says what went wrong, unless it does so already, in words that do
 * not name files of the server. */
lode_status stores_settle(store_handle *h, lode_status status, store_failure *why);

/* The result of a job is deleted: its handles and answers go. Loop thread. */
void stores_forget(server *s, uint64_t job);

/* ---- for the files named above ---- */

struct stores {
    lode_ctx *ctx;
    const char *results_dir;
    struct facts *facts;
    struct asked *asked;
    pthread_mutex_t lock; /* guards what follows */
    store_handle *lent;
    store_handle *idle; /* the one that was used last comes first */
    unsigned n_idle;
};

/* Takes the idle handles of a job, or of all, away; those that are lent are closed when they come
 * back. The list is the caller's to close. */
store_handle *stores_drop(stores *p, uint64_t job, bool all);
void stores_close_all(void *dropped);
struct facts *stores_facts(stores *p);
struct asked *stores_asked(stores *p);

/* Answers a request that failed. */
void stores_reply_failure(request *r, const store_failure *why);

#endif
