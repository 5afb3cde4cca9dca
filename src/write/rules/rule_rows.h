/* rule_rows.h - rules as rows of words that sort like the rules, and their collectors
 *
 * Sorted output is ordered by size, then by antecedent, then by consequent. For rules of one size,
 * a row is a string of bits, which begins with the most significant bit:
 *
 *     antecedent | 0 | consequent | counts: both, lhs, rhs | zeros | other columns, in whole words
 *     (each item + 1)
 *
 * and rows compare as numbers. The 0 after the antecedent puts shorter antecedents first. With the
 * data set chess, a rule takes two words. Items are ids of the data set.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_RULES_RULE_ROWS_H
#define LODE_WRITE_RULES_RULE_ROWS_H

#include "write/core/sort_store.h"
#include "write/rules/rule_sink.h"

/* The layout of rows; `total` 0 = unknown before the first rule. */
typedef struct rule_layout {
    uint64_t total; /* the total of the rules */
    uint32_t item_bound;
    unsigned item_bits, count_bits;
    bool general, adjusted, held_out; /* optional figures */
    unsigned more;                    /* number of words for the optional figures */
} rule_layout;

/* Rows that wait to be written, and their layout. The layout is set under the lock of the store,
 * and never changes. */
typedef struct rule_store {
    sort_store base;
    rule_layout layout;
    unsigned needs; /* the figures to show: bits 1 << lode_measure_needs */
} rule_store;

/* The rows of a worker. A collector that was not opened is all zero. */
typedef struct rule_collector {
    rule_store *store;
    sort_piles piles;
    uint64_t total; /* total of the layout that the collector has seen; 0 = none yet */
} rule_collector;

void rule_collect_open(rule_collector *c, rule_store *store, const char *near);
/* Adds a rule. Returns INVALID, with a message, if the rule cannot be stored together with the
 * rules before it. */
LODE_NODISCARD lode_status rule_collect(rule_collector *c, const lode_rule *rule);
LODE_NODISCARD lode_status rule_collect_batch(rule_collector *c, const rule_batch *batch,
                                              uint64_t total);
/* Sorts the remaining rows and moves them to the store. */
LODE_NODISCARD lode_status rule_collect_hand_over(rule_collector *c);
void rule_collect_close(rule_collector *c);

unsigned rule_row_words(const rule_layout *l, uint32_t size);

/* Reads rows of one size, one after the other. In sorted order, most rows have the same antecedent
 * as the row before.
 */
typedef struct rule_reader {
    const rule_layout *layout;
    uint32_t size;
    uint32_t *items;      /* items of both sides, in memory of the caller */
    const uint64_t *last; /* the row that was read before; NULL = none */
    lode_rule rule;
} rule_reader;

rule_reader rule_reader_of(const rule_layout *l, uint32_t size, uint32_t *items);
/* Reads a row. The rule is lent until the next row is read; `row` must stay valid as long. */
const lode_rule *rule_read(rule_reader *r, const uint64_t *row);

#endif
