/* patterns_view.h - which rows a view has: filter and order, by pieces or by marks
 *
 * Pieces: numbers of rows in the order of the view, from a rank on that is a multiple of their
 *         length. A small one is quick in any order. A large one costs little more, for most of its
 *         time are passes over the file; then other pages nearby are ready.
 * Marks:  in the order of the file, the number of every k-th row that a filter finds. From a mark
 *         on a page is found in a moment, so that they serve all pages of the view and take little
 *         room. k is a power of two: as small as a fixed number of marks allows.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_PATTERNS_VIEW_H
#define LODE_SERVER_PATTERNS_VIEW_H

#include "stores_ask.h"

#define PIECE_SMALL 1024
#define PIECE_LARGE (1u << 20)

/* Questions about a view. NULL: no memory. Their facts are: */
question *view_ask_count(uint64_t job, const query *q);                              /* a u64 */
question *view_ask_piece(uint64_t job, const query *q, uint64_t first, size_t room); /* rows */
question *view_ask_marks(uint64_t job, const query *q);                              /* marks */

/* The facts of these questions, held for the caller, where they are known; else NULL. */
fact *view_known_piece(facts *f, uint64_t job, const query *q, uint64_t first, size_t room);
fact *view_known_marks(facts *f, uint64_t job, const query *q);

/* Copies rows from place `at` of a piece on, at most `want`; returns how many. *ended: the piece
 * was not full, so that nothing comes after it. */
size_t view_take(const fact *piece, size_t room, uint64_t at, size_t want, uint64_t *rows,
                 bool *ended);

/* Where to look for the row of a rank: from row `from` on, after skipping so many. */
typedef struct view_place {
    uint64_t found; /* rows of the view */
    uint64_t from, skip;
} view_place;

view_place view_place_of(const fact *marks, uint64_t rank);

#endif
