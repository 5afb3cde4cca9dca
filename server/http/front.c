/* front.c - the listening sockets, and how a request reaches its route
 *
 * libevent reads requests and writes answers. Other files protect it: connections.c against slow or
 * too many connections, guard.c against ambiguous and foreign requests.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "http/front.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "http/connections.h"
#include "http/guard.h"
#include "http/http.h"

#define MAX_HEADERS 16384
#define API         "/api/v1"
#define STALLED     75 /* seconds without a byte in either direction */
#define N_LISTENERS 2

struct http_front {
    server *server;
    struct evhttp *http;
    struct evconnlistener *listeners[N_LISTENERS];
    struct event *sweep;
    bool short_of_fds, closed;
    char url[96];
};

/* ---- the way to a route ---- */

static const char *method_of(struct evhttp_request *http) {
    switch ((int)evhttp_request_get_command(http)) {
    case EVHTTP_REQ_GET: return "GET";
    case EVHTTP_REQ_HEAD: return "HEAD";
    case EVHTTP_REQ_POST: return "POST";
    case EVHTTP_REQ_PUT: return "PUT";
    case EVHTTP_REQ_PATCH: return "PATCH";
    case EVHTTP_REQ_DELETE: return "DELETE";
    default: return "";
    }
}

static void front_run(request *r) {
    r->match.route->run(r->server, r);
}

static void front_route(request *r, const char *method, const char *path) {
    r->match = route_find(method, path);
    if (r->match.route) {
        if (request_names_known(r)) request_read_body(r, front_run);
    } else if (r->match.allowed[0]) {
        reply_header(r, "Allow", r->match.allowed);
        reply_error(r, 405, "method", "This path accepts only %s.", r->match.allowed);
    } else {
        reply_error(r, 404, "notfound", "This path does not exist.");
    }
}

static void front_dispatch(request *r, const char *method, const char *path) {
    if (r->head) method = "GET";
    if (strncmp(path, API "/", sizeof API) == 0) {
        front_route(r, method, path + sizeof API - 1);
    } else if (strcmp(method, "GET") == 0) {
        assets_answer(r, path);
    } else {
        reply_header(r, "Allow", "GET, HEAD");
        reply_error(r, 405, "method", "This path accepts only GET and HEAD.");
    }
}

static void front_request(struct evhttp_request *http, void *arg) {
    http_front *f = arg;
    if (evhttp_request_get_command(http) == EVHTTP_REQ_CONNECT) {
        /* libevent keeps such a connection whatever the answer says. */
        evhttp_connection_free(evhttp_request_get_connection(http));
        return;
    }
    const char *target = evhttp_request_get_uri(http), *method = method_of(http);
    request *r = request_new(f->server, http);
    if (!r) {
        evhttp_send_error(http, HTTP_SERVUNAVAIL, NULL);
        return;
    }
    r->head = strcmp(method, "HEAD") == 0;
    if (f->server->closing) {
        r->close = true;
        reply_error(r, 503, "unavailable", "The server is shutting down.");
        return;
    }
    if (!guard_pass(r, method, target)) return;
    size_t n = strcspn(target, "?");
    char *path = strndup(target, n);
    if (!path) {
        reply_error(r, 503, "unavailable", "The server is out of memory; try again later.");
    } else if (request_read_query(r, target[n] ? target + n + 1 : "")) {
        front_dispatch(r, method, path);
    }
    free(path);
}

/* ---- sockets to listen on -------------------------------------------------------------------- */

#define BACKLOG  512
#define KEPT_FDS 192 /* descriptors for files, pipes of workers, and the database */

static int listen_fail(int fd, char *why, size_t room, const char *place) {
    const char *hint = errno == EADDRINUSE
                           ? "; is a server already running? Choose another port with --port"
                       : errno == EACCES ? "; ports below 1024 require root"
                                         : "";
    snprintf(why, room, "cannot listen on %s: %s%s", place, strerror(errno), hint);
    if (fd >= 0) close(fd);
    return -1;
}

static socklen_t tcp_address(const config *c, struct sockaddr_storage *out) {
    struct sockaddr_in *four = (struct sockaddr_in *)out;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)out;
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, c->bind, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(c->port);
        return sizeof *four;
    }
    inet_pton(AF_INET6, c->bind, &six->sin6_addr);
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(c->port);
    return sizeof *six;
}

/* A listening socket; -1: `why` has one sentence. */
static int listen_tcp(const config *c, char *why, size_t room) {
    struct sockaddr_storage address;
    char place[96];
    socklen_t length = tcp_address(c, &address);
    int on = 1;
    int fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    snprintf(place, sizeof place, "%s port %u", c->bind, c->port);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(fd, (struct sockaddr *)&address, length) != 0 || listen(fd, BACKLOG) != 0)
        return listen_fail(fd, why, room, place);
    return fd;
}

/* Removes a socket file that no server listens on any more, so that bind() succeeds. */
static bool is_left_over(const struct sockaddr_un *address) {
    struct stat st;
    if (lstat(address->sun_path, &st) != 0 || !S_ISSOCK(st.st_mode)) return false;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return false;
    bool refused = connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
                   errno == ECONNREFUSED;
    close(fd);
    return refused;
}

