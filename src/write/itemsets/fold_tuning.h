/* fold_tuning.h - numbers of sorting families that were measured or guessed
 *
 * Measured with chess at 40% (6.4 million itemsets, 49 MiB of rows) and connect at 50% (88 million,
 * 674 MiB), two cores. Those of rows are in write/core/sort_tuning.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_ITEMSETS_FOLD_TUNING_H
#define LODE_WRITE_ITEMSETS_FOLD_TUNING_H

#include <stddef.h>

/* Families are kept as such if they have so many patterns, and at most so many supports for each;
 * in this part of the memory for rows. What is kept need not be merged with the rest: 4 and 16 take
 * 0.93 (chess at 40%) and 0.97 (mushroom at 5%) of the time of 8 and 2; more gaps gain nothing. The
 * walk that unfolds them asks every so many nodes whether
 * to stop. */
#define FOLD_LEAST 4
#define FOLD_GAPS  16
#define FOLD_SHARE 4
#define FOLD_ASK   256
/* Sets that are sorted as words: two lists of them stay in the second level cache. */
#define FOLD_BLOCK ((size_t)1 << 12)

/* Bits of the free items that are the same for many sets of a family. */
#define FOLD_LOW  5
#define FOLD_LOWS (1 << FOLD_LOW)

#endif
