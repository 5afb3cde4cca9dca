/* clients.c - see clients.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "http/clients.h"

#include <stdlib.h>
#include <string.h>

#define N_CLIENTS    4096 /* a power of two */
#define N_PLACES     8    /* slots that are searched for a client */
#define MOST_HELD    8    /* delayed answers to one client */
#define MOST_WAITING 256  /* delayed answers to all clients */
#define FIRST_DELAY  0.5
#define LAST_DELAY   8.0
#define FORGET       600.0 /* seconds without a wrong token */
#define MOST_KEPT    60.0  /* new short links at once … */
#define KEPT_EVERY   10.0  /* … and one more every 10 seconds */

typedef struct client {
    uint64_t key; /* 0: free */
    double allowance, seen, failed_at;
    double kept, kept_at; /* part of MOST_KEPT that is used; time of that value */
    unsigned failures, held;
} client;

struct client_table {
    double rate;
    unsigned waiting; /* number of delayed answers to all clients */
    client places[N_CLIENTS];
};

client_table *clients_new(uint64_t rate) {
    client_table *t = calloc(1, sizeof *t);
    if (t) t->rate = (double)rate;
    return t;
}

void clients_free(client_table *t) {
    free(t);
}

/* The slot of a client; a new client takes the slot that has been idle longest. */
static client *client_find(client_table *t, uint64_t key, double now) {
    key |= UINT64_C(1) << 63; /* never 0 */
    size_t start = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 52) & (N_CLIENTS - 1);
    client *oldest = &t->places[start];
    for (size_t i = 0; i < N_PLACES; i++) {
        client *c = &t->places[(start + i) & (N_CLIENTS - 1)];
        if (c->key == key) return c;
        if (c->seen < oldest->seen) oldest = c;
    }
    *oldest = (client){.key = key, .allowance = 2 * t->rate, .seen = now};
    return oldest;
}

/* A token bucket that fills at the rate and holds two seconds of requests. */
bool clients_allow(client_table *t, uint64_t key, double now, unsigned *wait) {
    client *c = client_find(t, key, now);
    c->allowance += (now - c->seen) * t->rate;
    if (c->allowance > 2 * t->rate) c->allowance = 2 * t->rate;
    c->seen = now;
    *wait = 1;
    if (c->allowance < 1) return false;
    c->allowance -= 1;
    return true;
}

bool clients_allow_kept(client_table *t, uint64_t key, double now, unsigned *wait) {
    client *c = client_find(t, key, now);
    c->kept -= (now - c->kept_at) / KEPT_EVERY;
    if (c->kept < 0) c->kept = 0;
    c->kept_at = now;
    *wait = (unsigned)KEPT_EVERY;
    if (c->kept > MOST_KEPT - 1) return false;
    c->kept += 1;
    return true;
}

double clients_failed(client_table *t, uint64_t key, double now) {
    client *c = client_find(t, key, now);
    if (now - c->failed_at > FORGET) c->failures = 0;
    c->failed_at = now;
    if (c->held >= MOST_HELD || t->waiting >= MOST_WAITING) return -1;
    c->held++;
    t->waiting++;
    double delay = FIRST_DELAY;
    for (unsigned i = 0; i < c->failures && delay < LAST_DELAY; i++) delay *= 2;
    c->failures++;
    return delay;
}

void clients_answered(client_table *t, uint64_t key) {
    client *c = client_find(t, key, 0);
    if (c->held) c->held--;
    if (t->waiting) t->waiting--;
}

void clients_welcome(client_table *t, uint64_t key) {
    client_find(t, key, 0)->failures = 0;
}
