/* rule_file.h - rules on their way to a file or a function, for those who see to their order
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_RULES_RULE_FILE_H
#define LODE_WRITE_RULES_RULE_FILE_H

#include "write/rules/rule_columns.h"
#include "write/rules/rule_rows.h"
#include "write/rules/rule_sink.h"
#include "write/rules/rule_text.h"

typedef struct rule_file {
    text_sink base;
    rule_lines lines;
    void *own;              /* of the writer, if the format is no text */
    const char *order;      /* of what was written, in a word; NULL: that of the search */
    bool sorts;             /* by size, as asked for */
    bool collects;          /* what comes now is sorted, and not drawn: */
    rule_store store;       /* here */
    lode_sink *collected;   /* all rules, to draw them; NULL: they are not collected */
    rule_columns kept;      /* when not: what closed workers have held back; under the lock */
    rule_best best;         /* under the lock */
    _Atomic uint64_t total; /* transactions that the rules that are held back are of */
} rule_file;

/* The labels of a side, joined; kept from one rule to the next. */
typedef struct side_text {
    vec_u32 ids;
    vec_char text; /* with the last separator */
} side_text;

typedef struct rules_worker {
    rule_worker base;
    rule_collector found;  /* when sorting */
    sink_worker *collects; /* of the nested sink */
    bool holds;            /* the first rules of a result */
    rule_columns held;     /* these */
    side_text lhs, rhs;
    vec_char block;
    bool keeps;        /* the block until it is told to write it, … */
    size_t block_most; /* … which it is from so many bytes on */
    rule_number *numbers;
    void *own; /* of the writer */
    rule_best best;
} rules_worker;

static inline rule_file *rule_file_of(const rules_worker *w) {
    return (rule_file *)w->base.base.sink;
}

static inline mem *rule_file_mem(const rules_worker *w) {
    return &w->base.base.sink->job->mem;
}

static inline uint64_t rule_file_total(const rules_worker *w) {
    return ((const lode_dataset *)w->base.base.sink->mined)->total_weight;
}

/* Write a rule, and all rules of a batch, as the next ones. */
LODE_NODISCARD lode_status rule_file_write(rules_worker *w, const lode_rule *rule);
LODE_NODISCARD lode_status rule_file_write_batch(rules_worker *w, const rule_batch *b);
/* Frees the texts of sides that a worker keeps. */
void rule_file_sides_free(rules_worker *w);

/* ---- a sorted result of rules on its way to a file ------------------------------------------- */

/* A format that is no text, and text that goes to a function of the program, is written by one
 * thread, the caller's; see write/core/sort_output.h for the others. */

/* Writes all that is in the store of the sink, in order; or, with *partial, segment by segment.
 * *partial is set if the job was cancelled before. `stop` (NULL: nothing stops it) is asked on
 * the way, by one thread at a time: CANCELLED if it ends the writing. */
LODE_NODISCARD lode_status rule_sorted_write(rule_file *sink, const sort_stop *stop, bool *partial);

#endif
