/* fimi.h - parses lines of integers, for all formats that have such lines
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_FIMI_H
#define LODE_READ_FIMI_H

#include "read/read.h"

/* Whether a line that begins with this character is a comment. */
static inline bool fimi_is_comment(char first) {
    return first == '#' || first == '%' || first == '@';
}

/* Fast path: pushes numbers and ends transactions from `p` on, while the text consists of small
 * canonical integers, blanks and newlines. Returns where it stopped, which may be `p`. There must
 * be room for FIMI_ROOM more items than the text has, and for an end of each line. */
#define FIMI_ROOM 16
const char *fimi_push_avx512(builder_worker *w, const char *p, const char *end);

#endif
