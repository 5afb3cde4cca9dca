/* stores_routes.h - the functions behind /jobs/ID/… that ask results
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
void route_export(server *s, request *r);

#endif
