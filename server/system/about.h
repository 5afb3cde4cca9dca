/* about.h - routes that describe the server
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_ABOUT_H
#define LODE_SERVER_ABOUT_H

#include "http/request.h"
#include "server.h"

#endif
