/* fimi.h - parses lines of integers, for all formats that have such lines
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_FIMI_H
#define LODE_READ_FIMI_H

#include "read/read.h"

/* Returns whether a line that begins with this character is a comment. */
static inline bool fimi_is_comment(char first) {
    return first == '#' || first == '%' || first == '@';
}

/* Parses the text from `p` on, as long as it consists of small canonical integers, blanks and
 * newlines: pushes the numbers and ends transactions. This is the fast path. Returns the place
 * where it stopped, which may be `p`. There must be room for FIMI_ROOM more items than the text
 * has, and for one end per line. */
#define FIMI_ROOM 16
const char *fimi_push_avx512(builder_worker *w, const char *p, const char *end);

#endif
