/* compare_list.c - the comparisons that are not complete, in memory
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "compare/compare.h"
#include "compare/peers.h"

void compare_free(comparison *c) {
    json_decref(c->options);
    json_decref(c->plan);
    json_decref(c->rows);
    json_decref(c->runs);
    worker_source_clear(&c->source);
    free(c);
}

comparison *compare_find(const server *s, uint64_t job) {
    comparison *c = s->jobs->comparisons->first;
    while (c && c->job != job) c = c->next;
    return c;
}

bool compare_runs(const server *s, uint64_t job) {
    const comparison *c = compare_find(s, job);
    return c && !c->complete;
}

void compare_unlink(server *s, comparison *c) {
    comparison **at = &s->jobs->comparisons->first;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    peers_forget_input(s, c->job);
    compare_free(c);
}
