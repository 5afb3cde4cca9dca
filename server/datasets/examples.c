/* examples.c - see examples.h
 *
 * Examples are generated on a task thread with fixed settings, so the bytes are the same on every
 * machine. They are written under the name of an upload, and become data sets in the same way.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "datasets/examples.h"

#include <errno.h>
#include <inttypes.h>
#include <lode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "datasets/datasets.h"
#include "storage/discard.h"
#include "storage/disk.h"
#include "storage/trash.h"
#include "system/tasks.h"

typedef struct example {
    const char *name, *title, *kind, *detail;
    const char *shown; /* file name that is shown */
    uint64_t bytes;    /* approximate size, to check for disk space */
    lode_status (*make)(lode_job *job, const char *path);
} example;

static lode_status example_molecules(lode_job *job, const char *path) {
    const lode_graphgen_options o = {
        .size = sizeof o, .n_graphs = 600, .seed = 19, .model = LODE_GRAPHS_MOLECULES};
    return lode_generate_graphs(job, path, &o);
}

/* A small shop: few products, baskets of about five, filled with combinations that are often, but
 * not always, bought together. */
static lode_status example_groceries(lode_job *job, const char *path) {
    const lode_quest_options o = {.size = sizeof o,
                                  .n_transactions = 10000,
                                  .mean_length = 5,
                                  .mean_pattern = 2.5,
                                  .n_items = 120,
                                  .n_patterns = 600,
                                  .correlation = 0.3,
                                  .corruption = 0.4,
                                  .seed = 19,
                                  .names = true};
    return lode_generate_quest(job, path, &o);
}

/* The settings of T40I10D100K: long baskets, and millions of patterns at low thresholds. */
static lode_status example_long_baskets(lode_job *job, const char *path) {
    const lode_quest_options o = {.size = sizeof o,
                                  .n_transactions = 100000,
                                  .mean_length = 40,
                                  .mean_pattern = 10,
                                  .seed = 1};
    return lode_generate_quest(job, path, &o);
}

static const example examples[] = {
    {"groceries", "Groceries", "baskets",
     "10,000 baskets of a small shop, with planted combinations", "groceries.csv", 600000,
     example_groceries},
    {"t40i10", "T40I10D100K", "baskets",
     "100,000 baskets with 40 items on average, a common benchmark", "T40I10D100K.dat", 18000000,
     example_long_baskets},
    {"molecules", "Molecules", "graphs",
     "600 generated molecules of rings and functional groups; none of them is real", "molecules.lg",
     600000, example_molecules},
};
#define N_EXAMPLES (sizeof examples / sizeof examples[0])

json_t *examples_json(void) {
    json_t *list = json_array();
    for (size_t i = 0; i < N_EXAMPLES; i++) {
        const example *e = &examples[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "name", e->name, "title",
                                              e->title, "kind", e->kind, "detail", e->detail));
    }
    return list;
}

/* An example that is being generated. */
typedef struct making {
    server *server;
    request *request;
    const example *example;
    uint64_t id, bytes;
    lode_status status;
    char message[512];
    char path[FOLDER_PATH_BYTES];
} making;

static void making_work(void *arg) {
    making *m = arg;
    lode_job *job = NULL;
    struct stat file;
    lode_job_options o = {.size = sizeof o, .threads = 1};
    m->status = lode_job_create(&job, NULL, &o);
    if (m->status == LODE_OK) m->status = m->example->make(job, m->path);
    if (m->status == LODE_OK && stat(m->path, &file) == 0) {
        m->bytes = (uint64_t)file.st_size;
    } else if (m->status == LODE_OK) {
        m->status = LODE_IO;
        snprintf(m->message, sizeof m->message, "%s", strerror(errno));
    } else {
        const char *why = lode_job_error(job);
        snprintf(m->message, sizeof m->message, "%s", *why ? why : lode_status_text(m->status));
    }
    lode_job_free(job);
}

/* The example could not be generated: its row is deleted. */
static void making_dropped(void *user, const db_outcome *outcome) {
    making *m = user;
    (void)outcome; /* if the row stays, it is a data set without a file, which can be deleted */
    reply_error(m->request, m->status == LODE_IO ? 507 : 503, "unavailable",
                "The server could not create the example: %s.", m->message);
    free(m);
}

static void making_noted(void *user, const db_outcome *outcome) {
    making *m = user;
    if (!outcome->stored) {
        reply_unstored(m->request, outcome);
    } else if (outcome->rows == 0) {
        discard_file(m->server, m->path);
        reply_error(m->request, 404, "notfound", "The data set was deleted in the meantime.");
    } else {
        dataset_reply(m->server, m->request, 201, m->id);
    }
    free(m);
}

static void making_done(void *arg) {
    making *m = arg;
    if (m->status == LODE_OK) {
        db_send(m->server->db, dataset_ready(m->id, m->bytes, m->example->kind), making_noted, m);
    } else {
        trash_dataset(m->server, m->id, making_dropped, m);
    }
}

static void making_begin(void *user, const db_outcome *outcome) {
    making *m = user;
    if (!outcome->stored) {
        reply_unstored(m->request, outcome);
        free(m);
        return;
    }
    m->id = outcome->id;
    dataset_path(m->server, m->id, false, m->path);
    if (tasks_add_for(m->server->tasks, request_client(m->request), making_work, making_done, m))
        return;
    m->status = LODE_CANCELLED;
    snprintf(m->message, sizeof m->message, "the server is busy; try again in a moment");
    making_done(m);
}

static const example *example_find(const char *name) {
    for (size_t i = 0; i < N_EXAMPLES; i++) {
        if (strcmp(examples[i].name, name) == 0) return &examples[i];
    }
    return NULL;
}

static void example_start(server *s, request *r, const example *e) {
    if (!datasets_may_grow(s, r)) return;
    making *m = calloc(1, sizeof *m);
    if (!m) {
        reply_error(r, 503, "unavailable", "The server is out of memory; try again later.");
        return;
    }
    *m = (making){.server = s, .request = r, .example = e};
    dataset_insert(s, e->shown, e->bytes, making_begin, m);
}

void examples_create(server *s, request *r, const char *name) {
    char message[256];
    const example *e = example_find(name);
    if (!e) {
        reply_error(r, 422, "invalid", "There is no example '%.100s'; expected %s, %s or %s.", name,
                    examples[0].name, examples[1].name, examples[2].name);
    } else if (!disk_room(s, e->bytes, message, sizeof message)) {
        reply_error(r, 507, "unavailable", "%s", message);
    } else {
        example_start(s, r, e);
    }
}
