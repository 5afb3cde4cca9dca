/* check.c - see check.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *check_file(const char *file) {
    const char *found = file;
    for (const char *at = strstr(file, "src/"); at; at = strstr(at + 1, "src/")) found = at;
    return found;
}

void check_abort(const char *file, int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "lode: %s:%d: ", check_file(file), line);
    vfprintf(stderr, format, args);
    fputs("\n", stderr);
    va_end(args);
    abort();
}
