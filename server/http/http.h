/* http.h - internals of a request, for the files of this folder
 *
 *   front.c     listening sockets; every request arrives there
 *   guard.c     checks that refuse requests
 *   login.c     the token and the cookie
 *   request.c   query string and request body
 *   reply.c     answers of known length, and streams
 *   download.c  answers that are files
 *   assets.c    the page
 *   link.c      a request and its connection
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_HTTP_H
#define LODE_SERVER_HTTP_H

#include <event2/buffer.h>
#include <event2/http.h>

#include "http/request.h"
#include "server.h"

#define BODY_SHORT  16384 /* a longer body is parsed on a task thread */
#define BODY_VALUES 20000 /* maximum number of JSON values in a body */

typedef struct request_pair {
    char *name, *value;
} request_pair;

struct request {
    server *server;
    struct evhttp_request *http; /* NULL: the client has gone */
    struct evbuffer *body;
    json_t *object;     /* the parsed body */
    bool read;          /* the body has been parsed, with or without success */
    json_error_t error; /* why there is no object */
    route_match match;
    request_pair *pairs; /* of the query string */
    size_t n_pairs;
    uint64_t client;
    bool head;   /* HEAD: the answer is sent without its body */
    bool close;  /* close the connection after the answer */
    bool secure; /* it came through TLS, to a reverse proxy */
    char type[64];
    stream *stream;
    void (*lost)(stream *s);  /* called when the client disconnects from its stream */
    struct event *held;       /* the timer of a delayed answer (wrong token) */
    request *next, *previous; /* list of open requests */
    bool linked;
};

/* ---- link.c ---- */

typedef struct http_link {
    struct connection_table *connections;
    struct client_table *clients;
    char *cookie;  /* value of the login cookie; a new one at each start */
    request *open; /* requests without an answer */
} http_link;

http_link *link_new(const server *s, size_t connections);
/* No request may be answered after this call. */
void link_free(http_link *l);

/* NULL: no memory. The query is read separately. */
request *request_new(server *s, struct evhttp_request *http);
/* Frees our part; libevent frees its own after sending. */
void request_free(request *r);
/* A header of the request, or NULL. */
const char *request_header(const request *r, const char *name);
/* Takes libevent's part of the request, to send the answer; NULL: the client has disconnected. */
struct evhttp_request *link_detach(request *r);

/* ---- request.c ---- */

/* False: the query string is not valid UTF-8 or has too many parameters; the request has been
 * answered. */
bool request_read_query(request *r, const char *query);
/* Whether the query string has only parameters of the route, and repeats only those that may be
 * repeated. False: the request has been answered with 422. */
bool request_names_known(request *r);

/* Parses the body and calls `then`: at once or, if the body is long, after a task thread has parsed
 * it. */
void request_read_body(request *r, void (*then)(request *r));

/* ---- reply.c ---- */

/* Sets a header of the answer. */
void reply_header(request *r, const char *name, const char *value);
/* Sends the answer and frees the request. The caller keeps `body`, which may be NULL. */
void reply_send(request *r, int code, const char *type, struct evbuffer *body);
/* Sets the file name of a download (Content-Disposition), plain and as in RFC 5987. */
void reply_download_header(request *r, const char *name);

/* ---- assets.c ---- */

/* Answers with a file of the page. `path` begins with /. */
void assets_answer(request *r, const char *path);

#endif
