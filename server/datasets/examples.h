/* examples.h - data sets to try things out with, made when they are asked for
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_EXAMPLES_H
#define LODE_SERVER_EXAMPLES_H

#include <jansson.h>
#include <lode.h>

#include "http/request.h"
#include "server.h"

/* For /about; NULL: no memory. */
json_t *examples_json(void);
/* Makes the example of this name and answers with the new data set. */
void examples_create(server *s, request *r, const char *name);

/* ---- graphs like small molecules ------------------------------------------------------------- */

/* Writes them to `path`, always the same bytes. */
lode_status example_molecules(lode_job *job, const char *path);

#endif
