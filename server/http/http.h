/* http.h - what only the files about HTTP know of a request, and how they share the work
 *
 *   front.c    listens; every request arrives there
 *   guard.c    says which requests are not answered at all
 *   login.c    who may ask at all
 *   request.c  what was asked
 *   reply.c    answers of known length
 *   reply.c   answers that go on
 *   download.c answers that are files
 *   assets.c   the page
 *   link.c     a request and the connection that it came by
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_HTTP_H
#define LODE_SERVER_HTTP_H

#include <event2/buffer.h>
#include <event2/http.h>

#include "http/request.h"
#include "server.h"

#define BODY_SHORT  16384 /* bytes of a body that are taken apart on the loop */
#define BODY_VALUES 20000 /* of JSON in a body */

typedef struct request_pair {
    char *name, *value;
} request_pair;

struct request {
    server *server;
    struct evhttp_request *http; /* NULL: the client has gone */
    struct evbuffer *body;
    json_t *object;     /* the body, once it was read */
    bool read;          /* it was, whatever came of it */
    json_error_t error; /* why there is no object */
    route_match match;
    request_pair *pairs; /* of the query */
    size_t n_pairs;
    uint64_t client;
    bool head;   /* HEAD: an answer without its body */
    bool close;  /* the connection ends with the answer */
    bool secure; /* it came by TLS, to the proxy in front */
    char type[64];
    stream *stream;
    void (*lost)(stream *s);  /* what its stream does when the client goes */
    struct event *held;       /* the answer waits: a wrong token */
    request *next, *previous; /* all that are open */
    bool linked;
};

/* ---- link.c ---- */

typedef struct http_link {
    struct connection_table *connections;
    struct client_table *clients;
    char *cookie;  /* what that of a visitor who has logged in says; another one at each start */
    request *open; /* requests without an answer */
} http_link;

http_link *link_new(const server *s, size_t connections);
/* Nobody may answer a request after that. */
void link_free(http_link *l);

/* NULL: no memory. The query is read separately. */
request *request_new(server *s, struct evhttp_request *http);
/* Frees what is ours; libevent frees its part after sending. */
void request_free(request *r);
/* A header of the request, or NULL. */
const char *request_header(const request *r, const char *name);
/* Takes libevent's part of the request, to send the answer; NULL: the client has gone. */
struct evhttp_request *link_detach(request *r);

/* ---- request.c ---- */

/* False: the query is not decent UTF-8 or too long; it has been answered. */
bool request_read_query(request *r, const char *query);
/* Whether the query has only parameters that the route takes, and as often as it takes them. False:
 * it has been answered with 422. */
bool request_names_known(request *r);

/* Calls `then` when the body can be asked for: at once, or after a task thread has taken a long one
 * apart, as that takes a while. */
void request_read_body(request *r, void (*then)(request *r));

/* ---- reply.c ---- */

/* Sets a header of the answer. */
void reply_header(request *r, const char *name, const char *value);
/* The headers that every answer has. */
void reply_common_headers(request *r);
/* Sends; `body` may be NULL and stays the caller's. The request is gone. */
void reply_send(request *r, int code, const char *type, struct evbuffer *body);
/* The name of a download as a header, plain and by RFC 5987. */
void reply_download_header(request *r, const char *name);

/* ---- assets.c ---- */

/* The page. `path` begins with /. */
void assets_answer(request *r, const char *path);

#endif
