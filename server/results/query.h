/* query.h - filter and order of a request
 *
 * The parameters are the options of `lode query` (docs/store.md), with two differences: there are
 * limits, and no file can be named. The key of a filter does not depend on the order of its
 * parameters, so that cached answers are found again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_QUERY_H
#define LODE_SERVER_QUERY_H

#include <lode.h>

#include "http/request.h"

#define QUERY_LISTS 12

typedef struct query {
    lode_query_options options; /* its strings are those below */
    char *lists[QUERY_LISTS];   /* one entry per line; NULL: none */
    char *sort;                 /* NULL: the order of the file */
    char *filter;               /* key of the filter alone; "": every row */
    char *view;                 /* key of filter and order */
} query;

/* Reads the parameters of a filter and, with `sorted`, of an order. NULL: the request has been
 * answered. */
query *query_of_request(request *r, bool sorted);
void query_free(query *q);
/* A copy, for another query. NULL: out of memory. */
query *query_copy(const query *q);
/* Whether every row matches. */
bool query_finds_all(const query *q);

#endif
