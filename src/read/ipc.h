/* ipc.h - Arrow files and IPC streams as a stream of arrays
 *
 *     "ARROW1"  schema  dictionaries  batch  batch  …  end  footer  "ARROW1"      a file
 *               schema  dictionaries  batch  dictionary  batch  …  end            a stream
 *
 * What:  messages are read one after the other, from files and from pipes. The footer of a file is
 *        read only if the file does not begin with the schema; then the whole file is held. Batches
 *        may be compressed with LZ4 or zstd. A later dictionary may replace an earlier one, but not
 *        extend it.
 * Trust: nothing is. Every position in metadata and every buffer is checked against the bytes that
 *        are there, so that arrays.h may follow the offsets of arrays. Memory is allocated while
 *        bytes arrive, so a wrong length does not take memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_IPC_H
#define LODE_READ_IPC_H

#include "read/arrays.h"
#include "read/input.h"

/* Opens the stream that begins at `in`, which is lent until the stream is released. Its arrays may
 * be released later, but before the job is freed. */
LODE_NODISCARD lode_status ipc_open(lode_job *job, input *in, struct ArrowArrayStream *out);
/* Why a call of the stream failed. The job has the message. */
lode_status ipc_status(const struct ArrowArrayStream *stream);

/* ---- the schema (ipc_schema.c) --------------------------------------------------------------- */

/* A field: a column, or the child of a column. It is the private_data of its ArrowSchema. */
typedef struct ipc_field {
    struct ArrowSchema schema; /* the struct of a table has the columns as its children */
    int64_t dictionary;        /* the id of its dictionary; -1 = none */
    uint8_t n_buffers;         /* of a batch */
    bool views;                /* more buffers follow, and a batch says how many */
    uint8_t width;             /* bytes of a value in the second buffer; 0 = a bit */
    bool offsets;              /* these are offsets, so there is one more */
} ipc_field;

/* Makes the field of the whole table, which lives in `kept`. Returns PARSE without a message if the
 * metadata are invalid; UNSUPPORTED (with *what) if they are of a kind that cannot be read. */
LODE_NODISCARD lode_status ipc_read_schema(mem *m, mem_kept *kept, const void *schema_view,
                                           ipc_field **out, const char **what);

/* ---- bodies (ipc_body.c) --------------------------------------------------------------------- */

typedef enum ipc_codec { IPC_PLAIN, IPC_LZ4, IPC_ZSTD } ipc_codec;

/* Memory of a batch or a dictionary, held by the arrays made of it. */
typedef struct ipc_body {
    mem *mem;
    _Atomic unsigned holders;
    vec_char bytes;    /* as read */
    mem_kept unpacked; /* buffers that were compressed, arrays, and lists of pointers */
    uint64_t n_bytes;  /* of all buffers, unpacked */
    ipc_codec codec;
    struct ArrowArray *array;
    struct ipc_body **dictionaries; /* that the array refers to */
    size_t n_dictionaries;
} ipc_body;

LODE_NODISCARD lode_status ipc_body_create(mem *m, ipc_body **out);
void ipc_body_release(ipc_body *b);
/* Lends a buffer of the body; compressed ones are unpacked. Errors: PARSE (*what says why),
 * UNSUPPORTED (LZ4, in a build without it), NOMEM, BUDGET. */
LODE_NODISCARD lode_status ipc_body_buffer(ipc_body *b, uint64_t offset, uint64_t length,
                                           const void **out, uint64_t *n, const char **what);

#endif
