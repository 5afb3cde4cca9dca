/* route.c - which function answers which request
 * SPDX-License-Identifier: Apache-2.0 */
#include "http/route.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tables.h"

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

route_use route_parameter(const route *r, const char *name) {
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
