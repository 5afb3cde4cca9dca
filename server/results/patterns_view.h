/* patterns_view.h - which rows a view has: filter and order, by pieces or by marks
 *
 * Pieces: numbers of rows in the order of the view, from a rank on that is a multiple of a step. A
 *         small one is quick in any order, and is two steps long, so that every page is within one.
 *         A large one costs little more, for most of its time are passes over the file; then other
 *         pages nearby are ready. A pass over all rows also tells how many there are.
 * Marks:  in the order of the file, the number of every k-th row that a filter finds. From a mark
 *         on a page is found in a moment, so that they serve all pages of the view and take little
 *         room. k is a power of two: as small as a fixed number of marks allows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_PATTERNS_VIEW_H
#define LODE_SERVER_PATTERNS_VIEW_H

#include "results/stores_ask.h"

typedef struct view_size {
    uint64_t step;
    size_t room; /* rows */
} view_size;

extern const view_size view_small, view_large;

/* Questions about a view. NULL: no memory. Their facts are a number, the rows of the piece that
 * `rank` is in, with `counts` and how many there are in all, and marks. */
question *view_ask_count(uint64_t job, const query *q);
question *view_ask_piece(uint64_t job, const query *q, uint64_t rank, view_size size, bool counts);
question *view_ask_marks(uint64_t job, const query *q);

/* The facts of these questions, held for the caller, where they are known; else NULL. */
fact *view_known_piece(facts *f, uint64_t job, const query *q, uint64_t rank, view_size size);
fact *view_known_marks(facts *f, uint64_t job, const query *q);

/* Copies rows of a piece from a rank on, at most `want`; returns how many. *found: how many rows
 * the view has, UINT64_MAX if that is not known. */
size_t view_take(const fact *piece, uint64_t rank, size_t want, uint64_t *rows, uint64_t *found);

/* Where to look for the row of a rank: from row `from` on, after skipping so many. */
typedef struct view_place {
    uint64_t found; /* rows of the view */
    uint64_t from, skip;
} view_place;

view_place view_place_of(const fact *marks, uint64_t rank);

#endif
