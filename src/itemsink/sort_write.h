/* sort_write.h - a sorted result on its way to a file: merged and put into words by all threads
 *
 *     thread 1   piece 0 ▒▒▒▒█   piece 2 ▒▒▒▒█          ▒ merges, and makes the lines
 *     thread 2   piece 1 ▒▒▒▒▒█  piece 3 ▒▒▒▒▒█         █ writes, when it is its turn
 *
 * A format that is no text, and text that goes to a function of the program, is written by one
 * thread, the caller's.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSINK_SORT_WRITE_H
#define LODE_ITEMSINK_SORT_WRITE_H

#include "itemsink/item_file.h"

/* Writes all that is in the store of the sink, in order; or, with *partial, segment by segment.
 * *partial is set if the job was cancelled meanwhile. `stop` is asked on the way, by one thread at
 * a time: CANCELLED if it ends the writing. */
LODE_NODISCARD lode_status sorted_write(file_sink *sink, const sort_stop *stop, bool *partial);

#endif
