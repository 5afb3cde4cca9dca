/* datasets.h - data sets: what the database knows of them, and their files
 *
 * A data set is a row of the table `datasets` and a file, datasets/ID.data (ID.part while it is
 * arriving). Names of files are made of the number alone; what a visitor calls a data set is
 * text to show. Loop thread only.
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
#define DATASET_SLICE      8388608 /* bytes of a slice of an upload, at most */

/* A row. Texts are copies, freed by dataset_clear(). */
typedef struct dataset {
    uint64_t id;
    uint64_t bytes, received;
    char *name, *kind, *state;
    char *read, *clean; /* JSON objects of options */
    char *profile;      /* JSON, or NULL while it is not known */
    char *message;      /* NULL: nothing to say */
    double created, used;
    uint64_t jobs;
} dataset;

/* DB_END: there is none of this number. */
__attribute__((warn_unused_result)) db_step dataset_load(server *s, uint64_t id, dataset *out);
void dataset_clear(dataset *d);
/* As the API shows it; NULL: no memory. */
json_t *dataset_json(const dataset *d);
void datasets_fill(server *s, listing *list);
/* Loads what the first number of the path says. False: it has answered 404, or 409 where the file
 * has not arrived as a whole and `ready` asks for that. */
bool dataset_of(server *s, request *r, bool ready, dataset *out);
/* Whether a data set can be read and cleaned so; NULL: as it is. False: it has answered. */
bool dataset_takes(request *r, const dataset *d, json_t *read, json_t *clean);
/* Answers with the row as it is now. */
void dataset_reply(server *s, request *r, int code, uint64_t id);

/* Whether there may be one more. False: it has answered. */
bool datasets_may_grow(server *s, request *r);
/* A new row that is still arriving; its number is that of the outcome. */
void dataset_insert(server *s, const char *name, uint64_t bytes, db_stored done, void *user);
/* Where its file is, or will be while it arrives. */
void dataset_path(const server *s, uint64_t id, bool arriving, char path[FOLDER_PATH_BYTES]);
/* The change that notes that the file is there, with its size and kind. */
db_change *dataset_ready(uint64_t id, uint64_t bytes, const char *kind);

/* Notes that a data set, or that of a job, is in use: what is in use does not expire. */
void datasets_touch(server *s, uint64_t id);
void datasets_touch_job(server *s, uint64_t job);

/* What the parts of this folder that deal with data sets keep while the server runs. */
struct datasets {
    uint64_t announced;          /* bytes of data sets whose rows are being stored */
    struct upload *uploads;      /* slices that are being written */
    struct arrival *arrivals;    /* files that were announced since the start */
    struct devices_ask *devices; /* what is known of devices */
    struct expiry *expiry;
};

#endif
