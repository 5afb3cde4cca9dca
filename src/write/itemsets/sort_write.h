/* sort_write.h - a sorted result on its way to a file, in the words of a file_writer
 *
 * A format that is no text, and text that goes to a function of the program, is written by one
 * thread, the caller's; see write/core/sort_output.h for the others.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_SORT_WRITE_H
#define LODE_WRITE_ITEMSETS_SORT_WRITE_H

#include "write/itemsets/item_file.h"

/* Writes all that is in the store of the sink, in order; or, with *partial, segment by segment.
 * *partial is set if the job was cancelled before. `stop` is asked on the way, by one thread at a
 * time: CANCELLED if it ends the writing. */
LODE_NODISCARD lode_status sorted_write(file_sink *sink, const sort_stop *stop, bool *partial);

#endif
