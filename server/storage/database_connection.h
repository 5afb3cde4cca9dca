/* database_connection.h - internals shared by database.c and database_write.c
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DATABASE_CONNECTION_H
#define LODE_SERVER_DATABASE_CONNECTION_H

#include <stdatomic.h>

#include "storage/database.h"

#define DB_STATEMENTS 128
#define DB_BUSY_MS    2000 /* how long to wait for another program that has locked the file */

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
    db_connection writer; /* of the writer thread, once it runs */
    char *path;
    char id[DB_ID_BYTES];
    char message[256];         /* the reader's last error */
    struct event_base *base;   /* NULL: changes are executed at once */
    struct task_pool *changes; /* the writer thread; NULL: not running */
    struct db_change *waiting; /* to be retried, in the order in which they were sent */
    struct event *again;       /* timer of the next retry */
    const struct db_change
        *held;           /* the first failed change that must not be lost; used by the writer */
    _Atomic bool ending; /* shutting down: no more retries */
    double spare_looked; /* when the spare file was last checked; used by the writer */
};

/* The prepared statement of an SQL literal, reset and without values. NULL: it cannot be
 * prepared. */
sqlite3_stmt *db_prepare_once(db_connection *c, const char *sql);

#endif
