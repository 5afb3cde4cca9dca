/* worker_request.h - what the worker is asked: "ID VERB" and lines "name=value"
 *
 * Everything is checked before anything is done: numbers, UTF-8, escapes, and that the verb knows
 * each name. Texts stay where they arrived, with their escapes taken out in place.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_WORKER_REQUEST_H
#define LODE_CLI_WORKER_REQUEST_H

#include "cli.h"

#define WORKER_FRAME_MOST  (1u << 20) /* bytes of a request */
#define WORKER_VALUES_MOST 20000      /* lines of a request */

typedef struct worker_value {
    const char *name, *text;
} worker_value;

typedef struct worker_request {
    uint64_t id; /* 0: the first line has none */
    const char *verb;
    worker_value *values;
    size_t n_values;
    char *text; /* what all of it lies in */
} worker_request;

/* Takes `text` apart, of which `bytes` + 1 belong to it, and owns it from now on. If it returns
 * false, `message` says what is wrong; id and verb are then set as far as they could be read. */
bool worker_request_parse(worker_request *r, char *text, size_t bytes, char *message,
                          size_t message_bytes);
void worker_request_free(worker_request *r);

/* Whether each name is one of `names`: words separated by blanks. One that ends with + may be
 * repeated, one that ends with a dot is the beginning of names that may be. */
bool worker_request_check(const worker_request *r, const char *names, char *message,
                          size_t message_bytes);

/* The value of a name; NULL: it was not given. */
const char *worker_request_get(const worker_request *r, const char *name);
/* Reads a number from `least` to `most`; one that was not given stays. A text that is no such
 * number: false, with a message. */
typedef struct worker_range {
    const char *name;
    uint64_t least, most;
} worker_range;
bool worker_request_number(const worker_request *r, worker_range range, uint64_t *value,
                           char *message, size_t message_bytes);
/* The same for true and false. */
bool worker_request_truth(const worker_request *r, const char *name, bool *value, char *message,
                          size_t message_bytes);

#endif
