/* worker_request.h - requests to the worker: "ID VERB" and lines "name=value"
 *
 * A request is checked completely before it runs: numbers, UTF-8, escapes, and whether the verb
 * knows each name. Values stay in the received buffer and are unescaped in place.
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
    char *text; /* the buffer of all strings */
} worker_request;

/* Parses `text`, a buffer of `bytes` + 1, and takes ownership of it. False: `message` has the
 * error; id and verb are set as far as they could be read. */
bool worker_request_parse(worker_request *r, char *text, size_t bytes, char *message,
                          size_t message_bytes);
void worker_request_free(worker_request *r);

/* Whether all names are allowed. `names` is separated by blanks; a name that ends with + may be
 * repeated, and one that ends with a dot is a prefix of names that may be repeated. */
bool worker_request_check(const worker_request *r, const char *names, char *message,
                          size_t message_bytes);

/* The value of a name; NULL: not given. */
const char *worker_request_get(const worker_request *r, const char *name);
/* Reads a number from `least` to `most`; *value stays if it is not given. False, with a message:
 * invalid number. */
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
