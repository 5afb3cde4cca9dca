/* stores_ask.h - queries on results: each runs once and answers everybody who waits for it
 *
 * What:    a query has a key, and its answer becomes a fact (stores_facts.h). A client that asks a
 *          query that is already running waits for the same answer. Only a few slow queries run at
 *          the same time, so that threads are left for pages whose rows are cached; others wait.
 * Ends:    a query is cancelled when all its clients have disconnected, or when it takes longer
 *          than its time limit.
 * Thread:  everything runs on the loop, except `work`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_STORES_ASK_H
#define LODE_SERVER_STORES_ASK_H

#include "http/request.h"
#include "http/text.h"
#include "results/query.h"
#include "results/stores.h"
#include "results/stores_facts.h"

#define ASKED_SECONDS 5 /* time limit of a query, unless it has its own */

typedef struct asked asked;
typedef struct question question;

/* Runs on a task thread and writes the bytes of the fact into `out`. If memory runs out, `out` is
 * marked failed, and the status may still be LODE_OK. If the function returns LODE_INVALID because
 * of an error that it found itself, not one of a call, it sets `why->message` and `why->status`. */
typedef lode_status (*question_fn)(const question *q, store_handle *h, text *out,
                                   store_failure *why);

struct question {
    uint64_t job;
    question_fn work;
    query *query;        /* owned; may be NULL */
    char *key;           /* owned */
    uint64_t from, room; /* numbers for `work` */
    void *more;          /* owned, from malloc; anything else for `work` */
    bool counts;         /* for `work`: count all rows as well */
    unsigned seconds;    /* its time limit */
    bool quick;          /* it reads only a row or two and need not wait in the queue */
};

/* Takes ownership of the query and `more` in any case. NULL: out of memory. */
question *question_new(uint64_t job, question_fn work, query *steals, void *more);
bool question_key(question *q, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Called exactly once. `held` is the answer, and is released after the call; if it is NULL, `why`
 * has the reason. */
typedef void (*asked_fn)(void *user, const fact *held, const store_failure *why);

asked *asked_new(server *s);
void asked_close(asked *a); /* the server shuts down: cancels everything */
void asked_free(asked *a);
void asked_forget(asked *a, uint64_t job);

/* Answers at once if the fact is cached, otherwise later. Takes ownership of the question. `client`
 * is the request that waits for the answer; it must stay valid until `done` is called. */
void asked_ask(asked *a, question *q, request *client, asked_fn done, void *user);
/* The same for a question whose fact is the complete JSON answer. */
void asked_reply(asked *a, question *q, request *client);

#endif
