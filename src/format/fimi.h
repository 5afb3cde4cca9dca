/* fimi.h - lines of integers, for the formats that have such lines
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_FORMAT_FIMI_H
#define LODE_FORMAT_FIMI_H

#include "format/read.h"

/* Lines that are no transactions. */
static inline bool fimi_is_comment(char first) {
    return first == '#' || first == '%' || first == '@';
}

/* Parses the worker's block; with `comments`, passes over lines that begin like one. */
LODE_NODISCARD lode_status fimi_lines(read_worker *w, bool comments);

#endif
