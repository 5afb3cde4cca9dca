/* request.h - a request, and the ways to answer it
 *
 * Every request is answered exactly once, on the loop thread, at once or later. The request stays
 * valid until then, even if the client has disconnected; the answer is then dropped. Answering
 * frees the request.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_REQUEST_H
#define LODE_SERVER_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- which function answers which request ---------------------------------------------------- */

/* Paths are below /api/v1 and may have parts such as ":id", which match only a decimal number;
 * these numbers are all that a route sees of a path. Each area of the API has one table of routes;
 * tables.c lists the tables.
 *
 * A route names the parameters that it accepts. So a single place can refuse all other parameters,
 * and parameters that are repeated although they may not be. */

struct server;
typedef struct request request;
typedef void (*route_fn)(struct server *s, request *r);

typedef struct route {
    const char *method, *path; /* "GET", "/datasets/:id/content" */
    route_fn run;
    const char *parameters; /* names separated by blanks; "min*" may be repeated; NULL: none */
} route;

/* The parameters of a filter (query.c), for tables of routes. */
#define ROUTE_FILTER                                                                               \
    "min* max* has* lacks* lhs-has* lhs-lacks* rhs-has* rhs-lacks* match* lhs-match* "             \
    "rhs-match* pick* min-size max-size"

/* A table ends with {NULL, NULL, NULL, NULL}. */
extern const route dataset_routes[], job_routes[], result_routes[], about_routes[], login_routes[];

#define ROUTE_MAX_NUMBERS 4

typedef struct route_match {
    const route *route; /* NULL: no such path, or not with this method */
    uint64_t numbers[ROUTE_MAX_NUMBERS];
    unsigned n_numbers;
    char allowed[64]; /* the methods of the path, for 405; "": no such path */
} route_match;

/* `path` is what follows /api/v1. */
route_match route_find(const char *method, const char *path);

typedef enum route_use { ROUTE_UNKNOWN, ROUTE_ONCE, ROUTE_REPEATED } route_use;

/* ---- a request, and the ways to answer it ---------------------------------------------------- */

typedef struct stream stream;
struct db_outcome;

/* ---- what was asked ---- */

/* The i-th :part of the path. */
uint64_t request_number(const request *r, unsigned i);
/* A parameter of the query string, decoded: valid UTF-8 without NUL. NULL: not given. */
const char *request_value(const request *r, const char *name);
/* All values of a parameter, in order, at most `room`; returns how many there are. */
size_t request_values(const request *r, const char *name, const char **values, size_t room);
/* A parameter that is a whole number from `least` to `most`, or `fallback` if it is not given.
 * False: the request has been answered with 400. */
bool request_count(request *r, const char *name, const uint64_t range[2], uint64_t fallback,
                   uint64_t *out);
/* A parameter that is 1, true, 0 or false. False: the request has been answered with 400. */
bool request_switch(request *r, const char *name, bool fallback, bool *out);
/* The body as a JSON object, owned by the request. NULL: the request has been answered with 400 or
 * 415. */
json_t *request_object(request *r);
/* The raw body; valid until the answer. */
const void *request_bytes(const request *r, size_t *bytes);
/* Frees the body; for requests whose answer may take long. */
void request_forget_body(request *r);
/* The media type of the body without parameters, in lower case; "": no Content-Type. */
const char *request_type(const request *r);
/* A hash of the client, to tell clients apart. */
uint64_t request_client(const request *r);
/* Whether the client may store one more short link. False: the request has been answered with
 * 429. */
bool request_may_keep(request *r);
/* Whether the client has disconnected, so that work for it can be dropped. */
bool request_gone(const request *r);

/* ---- answers; each one frees the request ---- */

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
/* A change was not stored: 507 if the disk is full, otherwise 503. */
void reply_unstored(request *r, const struct db_outcome *outcome);
/* The failure of a worker, {"status","message",...}, with the matching HTTP status. */
void reply_status(request *r, const char *worker_failed_json, size_t bytes);
/* Sends a file up to its current length and closes it (download.c). `download_name` (may be NULL)
 * is the name under which a browser saves it. */
void reply_file(request *r, int fd, const char *type, const char *download_name);

/* ---- streams ---- */

/* An answer of unknown length, in chunks. `download_name` may be NULL. */
stream *reply_stream(request *r, const char *type, const char *download_name);
/* Server-sent events. */
stream *reply_events(request *r);
/* Sends one event. False: the client has disconnected or does not read; the stream will be
 * closed. */
bool stream_send(stream *s, const char *event, const char *json, size_t bytes);
/* Sends raw bytes. */
bool stream_write(stream *s, const void *data, size_t bytes);
/* Bytes that were written but not sent yet; senders of long streams wait for
 * stream_on_drained(). */
size_t stream_pending(const stream *s);
/* The same, including bytes that the kernel has not delivered because the client does not read. */
size_t stream_unread(const stream *s);
/* `f` is called on the loop whenever all written bytes have been sent. */
void stream_on_drained(stream *s, void (*f)(void *user), void *user);
/* `f` is called once if the client disconnects before stream_end(); then the stream is freed. */
void stream_on_close(stream *s, void (*f)(void *user), void *user);
/* Disconnects the client after the caller has returned; then calls its stream_on_close()
 * function. */
void stream_abandon(stream *s);
/* Ends the answer and frees the stream; its functions are not called again. */
void stream_end(stream *s);

#endif
