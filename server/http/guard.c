/* guard.c - checks that every request must pass before it is routed
 *
 * It refuses requests that two programs could parse differently (request smuggling), requests that
 * a foreign page sends from a visitor's browser (DNS rebinding, cross-site request forgery), and
 * requests without the token. After the first kind it closes the connection, because the bytes that
 * follow may not be a request at all.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "http/guard.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <event2/keyvalq_struct.h>
#include <stdio.h>
#include <string.h>

#include "http/clients.h"
#include "http/connections.h"
#include "http/http.h"
#include "http/token.h"

#define MAX_HEADER_LINES 100
#define MAX_LOGIN        ((size_t)4096) /* no token is required */
#define MAX_JSON         ((size_t)1 << 20)
#define MAX_SLICE        (((size_t)8 << 20) + 4096)
#define BODY_SLACK       ((size_t)1 << 16) /* read beyond the limit, to refuse with a message */

static bool guard_close(request *r, int http, const char *code, const char *message) {
    r->close = true;
    reply_error(r, http, code, "%s", message);
    return false;
}

/* ---- how long the request is ---- */

static bool is_name(const char *s) {
    if (!*s) return false;
    for (; *s; s++) {
        if (!isalnum((unsigned char)*s) && !strchr("!#$%&'*+-.^_`|~", *s)) return false;
    }
    return true;
}

static bool is_value(const char *s) {
    for (; *s; s++) {
        if (((unsigned char)*s < ' ' && *s != '\t') || *s == 0x7F) return false;
    }
    return true;
}

/* Headers that must not be repeated: programs could disagree on which one counts. */
static bool is_single(const char *name) {
    static const char *const names[] = {
        "Content-Length", "Transfer-Encoding", "Host",          "Content-Type", "Origin",
        "Authorization",  "Content-Encoding",  "Sec-Fetch-Site"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(name, names[i]) == 0) return true;
    }
    return false;
}

static bool has_twice(const struct evkeyval *first) {
    for (const struct evkeyval *h = first->next.tqe_next; h; h = h->next.tqe_next) {
        if (strcasecmp(h->key, first->key) == 0) return true;
    }
    return false;
}

static bool guard_headers(request *r) {
    size_t n = 0;
    const struct evkeyvalq *headers = evhttp_request_get_input_headers(r->http);
    for (const struct evkeyval *h = headers->tqh_first; h; h = h->next.tqe_next) {
        if (++n > MAX_HEADER_LINES)
            return guard_close(r, 431, "toolarge", "The request has too many headers.");
        if (!is_name(h->key) || !is_value(h->value))
            return guard_close(r, 400, "invalid", "The request has a malformed header.");
        if (is_single(h->key) && has_twice(h)) {
            char message[64];
            snprintf(message, sizeof message, "Duplicate header: %s.", h->key);
            return guard_close(r, 400, "invalid", message);
        }
    }
    return true;
}

/* libevent uses the first length header that it finds, and for some methods reads no body. If
 * another program could find another end of the body, the request is refused. */
static bool guard_length(request *r, const char *method) {
    const char *length = request_header(r, "Content-Length");
    bool takes_body =
        strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0 || strcmp(method, "PATCH") == 0;
    if (length && (!*length || strlen(length) > 18 || length[strspn(length, "0123456789")]))
        return guard_close(r, 400, "invalid", "Content-Length is not a number.");
    if (request_header(r, "Transfer-Encoding")) {
        if (length)
            return guard_close(r, 400, "invalid",
                               "The request has both Content-Length and Transfer-Encoding.");
        return guard_close(r, 411, "length",
                           "Transfer-Encoding is not supported; send Content-Length.");
    }
    if (!takes_body && length && strspn(length, "0") != strlen(length))
        return guard_close(r, 400, "invalid", "A request with this method cannot have a body.");
    if (!length && strcmp(method, "PUT") == 0)
        return guard_close(r, 411, "length", "A request with this method requires Content-Length.");
    return true;
}

static size_t body_most(const char *method, const char *target) {
    if (strcmp(method, "PUT") == 0) return MAX_SLICE;
    return strncmp(target, LOGIN_PATH, sizeof LOGIN_PATH - 1) == 0 ? MAX_LOGIN : MAX_JSON;
}

size_t guard_body_limit(const char *line) {
    char method[8] = "";
    line += strspn(line, "\r\n");
    size_t n = strcspn(line, " ");
    if (n < sizeof method) memcpy(method, line, n);
    return body_most(method, line + n + (line[n] == ' ')) + BODY_SLACK;
}

static bool guard_size(request *r, const char *method, const char *target) {
    size_t most = body_most(method, target);
    if (evbuffer_get_length(r->body) <= most) return true;
    r->close = true;
    reply_error(r, 413, "toolarge", "The request body must not exceed %zu bytes.", most);
    return false;
}

static bool guard_body(request *r, const char *method) {
    const char *coding = request_header(r, "Content-Encoding");
    if (coding && strcasecmp(coding, "identity") != 0)
        return guard_close(
            r, 415, "type",
            "Content-Encoding is not supported; send the request body uncompressed.");
    if (evbuffer_get_length(r->body) == 0) return true;
    bool bytes = strcmp(method, "PUT") == 0;
    const char *wanted = bytes ? "application/octet-stream" : "application/json";
    if (strcmp(r->type, wanted) == 0) return true;
    reply_error(r, 415, "type", "The request body must have Content-Type: %s.", wanted);
    return false;
}

/* Refuses HTTP versions other than 1.0 and 1.1, targets other than a path, and invalid characters.
 * Paths of this server are plain: no escapes, no parts "." or "..", no empty parts. */
