/* sink_arrow.c - see sink_arrow.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/sink_arrow.h"

#include <inttypes.h>
#include <stdio.h>

static const char *keys_truth(bool value) {
    return value ? "true" : "false";
}

static const char *keys_target(lode_target target) {
    static const char *const words[] = {[LODE_TARGET_ALL] = "all",
                                        [LODE_TARGET_TOP] = "top",
                                        [LODE_TARGET_CLOSED] = "closed",
                                        [LODE_TARGET_MAXIMAL] = "maximal",
                                        [LODE_TARGET_GENERATORS] = "generators"};
    return words[target];
}

/* The i-th number, as text. */
static const char *keys_number(sink_keys *k, unsigned i, uint64_t number) {
    snprintf(k->numbers[i], sizeof k->numbers[i], "%" PRIu64, number);
    return k->numbers[i];
}

/* A number of which UINT32_MAX means that there is no limit. */
static const char *keys_limit(sink_keys *k, unsigned i, uint32_t number) {
    return keys_number(k, i, number == UINT32_MAX ? 0 : number);
}

void sink_keys_first(sink_keys *k, const char *kind) {
    k->keys[0] = (arrow_key){ARROW_KEY_KIND, kind};
    k->keys[1] = (arrow_key){ARROW_KEY_VERSION, LODE_VERSION_TEXT};
}

void sink_keys_last(sink_keys *k, const lode_sink *sink, uint64_t total, bool partial,
                    const char *order) {
    sink_keys_origin(k, &sink->origin, total, partial, order);
}

void sink_keys_origin(sink_keys *k, const sink_origin *o, uint64_t total, bool partial,
                      const char *order) {
    k->keys[0] = (arrow_key){ARROW_KEY_COMPLETE, keys_truth(o->ended && !partial)};
    k->keys[1] = (arrow_key){ARROW_KEY_CONSTRAINED, keys_truth(o->ended && !o->complete)};
    k->keys[2] = (arrow_key){ARROW_KEY_JOBS, keys_number(k, 0, o->n_jobs)};
    k->keys[3] = (arrow_key){ARROW_KEY_TARGET, keys_target(o->target)};
    k->keys[4] = (arrow_key){ARROW_KEY_MIN_COUNT, keys_number(k, 1, o->threshold)};
    k->keys[5] = (arrow_key){ARROW_KEY_MIN_SIZE, keys_number(k, 2, o->min_size)};
    k->keys[6] = (arrow_key){ARROW_KEY_MAX_SIZE, keys_limit(k, 3, o->max_size)};
    k->keys[7] = (arrow_key){ARROW_KEY_TOTAL, keys_number(k, 4, o->n_jobs > 0 ? o->total : total)};
    k->keys[8] = (arrow_key){ARROW_KEY_ORDER, order ? order : "search"};
    k->keys[9] = (arrow_key){ARROW_KEY_TESTED, o->tested};
}
