/* about_devices.h - CPUs and GPUs that lode can use, and the algorithms
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_ABOUT_DEVICES_H
#define LODE_SERVER_ABOUT_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

#include "http/request.h"
#include "server.h"

bool devices_start(server *s, char *why, size_t room);
void devices_stop(server *s);
/* GET /devices */
void devices_get(server *s, request *r);

#endif
