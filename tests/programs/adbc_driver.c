/* adbc_driver.c - a database driver that answers as the query says, for test_adbc.c
 *
 * The query is a word: what the driver does. Its own objects are counted; a driver that is released
 * before all of them ends the program.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrow_tables.h"

typedef struct error {
    char *message;
    int32_t vendor_code;
    char sqlstate[5];
    void (*release)(struct error *);
} error;

typedef struct object {
    void *data, *driver;
} object;

static int live;                 /* objects of the driver */
static _Atomic int is_cancelled; /* the query */
static char query[64];

static void error_release(error *e) {
    free(e->message);
    e->message = NULL;
    e->release = NULL;
    live--;
}

static uint8_t fail(error *e, const char *message) {
    e->message = strdup(message);
    e->release = error_release;
    live++;
    return 5;
}

static uint8_t make(object *o, error *e) {
    (void)e;
    o->data = malloc(1);
    live++;
    return 0;
}

static uint8_t drop(object *o, error *e) {
    (void)e;
    free(o->data);
    o->data = NULL;
    live--;
    return 0;
}

static uint8_t init(object *o, error *e) {
    (void)o, (void)e;
    return 0;
}

static uint8_t set(object *o, const char *key, const char *value, error *e) {
    (void)o;
    if (strcmp(key, "uri") == 0 && strcmp(value, "closed") == 0) return fail(e, "closed today");
    return 0;
}

static uint8_t connect_to(object *connection, object *database, error *e) {
    (void)connection, (void)database, (void)e;
    return 0;
}

static uint8_t make_statement(object *connection, object *statement, error *e) {
    (void)connection;
    return make(statement, e);
}

static uint8_t set_sql(object *statement, const char *sql, error *e) {
    (void)statement;
    snprintf(query, sizeof query, "%s", sql);
    return strcmp(sql, "wrong") == 0 ? fail(e, "no such table\nLINE 1: wrong") : 0;
}

static void damage(struct ArrowArray *array, struct ArrowSchema *schema) {
    if (!array) {
        if (strcmp(query, "format") == 0) schema->children[0]->format = "?";
        return;
    }
    struct ArrowArray *item = array->children[1];
    if (strcmp(query, "length") == 0) array->length = 1 << 20;
    if (strcmp(query, "children") == 0) array->n_children = 1;
    if (strcmp(query, "null") == 0) item->buffers[1] = NULL;
    if (strcmp(query, "offsets") == 0) ((int32_t *)(uintptr_t)item->buffers[1])[1] = -7;
}

static uint8_t execute(object *statement, struct ArrowArrayStream *out, int64_t *rows, error *e) {
    static const arrow_cells_text columns[] = {{"order", "i", "1 1 2"},
                                               {"item", "u", "milk bread milk"}};
    (void)statement;
    *rows = 3;
    if (strcmp(query, "fail") == 0) return fail(e, "Out of Memory Error: no more");
    if (strcmp(query, "nothing") == 0) return 0;
    if (strcmp(query, "slow") == 0) {
        for (int i = 0; i < 2000 && !is_cancelled; i++) usleep(10000);
        return is_cancelled ? fail(e, "cancelled") : fail(e, "nobody has cancelled the query");
    }
    *out = arrow_stream(columns, 2, 1);
    arrow_stream_state *state = out->private_data;
    if (strcmp(query, "cable") == 0) state->fail_at = 2;
    if (strcmp(query, "table") != 0) state->spoil = damage;
    return 0;
}

static uint8_t cancel(object *statement, error *e) {
    (void)statement, (void)e;
    is_cancelled = 1;
    return 0;
}

static uint8_t release(void *driver, error *e) {
    (void)driver, (void)e;
    if (live != 0 || arrow_left != 0) abort();
    return 0;
}

/* The places of the functions in the struct of ADBC, counted in pointers. */
typedef void (*function)(void);
__attribute__((visibility("default"))) int AdbcDriverInit(int version, void *driver, error *e);

int AdbcDriverInit(int version, void *driver, error *e) {
    function *f = driver;
    if (version > 1000000 && getenv("ADBC_TEST_OLD")) return fail(e, "only 1.0.0");
    memset(driver, 0, 29 * sizeof *f);
    f[2] = (function)release;
    f[3] = (function)init;
    f[4] = (function)make;
    f[5] = (function)set;
    f[6] = (function)drop;
    f[12] = (function)connect_to;
    f[13] = (function)make;
    f[16] = (function)drop;
    f[20] = (function)execute;
    f[23] = (function)make_statement;
    f[25] = (function)drop;
    f[27] = (function)set_sql;
    if (version > 1000000) f[49] = (function)cancel;
    is_cancelled = 0;
    return 0;
}
