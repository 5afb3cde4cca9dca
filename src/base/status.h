/* status.h - how functions handle errors
 *
 * Every function that can fail declares `lode_status status = LODE_OK;`, has one label `done:` that
 * frees what it owns, and returns `status`. LODE_TRY stores the status of a call, and jumps to
 * `done` on failure.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_STATUS_H
#define LODE_BASE_STATUS_H

#include "lode.h"

#define LODE_TRY(call)                                                                             \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != LODE_OK) goto done;                                                          \
    } while (0)

/* Leaves the function with a status that does not come from a call. */
#define LODE_LEAVE(value)                                                                          \
    do {                                                                                           \
        status = (value);                                                                          \
        goto done;                                                                                 \
    } while (0)

#endif
