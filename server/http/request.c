/* request.c - query string and request body
 * SPDX-License-Identifier: Apache-2.0 */
#include "http/request.h"

#include <ctype.h>
#include <event2/event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/http.h"
#include "http/text.h"
#include "system/tasks.h"
#include "tables.h"

#define MAX_PAIRS 256

/* ---- the query ---- */

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes n bytes of a query string. NULL: out of memory or, if *bad is true, not valid. */
static char *query_decode(const char *s, size_t n, bool *bad) {
    char *out = malloc(n + 1);
    size_t length = 0;
    if (!out) return NULL;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '+') {
            out[length++] = ' ';
        } else if (s[i] != '%') {
            out[length++] = s[i];
        } else if (n - i > 2 && hex_digit(s[i + 1]) >= 0 && hex_digit(s[i + 2]) >= 0) {
            out[length++] = (char)(hex_digit(s[i + 1]) * 16 + hex_digit(s[i + 2]));
            i += 2;
        } else {
            *bad = true;
        }
    }
    out[length] = '\0';
    if (!*bad && text_is_utf8(out, length)) return out;
    *bad = true;
    free(out);
    return NULL;
}

static bool add_pair(request *r, const char *s, size_t n, bool *bad) {
    const char *equals = memchr(s, '=', n);
    size_t name = equals ? (size_t)(equals - s) : n;
    request_pair *pair = &r->pairs[r->n_pairs];
    pair->name = query_decode(s, name, bad);
    pair->value = pair->name
                      ? query_decode(equals ? equals + 1 : s + n, equals ? n - name - 1 : 0, bad)
                      : NULL;
    if (pair->value) {
        r->n_pairs++;
        return true;
    }
    free(pair->name);
    return false;
}

bool request_read_query(request *r, const char *query) {
    size_t n = 1;
    for (const char *c = query; *c; c++) n += *c == '&';
    if (n > MAX_PAIRS) {
        reply_error(r, 400, "invalid",
                    "The query string has %zu parameters; at most %d are allowed.", n, MAX_PAIRS);
        return false;
    }
    r->pairs = calloc(n, sizeof *r->pairs);
    bool bad = false, ok = r->pairs != NULL;
    while (ok && *query) {
        size_t length = strcspn(query, "&");
        if (length) ok = add_pair(r, query, length, &bad);
        query += length + (query[length] == '&');
    }
    if (ok) return true;
    if (bad) {
        reply_error(r, 400, "invalid", "The query string is not valid percent-encoded UTF-8.");
    } else {
        reply_error(r, 503, "unavailable", "The server is out of memory; try again later.");
    }
    return false;
}

/* ---- which function answers which request ---------------------------------------------------- */

/* Reads a decimal number of at most 18 digits without leading zeros up to `end`. */
static bool route_number(const char *s, const char *end, uint64_t *out) {
    if (s == end || end - s > 18 || (*s == '0' && end - s > 1)) return false;
    for (*out = 0; s < end; s++) {
        if (*s < '0' || *s > '9') return false;
        *out = *out * 10 + (uint64_t)(*s - '0');
    }
    return true;
}

static bool part_fits(const char *pattern, size_t n, const char *path, const char *end,
                      route_match *m) {
    if (pattern[0] != ':') return (size_t)(end - path) == n && memcmp(pattern, path, n) == 0;
    if (m->n_numbers == ROUTE_MAX_NUMBERS) return false;
    return route_number(path, end, &m->numbers[m->n_numbers++]);
}

static bool route_fits(const char *pattern, const char *path, route_match *m) {
    m->n_numbers = 0;
    while (*pattern == '/' && *path == '/') {
        size_t wanted = strcspn(++pattern, "/");
        path++;
        const char *end = path + strcspn(path, "/");
        if (!part_fits(pattern, wanted, path, end, m)) return false;
        pattern += wanted;
        path = end;
    }
    return *pattern == '\0' && *path == '\0';
}

static void route_allow(route_match *m, const char *method) {
    size_t n = strlen(m->allowed);
    snprintf(m->allowed + n, sizeof m->allowed - n, "%s%s", n ? ", " : "", method);
}

route_match route_find(const char *method, const char *path) {
    route_match m = {.route = NULL}, tried = {.route = NULL};
    const route *table;
    for (size_t i = 0; (table = table_of_routes(i)) != NULL; i++) {
        for (const route *r = table; r->method; r++) {
            if (!route_fits(r->path, path, &tried)) continue;
            route_allow(&m, r->method);
            if (strcmp(r->method, method) != 0) continue;
            m.route = r;
            m.n_numbers = tried.n_numbers;
            memcpy(m.numbers, tried.numbers, sizeof m.numbers);
        }
    }
    return m;
}

/* How often a route accepts a parameter of this name. */
static route_use route_parameter(const route *r, const char *name) {
    size_t n = strlen(name);
    for (const char *words = r->parameters ? r->parameters : ""; *words;) {
        size_t length = strcspn(words, " ");
        bool repeated = words[length - 1] == '*';
        if (length - repeated == n && memcmp(words, name, n) == 0) {
            return repeated ? ROUTE_REPEATED : ROUTE_ONCE;
        }
        words += length + (words[length] == ' ');
    }
    return ROUTE_UNKNOWN;
}

/* ---- for those who answer ---- */

uint64_t request_number(const request *r, unsigned i) {
    return i < r->match.n_numbers ? r->match.numbers[i] : 0;
}

