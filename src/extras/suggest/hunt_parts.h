/* hunt_parts.h - what the parts of a hunt know of each other
 *
 *     hunt.c         the way down: which threshold is next, and what it may cost
 *     hunt_probe.c   looks: searches of everything or of parts, long sets, sets that are drawn
 *     hunt_probe.c   what has been found out, and what follows from it
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_HUNT_PARTS_H
#define LODE_EXTRAS_SUGGEST_HUNT_PARTS_H

#include "extras/suggest/hunt.h"

#define HUNT_BEYOND     3.0  /* times the number wanted: more is of no interest */
#define HUNT_FAR        30.0 /* times the number wanted: not worth counting */
#define HUNT_MANY       4.0  /* times the number wanted is too many for certain */
#define HUNT_PARTS      16   /* parts that are searched at least, … */
#define HUNT_MOST_PARTS 1024 /* … of so many at most */

/* ---- what is known (hunt_probe.c) ------------------------------------------------------------ */

/* The lowest threshold of the probes. */
uint64_t hunt_curve_end(const hunt *h);
/* What is known of just this threshold apart from the curve; or NULL. */
const hunt_point *hunt_spot(const hunt *h, uint64_t min_count);
/* As hunt_number(), within what is known. */
bool hunt_look_up(const hunt *h, uint64_t min_count, estimate *out);
/* The number at a threshold, within what is known; 0: it is not known. */
double hunt_expected(const hunt *h, uint64_t min_count);
/* The highest level that at least n patterns reach, as far as is known. */
uint32_t hunt_level_of(const hunt *h, double n);
/* By how much the logarithm of the number grows as that of the threshold falls. */
double hunt_slope(const hunt *h, uint64_t lowest);

/* ---- looks (hunt_probe.c) -------------------------------------------------------------------- */

/* How many items have at least this support. */
uint32_t hunt_frequent_items(const hunt *h, uint64_t min_count);
/* Seconds that may still be spent. */
double hunt_left(const hunt *h);
/* Whether the data are so thin, from a threshold on, that they are searched as lists. */
bool hunt_is_thin(const hunt *h, uint64_t min_count);
/* Looks for a long set at a threshold, whose subsets alone are more than is known there. */
LODE_NODISCARD lode_status hunt_look_for_set(hunt *h, uint64_t min_count, double known);
/* Draws sets from baskets, at a threshold of very few. */
LODE_NODISCARD lode_status hunt_draw(hunt *h, uint64_t min_count);
/* Runs a probe of a share of everything, which may take so long. *kept: it has ended, and is the
 * one to go by from now on. */
LODE_NODISCARD lode_status hunt_probe(hunt *h, uint64_t min_count, double share, double seconds,
                                      bool *kept);
/* Counts all at a threshold, and nothing else. */
LODE_NODISCARD lode_status hunt_count(hunt *h, uint64_t min_count);

#endif
