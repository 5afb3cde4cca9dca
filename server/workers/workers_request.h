/* workers_request.h - the text of a request to a worker
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_WORKERS_REQUEST_H
#define LODE_SERVER_WORKERS_REQUEST_H

#include "http/text.h"
#include "workers/workers.h"

struct worker_request {
    char verb[16];
    text lines; /* name=value lines */
};

#define WORKER_REQUEST_MOST ((size_t)1 << 20) /* the protocol's limit */

/* The payload of a frame: "ID VERB" and the lines. False: no memory, or too long. */
bool worker_request_payload(const worker_request *q, uint64_t id, text *out);

#endif
