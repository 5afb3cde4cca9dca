/* fimi.h - a line of integers, for the formats that have such lines
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_FORMAT_FIMI_H
#define LODE_FORMAT_FIMI_H

#include "format/read.h"

/* Parses the transaction at *p, which moves to its newline. The worker must have room for all items
 * of the block. */
LODE_NODISCARD lode_status fimi_line(read_worker *w, const char **p);

/* The newline that ends the line; one follows every block. */
const char *fimi_line_end(const char *p);

#endif
