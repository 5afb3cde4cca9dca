/* datasets.h - data sets: their rows in the database and their files
 *
 * A data set is a row of the table `datasets` and a file, datasets/ID.data (ID.part during the
 * upload). File names contain only the id; the name that a visitor gives is only shown. Loop thread
 * only.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DATASETS_H
#define LODE_SERVER_DATASETS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/request.h"
#include "server.h"
#include "storage/database.h"
#include "storage/listing.h"

#define DATASET_NAME_BYTES 1024
#define DATASET_SLICE      8388608 /* maximum bytes of a slice of an upload */

/* A row. dataset_clear() frees its strings. */
typedef struct dataset {
    uint64_t id;
    uint64_t bytes, received;
    char *name, *kind, *state;
    char *read, *clean; /* JSON objects of options */
    char *profile;      /* JSON; NULL: not computed yet */
    char *message;      /* NULL: none */
    double created, used;
    uint64_t jobs;
} dataset;

/* DB_END: there is no data set with this id. */
__attribute__((warn_unused_result)) db_step dataset_load(server *s, uint64_t id, dataset *out);
void dataset_clear(dataset *d);
/* Fills a page with data sets, as the API shows them. */
void datasets_fill(server *s, listing *list);
/* Loads the data set whose id is the first number of the path. False: the request has been answered
 * with 404 or, if `ready` is required and the upload is not complete, with 409. */
bool dataset_of(server *s, request *r, bool ready, dataset *out);
/* Whether these read and clean options are valid for a data set; NULL: unchanged. False: the
 * request has been answered. */
bool dataset_takes(request *r, const dataset *d, json_t *read, json_t *clean);
/* Answers with the current row. */
void dataset_reply(server *s, request *r, int code, uint64_t id);

/* Whether another data set is allowed. False: the request has been answered. */
bool datasets_may_grow(server *s, request *r);
/* Inserts a row in state uploading; the outcome has its id. */
void dataset_insert(server *s, const char *name, uint64_t bytes, db_stored done, void *user);
/* The path of the file of a data set or, with `arriving`, of its unfinished upload. */
void dataset_path(const server *s, uint64_t id, bool arriving, char path[FOLDER_PATH_BYTES]);
/* The change to state ready, with the size and kind of the file. */
db_change *dataset_ready(uint64_t id, uint64_t bytes, const char *kind);

/* Marks a data set as used now, so that it does not expire. */
void datasets_touch(server *s, uint64_t id);

/* State of the parts that deal with data sets, while the server runs. */
struct datasets {
    uint64_t announced;          /* announced bytes of data sets whose rows are not stored yet */
    struct upload *uploads;      /* slices that are being written */
    struct arrival *arrivals;    /* uploads announced since the start */
    struct devices_ask *devices; /* what is known about devices */
    struct expiry *expiry;
};

#endif
