/* expiry.h - deletes data sets that nobody has used for a long time (--expire)
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_EXPIRY_H
#define LODE_SERVER_EXPIRY_H

#include <stdbool.h>
#include <stddef.h>

#include "server.h"

bool expiry_start(server *s, char *why, size_t room);
void expiry_stop(server *s);

#endif
