/* spool.h - transactions on disk: an unnamed file, written and read block by block
 *
 * What:  a spool holds transactions that do not fit into memory: all transactions of a data set
 *        while it is read (builder_spool.c), or the transactions from which a group of items is
 *        mined (pipeline/spill). The file never has a name, so it disappears however the program
 *        ends.
 *
 *          block    head | row | row | …      head: bytes, rows, tag, whether weighted, hash
 *          row      length, [weight], first item, then differences
 *
 *        A row is a transaction. All numbers of a row are varints: seven bits per byte, the lowest
 *        bits first. Items of a row are ascending and distinct; the writer defines their meaning.
 * Check: a block is checked against its hash when it is read, so that a damaged disk leads to an
 *        error and never to a wrong result.
 * Threads: blocks may be appended and read by several threads at once; a writer or a reader
 *        belongs to one thread.
 * Errors: IO, with a message that names the folder: a full disk, or damage. NOMEM, BUDGET.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_SPOOL_H
#define LODE_DATA_TRANSACTIONS_SPOOL_H

#include "base/vec.h"
#include "runtime/job.h"

#define SPOOL_VARINT 5 /* maximum bytes of a varint */

typedef struct spool {
    mem *mem;
    int fd;
    char *folder; /* for messages, with a terminating zero */
    size_t folder_bytes;
    _Atomic uint64_t end; /* length of the file */
    _Atomic uint64_t n_rows, n_items;
    _Atomic uint64_t n_read; /* total bytes read */
} spool;

/* Makes a spool with an empty file in the folder, and with memory from `m`. */
LODE_NODISCARD lode_status spool_create(lode_job *job, mem *m, const char *folder, spool **out);
void spool_free(spool *s);
/* Returns the free bytes on the disk of the spool; UINT64_MAX = unknown. */
uint64_t spool_room(const spool *s);

/* A writer, which writes one block after the other. */
typedef struct spool_writer {
    lode_job *job;
    mem *mem;
    spool *to;
    uint8_t *buffer; /* the head of the block, then its rows */
    size_t n, cap;
    uint32_t n_rows, n_items;
    uint32_t tag;
    bool weighted;
} spool_writer;

/* Opens a writer. Blocks have about `bytes` bytes, and more only if a single row is longer. */
LODE_NODISCARD lode_status spool_writer_open(spool_writer *w, lode_job *job, mem *m, spool *to,
                                             size_t bytes);
void spool_writer_close(spool_writer *w);
/* Ends the current block. The following blocks have this tag and, if `weighted` is set, weights. */
LODE_NODISCARD lode_status spool_begin(spool_writer *w, uint32_t tag, bool weighted);
/* Adds a row; the weight is only used in weighted blocks. */
LODE_NODISCARD lode_status spool_put(spool_writer *w, const uint32_t *items, uint32_t n,
                                     uint32_t weight);
/* Adds a row whose items are already encoded: `bytes` bytes at `code`. */
LODE_NODISCARD lode_status spool_put_code(spool_writer *w, const uint8_t *code, size_t bytes,
                                          uint32_t n, uint32_t weight);
/* Writes the last block. */
LODE_NODISCARD lode_status spool_flush(spool_writer *w);

/* Encodes ascending items to `to`, which must have room for SPOOL_VARINT bytes per item. ends[i]
 * receives the end of item i. */
void spool_encode(const uint32_t *items, uint32_t n, uint8_t *to, uint32_t *ends);
/* Returns the length of a number as a varint. */
static inline unsigned spool_varint_bytes(uint32_t x) {
    return x < 1u << 7 ? 1 : x < 1u << 14 ? 2 : x < 1u << 21 ? 3 : x < 1u << 28 ? 4 : 5;
}

/* A reader, which reads one block after the other. */
typedef struct spool_reader {
    lode_job *job;
    mem *mem;
    spool *from;
    uint64_t at;     /* start of the next block */
    uint64_t limit;  /* end of the file when the reader was opened */
    vec_char buffer; /* the encoded block */
    uint32_t n, tag; /* rows and tag of the block */
    bool weighted;
    /* n + 1 offsets; the items of all rows; n weights, if weighted */
    vec_u32 offsets, items, weights;
} spool_reader;

void spool_reader_open(spool_reader *r, lode_job *job, mem *m, spool *from);
/* Decodes the next block. At the end, r->n becomes 0. */
LODE_NODISCARD lode_status spool_next(spool_reader *r);
void spool_reader_close(spool_reader *r);

#endif
