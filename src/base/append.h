/* append.h - a text in an array, to which more is appended as long as there is room
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_APPEND_H
#define LODE_BASE_APPEND_H

#include "base/status.h"

/* Appends to a text in an array of `room` bytes: all of it, or nothing if that is too long, so that
 * no word or character is cut. Whether it was appended. */
bool append_text(char *text, size_t room, const char *format, ...) LODE_PRINTF(3, 4);

#endif
