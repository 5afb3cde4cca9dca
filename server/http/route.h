/* route.h - which function answers which request
 *
 * A path is below /api/v1 and may have parts such as ":id", which match a decimal number only:
 * nothing else of a path is ever used by what is behind it. Each area has one table; the list is in
 * tables.c.
 *
 * A route names the parameters that its query may have, so that one place refuses all others, and
 * those that are given twice although one is meant.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_ROUTE_H
#define LODE_SERVER_ROUTE_H

#include <stddef.h>
#include <stdint.h>

struct server;
typedef struct request request;
typedef void (*route_fn)(struct server *s, request *r);

typedef struct route {
    const char *method, *path; /* "GET", "/datasets/:id/content" */
    route_fn run;
    const char *parameters; /* names with blanks between; "min*" may be repeated; NULL: none */
} route;

/* The parameters of a filter (query.c), for tables. */
#define ROUTE_FILTER                                                                               \
    "min* max* has* lacks* lhs-has* lhs-lacks* rhs-has* rhs-lacks* match* lhs-match* "             \
    "rhs-match* min-size max-size"

/* A table ends with {NULL, NULL, NULL, NULL}. */
extern const route dataset_routes[], job_routes[], result_routes[], about_routes[], login_routes[];

#define ROUTE_MAX_NUMBERS 4

typedef struct route_match {
    const route *route; /* NULL: no such path, or not this method */
    uint64_t numbers[ROUTE_MAX_NUMBERS];
    unsigned n_numbers;
    char allowed[64]; /* the methods that the path has, for 405; "": no such path */
} route_match;

/* `path` is what follows /api/v1. */
route_match route_find(const char *method, const char *path);

typedef enum route_use { ROUTE_UNKNOWN, ROUTE_ONCE, ROUTE_REPEATED } route_use;

/* How a route takes a parameter of this name. */
route_use route_parameter(const route *r, const char *name);

#endif
