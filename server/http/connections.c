/* connections.c - open connections: their number, clients and speed
 *
 * Limits of time:
 *   IDLE      seconds without a byte of the next request
 *   GRACE     seconds for a request, plus the time that its bytes take at the speed SLOWEST
 *   wait      seconds in which at least wait * SLOWEST_READ bytes of an answer must have left
 * So a client that sends or reads only a byte now and then keeps its connection for a minute, not
 * for ever.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "http/connections.h"

#include <arpa/inet.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define IDLE         75.0
#define GRACE        20.0
#define SLOWEST      65536.0
#define SLOWEST_READ 1024.0
#define MAX_AHEAD    (64u << 10) /* bytes accepted before the previous request is answered */
#define CLIENT_SLOTS 256
#define MAX_INPUT    (256u << 20) /* bytes of unfinished requests, all together */

typedef struct connection {
    connection_table *table;
    struct bufferevent *bev;
    int fd;
    uint64_t client;
    bool known;  /* its address is known */
    bool local;  /* through the Unix socket */
    bool active; /* it has an unanswered request */
    bool narrow; /* no more than MAX_AHEAD is read */
    bool judged; /* the body limit of its next request is set in libevent */
    bool cut;
    double since;               /* when it became idle */
    double first_byte;          /* of that request; 0: none has come */
    uint64_t received;          /* bytes of that request */
    double window;              /* when the window began in which answers leave; 0: nothing waits */
    uint64_t sent, sent_before; /* in all; when the window began */
    struct connection *next, *previous;
} connection;

struct connection_table {
    struct event_base *base;
    struct event *settle; /* registers the newest ones, once libevent has given them a socket */
    connection *first;    /* newest first */
    size_t count, most;
    double wait; /* seconds to wait for a client that does not read */
    body_limit limit;
    uint64_t input; /* the sum of `received` */
    connection **by_fd;
    size_t n_fds;
};

double connections_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

uint64_t connections_hash(const void *bytes, size_t n) {
    const unsigned char *s = bytes;
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < n; i++) hash = (hash ^ s[i]) * UINT64_C(0x100000001B3);
    return hash;
}

/* An IPv4 address may be mapped into IPv6. */
static uint64_t client_of_six(const struct in6_addr *a) {
    return IN6_IS_ADDR_V4MAPPED(a) ? connections_hash(a->s6_addr + 12, 4) : connections_hash(a, 8);
}

uint64_t connections_client_of(const char *address) {
    struct in_addr four;
    struct in6_addr six;
    if (inet_pton(AF_INET, address, &four) == 1) return connections_hash(&four, sizeof four);
    if (inet_pton(AF_INET6, address, &six) == 1) return client_of_six(&six);
    return connections_hash(address, strlen(address));
}

/* ---- coming and going ---- */

static void connection_free(connection *c) {
    connection_table *t = c->table;
    if (c->previous) c->previous->next = c->next;
    if (c->next) c->next->previous = c->previous;
    if (t->first == c) t->first = c->next;
    t->count--;
    t->input -= c->received;
    if (c->fd >= 0 && (size_t)c->fd < t->n_fds && t->by_fd[c->fd] == c) t->by_fd[c->fd] = NULL;
    bufferevent_decref(c->bev);
    free(c);
}

/* libevent removes its callbacks when it releases a bufferevent. */
static bool connection_ended(const connection *c) {
    bufferevent_event_cb on_event;
    bufferevent_getcb(c->bev, NULL, NULL, &on_event, NULL);
    return !on_event && c->known;
}

