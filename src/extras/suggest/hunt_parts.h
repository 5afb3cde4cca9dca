/* hunt_parts.h - functions shared by the files of a hunt; hunt.h explains hunt, curve and spot
 *
 *     hunt.c         the descent: which threshold is next, and what it may cost
 *     hunt_probe.c   probes: searches of everything or of samples, long sets, sets drawn at random;
 *                    their results, and what follows from them
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_HUNT_PARTS_H
#define LODE_EXTRAS_SUGGEST_HUNT_PARTS_H

#include "extras/suggest/hunt.h"

#define HUNT_BEYOND     3.0  /* more than this many times the wanted number is not interesting */
#define HUNT_FAR        30.0 /* more than this many times the wanted number is not worth counting */
#define HUNT_MANY       4.0  /* this many times the wanted number is certainly too many */
#define HUNT_PARTS      16   /* minimum number of parts to search … */
#define HUNT_MOST_PARTS 1024 /* … and maximum number of parts that a search is divided into */

/* ---- results (hunt_probe.c) ------------------------------------------------------------------ */

/* The lowest threshold of the probes; 0 = there was no probe. */
uint64_t hunt_curve_end(const hunt *h);
/* The spot at exactly this threshold, or NULL. */
const hunt_point *hunt_spot(const hunt *h, uint64_t min_count);
/* Like hunt_number(), but without extrapolation; for rules, it uses only the last probes. */
bool hunt_look_up(const hunt *h, uint64_t min_count, estimate *out);
/* The number of hunt_look_up(); 0 = unknown. */
double hunt_expected(const hunt *h, uint64_t min_count);
/* The highest level (support_levels.h) that at least n patterns are known to reach. */
uint32_t hunt_level_of(const hunt *h, double n);
/* How steep the curve is just above `lowest`: the number of patterns grows with this power of 1 /
 * threshold. */
double hunt_slope(const hunt *h, uint64_t lowest);

/* ---- probes (hunt_probe.c) ------------------------------------------------------------------- */

/* The number of items with at least this support. */
uint32_t hunt_frequent_items(const hunt *h, uint64_t min_count);
/* With `pairs`, the number of single items at this threshold, which are not counted; otherwise 0.
 * Probes count them, so a number that a probe is given or has found includes them. */
double hunt_singles(const hunt *h, uint64_t min_count);
/* Leaves these single items out of a number of itemsets. */
void hunt_drop_singles(const hunt *h, uint64_t min_count, estimate *e);
/* CPU seconds that may still be spent. */
double hunt_left(const hunt *h);
/* Whether the items that reach a threshold are so sparse in the data that the data are searched as
 * lists, not as bit rows. */
bool hunt_is_thin(const hunt *h, uint64_t min_count);
/* Looks for a set that reaches the threshold and is so long that its subsets alone are more than
 * `known` patterns; if there is one, records the number of patterns as a lower bound. Does nothing
 * for closed and maximal sets, and for high thresholds. */
LODE_NODISCARD lode_status hunt_look_for_set(hunt *h, uint64_t min_count, double known);
/* Estimates the number at a very low threshold by drawing sets from baskets (draws.h); does nothing
 * at other thresholds. */
LODE_NODISCARD lode_status hunt_draw(hunt *h, uint64_t min_count);
/* Runs a probe of a share of everything (1 = all), within this many CPU seconds. *kept receives
 * whether the probe was completed and replaces an earlier probe. */
LODE_NODISCARD lode_status hunt_probe(hunt *h, uint64_t min_count, double share, double seconds,
                                      bool *kept);
/* Counts all sets at a threshold, without their supports, and records the number. */
LODE_NODISCARD lode_status hunt_count(hunt *h, uint64_t min_count);

#endif
