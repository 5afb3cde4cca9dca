/* blocks.h - text made in blocks by several threads and written in order
 *
 *     block     7        8        9        10            ring of slots, block b in slot b % n
 *             writing  ready   in work   in work
 *
 * Why:   each block is a function of its number alone, so that the output has the same bytes for
 *        every number of threads; the ring bounds the memory: whoever is ahead of the writing by
 *        the whole ring waits.
 * There is no writing thread: whoever finishes the block that is due writes it, and the finished
 * ones behind it, while the others go on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GENERATE_BLOCKS_H
#define LODE_GENERATE_BLOCKS_H

#include "base/vec.h"
#include "runtime/job.h"

/* Appends the text of a block to `text`, which is empty. Any thread. */
typedef lode_status (*block_fn)(void *user, uint64_t block, vec_char *text);

/* Writes blocks 0 … n_blocks - 1 to `path`, as outfile.h says. On any failure, cancelling included,
 * nothing appears under that name. Errors: IO, CANCELLED, NOMEM, BUDGET, and those of `make`. */
LODE_NODISCARD lode_status blocks_write(lode_job *job, const char *path, uint64_t n_blocks,
                                        block_fn make, void *user);

/* Transactions in a block, for about a megabyte of text. */
uint64_t blocks_transactions(double mean_length);

#endif
