/* append.c - see append.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/append.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool append_text(char *text, size_t room, const char *format, ...) {
    size_t n = strlen(text);
    va_list args;
    va_start(args, format);
    int more = vsnprintf(text + n, room - n, format, args);
    va_end(args);
    bool fits = more >= 0 && (size_t)more < room - n;
    if (!fits) text[n] = 0;
    return fits;
}
