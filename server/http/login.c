/* login.c - checks the token and the login cookie
 *
 * The answer to a wrong token is delayed, longer each time, so that guessing takes for ever, but a
 * typing error costs only half a second. Other requests are not delayed.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <event2/event.h>
#include <stdio.h>
#include <string.h>

#include "http/clients.h"
#include "http/connections.h"
#include "http/http.h"
#include "http/token.h"

#define COOKIE "lode="

/* Whether one of the cookies of this name is valid. A sibling domain may have set another one with
 * the same name, which may come first. */
static bool has_cookie(const char *header, const char *wanted) {
    char value[TOKEN_MOST + 1];
    while (header && *header) {
        header += strspn(header, " \t;");
        size_t n = strcspn(header, ";"), name = sizeof COOKIE - 1;
        if (strncmp(header, COOKIE, name) == 0 && n - name < sizeof value) {
            memcpy(value, header + name, n - name);
            value[n - name] = '\0';
            if (token_equal(value, wanted)) return true;
        }
        header += n;
    }
    return false;
}

token_verdict login_check(const request *r) {
    const config *c = r->server->config;
    if (!c->token) return TOKEN_GOOD;
    const char *header = request_header(r, "Authorization");
    if (header) {
        if (strncasecmp(header, "Bearer ", 7) != 0) return TOKEN_WRONG;
        return token_equal(header + 7, c->token) ? TOKEN_GOOD : TOKEN_WRONG;
    }
    /* A cookie from before a restart is not an attempt to guess. */
    bool known = has_cookie(request_header(r, "Cookie"), r->server->link->cookie);
    return known ? TOKEN_GOOD : TOKEN_MISSING;
}

/* ---- wrong ones ---- */

static void answer_held(evutil_socket_t fd, short what, void *arg) {
    request *r = arg;
    (void)fd;
    (void)what;
    clients_answered(r->server->link->clients, r->client);
    reply_header(r, "WWW-Authenticate", "Bearer realm=\"lode\"");
    reply_error(r, 401, "unauthorized", "The token is wrong.");
}

void login_refuse(request *r) {
    double delay = clients_failed(r->server->link->clients, r->client, connections_clock());
    if (delay >= 0) r->held = evtimer_new(r->server->base, answer_held, r);
    if (!r->held) {
        if (delay >= 0) clients_answered(r->server->link->clients, r->client);
        reply_header(r, "Retry-After", "10");
        reply_error(r, 429, "toomany", "Too many wrong tokens; try again later.");
        return;
    }
    struct timeval wait = {(time_t)delay, (suseconds_t)((delay - (double)(time_t)delay) * 1e6)};
    evtimer_add(r->held, &wait);
}

/* ---- POST /login ---- */

static void login(server *s, request *r) {
    const json_t *object = request_object(r);
    if (!object) return;
    const char *given = json_string_value(json_object_get(object, "token"));
    if (!given) {
        reply_error(r, 400, "invalid", "Expected {\"token\": \"…\"}.");
    } else if (!s->config->token || token_equal(given, s->config->token)) {
        char cookie[TOKEN_MOST + 80];
        snprintf(cookie, sizeof cookie, COOKIE "%s; HttpOnly; SameSite=Strict; Path=/%s",
                 s->link->cookie, r->secure ? "; Secure" : "");
        clients_welcome(s->link->clients, r->client);
        reply_header(r, "Set-Cookie", cookie);
        reply_empty(r, 204);
    } else {
        login_refuse(r);
    }
}

const route login_routes[] = {{"POST", "/login", login, NULL}, {NULL, NULL, NULL, NULL}};
