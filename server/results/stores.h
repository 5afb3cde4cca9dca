/* stores.h - open results: mapped Arrow files, each used by one task thread at a time
 *
 * What:   a handle is an opened file with its own lode_job. Threads that query the same result use
 *         different handles, which share the mapped memory. A few idle handles are kept, because
 *         opening a file and building its table of item names take time.
 * Files:  stores.c (handles), stores_facts.c (cached answers), stores_ask.c (queries on task
 *         threads), stores_routes.c (routes, start and shutdown). On top of them are the queries:
 *         patterns.c, columns.c, network.c, rule_page.c, patterns_occurrences.c and export.c, all
 *         with the filter of query.c, and diff.c for two results.
 * Thread: the loop owns everything except the handles, which task threads borrow and return.
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
    bool damaged;              /* set by the borrower: the file is damaged, close the store */
    bool forgotten;            /* the job was deleted while the handle was borrowed: close it */
    struct store_handle *next; /* in the list of borrowed or of idle handles */
} store_handle;

/* Why a query failed. */
typedef struct store_failure {
    lode_status status;
    char message[512];
} store_failure;

/* Borrows a handle. Task threads. NULL: `why` has the reason. */
store_handle *stores_take(stores *p, uint64_t job, store_failure *why);
void stores_give(stores *p, store_handle *h);
/* Ends a query: returns its status, or LODE_PARSE if the file was truncated or changed, so that the
 * answer cannot be trusted. Fills in `why` unless it is filled in already, without naming files of
 * the server. */
lode_status stores_settle(store_handle *h, lode_status status, store_failure *why);

/* The result of a job is deleted: drops its handles and cached answers. Loop thread. */
void stores_forget(server *s, uint64_t job);

/* ---- for the files named above ---- */

struct stores {
    lode_ctx *ctx;
    const char *results_dir;
    struct facts *facts;
    struct asked *asked;
    pthread_mutex_t lock; /* protects what follows */
    store_handle *lent;
    store_handle *idle; /* most recently used first */
    unsigned n_idle;
};

/* Removes the idle handles of a job, or of all, and returns them for the caller to close; borrowed
 * handles are closed when they are returned. */
store_handle *stores_drop(stores *p, uint64_t job, bool all);
void stores_close_all(void *dropped);
struct facts *stores_facts(stores *p);
struct asked *stores_asked(stores *p);

/* Answers a request whose query failed. */
void stores_reply_failure(request *r, const store_failure *why);

#endif
