/* tables.h - the list of server parts, and the list of routes
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_TABLES_H
#define LODE_SERVER_TABLES_H

#include "http/request.h"
#include "server.h"

/* The i-th route or part, from 0; NULL: no more. */
const route *table_of_routes(size_t i);
const server_part *table_part(size_t i);

#endif
