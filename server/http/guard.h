/* guard.h - checks that every request must pass before it is routed
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_GUARD_H
#define LODE_SERVER_GUARD_H

#include "http/request.h"

#define LOGIN_PATH "/api/v1/login"

/* A body_limit: returns the maximum length of the body of a request with this request line. */
size_t guard_body_limit(const char *line);
/* True: the request may proceed to its route. False: it has been or will be answered. */
bool guard_pass(request *r, const char *method, const char *target);

#endif
