/* guard.h - which requests are not answered, whatever they ask for
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_GUARD_H
#define LODE_SERVER_GUARD_H

#include "http/request.h"

#define LOGIN_PATH "/api/v1/login"

/* How long the body of a request may be to be read at all, by its first line: a body_limit. */
size_t guard_body_limit(const char *line);
/* True: the request may go on to its route. False: it has been, or will be, answered. */
bool guard_pass(request *r, const char *method, const char *target);

#endif
