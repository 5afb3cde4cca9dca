/* hunt_parts.h - functions shared by the files of a hunt
 *
 *     hunt.c         the descent: which threshold is next, and what it may cost
 *     hunt_probe.c   probes: searches of everything or of samples, long sets, sets drawn at random;
 *                    their results, and what follows from them
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_HUNT_PARTS_H
#define LODE_EXTRAS_SUGGEST_HUNT_PARTS_H

#include "extras/suggest/hunt.h"

#define HUNT_BEYOND     3.0  /* times the wanted number: more is not interesting */
#define HUNT_FAR        30.0 /* times the wanted number: not worth counting */
#define HUNT_MANY       4.0  /* times the wanted number: certainly too many */
#define HUNT_PARTS      16   /* minimum number of parts to search … */
#define HUNT_MOST_PARTS 1024 /* … of at most this many */

/* ---- results (hunt_probe.c) ------------------------------------------------------------------ */

/* The lowest threshold of the probes. */
uint64_t hunt_curve_end(const hunt *h);
/* The separate result for exactly this threshold; or NULL. */
const hunt_point *hunt_spot(const hunt *h, uint64_t min_count);
/* As hunt_number(), without extrapolation. */
bool hunt_look_up(const hunt *h, uint64_t min_count, estimate *out);
/* The number at a threshold, without extrapolation; 0 = unknown. */
double hunt_expected(const hunt *h, uint64_t min_count);
/* The highest level that at least n patterns are known to reach. */
uint32_t hunt_level_of(const hunt *h, double n);
/* The growth of the logarithm of the number per unit of the logarithm of the threshold. */
double hunt_slope(const hunt *h, uint64_t lowest);

/* ---- probes (hunt_probe.c) ------------------------------------------------------------------- */

/* The number of items with at least this support. */
uint32_t hunt_frequent_items(const hunt *h, uint64_t min_count);
/* CPU seconds that may still be spent. */
double hunt_left(const hunt *h);
/* Whether the data are so sparse, from a threshold on, that they are searched as lists. */
bool hunt_is_thin(const hunt *h, uint64_t min_count);
/* Looks for a long set at a threshold, whose subsets alone exceed the known number. */
LODE_NODISCARD lode_status hunt_look_for_set(hunt *h, uint64_t min_count, double known);
/* Draws sets from baskets, at a threshold of very few. */
LODE_NODISCARD lode_status hunt_draw(hunt *h, uint64_t min_count);
/* Runs a probe of a share of everything, with this time limit. *kept: it has ended, and replaces
 * the previous one. */
LODE_NODISCARD lode_status hunt_probe(hunt *h, uint64_t min_count, double share, double seconds,
                                      bool *kept);
/* Only counts the sets at a threshold. */
LODE_NODISCARD lode_status hunt_count(hunt *h, uint64_t min_count);

#endif
