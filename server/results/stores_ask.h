/* stores_ask.h - questions to results: asked once, answered to everybody who waits
 *
 * What:    a question has a key; its answer becomes a fact (stores_facts.h). Who asks what is being
 *          worked out already waits for that. Only a few questions run at the same time, so that a
 *          thread is left for pages, whose rows are known; the others stand in line.
 * Ends:    a question that nobody waits for any more (clients that have gone) is cancelled, and so
 *          is one that takes longer than ASKED_SECONDS.
 * Thread:  everything on the loop, but `work`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_STORES_ASK_H
#define LODE_SERVER_STORES_ASK_H

#include "http/request.h"
#include "http/text.h"
#include "results/query.h"
#include "results/stores.h"
#include "results/stores_facts.h"

#define ASKED_SECONDS 5 /* that a question may take */

typedef struct asked asked;
typedef struct question question;

/* Answers on a task thread: puts the bytes of the fact into `out`. What fails for memory leaves
 * `out` failed, and the status may be LODE_OK all the same. INVALID with a message of its own: it
 * is put into `why`, and `why->status` set. */
typedef lode_status (*question_fn)(const question *q, store_handle *h, text *out,
                                   store_failure *why);

struct question {
    uint64_t job;
    question_fn work;
    query *query;        /* owned; may be NULL */
    char *key;           /* owned */
    uint64_t from, room; /* numbers for `work` */
    void *more;          /* owned, from malloc; anything else for `work` */
    bool counts;         /* for `work`: how many rows there are in all, too */
    bool quick;          /* it looks at a row or two, and need not stand in line */
};

/* Owns the query and `more` from now on, in any case. NULL: no memory; `key` has a format. */
question *question_new(uint64_t job, question_fn work, query *steals, void *more);
bool question_key(question *q, const char *format, ...) __attribute__((format(printf, 2, 3)));
void question_free(question *q);

/* `held` (NULL: `why` says it) is let go after the call, which happens exactly once. */
typedef void (*asked_fn)(void *user, const fact *held, const store_failure *why);

asked *asked_new(server *s);
void asked_close(asked *a); /* the server ends: everything is cancelled */
void asked_free(asked *a);
void asked_forget(asked *a, uint64_t job);

/* Answers from what is known at once, otherwise later. Takes the question over. `client` is whose
 * request it is for, and is valid until `done` is called. */
void asked_ask(asked *a, question *q, request *client, asked_fn done, void *user);
/* The same for a question whose fact is the whole answer, as JSON. */
void asked_reply(asked *a, question *q, request *client);

#endif
