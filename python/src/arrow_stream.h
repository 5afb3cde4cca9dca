/* arrow_stream.h - the struct of Arrow's C stream interface, as its specification defines it
 *
 * The two structs of the C data interface are in lode/arrow.h. A stream hands out a schema and then
 * arrays, one after the other; Python objects pass it in a capsule called "arrow_array_stream".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PYTHON_ARROW_STREAM_H
#define LODE_PYTHON_ARROW_STREAM_H

#include "lode.h"

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

#endif
