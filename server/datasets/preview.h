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

/* The first `rows` lines of a file as a JSON list of texts: unpacked, UTF-16 as UTF-8, each cut to
 * PREVIEW_LETTERS characters. Any thread. A file that cannot be read has no lines. */
#define PREVIEW_LETTERS 400
void preview_lines(const char *path, size_t rows, text *out);

#endif
