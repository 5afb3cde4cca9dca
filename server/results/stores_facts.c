/* stores_facts.c - see stores_facts.h
 *
 * A hash table with chains, and a list by age. Clients choose the keys, so they are hashed with a
 * secret of this process.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/stores_facts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define FACTS_LEAST                                                                                \
    ((size_t)128 << 20) /* bytes of all facts: 1/16 of memory, within these bounds */
#define FACTS_MOST   ((size_t)1 << 30)
#define FACTS_CHAINS 4096 /* a power of two */
#define FACTS_VIEWS  512  /* counters of misses; a power of two */

typedef struct view_misses {
    uint64_t hash;
    unsigned n;
} view_misses;

struct facts {
    fact *chains[FACTS_CHAINS];
    fact *newest, *oldest;
    size_t bytes, room;
    uint64_t secret;
    view_misses views[FACTS_VIEWS];
};

static size_t facts_room(void) {
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    size_t share = pages > 0 && bytes > 0 ? (size_t)pages / 16 * (size_t)bytes : 0;
    return share < FACTS_LEAST ? FACTS_LEAST : share > FACTS_MOST ? FACTS_MOST : share;
}

facts *facts_new(void) {
    facts *f = calloc(1, sizeof *f);
    if (f) f->room = facts_room();
    if (f && getrandom(&f->secret, sizeof f->secret, 0) != (ssize_t)sizeof f->secret) {
        free(f);
        return NULL;
    }
    return f;
}

static uint64_t fact_hash(const facts *f, uint64_t job, const char *key) {
    uint64_t h = f->secret ^ job * 0x9e3779b97f4a7c15u;
    for (; *key; key++) {
        h = (h ^ (unsigned char)*key) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h ^ h >> 29;
}

static size_t fact_cost(const fact *x) {
    return sizeof *x + strlen(x->key) + 1 + x->bytes;
}

static void fact_free(fact *x) {
    free(x->key);
    free(x->data);
    free(x);
}

void facts_let_go(fact *held) {
    if (held && --held->holders == 0 && !held->listed) fact_free(held);
}

/* ---- the list by age ------------------------------------------------------------------------ */

static void fact_link(facts *f, fact *x) {
    x->newer = NULL;
    x->older = f->newest;
    if (f->newest) f->newest->newer = x;
    f->newest = x;
    if (!f->oldest) f->oldest = x;
}

static void fact_unlink(facts *f, fact *x) {
    if (x->newer) x->newer->older = x->older;
    if (x->older) x->older->newer = x->newer;
    if (f->newest == x) f->newest = x->older;
    if (f->oldest == x) f->oldest = x->newer;
}

static void fact_drop(facts *f, fact *x) {
    fact **at = &f->chains[fact_hash(f, x->job, x->key) & (FACTS_CHAINS - 1)];
    while (*at != x) at = &(*at)->chained;
    *at = x->chained;
    fact_unlink(f, x);
    f->bytes -= fact_cost(x);
    x->listed = false;
    if (x->holders == 0) fact_free(x);
}

/* ---- calls ---------------------------------------------------------------------------------- */

fact *facts_find(facts *f, uint64_t job, const char *key) {
    fact *x = f->chains[fact_hash(f, job, key) & (FACTS_CHAINS - 1)];
    while (x && (x->job != job || strcmp(x->key, key) != 0)) x = x->chained;
    if (!x) return NULL;
    fact_unlink(f, x);
    fact_link(f, x);
    x->holders++;
    return x;
}

static fact *fact_new(uint64_t job, const char *key, void *data, size_t bytes) {
    fact *x = calloc(1, sizeof *x);
    char *copy = strdup(key);
    if (!x || !copy) {
        free(x);
        free(copy);
        free(data);
        return NULL;
    }
    *x = (fact){.job = job, .key = copy, .data = data, .bytes = bytes, .holders = 1};
    return x;
}

fact *facts_add(facts *f, uint64_t job, const char *key, void *data, size_t bytes) {
    fact *x = fact_new(job, key, data, bytes);
    if (!x || fact_cost(x) > f->room / 4) return x;
    while (f->oldest && f->bytes + fact_cost(x) > f->room) fact_drop(f, f->oldest);
    fact **chain = &f->chains[fact_hash(f, job, key) & (FACTS_CHAINS - 1)];
    x->chained = *chain;
    *chain = x;
    x->listed = true;
    f->bytes += fact_cost(x);
    fact_link(f, x);
    return x;
}

void facts_forget(facts *f, uint64_t job) {
    for (fact *x = f->newest, *next; x; x = next) {
        next = x->older;
        if (x->job == job) fact_drop(f, x);
    }
}

void facts_free(facts *f) {
    if (!f) return;
    while (f->newest) fact_drop(f, f->newest);
    free(f);
}

unsigned facts_missed(facts *f, uint64_t job, const char *view) {
    uint64_t hash = fact_hash(f, job, view);
    view_misses *v = &f->views[hash & (FACTS_VIEWS - 1)];
    if (v->hash != hash) *v = (view_misses){hash, 0};
    return ++v->n;
}