void connections_drop_unread(int fd) {
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

/* Shuts the socket down; libevent notices it and frees the connection. */
static void connection_cut(connection *c) {
    c->cut = true;
    /* A client that is still sending, or has not read everything, would hang: resets the
     * connection. */
    bool unread = evbuffer_get_length(bufferevent_get_output(c->bev)) > 0;
    if (unread || (c->received > 0 && !c->active)) connections_drop_unread(c->fd);
    shutdown(bufferevent_getfd(c->bev), SHUT_RDWR);
}

/* Whether a request body is being received, which takes memory. */
static bool connection_fills(const connection *c) {
    return !c->active && !c->cut && c->received > MAX_AHEAD;
}

/* libevent keeps a body in memory until it is complete. If bodies take too much memory, the client
 * that uses most loses its oldest connection with a body; uploads can be resumed. Clients whose
 * hashes fall into one slot count as one. */
static void connections_make_room(connection_table *t) {
    uint64_t taken[CLIENT_SLOTS] = {0}, most = 0;
    connection *slowest = NULL;
    for (const connection *c = t->first; c; c = c->next) {
        if (!connection_fills(c)) continue;
        uint64_t *sum = &taken[c->client % CLIENT_SLOTS];
        *sum += c->received;
        if (*sum > most) most = *sum;
    }
    for (connection *c = t->first; c; c = c->next) {
        if (!connection_fills(c) || taken[c->client % CLIENT_SLOTS] < most) continue;
        if (!slowest || c->first_byte < slowest->first_byte) slowest = c;
    }
    if (slowest) connection_cut(slowest);
}

/* While libevent sends, it keeps reading without parsing: so limits how much it reads. */
static void connection_narrow(connection *c, bool narrow) {
    bufferevent_setwatermark(c->bev, EV_READ, 0, narrow ? MAX_AHEAD : 0);
    c->narrow = narrow;
}

/* Whether libevent parses what it reads, which may be a long body. */
static bool connection_is_read(const connection *c) {
    bufferevent_data_cb on_read;
    bufferevent_getcb(c->bev, &on_read, NULL, NULL, NULL);
    return on_read && !c->active;
}

/* libevent has one body limit per connection and checks it when the headers of a request are
 * complete, so the limit is set as soon as the request line is there. The argument of libevent's
 * callbacks is its connection. */
static void connection_judge(connection *c) {
    char line[CONNECTIONS_LINE + 1];
    void *http = NULL;
    ssize_t n = evbuffer_copyout(bufferevent_get_input(c->bev), line, CONNECTIONS_LINE);
    line[n > 0 ? n : 0] = '\0';
    if (n < CONNECTIONS_LINE && !strchr(line, '\n')) return;
    bufferevent_getcb(c->bev, NULL, NULL, NULL, &http);
    if (!http) return;
    evhttp_connection_set_max_body_size(http, (ev_ssize_t)c->table->limit(line));
    c->judged = true;
}

static void connection_read(struct evbuffer *input, const struct evbuffer_cb_info *info,
                            void *arg) {
    connection *c = arg;
    (void)input;
    if (info->n_added == 0) return;
    if (!c->judged && !c->active) connection_judge(c);
    if (connection_ended(c)) bufferevent_disable(c->bev, EV_READ); /* nobody will read it */
    if (c->narrow && connection_is_read(c)) connection_narrow(c, false);
    if (c->first_byte == 0) c->first_byte = connections_clock();
    c->received += info->n_added;
    c->table->input += info->n_added;
    if (c->table->input > MAX_INPUT) connections_make_room(c->table);
}

static void connection_written(struct evbuffer *output, const struct evbuffer_cb_info *info,
                               void *arg) {
    connection *c = arg;
    (void)output;
    c->sent += info->n_deleted;
}

struct bufferevent *connections_add(struct event_base *base, void *table) {
    connection_table *t = table;
    connection *c = calloc(1, sizeof *c);
    struct bufferevent *b = c ? bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE) : NULL;
    if (!b) {
        free(c);
        return NULL;
    }
    bufferevent_incref(b);
    *c = (connection){
        .table = t, .bev = b, .fd = -1, .since = connections_clock(), .next = t->first};
    if (t->first) t->first->previous = c;
    t->first = c;
    t->count++;
    evbuffer_add_cb(bufferevent_get_input(b), connection_read, c);
    evbuffer_add_cb(bufferevent_get_output(b), connection_written, c);
    event_active(t->settle, EV_TIMEOUT, 0);
    return b;
}

/* ---- limits ---- */

/* The connection that has been idle longest; of one client, unless `client` is NULL. */
static connection *longest_idle(connection_table *t, const connection *client) {
    connection *found = NULL;
    for (connection *c = t->first; c; c = c->next) {
        if (c->active || c->cut || connection_ended(c) || (client && c->client != client->client))
            continue;
        if (evbuffer_get_length(bufferevent_get_output(c->bev))) continue;
        if (!found || c->since <= found->since) found = c;
    }
    return found;
}

static size_t connections_of(const connection_table *t, const connection *client) {
    size_t n = 0;
    for (const connection *c = t->first; c; c = c->next)
        n += c->known && !c->cut && !connection_ended(c) && c->client == client->client;
    return n;
}

static size_t connections_alive(const connection_table *t) {
    size_t n = 0;
    for (const connection *c = t->first; c; c = c->next) n += !c->cut && !connection_ended(c);
    return n;
}

/* Stores a connection under its descriptor, so that requests find it. */
static bool connection_enter(connection_table *t, connection *c) {
    size_t fd = (size_t)c->fd;
    if (c->fd < 0) return false;
    if (fd >= t->n_fds) {
        size_t n = fd + 64;
        connection **by_fd = realloc(t->by_fd, n * sizeof *by_fd);
        if (!by_fd) return false;
        memset(by_fd + t->n_fds, 0, (n - t->n_fds) * sizeof *by_fd);
        t->by_fd = by_fd;
        t->n_fds = n;
    }
    t->by_fd[fd] = c;
    return true;
}

