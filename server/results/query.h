/* query.h - the filter and the order that a request asks for
 *
 * The parameters are the options of `lode query` (docs/store.md) and mean the same; a filter that
 * came by the web has limits, and names no file. The same filter has the same key however its
 * parameters were ordered, so that its answers are found again.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_QUERY_H
#define LODE_SERVER_QUERY_H

#include <lode.h>

#include "http/request.h"

#define QUERY_LISTS 11

typedef struct query {
    lode_query_options options; /* its texts are those below */
    char *lists[QUERY_LISTS];   /* one entry a line; NULL: none */
    char *sort;                 /* NULL: the order of the file */
    char *filter;               /* the key of the filter alone; "" = every row */
    char *view;                 /* the key of filter and order */
} query;

/* Reads the parameters of a filter and, with `sorted`, of an order. NULL: it has been answered. */
query *query_of_request(request *r, bool sorted);
void query_free(query *q);
/* The same once more, for a question of its own. NULL: no memory. */
query *query_copy(const query *q);
/* Whether every row is found. */
bool query_finds_all(const query *q);

#endif
