/* server.h - the one object that all parts of lode-server share, and how a part starts and ends
 *
 * There is one loop thread. It owns everything here: HTTP, the database, the pipes of the workers
 * and the timers. Slow work goes to the task threads (tasks.h) or to a worker process (workers.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_SERVER_H
#define LODE_SERVER_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "system/config.h"

struct event;
struct event_base;
struct database;
struct data_folder;
struct task_pool;
struct worker_pool;
struct jobs;
struct stores;
struct datasets;
struct disk_share;
struct http_front;
struct http_link;

typedef struct server {
    const config *config;
    struct event_base *base;
    struct database *db;
    struct data_folder *folder;
    struct event *emptying; /* calls trash_empty() */
    struct disk_share *disk;
    struct task_pool *tasks; /* NULL once their threads have ended */
    struct http_front *http;
    struct http_link *link;
    struct worker_pool *workers;
    struct jobs *jobs;
    struct stores *stores;
    struct datasets *datasets;
    bool closing; /* the server is shutting down: nothing new is started */
} server;

/* A part of the server. `start` runs before the first connection is taken; on failure it writes one
 * sentence to `why`. `closing` runs on the loop when the server shuts down: it cancels running work
 * and closes streams; the loop runs a moment longer to send the last answers. `stop` runs after the
 * loop and the task threads have ended, and frees memory. Each may be NULL. */
typedef struct server_part {
    const char *name;
    bool (*start)(server *s, char *why, size_t room);
    void (*closing)(server *s);
    void (*stop)(server *s);
} server_part;

/* Each part is defined in its own folder. tables.c lists them in the order in which they start;
 * they close and stop in reverse order. */
extern const server_part stores_part, datasets_part, workers_part, jobs_part;

/* Number of open connections, for /status. */
size_t server_connections(const server *s);

#endif
