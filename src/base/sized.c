/* sized.c - see sized.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/sized.h"

#include <string.h>

/* A struct of so many more bytes is not one of a newer version: nobody has set its size. */
#define SIZED_MOST_MORE 4096

/* Of whatever version, a struct with a size_t and pointers is a multiple of theirs. */
size_t sized_told(const void *given, size_t bytes) {
    size_t size;
    memcpy(&size, given, sizeof size);
    bool can_be = size > 0 && size % sizeof size == 0 && size <= bytes + SIZED_MOST_MORE;
    return can_be ? size : 0;
}

void sized_copy(void *to, size_t to_bytes, const void *from, size_t from_bytes) {
    const size_t first = sizeof(size_t);
    size_t common = to_bytes < from_bytes ? to_bytes : from_bytes;
    memcpy((char *)to + first, (const char *)from + first, common - first);
    memset((char *)to + common, 0, to_bytes - common);
}

bool sized_fill_bytes(void *out, const void *from, size_t bytes) {
    size_t nothing = 0;
    size_t size = out ? sized_told(out, bytes) : 0;
    if (size == 0) return false;
    sized_copy(out, size, from ? from : &nothing, from ? bytes : sizeof nothing);
    return from != NULL;
}
