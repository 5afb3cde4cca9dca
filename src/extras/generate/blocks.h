/* blocks.h - makes text in blocks by several threads, and writes it in order
 *
 *     block     7        8        9        10            ring of n slots, block b in slot b % n
 *             writing  ready    made      made
 *
 * Why:   a block depends only on its number, so the output is the same for every number of threads.
 *        The ring limits the memory: a thread waits if its next block is n or more ahead of the
 *        block that is being written.
 * How:   there is no writing thread. A thread that finishes the block that is next in order writes
 *        this block and the finished blocks after it, while the other threads go on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_GENERATE_BLOCKS_H
#define LODE_EXTRAS_GENERATE_BLOCKS_H

#include "base/vec.h"
#include "runtime/job.h"

/* Makes the text of a block: appends it to `text`, which is empty. Called on any thread. */
typedef lode_status (*block_fn)(void *user, uint64_t block, vec_char *text);

/* Writes blocks 0 … n_blocks - 1 to `path` (base/outfile.h). If it fails or is cancelled, no file
 * of that name appears. Errors: IO, CANCELLED, NOMEM, BUDGET, and those of `make`. */
LODE_NODISCARD lode_status blocks_write(lode_job *job, const char *path, uint64_t n_blocks,
                                        block_fn make, void *user);

/* The number of transactions of this mean length that make about a megabyte of text. */
uint64_t blocks_transactions(double mean_length);

#endif
