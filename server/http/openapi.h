/* openapi.h - openapi.json, embedded in the program
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_OPENAPI_H
#define LODE_SERVER_OPENAPI_H

#include <stddef.h>

extern const char openapi_json[];
extern const size_t openapi_json_bytes;

#endif
