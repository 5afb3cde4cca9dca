/* clients.h - how often each client asks, has something kept, or tried a wrong token
 *
 * A table of fixed size: who asks from a million addresses cannot make it grow. Where it is full,
 * the client that has been quiet for longest is forgotten.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_CLIENTS_H
#define LODE_SERVER_CLIENTS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct client_table client_table;

client_table *clients_new(uint64_t rate);
void clients_free(client_table *t);

/* Counts one request at the time `now` (seconds of a clock that never goes back). False: there have
 * been too many; *wait is how long to stay away. */
bool clients_allow(client_table *t, uint64_t client, double now, unsigned *wait);
/* The same of things that stay when a request is over: short links. */
bool clients_allow_kept(client_table *t, uint64_t client, double now, unsigned *wait);
/* Counts a wrong token. Returns how many seconds the answer is to be held back; below zero: too
 * many answers, of it or of all, are held back already. clients_answered() says that one has
 * gone. */
double clients_failed(client_table *t, uint64_t client, double now);
void clients_answered(client_table *t, uint64_t client);
/* The token was right: earlier mistakes are forgotten. */
void clients_welcome(client_table *t, uint64_t client);

#endif
