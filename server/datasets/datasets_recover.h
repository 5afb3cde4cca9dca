/* datasets_recover.h - after a start: makes the rows and files of data sets agree
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DATASETS_RECOVER_H
#define LODE_SERVER_DATASETS_RECOVER_H

#include <stdbool.h>
#include <stddef.h>

#include "server.h"

/* Runs before the first request. */
bool datasets_recover(server *s, char *why, size_t room);

#endif
