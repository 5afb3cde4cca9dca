/* search.h - Frontier Expansion on one device: the stack, the batch and the lists
 *
 * Call graph (only downwards):
 *
 *     frontier.c      the engine: prepares rows, shares root classes among devices, reports
 *      └ search.c        one device: the loop over batches
 *         ├ collect.c      fills a batch with joins from the stack; finds lists for the results
 *         ├ settle.c       reports the frequent candidates and makes classes from them
 *         └ stack.c        classes on the stack, and their shares of the progress
 *
 * A class is a prefix P and members x1 … xn with P + xi frequent, ordered from the rarest. Joining
 * the left member xa with every xb, b > a, gives the candidates of the child class P + xa. The
 * stack holds classes. The search takes joins from the top of the stack until at least epsilon
 * candidates are queued, has the device count this batch in one call, and pushes the children that
 * have frequent members.
 *
 *     stack                       batch (one device call)            device rows
 *     P      | x1 x2 x3 x4        (row of P+x1, row of x2) → list    0 … n-1  items, permanent
 *     P + x1 | y1 y2 y3           (row of P+x1, row of x3) → list    n …      lists, from the pool
 *     P+x1+y1| z1 z2              …
 *
 * Lists: a list is a slot on the device for the bit row of a set, here of a prefix with one member.
 * Only a left member needs its own row: the right operand is always the permanent row of an item,
 * which gives the same intersection. A left member may have lost its row (evicted when lists ran
 * short) or never had one (the class came from another device). Such a row is derived from the
 * permanent rows of its items when it is needed. So the pool of lists limits the memory but never
 * stops the search; a single list is enough.
 *
 * Where decisions are made:
 *     how large a batch is                 epsilon (search.c, search_epsilon()), less if the memory
 *                                          budget is tight (collect.c, batch_limit())
 *     which list is evicted                collect.c, evict_oldest()
 *     which classes go to another device   collect.c, donate_choose()
 *
 * Memory of a GPU: rows and lists come from the card, within --device-memory (device/cuda/card.c);
 * how many lists there are is decided in itemsets/common/prepare.c, prepare_lists().
 *
 * Stopping (Ctrl-C, --limit-time): batch_step() in search.c, after every batch, by the hook `tick`.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_FRONTIER_SEARCH_H
#define LODE_ITEMSETS_FRONTIER_SEARCH_H

#include "data/transactions/vertical.h"
#include "pipeline/engine/item_task.h"
#include "runtime/list_pool.h"

/* Figures of a search, from its start until now. `rebuilt`: number of rows of left members that
 * were derived from items. */
typedef struct frontier_totals {
    uint64_t candidates, counted, batches, rebuilt, patterns;
    double start_seconds, transfer_seconds, candidate_seconds, counting_seconds;
    double output_seconds, busy_seconds;
    backend_counters device; /* filled in by frontier_search_totals() */
} frontier_totals;

/* Classes without lists, in transit to another device. */
typedef struct frontier_record {
    uint32_t words; /* of `data`: one class after the other, laid out as in search_state.h */
    uint32_t data[];
} frontier_record;

typedef struct frontier_search frontier_search;

/* What a search asks of the run that it belongs to. Each function is called with `user`. */
typedef struct frontier_hooks {
    void *user;
    bool (*is_hungry)(void *user); /* whether another device waits for work */
    /* Passes classes to another device. True: the run owns the record now. */
    bool (*accept)(void *user, frontier_record *record);
    /* Takes another root class, to fill a batch. False: there is none, or this batch should not get
     * another. `taken`: sum of the spans of the root classes already in the batch; `first`: the
     * batch is the first of the search. */
    bool (*next_root)(void *user, double taken, bool first, uint32_t *rank);
    const double *spans; /* of the root classes, by rank: see runtime/progress.h */
    /* Called often; a status other than OK, such as CANCELLED, stops the search. */
    LODE_NODISCARD lode_status (*tick)(void *user);
} frontier_hooks;

/* Opens the device of a slot for the search, with up to max_lists lists, and a worker of the sink.
 * Call it on the thread that will search. */
LODE_NODISCARD lode_status frontier_search_create(frontier_search **out, const engine_task *task,
                                                  const vertical *v, backend_slot slot,
                                                  uint32_t max_lists, frontier_hooks hooks);
/* Closes the device and the sink's worker, whose status it returns. NULL is fine. */
LODE_NODISCARD lode_status frontier_search_free(frontier_search *s);

/* Searches the root class whose first (rarest) item has this rank. */
LODE_NODISCARD lode_status frontier_search_root(frontier_search *s, uint32_t rank);
/* Searches classes from another device. The caller frees the record. */
LODE_NODISCARD lode_status frontier_search_record(frontier_search *s,
                                                  const frontier_record *record);

/* Sends the frequent items of ranks [first, end) to the sink; call it once per job. */
LODE_NODISCARD lode_status frontier_search_items(frontier_search *s, uint32_t first, uint32_t end);

/* For the report: figures, candidates per batch, and the pool of lists, which is valid as long as
 * the search. */
frontier_totals frontier_search_totals(const frontier_search *s);
uint64_t frontier_search_epsilon(const frontier_search *s);
const list_pool *frontier_search_pool(const frontier_search *s);

void frontier_record_free(mem *m, frontier_record *record);

#endif