/* A listening socket; -1: `why` has one sentence. */
static int listen_unix(const char *path, char *why, size_t room) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        snprintf(why, room, "the path of a Unix socket can have at most %zu characters: %s",
                 sizeof address.sun_path - 1, path);
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path));
    if (is_left_over(&address)) unlink(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    /* The group may connect, too, so that a proxy under another user has access. */
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        chmod(path, 0660) != 0 || listen(fd, BACKLOG) != 0)
        return listen_fail(fd, why, room, path);
    return fd;
}

/* Writes "http://127.0.0.1:8080/" for a socket. */
static void listen_url(int fd, char *url, size_t room) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char name[INET6_ADDRSTRLEN] = "";
    if (getsockname(fd, (struct sockaddr *)&address, &length) != 0)
        memset(&address, 0, sizeof address);
    if (address.ss_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address;
        inet_ntop(AF_INET6, &six->sin6_addr, name, sizeof name);
        snprintf(url, room, "http://[%s]:%u/", name, ntohs(six->sin6_port));
    } else {
        const struct sockaddr_in *four = (const struct sockaddr_in *)&address;
        inet_ntop(AF_INET, &four->sin_addr, name, sizeof name);
        snprintf(url, room, "http://%s:%u/", name, ntohs(four->sin_port));
    }
}

size_t listen_room(size_t wanted) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
    rlim_t needed = wanted + KEPT_FDS;
    if (limit.rlim_cur < needed) {
        limit.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_cur >= needed) return wanted;
    return limit.rlim_cur > KEPT_FDS + 8 ? (size_t)limit.rlim_cur - KEPT_FDS : 8;
}

/* ---- listening ---- */

static void front_enable(http_front *f, bool on) {
    for (size_t i = 0; i < N_LISTENERS; i++) {
        if (!f->listeners[i]) continue;
        if (on) {
            evconnlistener_enable(f->listeners[i]);
        } else {
            evconnlistener_disable(f->listeners[i]);
        }
    }
}

/* For accept_failed(), whose argument is libevent's. */
static http_front *the_front;

/* No file descriptors are left: closes idle connections; the next sweep accepts again. */
static void accept_failed(struct evconnlistener *listener, void *arg) {
    http_front *f = the_front;
    (void)listener;
    (void)arg;
    if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM) return;
    front_enable(f, false);
    f->short_of_fds = true;
    connections_relieve(f->server->link->connections);
}

static void front_sweep(evutil_socket_t fd, short what, void *arg) {
    http_front *f = arg;
    (void)fd;
    (void)what;
    connections_sweep(f->server->link->connections);
    if (f->short_of_fds && !f->closed) front_enable(f, true);
    f->short_of_fds = false;
}

static bool front_listen(http_front *f, size_t i, int fd) {
    unsigned flags = LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC;
    if (fd < 0) return false;
    f->listeners[i] = evconnlistener_new(f->server->base, NULL, NULL, flags, 0, fd);
    if (!f->listeners[i]) {
        close(fd);
        return false;
    }
    if (!evhttp_bind_listener(f->http, f->listeners[i])) return false;
    evconnlistener_set_error_cb(f->listeners[i], accept_failed);
    return true;
}

static void front_configure(http_front *f) {
    evhttp_set_max_body_size(f->http, 0); /* until the request line has arrived */
    connections_limit_bodies(f->server->link->connections, guard_body_limit);
    evhttp_set_max_headers_size(f->http, MAX_HEADERS);
    evhttp_set_allowed_methods(f->http, 0xFFFF); /* the guard refuses them with a message */
    evhttp_set_gencb(f->http, front_request, f);
    evhttp_set_timeout(f->http, STALLED);
    evhttp_set_bevcb(f->http, connections_add, f->server->link->connections);
}

static bool front_make(http_front *f) {
    const config *c = f->server->config;
    struct timeval often = {0, 200000};
    f->http = evhttp_new(f->server->base);
    f->server->link = link_new(f->server, listen_room((size_t)c->max_connections));
    f->sweep = event_new(f->server->base, -1, EV_PERSIST, front_sweep, f);
    return f->http && f->server->link && f->sweep && event_add(f->sweep, &often) == 0;
}

bool front_start(server *s, char *why, size_t room) {
    const config *c = s->config;
    http_front *f = s->http = calloc(1, sizeof *f);
    snprintf(why, room, "out of memory");
    if (!f) return false;
    f->server = s;
    the_front = f;
    if (!front_make(f)) return false;
    front_configure(f);
    if (c->bind) {
        int fd = listen_tcp(c, why, room);
        if (fd >= 0) listen_url(fd, f->url, sizeof f->url);
        if (!front_listen(f, 0, fd)) return false;
    }
    return !c->socket || front_listen(f, 1, listen_unix(c->socket, why, room));
}

void front_close(http_front *f) {
    f->closed = true;
    front_enable(f, false);
}

void front_hurry(http_front *f) {
    for (request *r = f->server->link->open; r; r = r->next) {
        if (r->held) event_active(r->held, EV_TIMEOUT, 0);
    }
}

bool front_is_busy(const http_front *f) {
    return f->server->link->open || connections_sending(f->server->link->connections);
}

void front_free(http_front *f) {
    if (!f) return;
    if (f->server->config->socket && f->listeners[1]) unlink(f->server->config->socket);
    if (f->http) evhttp_free(f->http);
    link_free(f->server->link);
    f->server->link = NULL;
    if (f->sweep) event_free(f->sweep);
    free(f);
}

const char *front_url(const http_front *f) {
    return f->url;
}

size_t server_connections(const server *s) {
    return connections_count(s->link->connections);
}
