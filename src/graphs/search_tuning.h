/* search_tuning.h - measured or guessed constants of the search
 *
 * None of them changes the result, only the speed. Those marked [guess] were not compared with
 * other values.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_SEARCH_TUNING_H
#define LODE_GRAPHS_SEARCH_TUNING_H

/* ---- scans (scan.c) -------------------------------------------------------------------------- */
/* Hits between two checks for a stop: some milliseconds. [guess] */
#define SCAN_CHECK_EVERY ((size_t)1 << 20)
/* Rows between two checks of the number of hits; these checks must cost next to nothing. [guess] */
#define SCAN_ROWS 256
/* Initial lines of slots: most paths have candidates at few positions. [guess] */
#define SCAN_LINES 4
/* If a pattern is rare, every row is in another graph, and its edges come from memory, not from a
 * cache. So they are prefetched this many rows ahead. [guess] */
#define SCAN_AHEAD 8
/* Maximum steps from a row back to the vertex it came from; each reads another column, and with
 * more of them it is cheaper to sort that vertex out of the suspects. [guess] */
#define SCAN_STEPS_BACK 4
/* A scan checks what can still become frequent after at least this many graphs, and after this
 * fraction of all: a check costs about as much as scanning a few rows. Without the fraction, a
 * candidate on the border made a scan of thousands of graphs check after every four of them; the
 * values themselves are guesses. */
#define SCAN_GRAPHS 4
#define SCAN_PARTS  16

/* ---- joins (join.c) -------------------------------------------------------------------------- */

/* A test of a code takes about as long as a join of this many rows. [guess] */
#define JOIN_UNTESTED_ROWS 1000

/* ---- growths (growth.h) ---------------------------------------------------------------------- */

/* Maximum bytes of growths kept below a node that was left, so that they stay in the cache. At low
 * thresholds, the search takes 0.89 to 0.97 of the time if growths are kept; this limit is a
 * guess. */
#define GROWTH_KEPT_BYTES ((size_t)256 << 10)
/* They are also dropped if the growths of all workers take more than 1 / this of the memory budget
 * that was left when the search began. */
#define GROWTH_SHARE 16

/* ---- closure check --------------------------------------------------------------------------- */

/* closed.c: neighbours and vertices between two checks for a stop. */
#define SUPER_CHECK_EVERY ((size_t)1 << 20)

/* closed.c: of this many graphs, the one with the fewest rows gives the candidates. */
#define SUPER_FIRST_GRAPHS 32

/* early.c: rows that are tested first. */
#define EARLY_SAMPLES 8

#endif
