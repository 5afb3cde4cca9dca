/* search_tuning.h - numbers of the search that were measured or guessed
 *
 * None of them changes what is found, only how fast. Those that are marked as guesses were not
 * compared with other values.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_SEARCH_TUNING_H
#define LODE_GRAPHS_SEARCH_TUNING_H

/* ---- scans (scan.c, scan.c) ----------------------------------------------------------- */

/* Hits between two checks whether the job is to stop: some milliseconds. [guess] */
#define SCAN_CHECK_EVERY ((size_t)1 << 20)
/* Rows between two looks at the number of hits, which must cost nothing. [guess] */
#define SCAN_ROWS 256
/* Lines of slots at first: most paths have candidates at few positions. [guess] */
#define SCAN_LINES 4
/* In a sparse list every row is in another graph, and its edges come from memory, not from a cache.
 * So they are prefetched so many rows ahead. [guess] */
#define SCAN_AHEAD 8
/* Steps at most from a row to the vertex that it came from; each is a look at another column, and
 * with more of them it is cheaper to sort that vertex out of the suspects. [guess] */
#define SCAN_STEPS_BACK 4
/* So many graphs at least, and such a part of all, are looked at before it is asked again what can
 * still become frequent: asking costs about as much as looking at a few rows. Without the part, a
 * candidate on the border made a scan of thousands of graphs ask after every four of them; the
 * values themselves are guesses. */
#define SCAN_GRAPHS 4
#define SCAN_PARTS  16

/* ---- joins (join.c) -------------------------------------------------------------------------- */

/* A test of a code takes about as long as a join of so many rows. [guess] */
#define JOIN_UNTESTED_ROWS 1000

/* ---- growths (growth.h) ---------------------------------------------------------------------- */

/* Bytes of growths, at most, that are kept below a node that was left, so that they stay in the
 * cache. To keep them took 0.89 to 0.97 of the time at low thresholds; this limit is a guess. */
#define GROWTH_KEPT_BYTES ((size_t)256 << 10)
/* … and of what a budget leaves when the search begins, the growths of all workers take one in so
 * many parts, before those of nodes that were left are forgotten. */
#define GROWTH_SHARE 16

/* ---- numbers of the closure check that were measured or guessed ------------------------------ */

/* closed.c: neighbours and vertices between two checks whether the job is to stop. */
#define SUPER_CHECK_EVERY ((size_t)1 << 20)

/* closed.c: of so many graphs, the one with the fewest rows gives the candidates. */
#define SUPER_FIRST_GRAPHS 32

/* early.c: rows that are looked at first. */
#define EARLY_SAMPLES 8

#endif
