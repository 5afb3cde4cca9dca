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
/* Calls `then` when the devices are known, or cannot be found out: at once or later. */
void devices_when_known(server *s, request *r, void (*then)(server *s, request *r));
/* The first GPU that can be used, such as "cuda:0". False: there is none, or none is known. */
bool devices_gpu(const server *s, char *name, size_t room);

#endif
