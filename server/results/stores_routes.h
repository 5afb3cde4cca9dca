/* stores_routes.h - the routes /jobs/ID/… that query results
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_STORES_ROUTES_H
#define LODE_SERVER_STORES_ROUTES_H

#include "http/request.h"
#include "server.h"

void route_columns(server *s, request *r);
void route_patterns(server *s, request *r);
void route_rules(server *s, request *r);
void route_histogram(server *s, request *r);
void route_network(server *s, request *r);
void route_row(server *s, request *r);
void route_occurrences(server *s, request *r);
void route_diff(server *s, request *r);
void route_export(server *s, request *r);

/* ---- which jobs have a result that can be queried ------------------------------------------- */

typedef enum result_kind { RESULT_ITEMSETS, RESULT_RULES, RESULT_GRAPHS } result_kind;

typedef struct result_job {
    uint64_t id, dataset;
    result_kind kind;
} result_job;

/* The job whose id is the first number of the path. False: the request has been answered, because
 * the job does not exist or has no result. */
bool result_of_request(server *s, request *r, result_job *out);
/* The same for another number of the path. */
bool result_of_number(server *s, request *r, unsigned number, result_job *out);

/* "itemsets", … */
const char *result_kind_name(result_kind kind);

#endif
