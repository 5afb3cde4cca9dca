/* explosion.h - a note on standard error when a search is going to find far too many patterns
 *
 *     note: -s 5 means 5 of 28,816 transactions (0.0174%); about 10^12 itemsets expected; for 5
 *     percent, write -s 5%
 *
 * If the search takes longer than a tenth of a second, a thread looks at its progress from time to
 * time. It prints the note if
 *   - very many patterns have been found,
 *   - lode_suggest() expects very many patterns. This estimate takes at most a third of a second,
 *     and is made only if that is a twentieth of the time that the search is expected to take. It
 *     knows no constraints and no subgraphs, or
 *   - a million patterns have been found, and the progress of the search promises many more.
 * A search that ends soon is not slowed down, and does not wait for an estimate.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_EXPLOSION_H
#define LODE_CLI_EXPLOSION_H

#include "mine.h"

/* Starts to watch the search that follows. Does nothing with --quiet. */
void explosion_watch(const mine_run *run);
/* Ends it. Call it after the search, before the data change; a second call does nothing. */
void explosion_end(void);

#endif
