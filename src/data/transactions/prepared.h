/* prepared.h - data that jobs prepare from a data set; they are kept with the data set and shared
 *
 * What:  prepared data are ranked items, rows, sorted lists, and stores of graphs. Each of these is
 *        called a value. Values are built once and never changed, and any number of jobs may use
 *        them at the same time without copying. A value is found by its kind and its key, such as
 *        the threshold for which it was built.
 *
 *          job 1  take(min 10) ... builds ...  search  drop
 *          job 2      take(min 20) waits ....... shares it, search  drop
 *          job 3                                                         take(min 15) finds it
 *
 * Waits: a job that needs a value that another job is building waits for it, and can be cancelled
 *        while it waits. If the build fails (the building job was cancelled, or had no memory), the
 *        waiting job builds the value.
 * Memory: a value counts in the job that builds it until this job drops it, and then in the
 *         context. Unused values are kept for later jobs until the data set is freed, a new value
 *         replaces them, or the context is short of memory. If there is a budget, unused values are
 *         freed before another value is built, because engines plan with the memory that is left.
 * Threads: any thread may call these functions. build() and free() run without a lock held.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_PREPARED_H
#define LODE_DATA_TRANSACTIONS_PREPARED_H

#include "runtime/job.h"

typedef struct prepared prepared;
/* All that was prepared from one data set. */
typedef struct prepared_store prepared_store;

/* Input and output of build(). */
typedef struct prepared_build {
    lode_job *job;
    const void *arg; /* the `arg` of the request */
    mem *mem;        /* memory for the value */
    void *key;       /* a copy of the requested key; build() may widen it */
    /* a value that does not fit the request but may be extended; NULL = none */
    const prepared *older;
    void *value;   /* set by build() */
    bool extended; /* set by build() if the value was made from `older` */
    bool once;     /* set by build() if no other job may get the value */
} prepared_build;

typedef struct prepared_kind {
    const char *name;
    size_t key_bytes;
    /* Returns whether a value built for `key` serves a request for `wanted`. */
    bool (*fits)(const void *key, const void *wanted);
    /* Returns whether a value built for `key` is useless once a value for `by` exists. NULL = it is
     * useless if a value for `by` serves requests for `key`. */
    bool (*outdated)(const void *key, const void *by);
    /* Returns whether a value built for `key` is worth extending to `wanted`. NULL = never. */
    bool (*extends)(const void *key, const void *wanted);
    /* Builds a value. On failure, it must free everything. */
    LODE_NODISCARD lode_status (*build)(prepared_build *b);
    void (*free)(mem *m, void *value);
} prepared_kind;

/* How a job got its value. */
typedef enum prepared_origin { PREPARED_BUILT, PREPARED_EXTENDED, PREPARED_REUSED } prepared_origin;
/* Returns "built", "extended" or "reused". */
const char *prepared_origin_text(prepared_origin origin);

/* Makes the store of an object whose memory belongs to `home`. */
LODE_NODISCARD lode_status prepared_store_create(ctx_home *home, prepared_store **out);
/* Frees the store and its values. No value may be in use. `store` may be NULL. */
void prepared_store_free(prepared_store *store);

/* A request of a job. */
typedef struct prepared_request {
    prepared_store *store;
    const prepared_kind *kind;
    const void *wanted; /* the key */
    const void *arg;    /* for build() */
} prepared_request;

/* Finds a value that fits the request, or builds one. `origin` may be NULL. Errors: those of
 * job_check() and of build(); NOMEM, BUDGET. */
LODE_NODISCARD lode_status prepared_take(lode_job *job, const prepared_request *request,
                                         prepared **out, prepared_origin *origin);
/* Returns whether a value that fits exists. */
bool prepared_has(prepared_store *store, const prepared_kind *kind, const void *wanted);
/* Must be called when the job no longer uses the value. `p` may be NULL. */
void prepared_drop(lode_job *job, prepared *p);

const void *prepared_value(const prepared *p);

/* Frees unused values, and returns the number of bytes freed. The caller must not hold a lock that
 * free() of a kind needs. */
size_t prepared_reclaim(prepared_store *store);

#endif
