/* tables.c - the list of server parts, and the list of routes
 *
 * The only file that knows all parts.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tables.h"

static const route *const route_tables[] = {login_routes, about_routes, dataset_routes, job_routes,
                                            result_routes};
static const server_part *const parts[] = {&stores_part, &datasets_part, &workers_part, &jobs_part};

const route *table_of_routes(size_t i) {
    return i < sizeof route_tables / sizeof *route_tables ? route_tables[i] : NULL;
}

const server_part *table_part(size_t i) {
    return i < sizeof parts / sizeof *parts ? parts[i] : NULL;
}
