/* connections.h - every open connection: how many, whose, and how slow
 *
 * libevent tells nothing of a connection before its first request. So each one is noted when
 * libevent asks for its bufferevent, of which a reference is kept: that is how we see what it does,
 * and notice that libevent has let go of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_CONNECTIONS_H
#define LODE_SERVER_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bufferevent;
struct event_base;
typedef struct connection_table connection_table;

/* At most `most` connections, and half as many of one address. Where there are more, the one goes
 * that has been without a request for longest: who is idle makes room for who is not. A client that
 * reads nothing of an answer is cut off after `wait` seconds. */
connection_table *connections_new(struct event_base *base, size_t most, double wait);
/* How long the body of a request may be, by its first line; a longer one is refused (413) before
 * it comes. The line may be cut after CONNECTIONS_LINE characters. */
#define CONNECTIONS_LINE 64
typedef size_t (*body_limit)(const char *line);
void connections_limit_bodies(connection_table *t, body_limit limit);
void connections_free(connection_table *t);

/* For evhttp_set_bevcb. */
struct bufferevent *connections_add(struct event_base *base, void *table);
/* A request of this connection begins or has been answered. */
void connections_begin(connection_table *t, struct bufferevent *b);
void connections_answered(connection_table *t, struct bufferevent *b);
/* The body of the request that is being answered takes no more memory. */
void connections_body_read(connection_table *t, struct bufferevent *b);
/* A number for the address of a connection; *local: by the Unix socket. */
uint64_t connections_client(connection_table *t, struct bufferevent *b, bool *local);
/* Looks at all: ends what is too slow, forgets what has ended. To be called a few times a
 * second. */
void connections_sweep(connection_table *t);
/* There are no descriptors left: the longest idle go. */
void connections_relieve(connection_table *t);
size_t connections_count(const connection_table *t);
/* Whether an answer is still on its way. */
bool connections_sending(const connection_table *t);

/* When this socket is closed, what its client has not read goes as well: otherwise the kernel would
 * keep it for as long as the client likes. */
void connections_drop_unread(int fd);

/* A number for a text, to keep clients apart. */
uint64_t connections_hash(const void *bytes, size_t n);
/* The client of an address in words. Those of one network of IPv6 are one: each has more addresses
 * than there is room here. */
uint64_t connections_client_of(const char *address);
/* Seconds of a clock that never goes back. */
double connections_clock(void);

#endif
