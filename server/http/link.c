/* link.c - a request and its connection
 *
 * The lowest layer of the HTTP files: it handles how a request starts and ends, and when its client
 * disconnects, but not its content.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/clients.h"
#include "http/connections.h"
#include "http/http.h"
#include "http/token.h"
#include "system/tasks.h"

/* ---- what all requests share ---- */

http_link *link_new(const server *s, size_t connections) {
    http_link *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->connections = connections_new(s->base, connections, s->config->max_wait);
    l->clients = clients_new(s->config->max_rate);
    l->cookie = token_make();
    if (l->connections && l->clients && l->cookie) return l;
    link_free(l);
    return NULL;
}

void link_free(http_link *l) {
    if (!l) return;
    while (l->open) request_free(l->open);
    connections_free(l->connections);
    clients_free(l->clients);
    free(l->cookie);
    free(l);
}

/* ---- requests and their clients ---- */

const char *request_header(const request *r, const char *name) {
    return r->http ? evhttp_find_header(evhttp_request_get_input_headers(r->http), name) : NULL;
}

static struct bufferevent *bufferevent_of(struct evhttp_request *http) {
    return evhttp_connection_get_bufferevent(evhttp_request_get_connection(http));
}

/* A connection ends. We must free a request that libevent has released; libevent frees all
 * others. */
static void client_gone(struct evhttp_connection *c, void *arg) {
    request *r = arg;
    struct evhttp_request *http = r->http;
    (void)c;
    r->http = NULL;
    if (http && !evhttp_request_get_connection(http)) evhttp_request_free(http);
    if (r->lost) r->lost(r->stream);
}

/* Behind a proxy, the address is that of the proxy, so its header names the client. Only the proxy
 * can open the socket, so the header can be trusted. */
static void read_forwarded(request *r) {
    const char *address = request_header(r, "X-Real-IP");
    const char *scheme = request_header(r, "X-Forwarded-Proto");
    if (address) r->client = connections_client_of(address);
    r->secure = scheme && strcmp(scheme, "https") == 0;
}

static void link_attach(request *r) {
    http_link *l = r->server->link;
    bool local;
    r->next = l->open;
    if (l->open) l->open->previous = r;
    l->open = r;
    r->linked = true;
    evhttp_connection_set_closecb(evhttp_request_get_connection(r->http), client_gone, r);
    connections_begin(l->connections, bufferevent_of(r->http));
    r->client = connections_client(l->connections, bufferevent_of(r->http), &local);
    if (local) read_forwarded(r);
}

struct evhttp_request *link_detach(request *r) {
    struct evhttp_request *http = r->http;
    http_link *l = r->server->link;
    if (!r->linked) return NULL;
    r->linked = false;
    if (r->previous) r->previous->next = r->next;
    if (r->next) r->next->previous = r->previous;
    if (l->open == r) l->open = r->next;
    r->http = NULL;
    if (!http) return NULL;
    evhttp_connection_set_closecb(evhttp_request_get_connection(http), NULL, NULL);
    connections_answered(l->connections, bufferevent_of(http));
    return http;
}

request *request_new(server *s, struct evhttp_request *http) {
    request *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->server = s;
    r->http = http;
    r->body = evbuffer_new();
    if (!r->body) {
        free(r);
        return NULL;
    }
    /* The body is moved, not copied, so it stays when the client disconnects. */
    evbuffer_add_buffer(r->body, evhttp_request_get_input_buffer(http));
    /* The media type without parameters, in lower case. */
    const char *type = request_header(r, "Content-Type");
    size_t n = type ? strcspn(type, "; \t") : 0;
    if (n >= sizeof r->type) n = sizeof r->type - 1;
    for (size_t i = 0; i < n; i++) r->type[i] = (char)tolower((unsigned char)type[i]);
    link_attach(r);
    return r;
}

static void body_free(void *object) {
    json_decref(object);
}

static void body_freed(void *object) {
    (void)object;
}

/* A task thread frees the parsed JSON of a long body, because it may have many objects. */
static void request_free_body(request *r) {
    task_pool *tasks = r->server->tasks;
    bool later = r->object && tasks && evbuffer_get_length(r->body) > BODY_SHORT &&
                 tasks_add(tasks, body_free, body_freed, r->object);
    if (!later) json_decref(r->object);
    r->object = NULL;
    evbuffer_drain(r->body, evbuffer_get_length(r->body));
}

void request_forget_body(request *r) {
    request_free_body(r);
    if (r->linked) connections_body_read(r->server->link->connections, bufferevent_of(r->http));
}

void request_free(request *r) {
    link_detach(r);
    for (size_t i = 0; i < r->n_pairs; i++) {
        free(r->pairs[i].name);
        free(r->pairs[i].value);
    }
    free(r->pairs);
    if (r->held) event_free(r->held);
    request_free_body(r);
    evbuffer_free(r->body);
    free(r);
}
