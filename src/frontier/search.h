/* search.h - Frontier Expansion on one device: the stack, the batch and the lists
 *
 * A class is a prefix P and members x1 … xn with P + xi frequent, ordered from the rarest. Joining
 * the left member xa with every xb, b > a, gives the candidates of the child class P + xa. The
 * stack holds classes; the search takes joins from its top until a batch of at least epsilon
 * candidates is queued, has the device count them in one call, and pushes the children that
 * survive.
 *
 *     stack                       batch (one device call)            device rows
 *     P      | x1 x2 x3 x4        (row of P+x1, row of x2) → list    0 … n-1  items, permanent
 *     P + x1 | y1 y2 y3           (row of P+x1, row of x3) → list    n …      lists, from the pool
 *     P+x1+y1| z1 z2              …
 *
 * Lists: only a member that will be a left one needs a row of its own; the right operand is always
 * the permanent row of its item, which gives the same intersection. A member without a row (it was
 * evicted when lists ran short, or came from another device) is no obstacle: its row is derived
 * from the permanent rows of its items when its turn comes. So the pool bounds the memory and never
 * stops the search: with a single list it still ends, with the right result.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_FRONTIER_SEARCH_H
#define LODE_FRONTIER_SEARCH_H

#include "data/vertical.h"
#include "engine/engine.h"
#include "runtime/list_pool.h"

/* What a search did, added up over its jobs. */
typedef struct frontier_totals {
    uint64_t candidates, counted, batches, rebuilt, patterns;
    double candidate_seconds, counting_seconds, output_seconds, transfer_seconds, busy_seconds;
    backend_counters device; /* filled in by frontier_search_totals() */
} frontier_totals;

/* A class as plain data, without rows: how work travels between devices. */
typedef struct frontier_record {
    uint32_t words; /* that follow */
    uint32_t data[];
} frontier_record;

typedef struct frontier_search frontier_search;

/* How the search talks to the job around it, after every batch. */
typedef struct frontier_hooks {
    void *user;
    bool (*is_hungry)(void *user);                       /* does another device wait for work? */
    bool (*accept)(void *user, frontier_record *record); /* takes ownership on true */
    bool (*more)(void *user, uint32_t *rank); /* another root class, for a batch that is not full */
    const double *spans;                      /* of the root classes: see runtime/progress.h */
    LODE_NODISCARD lode_status (*tick)(void *user); /* CANCELLED stops the search */
} frontier_hooks;

/* Opens the device of a slot for the search, with up to max_lists lists, and a worker of the sink.
 * Call it on the thread that will search. */
LODE_NODISCARD lode_status frontier_search_create(frontier_search **out, const engine_task *task,
                                                  const vertical *v, backend_slot slot,
                                                  uint32_t max_lists, frontier_hooks hooks);
/* Closes the device and the sink's worker, whose status it returns. NULL is fine. */
LODE_NODISCARD lode_status frontier_search_free(frontier_search *s);

/* Searches the class of all items whose first (rarest) item has this rank. */
LODE_NODISCARD lode_status frontier_search_root(frontier_search *s, uint32_t rank);
/* Searches what another device handed over. */
LODE_NODISCARD lode_status frontier_search_record(frontier_search *s,
                                                  const frontier_record *record);

/* Emits the frequent items of ranks first … end - 1 themselves; once per job. */
LODE_NODISCARD lode_status frontier_search_items(frontier_search *s, uint32_t first, uint32_t end);

frontier_totals frontier_search_totals(const frontier_search *s);
uint64_t frontier_search_epsilon(const frontier_search *s);
const list_pool *frontier_search_pool(const frontier_search *s);

void frontier_record_free(mem *m, frontier_record *record);

#endif
