/* stores_facts.h - cache of facts about results, with a fixed size
 *
 * A fact is the answer to a query on one result, as bytes: the number of rows that match a filter,
 * the row numbers of a piece of a sorted view, a histogram. Results never change, so a fact is
 * valid until its result is deleted. When the cache is full, the least recently used facts are
 * dropped. Loop thread only; a task thread may read a fact that the loop holds for it.
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
    bool listed; /* it is in the cache; a dropped fact lives as long as it is held */
    struct fact *newer, *older, *chained;
} fact;

facts *facts_new(void);
void facts_free(facts *f);

/* The fact with this key, held for the caller; NULL: not cached. */
fact *facts_find(facts *f, uint64_t job, const char *key);
/* Adds a fact, held for the caller. Takes ownership of `data` (from malloc) in any case. Data
 * larger than a quarter of the cache are not cached, only returned. NULL: out of memory. */
fact *facts_add(facts *f, uint64_t job, const char *key, void *data, size_t bytes);
void facts_let_go(fact *held);
void facts_forget(facts *f, uint64_t job);

/* How often facts about a view were missing so far, including this time: after several misses a
 * larger piece pays off. Approximate, and only for some hundred views. */
unsigned facts_missed(facts *f, uint64_t job, const char *view);

#endif
