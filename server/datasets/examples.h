/* examples.h - example data sets, generated on request
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_EXAMPLES_H
#define LODE_SERVER_EXAMPLES_H

#include <jansson.h>
#include <lode.h>

#include "http/request.h"
#include "server.h"

/* The list for /about; NULL: out of memory. */
json_t *examples_json(void);
/* Generates the example and answers with the new data set. */
void examples_create(server *s, request *r, const char *name);

#endif