size_t request_values(const request *r, const char *name, const char **values, size_t room) {
    size_t n = 0;
    for (size_t i = 0; i < r->n_pairs; i++) {
        if (strcmp(r->pairs[i].name, name) != 0) continue;
        if (n < room) values[n] = r->pairs[i].value;
        n++;
    }
    return n;
}

const char *request_value(const request *r, const char *name) {
    const char *value = NULL;
    request_values(r, name, &value, 1);
    return value;
}

bool request_names_known(request *r) {
    const char *all = r->match.route->parameters;
    for (size_t i = 0; i < r->n_pairs; i++) {
        const char *name = r->pairs[i].name;
        route_use use = route_parameter(r->match.route, name);
        if (use == ROUTE_UNKNOWN) {
            reply_error(r, 422, "invalid", "unknown parameter '%.100s'; expected %s%s", name,
                        all ? all : "none", all && strchr(all, '*') ? " (* may be repeated)" : "");
            return false;
        }
        if (use == ROUTE_ONCE && request_values(r, name, NULL, 0) > 1) {
            reply_error(r, 422, "invalid", "%s is given twice; expected one value", name);
            return false;
        }
    }
    return true;
}

bool request_count(request *r, const char *name, const uint64_t range[2], uint64_t fallback,
                   uint64_t *out) {
    const char *value = request_value(r, name);
    *out = fallback;
    if (!value) return true;
    size_t n = strspn(value, "0123456789");
    if (n > 0 && n <= 18 && value[n] == '\0') {
        *out = strtoull(value, NULL, 10);
        if (*out >= range[0] && *out <= range[1]) return true;
    }
    reply_error(r, 400, "invalid", "%s must be a whole number from %llu to %llu.", name,
                (unsigned long long)range[0], (unsigned long long)range[1]);
    return false;
}

bool request_switch(request *r, const char *name, bool fallback, bool *out) {
    const char *value = request_value(r, name);
    *out = fallback;
    if (!value) return true;
    *out = strcmp(value, "1") == 0 || strcmp(value, "true") == 0;
    if (*out || strcmp(value, "0") == 0 || strcmp(value, "false") == 0) return true;
    reply_error(r, 400, "invalid", "%s must be 1, true, 0 or false.", name);
    return false;
}

const void *request_bytes(const request *r, size_t *bytes) {
    *bytes = evbuffer_get_length(r->body);
    return *bytes ? (const void *)evbuffer_pullup(r->body, -1) : "";
}

const char *request_type(const request *r) {
    return r->type;
}

uint64_t request_client(const request *r) {
    return r->client;
}

bool request_gone(const request *r) {
    return !r->http;
}

/* ---- the body ---- */

/* Returns whether a JSON text has at most `most` values, counted by commas and brackets. A value of
 * two bytes takes over a hundred once it is parsed, so this is checked before parsing. */
static bool body_has_few(const char *bytes, size_t n, size_t most) {
    size_t values = 0;
    bool inside = false; /* a text */
    for (size_t i = 0; i < n && values <= most; i++) {
        char c = bytes[i];
        if (inside && c == '\\') {
            i++;
        } else if (c == '"') {
            inside = !inside;
        } else if (!inside) {
            values += c == ',' || c == '[' || c == '{';
        }
    }
    return values <= most;
}

/* Without JSON_ALLOW_NUL Jansson refuses U+0000, so every text ends where C thinks it does. */
static void body_parse(request *r, const char *bytes, size_t n) {
    r->read = true;
    if (!body_has_few(bytes, n, BODY_VALUES)) {
        snprintf(r->error.text, sizeof r->error.text, "it has more than %d values", BODY_VALUES);
        r->error.line = 1;
        return;
    }
    r->object = json_loadb(bytes, n, JSON_REJECT_DUPLICATES, &r->error);
}

/* A body that a task thread parses. */
typedef struct body_task {
    request *request;
    const char *bytes;
    size_t n;
    void (*then)(request *r);
} body_task;

static void body_work(void *arg) {
    body_task *t = arg;
    body_parse(t->request, t->bytes, t->n);
}

static void body_done(void *arg) {
    body_task *t = arg;
    t->then(t->request);
    free(t);
}

void request_read_body(request *r, void (*then)(request *r)) {
    size_t n;
    const char *bytes = request_bytes(r, &n);
    if (n <= BODY_SHORT || strcmp(r->type, "application/json") != 0) {
        then(r);
        return;
    }
    body_task *t = bytes ? malloc(sizeof *t) : NULL;
    if (t) *t = (body_task){r, bytes, n, then};
    if (t && tasks_add_for(r->server->tasks, request_client(r), body_work, body_done, t)) return;
    free(t);
    reply_error(r, 503, "unavailable", "The server is busy; try again in a moment.");
}

json_t *request_object(request *r) {
    size_t n;
    if (strcmp(r->type, "application/json") != 0) {
        reply_error(r, 415, "type",
                    "The request body must be JSON, with Content-Type: application/json.");
        return NULL;
    }
    const char *bytes = request_bytes(r, &n);
    if (!bytes) {
        reply_error(r, 503, "unavailable", "The server is out of memory; try again later.");
        return NULL;
    }
    if (!r->read) body_parse(r, bytes, n);
    if (json_is_object(r->object)) return r->object;
    if (r->object) {
        reply_error(r, 400, "invalid", "The request body must be a JSON object.");
    } else {
        reply_error(r, 400, "invalid", "The request body is not valid JSON: %s, line %d.",
                    r->error.text, r->error.line);
    }
    return NULL;
}
