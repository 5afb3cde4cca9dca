/* patterns_view.h - the rows of a view, which is a filter and an order
 *
 * There are two kinds of cached facts about a view:
 *
 * Pieces: row numbers in the order of the view, beginning at a rank (a position in that order) that
 *         is a multiple of a step. A small piece is fast in any order. It is two steps long, so
 *         that every page lies within one piece. A large piece costs little more, because most of
 *         the time is spent on passes over the file, and it serves nearby pages as well. A pass
 *         over all rows also counts them.
 * Marks:  the number of every k-th matching row, in file order. The server finds a page quickly
 *         from the mark before it, so marks serve all pages of a view and need little memory. k is
 *         the smallest power of two for which a fixed number of marks is enough.
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

/* Queries about a view; NULL: out of memory. Their facts are: the number of rows; the piece that
 * contains `rank` and, with `counts`, the number of rows; the marks. */
question *view_ask_count(uint64_t job, const query *q);
question *view_ask_piece(uint64_t job, const query *q, uint64_t rank, view_size size, bool counts);
question *view_ask_marks(uint64_t job, const query *q);

/* The facts of these queries, held for the caller; NULL: not cached. */
fact *view_known_piece(facts *f, uint64_t job, const query *q, uint64_t rank, view_size size);
fact *view_known_marks(facts *f, uint64_t job, const query *q);

/* Copies at most `want` rows of a piece, from `rank` on; returns how many. *found: the number of
 * rows of the view; UINT64_MAX: unknown. */
size_t view_take(const fact *piece, uint64_t rank, size_t want, uint64_t *rows, uint64_t *found);

/* Where to find the row of a rank: start at row `from` and skip `skip` matching rows. */
typedef struct view_place {
    uint64_t found; /* rows of the view */
    uint64_t from, skip;
} view_place;

view_place view_place_of(const fact *marks, uint64_t rank);

#endif
