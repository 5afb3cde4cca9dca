/* item_support.c - the support of any set, from a result in memory
 *
 * A set that is in the result has the support it has there. What is known of any other set depends
 * on what was searched, which lode_mine() notes in the sink (sink_origin):
 *
 *     all, top     it is below the threshold
 *     closed       it has the support of its most frequent superset in the result. Without one it
 *                  is below the threshold. Supersets below a threshold that has risen do not count:
 *                  the result may lack others like them
 *     maximal      it has at least that support; without a superset it is below the threshold
 *
 * Nothing is known of a set that a limit, or the sizes asked for, may have kept out of the result.
 * With a minimum size that is still told for closed and maximal sets: supersets are no smaller.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"
#include "write/itemsets/item_memory.h"
#include "write/itemsets/lookup.h"

#define SUPPORT_ITEMS 64 /* a set of this many items is sorted on the stack */
#define SUPPORT_AHEAD 16 /* sets whose slots are loaded before they are compared */

typedef struct support_query {
    mem *mem;
    sink_contents in;
} support_query;

/* Whether everything that holds n items and reaches the threshold is in the result. */
static bool support_is_covered(const sink_origin *o, size_t n) {
    bool sets = o->target == LODE_TARGET_ALL || o->target == LODE_TARGET_TOP;
    bool above = o->target == LODE_TARGET_CLOSED || o->target == LODE_TARGET_MAXIMAL;
    if (!o->complete || n < o->min_size) return false;
    return sets ? n <= o->max_size : above && o->max_size == UINT32_MAX;
}

/* The support of a set that is not in the result. */
static uint64_t support_of_missing(const support_query *q, const uint32_t *items, size_t n,
                                   lode_known *known) {
    const sink_origin *o = q->in.origin;
    *known = LODE_KNOWN_NOT;
    if (n == 0 && o->n_jobs == 1) {
        *known = LODE_KNOWN_EXACT;
        return o->total;
    }
    if (n == 0 || !support_is_covered(o, n)) return 0;
    *known = LODE_KNOWN_BELOW;
    if (o->target == LODE_TARGET_ALL || o->target == LODE_TARGET_TOP) return 0;
    uint64_t support = lookup_above(q->in.index, items, n);
    if (support == 0 || support < o->threshold) return 0;
    *known = o->target == LODE_TARGET_CLOSED ? LODE_KNOWN_EXACT : LODE_KNOWN_AT_LEAST;
    return support;
}

/* The support of a set in ascending order, whose hash is known. */
static uint64_t support_of_set(const support_query *q, uint64_t hash, const uint32_t *items,
                               size_t n, lode_known *known) {
    uint64_t i = n > 0 ? lookup_find(q->in.index, hash, items, n) : LOOKUP_NONE;
    if (i == LOOKUP_NONE) return support_of_missing(q, items, n, known);
    *known = LODE_KNOWN_EXACT;
    return q->in.patterns->supports.data[i];
}

static bool support_in_order(const uint32_t *items, size_t n) {
    for (size_t i = 1; i < n; i++) {
        if (items[i] <= items[i - 1]) return false;
    }
    return true;
}

/* The support of a set in any order, in which an item may come twice. */
static lode_status support_of_any(const support_query *q, const uint32_t *items, size_t n,
                                  uint64_t *support, lode_known *known) {
    lode_status status = LODE_OK;
    mem *m = q->mem;
    uint32_t few[SUPPORT_ITEMS], *many = NULL, *set = few;
    if (n > SUPPORT_ITEMS) {
        LODE_TRY(mem_resize(m, (void **)&many, 0, n * sizeof *many));
        set = many;
    }
    memcpy(set, items, n * sizeof *set);
    sort_u32(set, n);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || set[i] != set[kept - 1]) set[kept++] = set[i];
    }
    *support = support_of_set(q, lookup_prepare(q->in.index, set, kept), set, kept, known);
done:
    mem_free(m, many, many ? n * sizeof *many : 0);
    return status;
}

/* Looks up a few sets, whose loads from memory overlap. */
static lode_status support_of_some(const support_query *q, uint64_t n, const uint64_t *offsets,
                                   const uint32_t *items, uint64_t *supports, lode_known *known) {
    uint64_t hashes[SUPPORT_AHEAD];
    for (uint64_t i = 0; i < n; i++) {
        size_t size = (size_t)(offsets[i + 1] - offsets[i]);
        hashes[i] = size > 0 ? lookup_prepare(q->in.index, items + offsets[i], size) : 0;
    }
    for (uint64_t i = 0; i < n; i++) {
        size_t size = (size_t)(offsets[i + 1] - offsets[i]);
        const uint32_t *set = size > 0 ? items + offsets[i] : NULL;
        lode_known unasked, *knowledge = known ? &known[i] : &unasked;
        if (support_in_order(set, size)) {
            supports[i] = support_of_set(q, hashes[i], set, size, knowledge);
            continue;
        }
        lode_status status = support_of_any(q, set, size, &supports[i], knowledge);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

lode_status lode_result_supports(const lode_sink *sink, uint64_t n_sets, const uint64_t *offsets,
                                 const uint32_t *items, uint64_t *supports, lode_known *known) {
    if (!sink) return LODE_INVALID;
    lode_job *job = sink->job;
    support_query q = {.mem = &job->mem};
    job_clear_message(job);
    if (!offsets || !supports) {
        return job_fail(job, LODE_INVALID, "%s is NULL", offsets ? "supports" : "offsets");
    }
    for (uint64_t i = 0; i < n_sets; i++) {
        if (offsets[i + 1] >= offsets[i]) continue;
        return job_fail(job, LODE_INVALID, "offsets[%llu] is less than the one before",
                        (unsigned long long)(i + 1));
    }
    if (!items && n_sets > 0 && offsets[n_sets] > offsets[0]) {
        return job_fail(job, LODE_INVALID, "items is NULL; expected the items");
    }
    lode_status status = sink_memory_look(sink, &q.in);
    for (uint64_t i = 0; i < n_sets && status == LODE_OK; i += SUPPORT_AHEAD) {
        uint64_t some = n_sets - i < SUPPORT_AHEAD ? n_sets - i : SUPPORT_AHEAD;
        status =
            support_of_some(&q, some, offsets + i, items, supports + i, known ? known + i : NULL);
    }
    return job_explain(job, status, "looking up supports");
}

lode_status lode_result_support(const lode_sink *sink, const uint32_t *items, size_t n,
                                uint64_t *support, lode_known *known) {
    const uint64_t offsets[] = {0, n};
    if (sink && !support) {
        job_clear_message(sink->job);
        return job_fail(sink->job, LODE_INVALID, "support is NULL");
    }
    return lode_result_supports(sink, 1, offsets, items, support, known);
}