static bool guard_target(request *r, const char *target) {
    const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(r->http);
    if (target[0] != '/' || !uri || evhttp_uri_get_host(uri))
        return guard_close(r, 400, "invalid", "The request target must be a path.");
    for (const char *c = target; *c; c++) {
        if (*c <= ' ' || *c >= 0x7F || *c == '#')
            return guard_close(r, 400, "invalid", "The request target has an invalid character.");
    }
    size_t n = strcspn(target, "?");
    for (size_t i = 0; i < n; i++) {
        bool plain = isalnum((unsigned char)target[i]) || strchr("/-_.", target[i]);
        bool part = target[i] != '/' || i + 1 == n || isalnum((unsigned char)target[i + 1]) ||
                    target[i + 1] == '_';
        if (plain && part) continue;
        reply_error(r, 404, "notfound", "This path does not exist.");
        return false;
    }
    return true;
}

/* ---- who asks ---- */

/* The name in a Host header or an origin: without port and brackets, in lower case. */
static bool host_name(const char *s, char *out, size_t room) {
    size_t n = *s == '[' ? strcspn(s, "]") + 1 : strcspn(s, ":");
    const char *rest = s + n;
    if (n == 0 || n >= room || n > strlen(s)) return false;
    if (*rest && (*rest != ':' || !rest[1] || rest[1 + strspn(rest + 1, "0123456789")]))
        return false;
    for (size_t i = 0; i < n; i++) out[i] = (char)tolower((unsigned char)s[i]);
    out[n] = '\0';
    return true;
}

static bool is_address(const char *name) {
    unsigned char address[16];
    char inner[64];
    if (name[0] != '[') return inet_pton(AF_INET, name, address) == 1;
    snprintf(inner, sizeof inner, "%.*s", (int)(strlen(name) - 2), name + 1);
    return inet_pton(AF_INET6, inner, address) == 1;
}

/* DNS rebinding makes a foreign name resolve to this machine, so other names are refused. IP
 * addresses cannot be rebound. */
static bool host_is_ours(const config *c, const char *name) {
    if (strcmp(name, "localhost") == 0 || is_address(name)) return true;
    for (size_t i = 0; i < c->n_hosts; i++) {
        if (strcasecmp(name, c->hosts[i]) == 0) return true;
    }
    return false;
}

static bool guard_host(request *r) {
    const char *host = request_header(r, "Host");
    char name[256];
    if (!host || !host_name(host, name, sizeof name))
        return guard_close(r, 400, "invalid", "The Host header is missing or invalid.");
    if (host_is_ours(r->server->config, name)) return true;
    r->close = true;
    reply_hint(r, 403, "forbidden", "This server does not accept requests for this host name.",
               "To allow the name, start the server with --host NAME.");
    return false;
}

/* Whether an origin is this server: the same host and port. */
static bool origin_is_ours(const char *origin, const char *host) {
    if (strncmp(origin, "http://", 7) == 0) return strcasecmp(origin + 7, host) == 0;
    if (strncmp(origin, "https://", 8) == 0) return strcasecmp(origin + 8, host) == 0;
    return false;
}

/* Browsers say which site a request comes from; other programs do not. */
static bool guard_origin(request *r, const char *method, bool api) {
    const char *site = request_header(r, "Sec-Fetch-Site");
    const char *origin = request_header(r, "Origin");
    bool reads = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    bool foreign = site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0;
    if (origin && !origin_is_ours(origin, request_header(r, "Host"))) foreign = true;
    if (!foreign || (reads && !api)) return true; /* other sites may link to the page */
    reply_error(
        r, 403, "forbidden",
        "Cross-origin requests are not allowed; only this server's own page may send them.");
    return false;
}

static bool guard_too_often(request *r, unsigned wait, const char *message) {
    char seconds[16];
    snprintf(seconds, sizeof seconds, "%u", wait);
    reply_header(r, "Retry-After", seconds);
    reply_error(r, 429, "toomany", "%s", message);
    return false;
}

static bool guard_rate(request *r) {
    unsigned wait;
    if (clients_allow(r->server->link->clients, r->client, connections_clock(), &wait)) return true;
    return guard_too_often(r, wait, "Too many requests; try again in a second.");
}

bool request_may_keep(request *r) {
    unsigned wait;
    client_table *clients = r->server->link->clients;
    if (clients_allow_kept(clients, r->client, connections_clock(), &wait)) return true;
    return guard_too_often(r, wait, "Too many new short links; try again in a minute.");
}

/* ---- the token ---- */

static bool guard_token(request *r, const char *target) {
    if (strcmp(target, LOGIN_PATH) == 0) return true;
    token_verdict verdict = login_check(r);
    if (verdict == TOKEN_GOOD) return true;
    if (verdict == TOKEN_WRONG) {
        login_refuse(r);
        return false;
    }
    reply_header(r, "WWW-Authenticate", "Bearer realm=\"lode\"");
    reply_error(r, 401, "unauthorized", "This server requires a token; please log in.");
    return false;
}

bool guard_pass(request *r, const char *method, const char *target) {
    if (!guard_headers(r) || !guard_length(r, method) || !guard_target(r, target)) return false;
    if (!*method) {
        reply_header(r, "Allow", "GET, HEAD, POST, PUT, PATCH, DELETE");
        return guard_close(r, 405, "method", "This method is not supported.");
    }
    bool api = strncmp(target, "/api/", 5) == 0;
    return guard_host(r) && guard_rate(r) && guard_origin(r, method, api) &&
           guard_size(r, method, target) && (!api || guard_token(r, target)) &&
           guard_body(r, method);
}
