/* closure_tuning.h - numbers of the closure check that were measured or guessed
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_CLOSURE_TUNING_H
#define LODE_GRAPHS_CLOSURE_TUNING_H

/* super.c: neighbours and vertices between two checks whether the job is to stop. */
#define SUPER_CHECK_EVERY ((size_t)1 << 20)

/* super.c: of so many graphs, the one with the fewest rows gives the candidates. */
#define SUPER_FIRST_GRAPHS 32

/* early.c: rows that are looked at first. */
#define EARLY_SAMPLES 8

#endif
