/* database_connection.h - what database.c and database_write.c share
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DATABASE_CONNECTION_H
#define LODE_SERVER_DATABASE_CONNECTION_H

#include <stdatomic.h>

#include "storage/database.h"

#define DB_STATEMENTS 128
#define DB_BUSY_MS    2000 /* to wait for another program that has locked the file */

typedef struct db_connection {
    sqlite3 *handle;
    struct {
        const char *sql;
        sqlite3_stmt *statement;
    } prepared[DB_STATEMENTS];
    size_t n_prepared;
} db_connection;

struct database {
    db_connection reader; /* of the loop */
    db_connection writer; /* of the thread that makes changes, once it runs */
    char *path;
    char id[DB_ID_BYTES];
    char message[256];            /* of the reader's last failure */
    struct event_base *base;      /* NULL: changes are made at once */
    struct task_pool *changes;    /* one thread; NULL: not running, or ended */
    struct db_change *waiting;    /* to be tried again, in the order in which they were sent */
    struct event *again;          /* when they are */
    const struct db_change *held; /* the first that must not be lost and failed; the writer's */
    _Atomic bool ending;          /* there is no later try: none waits for another */
    double spare_looked;          /* when the spare file was last looked after; the writer's */
};

/* The statement of a constant text, reset and without values. NULL: it cannot be prepared. */
sqlite3_stmt *db_prepare_once(db_connection *c, const char *sql);

#endif
