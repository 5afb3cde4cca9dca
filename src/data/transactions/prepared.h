/* prepared.h - data that jobs prepare from a data set, kept with it and shared
 *
 * What:  ranked items, rows, sorted lists, stores of graphs: built once, never changed, and used by
 *        any number of jobs at the same time, without copying. They are found by kind and key, such
 *        as the threshold they were built for.
 *
 *          job 1  take(min 10) ... builds ...  search  drop
 *          job 2      take(min 20) waits ....... shares it, search  drop
 *          job 3                                                         take(min 15) finds it
 *
 * Waits: a job that needs what another job is building waits, and can be cancelled meanwhile. If
 *        the build fails (that job was cancelled, or had no memory), the waiting job builds it.
 * Memory: counts in the job that builds it until that job drops it, then in the context. Unused
 *        values stay for later jobs, until the data set is freed, a new value replaces them, or
 *        the context is short of memory. With a budget, they are freed before anything else is
 *        built, because engines plan with the memory that is left.
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
    const void *arg;       /* of the request */
    mem *mem;              /* for the value */
    void *key;             /* a copy of the requested key; build() may widen it */
    const prepared *older; /* a value that does not fit, but may be extended; NULL = none */
    void *value;           /* set by build() */
    bool extended;         /* set by build() if the value was made from `older` */
    bool once;             /* set by build() if no other job may get the value */
} prepared_build;

typedef struct prepared_kind {
    const char *name;
    size_t key_bytes;
    /* Whether a value built for `key` serves a request for `wanted`. */
    bool (*fits)(const void *key, const void *wanted);
    /* Whether a value built for `key` is useless once there is `by`; NULL = if `by` fits it. */
    bool (*outdated)(const void *key, const void *by);
    /* Whether a value built for `key` is worth extending to `wanted`; NULL = never. */
    bool (*extends)(const void *key, const void *wanted);
    /* On failure it leaves nothing behind. */
    LODE_NODISCARD lode_status (*build)(prepared_build *b);
    void (*free)(mem *m, void *value);
} prepared_kind;

/* How a job got its value. */
typedef enum prepared_origin { PREPARED_BUILT, PREPARED_EXTENDED, PREPARED_REUSED } prepared_origin;
/* "built", "extended", "reused" */
const char *prepared_origin_text(prepared_origin origin);

/* Makes the store of an object whose memory belongs to `home`. */
LODE_NODISCARD lode_status prepared_store_create(ctx_home *home, prepared_store **out);
/* Frees the store and its values, none of which may be in use. NULL does nothing. */
void prepared_store_free(prepared_store *store);

/* A request of a job. */
typedef struct prepared_request {
    prepared_store *store;
    const prepared_kind *kind;
    const void *wanted; /* the key */
    const void *arg;    /* for build() */
} prepared_request;

/* Finds a value that fits, or builds it. `origin` may be NULL. Errors: those of job_check() and of
 * build; NOMEM, BUDGET. */
LODE_NODISCARD lode_status prepared_take(lode_job *job, const prepared_request *request,
                                         prepared **out, prepared_origin *origin);
/* Whether a value that fits exists. */
bool prepared_has(prepared_store *store, const prepared_kind *kind, const void *wanted);
/* The job no longer uses the value. NULL does nothing. */
void prepared_drop(lode_job *job, prepared *p);

const void *prepared_value(const prepared *p);

/* Frees unused values, and returns how many bytes that was. The caller must not hold a lock that
 * free() of a kind needs. */
size_t prepared_reclaim(prepared_store *store);

#endif
