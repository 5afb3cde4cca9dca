/* query_plan.h - what a query asks, ready to be tested row by row
 *
 * Bounds become ranges of columns. All that is asked of items becomes one word for each item: bit k
 * says that the item is in group k, or that its name matches pattern k. So a row meets the
 * conditions on items if the words of its items, joined, have the bits that are needed and none of
 * the bad ones, whatever the globs and regular expressions were.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RESULTS_STORE_QUERY_PLAN_H
#define LODE_RESULTS_STORE_QUERY_PLAN_H

#include "base/regex.h"
#include "results/store/stored_file.h"

typedef struct query_bound {
    const stored_column *column;
    double low, high;               /* of a REAL column */
    uint64_t low_count, high_count; /* of a COUNT column */
} query_bound;

/* Which items a condition is about. */
typedef enum query_side { QUERY_ANY, QUERY_LHS, QUERY_RHS, QUERY_SIDES } query_side;

#define QUERY_BITS 64 /* conditions on items, at most */

typedef struct query_plan {
    lode_store *store;
    query_bound *bounds;
    uint32_t n_bounds;
    size_t bounds_bytes;
    uint64_t *marks; /* by item, a power of two of them; NULL: no conditions on items */
    size_t marks_bytes;
    uint32_t only; /* the one item that has a mark; STORED_NONE: none, or several */
    uint64_t need[QUERY_SIDES], bad[QUERY_SIDES];
    unsigned n_bits;
    regex *patterns; /* of the code of graphs */
    uint32_t n_patterns;
    size_t patterns_bytes;
    double match_seconds;       /* for matching; 0 = no limit */
    const stored_column *order; /* NULL: as in the file */
    bool falling;               /* the highest first */
    uint64_t from;
} query_plan;

/* Reads a query, NULL for every row. Clear the plan in any case. Errors: see lode_store_count(). */
LODE_NODISCARD lode_status query_read(lode_store *s, const lode_query_options *query,
                                      query_plan *out);
void query_clear(query_plan *p);

/* The clock of a thread that matches: it stands between two calls of query_match_start() and
 * query_match_check(), which also is what matching polls. Together, all threads and all passes of a
 * query have p->match_seconds. */
typedef struct query_clock {
    const query_plan *plan;
    double since;
} query_clock;

void query_match_start(query_clock *clock);
/* Errors: STOPPED, CANCELLED. */
LODE_NODISCARD lode_status query_match_check(void *clock);

/* Whether every row from p->from on is found. */
static inline bool query_is_open(const query_plan *p) {
    return p->n_bounds == 0 && !p->marks && p->n_patterns == 0;
}

/* ---- groups of items of a store: a name, a glob, or a file of these -------------------------- */

/* The rules are those of data/transactions/select.h, for the names of a store. */

/* A line of a list; `text` goes on to the next one. False: there is none. */
typedef struct list_line {
    const char *text;
    size_t n;
} list_line;
bool list_next(const char **text, list_line *line);

/* Sets `bit` in the mark of every item of a group. `what` names the option in messages. After
 * names_load(). Errors: INVALID (no such item; the message guesses), NOTFOUND, IO, NOMEM, BUDGET.
 */
LODE_NODISCARD lode_status groups_mark(lode_store *s, const char *what, list_line group,
                                       uint64_t bit, uint64_t *marks);

#endif
