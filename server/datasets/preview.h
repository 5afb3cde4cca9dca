/* preview.h - the first lines of a file, and what was recognised in them
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_PREVIEW_H
#define LODE_SERVER_PREVIEW_H

#include <stddef.h>

#include "http/request.h"
#include "http/text.h"
#include "server.h"

/* GET /datasets/ID/preview?rows=20 */
void preview_get(server *s, request *r);

/* Writes the first `rows` lines of a file as a JSON list of strings: decompressed, converted to
 * UTF-8 and cut to PREVIEW_LETTERS characters. The list of an unreadable file is empty. Any
 * thread. */
#define PREVIEW_LETTERS 400
void preview_lines(const char *path, size_t rows, text *out);

#endif
