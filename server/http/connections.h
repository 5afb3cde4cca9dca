/* connections.h - open connections: their number, clients and speed
 *
 * libevent does not report a connection before its first request. So each connection is registered
 * when libevent asks for its bufferevent. The table keeps a reference to this bufferevent, to see
 * its traffic and to notice when libevent has released it.
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

/* At most `most` connections, and half as many from one address. If there are more, the one that
 * has been idle longest is closed. A client that reads nothing of an answer is disconnected after
 * `wait` seconds. */
connection_table *connections_new(struct event_base *base, size_t most, double wait);
/* Returns the maximum length of the body of a request with this request line; a longer body is
 * refused (413) before it is received. The line may be cut after CONNECTIONS_LINE characters. */
#define CONNECTIONS_LINE 64
typedef size_t (*body_limit)(const char *line);
void connections_limit_bodies(connection_table *t, body_limit limit);
void connections_free(connection_table *t);

/* For evhttp_set_bevcb. */
struct bufferevent *connections_add(struct event_base *base, void *table);
/* A request of this connection starts, or has been answered. */
void connections_begin(connection_table *t, struct bufferevent *b);
void connections_answered(connection_table *t, struct bufferevent *b);
/* The body of the current request has been freed. */
void connections_body_read(connection_table *t, struct bufferevent *b);
/* A hash of the address of a connection; *local: it came through the Unix socket. */
uint64_t connections_client(connection_table *t, struct bufferevent *b, bool *local);
/* Closes connections that are too slow, and forgets those that have ended. Call it a few times per
 * second. */
void connections_sweep(connection_table *t);
/* No file descriptors are left: closes the connections that have been idle longest. */
void connections_relieve(connection_table *t);
size_t connections_count(const connection_table *t);
/* Whether an answer is still being sent. */
bool connections_sending(const connection_table *t);

/* Makes the kernel drop unread data when this socket is closed; otherwise it would keep them as
 * long as the client likes. */
void connections_drop_unread(int fd);

/* A hash, to tell clients apart. */
uint64_t connections_hash(const void *bytes, size_t n);
/* The client hash of an address given as text. All addresses of one IPv6 network count as one
 * client, because each network has more addresses than fit into the table. */
uint64_t connections_client_of(const char *address);
/* Seconds of a monotonic clock. */
double connections_clock(void);

#endif
