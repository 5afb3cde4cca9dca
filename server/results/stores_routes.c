/* stores_routes.c - the table of what can be asked of results
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/stores_routes.h"

#include "http/route.h"

const route result_routes[] = {
    {"GET", "/jobs/:id/columns", route_columns, "of*"},
    {"GET", "/jobs/:id/patterns", route_patterns,
     "sort reverse skip rows measures found " ROUTE_FILTER},
    {"GET", "/jobs/:id/rules", route_rules, "sort reverse skip rows measures found " ROUTE_FILTER},
    {"GET", "/jobs/:id/histogram", route_histogram,
     "x x-bins x-log x-low x-high y y-bins y-log y-low y-high " ROUTE_FILTER},
    {"GET", "/jobs/:id/network", route_network, "by edges " ROUTE_FILTER},
    {"GET", "/jobs/:id/rows/:row", route_row, NULL},
    {"GET", "/jobs/:id/occurrences/:row", route_occurrences, "skip rows"},
    {"GET", "/jobs/:id/export", route_export, "format sort reverse measures " ROUTE_FILTER},
    {NULL, NULL, NULL, NULL},
};
