/* clients.h - rate limits of each client: requests, short links, wrong tokens
 *
 * The table has a fixed size, so an attacker with a million addresses cannot make it grow. When it
 * is full, the client that has been idle longest is forgotten.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_CLIENTS_H
#define LODE_SERVER_CLIENTS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct client_table client_table;

client_table *clients_new(uint64_t rate);
void clients_free(client_table *t);

/* Counts one request at the time `now` (seconds of a monotonic clock). False: there were too many;
 * *wait is the time in seconds after which the client may try again. */
bool clients_allow(client_table *t, uint64_t client, double now, unsigned *wait);
/* The same for things that the server keeps: short links. */
bool clients_allow_kept(client_table *t, uint64_t client, double now, unsigned *wait);
/* Counts a wrong token. Returns how many seconds to delay the answer; below zero: too many answers,
 * of this client or of all, are already delayed. Call clients_answered() when a delayed answer has
 * been sent. */
double clients_failed(client_table *t, uint64_t client, double now);
void clients_answered(client_table *t, uint64_t client);
/* The token was right: forgets wrong tokens of this client. */
void clients_welcome(client_table *t, uint64_t client);

#endif
