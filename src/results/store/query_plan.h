/* query_plan.h - a parsed query, ready to be tested row by row
 *
 * Bounds become ranges of columns. Conditions on items become one word per item: bit k says that
 * the item is in group k, or that its name matches pattern k. So a row meets the conditions if the
 * OR of the words of its items has all required bits and no forbidden one, whatever the globs and
 * regular expressions were.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_STORE_QUERY_PLAN_H
#define LODE_RESULTS_STORE_QUERY_PLAN_H

#include "base/regex.h"
#include "results/store/stored_file.h"

typedef struct query_bound {
    const stored_column *column;
    double low, high;               /* for a REAL column */
    uint64_t low_count, high_count; /* for a COUNT column */
} query_bound;

/* The items that a condition applies to. */
typedef enum query_side { QUERY_ANY, QUERY_LHS, QUERY_RHS, QUERY_SIDES } query_side;

#define QUERY_BITS 64 /* maximum number of conditions on items */

typedef struct query_plan {
    lode_store *store;
    query_bound *bounds;
    uint32_t n_bounds;
    size_t bounds_bytes;
    uint64_t *marks; /* by item, allocated as a power of two; NULL = no conditions on items */
    size_t marks_bytes;
    uint32_t only; /* the only item with a mark; STORED_NONE = none, or several */
    uint64_t need[QUERY_SIDES], bad[QUERY_SIDES];
    unsigned n_bits;
    regex *patterns; /* for the code of graphs */
    uint32_t n_patterns;
    size_t patterns_bytes;
    double match_seconds;       /* time limit for matching; 0 = none */
    const stored_column *order; /* NULL = file order */
    bool falling;               /* the highest first */
    uint64_t from;
} query_plan;

/* Parses a query; NULL = every row. Clear the plan in any case. Errors: see lode_store_count(). */
LODE_NODISCARD lode_status query_read(lode_store *s, const lode_query_options *query,
                                      query_plan *out);
void query_clear(query_plan *p);

/* The clock of a matching thread: stopped between query_match_check() and the next
 * query_match_start(). query_match_check() is also the poll of the matcher. All threads and passes
 * of a query together have p->match_seconds. */
typedef struct query_clock {
    const query_plan *plan;
    double since;
} query_clock;

void query_match_start(query_clock *clock);
/* Errors: STOPPED, CANCELLED. */
LODE_NODISCARD lode_status query_match_check(void *clock);

/* Whether every row from p->from on matches. */
static inline bool query_is_open(const query_plan *p) {
    return p->n_bounds == 0 && !p->marks && p->n_patterns == 0;
}

/* ---- groups of items of a store: a name, a glob, or a file of these -------------------------- */

/* The rules are those of data/transactions/select.h, for the names of a store. */

/* A line of a list; `text` moves to the next one. False: there is none. */
typedef struct list_line {
    const char *text;
    size_t n;
} list_line;

#endif
