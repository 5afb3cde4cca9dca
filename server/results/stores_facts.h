/* stores_facts.h - answers that are kept: what was found out about results, within a fixed size
 *
 * A fact is the answer to a question about one result, as bytes: how many rows a filter finds, the
 * numbers of the rows of a piece of a sorted view, a histogram. Results never change, so a fact is
 * true until its result is deleted. When there are too many, those that were used longest ago go.
 * Loop thread only; a task thread may read a fact that somebody on the loop holds for it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_STORES_FACTS_H
#define LODE_SERVER_STORES_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct facts facts;

typedef struct fact {
    uint64_t job;
    char *key;
    void *data; /* from malloc */
    size_t bytes;
    unsigned holders;
    bool listed; /* it can be found; a fact that was dropped lives as long as somebody holds it */
    struct fact *newer, *older, *chained;
} fact;

facts *facts_new(void);
void facts_free(facts *f);

/* The fact of a key, held for the caller; NULL: it is not known. */
fact *facts_find(facts *f, uint64_t job, const char *key);
/* Keeps `data`, which comes from malloc and is taken over in any case; held for the caller. Of what
 * is larger than a quarter of the room, only the caller has something. NULL: no memory. */
fact *facts_add(facts *f, uint64_t job, const char *key, void *data, size_t bytes);
void facts_let_go(fact *held);
void facts_forget(facts *f, uint64_t job);

/* How often facts about a view were missing until now, this time included: who asks again and again
 * is better served by a larger piece. Of some hundred views, roughly. */
unsigned facts_missed(facts *f, uint64_t job, const char *view);

#endif
