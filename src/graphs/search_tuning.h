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
/* Rows between two looks at the number of hits; looking must cost next to nothing. [guess] */
#define SCAN_ROWS 256
/* Initial number of lines of worker.slot_of: most paths have candidates at few positions.
 * [guess] */
#define SCAN_LINES 4
/* If a pattern is rare, every row is in a different graph, and the edges to scan come from memory,
 * not from a cache. So edges are prefetched this many rows ahead. [guess] */
#define SCAN_AHEAD 8
/* Maximum steps from the newest vertex of a row back to the origin, the vertex that it was found
 * from; each step reads another column. If more steps are needed, it is cheaper to treat the origin
 * as a suspect (scan_state.h) and drop it later. [guess] */
#define SCAN_STEPS_BACK 4
/* From time to time a scan checks which candidates can still become frequent. Between two checks it
 * scans at least SCAN_GRAPHS graphs plus 1 / SCAN_PARTS of the pattern's graphs, because a check
 * costs about as much as scanning a few rows. Without SCAN_PARTS, a candidate close to the
 * threshold made a scan of thousands of graphs check after every four graphs. The values themselves
 * are guesses. */
#define SCAN_GRAPHS 4
#define SCAN_PARTS  16

/* ---- joins (join.c) -------------------------------------------------------------------------- */

/* If a node has at most this many rows, they are joined before the code of the extension is tested:
 * the join is then faster than the test. [guess] */
#define JOIN_UNTESTED_ROWS 1000

/* ---- growths (growth.h) ---------------------------------------------------------------------- */

/* Maximum bytes of growths that are kept when the search leaves a node, so that they stay in the
 * cache. At low thresholds, keeping growths shortens the search to 0.89 to 0.97 of its time without
 * them; the limit is a guess. */
#define GROWTH_KEPT_BYTES ((size_t)256 << 10)
/* Growths are also dropped if those of all workers take more than 1 / this of the memory budget
 * that was left when the search began. */
#define GROWTH_SHARE 16

/* ---- closure check --------------------------------------------------------------------------- */

/* closed.c: neighbours and vertices between two checks for a stop. */
#define SUPER_CHECK_EVERY ((size_t)1 << 20)

/* closed.c: if one graph gives all candidates, it is the graph with the fewest rows among this
 * many. */
#define SUPER_FIRST_GRAPHS 32

/* early.c: EARLY_SAMPLES - 1 rows, far apart, are tested before all others. */
#define EARLY_SAMPLES 8

#endif
