/* request.h - a request, and the ways to answer it
 *
 * Every request is answered exactly once, on the loop thread, at once or later. It stays valid
 * until then, also if the client has gone: then the answer goes nowhere. After the answer it is
 * gone.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_REQUEST_H
#define LODE_SERVER_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- which function answers which request ---------------------------------------------------- */

/* A path is below /api/v1 and may have parts such as ":id", which match a decimal number only:
 * nothing else of a path is ever used by what is behind it. Each area has one table; the list is in
 * tables.c.
 *
 * A route names the parameters that its query may have, so that one place refuses all others, and
 * those that are given twice although one is meant. */

struct server;
typedef struct request request;
typedef void (*route_fn)(struct server *s, request *r);

typedef struct route {
    const char *method, *path; /* "GET", "/datasets/:id/content" */
    route_fn run;
    const char *parameters; /* names with blanks between; "min*" may be repeated; NULL: none */
} route;

/* The parameters of a filter (query.c), for tables. */
#define ROUTE_FILTER                                                                               \
    "min* max* has* lacks* lhs-has* lhs-lacks* rhs-has* rhs-lacks* match* lhs-match* "             \
    "rhs-match* min-size max-size"

/* A table ends with {NULL, NULL, NULL, NULL}. */
extern const route dataset_routes[], job_routes[], result_routes[], about_routes[], login_routes[];

#define ROUTE_MAX_NUMBERS 4

typedef struct route_match {
    const route *route; /* NULL: no such path, or not this method */
    uint64_t numbers[ROUTE_MAX_NUMBERS];
    unsigned n_numbers;
    char allowed[64]; /* the methods that the path has, for 405; "": no such path */
} route_match;

/* `path` is what follows /api/v1. */
route_match route_find(const char *method, const char *path);

typedef enum route_use { ROUTE_UNKNOWN, ROUTE_ONCE, ROUTE_REPEATED } route_use;

/* How a route takes a parameter of this name. */
route_use route_parameter(const route *r, const char *name);

/* ---- a request, and the ways to answer it ---------------------------------------------------- */

typedef struct stream stream;
struct db_outcome;

/* ---- what was asked ---- */

/* The i-th :part of the path. */
uint64_t request_number(const request *r, unsigned i);
/* A parameter of the query, decoded: valid UTF-8 without NUL. NULL: it is not there. */
const char *request_value(const request *r, const char *name);
/* All of that name, in order, at most `room`; returns how many there are. */
size_t request_values(const request *r, const char *name, const char **values, size_t room);
/* A parameter that is a whole number from `least` to `most`, or `fallback` where it is not there.
 * False: it has been answered with 400. */
bool request_count(request *r, const char *name, const uint64_t range[2], uint64_t fallback,
                   uint64_t *out);
/* A parameter that is 1 or true, 0 or false. False: it has been answered with 400. */
bool request_switch(request *r, const char *name, bool fallback, bool *out);
/* The body as an object, owned by the request. NULL: it has been answered with 400 or 415. */
json_t *request_object(request *r);
/* The body as it came; valid until the answer. */
const void *request_bytes(const request *r, size_t *bytes);
/* What was asked is known, and the answer may take long: the body takes no more memory. */
void request_forget_body(request *r);
/* The media type of the body without parameters, in lower case; "": none was said. */
const char *request_type(const request *r);
/* The same number for the same client, to keep clients apart. */
uint64_t request_client(const request *r);
/* Whether the client may have one more small thing kept, as a short link. False: it has been
 * answered with 429. */
bool request_may_keep(request *r);
/* Whether the client has gone, so that work for it can be left undone. */
bool request_gone(const request *r);

/* ---- answers; each one ends the request ---- */

void reply_json(request *r, int code, json_t *steals);
void reply_text(request *r, int code, const char *json, size_t bytes);
void reply_empty(request *r, int code);
/* {"error":{"code","message"}} */
void reply_error(request *r, int http, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same with a hint. */
void reply_hint(request *r, int http, const char *code, const char *message, const char *hint);
/* The database could not be read: 503. */
void reply_unreadable(request *r);
/* A change was not stored: 507 where the disk is full, else 503. */
void reply_unstored(request *r, const struct db_outcome *outcome);
/* A worker's failure: {"status","message",...}, with the HTTP status that belongs to it. */
void reply_status(request *r, const char *worker_failed_json, size_t bytes);
/* Sends a file as far as it reaches now and closes it (download.c). `download_name` (may be NULL)
 * is the name under which a browser saves it. */
void reply_file(request *r, int fd, const char *type, const char *download_name);

/* ---- streams ---- */

/* An answer of unknown length, chunk by chunk. `download_name` may be NULL. */
stream *reply_stream(request *r, const char *type, const char *download_name);
/* Server-sent events. */
stream *reply_events(request *r);
/* False: the client is gone or does not read, and the stream will be closed. */
bool stream_send(stream *s, const char *event, const char *json, size_t bytes);
/* Bytes as they are. */
bool stream_write(stream *s, const void *data, size_t bytes);
/* Bytes that were written and have not left yet: who streams much waits for `drained`. */
size_t stream_pending(const stream *s);
/* The same with what the system has not brought to the client yet, as it does not read. */
size_t stream_unread(const stream *s);
/* Called on the loop whenever all that was written has left. */
void stream_on_drained(stream *s, void (*f)(void *user), void *user);
/* Called once when the client has gone before stream_end; the stream is freed after it. */
void stream_on_close(stream *s, void (*f)(void *user), void *user);
/* Cuts the client off, as soon as the caller has returned; then its function for that is called. */
void stream_abandon(stream *s);
/* The end; the stream is gone and its functions are not called again. */
void stream_end(stream *s);

#endif