static void connection_look(connection_table *t, connection *c) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    int on = 1;
    c->known = true;
    c->fd = bufferevent_getfd(c->bev);
    if (!connection_enter(t, c)) connection_cut(c);
    if (getpeername(c->fd, (struct sockaddr *)&address, &length) != 0) return;
    if (address.ss_family == AF_INET) {
        c->client = connections_hash(&((struct sockaddr_in *)&address)->sin_addr, 4);
    } else if (address.ss_family == AF_INET6) {
        c->client = client_of_six(&((struct sockaddr_in6 *)&address)->sin6_addr);
    } else {
        c->local = true;
    }
    if (!c->local) setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/* Makes room for a new connection. Connections through the Unix socket come from a proxy and belong
 * to many clients, so the limit per address does not apply to them. */
static void connection_admit(connection_table *t, connection *c) {
    connection *idle = NULL;
    if (!c->local && connections_of(t, c) > t->most / 2) {
        idle = longest_idle(t, c);
    } else if (connections_alive(t) > t->most) {
        idle = longest_idle(t, NULL);
    } else {
        return;
    }
    connection_cut(idle ? idle : c);
}

static void connections_settle(evutil_socket_t fd, short what, void *arg) {
    connection_table *t = arg;
    (void)fd;
    (void)what;
    size_t fresh = 0;
    for (connection *c = t->first; c && !c->known; c = c->next, fresh++) connection_look(t, c);
    for (connection *c = t->first; fresh > 0; c = c->next, fresh--) connection_admit(t, c);
}

void connections_relieve(connection_table *t) {
    for (int i = 0; i < 16; i++) {
        connection *c = longest_idle(t, NULL);
        if (!c) return;
        connection_cut(c);
    }
}

/* ---- time ---- */

static bool reads_too_slowly(connection *c, double now) {
    if (evbuffer_get_length(bufferevent_get_output(c->bev)) == 0) {
        c->window = 0;
        return false;
    }
    double wait = c->table->wait;
    if (c->window > 0 && now - c->window < wait) return false;
    bool slow = c->window > 0 && (double)(c->sent - c->sent_before) < wait * SLOWEST_READ;
    c->window = now;
    c->sent_before = c->sent;
    return slow;
}

static bool sends_too_slowly(const connection *c, double now) {
    if (c->active || c->window > 0) return false;
    if (c->first_byte == 0) return now - c->since > IDLE;
    return now - c->first_byte > GRACE + (double)c->received / SLOWEST;
}

void connections_sweep(connection_table *t) {
    double now = connections_clock();
    connection *next;
    for (connection *c = t->first; c; c = next) {
        next = c->next;
        if (connection_ended(c)) {
            connection_free(c);
        } else if (!c->cut && c->known && (reads_too_slowly(c, now) || sends_too_slowly(c, now))) {
            connection_cut(c);
        } else if (c->narrow && connection_is_read(c)) {
            connection_narrow(c, false);
        }
    }
}

/* ---- requests ---- */

static connection *connection_of(connection_table *t, struct bufferevent *b) {
    int fd = bufferevent_getfd(b);
    connection *c = fd >= 0 && (size_t)fd < t->n_fds ? t->by_fd[fd] : NULL;
    return c && c->bev == b ? c : NULL;
}

void connections_begin(connection_table *t, struct bufferevent *b) {
    connection *c = connection_of(t, b);
    if (!c) return;
    c->active = true;
    connection_narrow(c, true);
}

void connections_body_read(connection_table *t, struct bufferevent *b) {
    connection *c = connection_of(t, b);
    if (!c) return;
    t->input -= c->received;
    c->received = 0;
}

void connections_answered(connection_table *t, struct bufferevent *b) {
    connection *c = connection_of(t, b);
    if (!c) return;
    c->active = false;
    c->since = connections_clock();
    t->input -= c->received;
    c->received = 0;
    c->first_byte = 0;
    c->judged = false;
    if (evbuffer_get_length(bufferevent_get_input(b)) > 0) connection_judge(c);
}

uint64_t connections_client(connection_table *t, struct bufferevent *b, bool *local) {
    const connection *c = connection_of(t, b);
    *local = c && c->local;
    return c ? c->client : 0;
}

size_t connections_count(const connection_table *t) {
    return connections_alive(t);
}

bool connections_sending(const connection_table *t) {
    for (const connection *c = t->first; c; c = c->next) {
        if (!connection_ended(c) && evbuffer_get_length(bufferevent_get_output(c->bev)))
            return true;
    }
    return false;
}

connection_table *connections_new(struct event_base *base, size_t most, double wait) {
    connection_table *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->base = base;
    t->most = most;
    t->wait = wait;
    t->settle = event_new(base, -1, 0, connections_settle, t);
    if (t->settle) return t;
    free(t);
    return NULL;
}

void connections_limit_bodies(connection_table *t, body_limit limit) {
    t->limit = limit;
}

void connections_free(connection_table *t) {
    if (!t) return;
    while (t->first) connection_free(t->first);
    event_free(t->settle);
    free(t->by_fd);
    free(t);
}
