/* sized.c - see sized.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/sized.h"

#include <string.h>

/* A struct that is larger by more than this is not of a newer version: its size was not set. */
#define SIZED_MOST_MORE 4096

/* In every version, the size of a struct is a multiple of that of a size_t. */
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
