/* query_plan.h - a parsed query, ready to be tested row by row
 *
 * Each bound becomes a range of allowed values of one column. Conditions on items become one word
 * per item: bit k is set if the item is in group k, or if its name matches pattern k. So a row
 * meets the conditions if the OR of its items' words has all required bits and no forbidden bit,
 * whatever the globs and regular expressions were.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_STORE_QUERY_PLAN_H
#define LODE_RESULTS_STORE_QUERY_PLAN_H

#include "base/regex.h"
#include "results/store/stored_file.h"

typedef struct query_bound {
    const stored_column *column;
    double low, high;               /* bounds of a REAL column */
    uint64_t low_count, high_count; /* bounds of a COUNT column */
} query_bound;

/* The items that a condition applies to. */
typedef enum query_side { QUERY_ANY, QUERY_LHS, QUERY_RHS, QUERY_SIDES } query_side;

#define QUERY_BITS 64 /* maximum number of conditions on items */

typedef struct query_plan {
    lode_store *store;
    query_bound *bounds;
    uint32_t n_bounds;
    size_t bounds_bytes;
    /* one word per item; the length is rounded up to a power of two; NULL = no conditions on
     * items */
    uint64_t *marks;
    size_t marks_bytes;
    uint32_t only; /* the only item with a mark; STORED_NONE = no item or several items have one */
    uint64_t need[QUERY_SIDES], bad[QUERY_SIDES]; /* required and forbidden bits, by query_side */
    unsigned n_bits;                              /* bits in use */
    regex *patterns; /* regular expressions for the code of subgraphs */
    uint32_t n_patterns;
    size_t patterns_bytes;
    uint64_t *picks; /* the only rows that may match, ascending; NULL = all rows */
    uint64_t n_picks;
    size_t picks_bytes;
    double match_seconds;       /* time limit for matching; 0 = none */
    const stored_column *order; /* NULL = file order */
    bool falling;               /* rows with the highest value come first */
    uint64_t from;              /* rows before this one do not match */
} query_plan;

/* Parses a query; NULL = every row matches. query_clear() must be called even on failure. Errors:
 * as lode_store_count(). */
LODE_NODISCARD lode_status query_read(lode_store *s, const lode_query_options *query,
                                      query_plan *out);
void query_clear(query_plan *p);

/* The clock of a thread that matches regular expressions. The clock runs from query_match_start()
 * to query_match_check(), which the matcher also calls from time to time. p->match_seconds is the
 * total time allowed to all threads and passes of a query. */
typedef struct query_clock {
    const query_plan *plan;
    double since;
} query_clock;

void query_match_start(query_clock *clock);
/* Adds the time since the last call to the time of the query. Errors: STOPPED (the time is up),
 * CANCELLED. */
LODE_NODISCARD lode_status query_match_check(void *clock);

/* Which of the picks is the first from this row on; n_picks: none. */
uint64_t query_pick_from(const query_plan *p, uint64_t row);

/* Returns whether every row from p->from on matches. */
static inline bool query_is_open(const query_plan *p) {
    return p->n_bounds == 0 && !p->marks && p->n_patterns == 0 && !p->picks;
}

/* ---- groups of items in a store, given by a name, a glob, or a file of these ----------------- */

/* Groups are written as data/transactions/select.h describes, but match the names of a store. */

/* A line of a list. */
typedef struct list_line {
    const char *text;
    size_t n;
} list_line;

#endif
