/* rule_file.h - internals of the sink that writes rules to a file or a function
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
    void *own;            /* private data of the writer of a binary format */
    const char *order;    /* the order of the rules written, as one word; NULL = search order */
    bool sorts;           /* rules are sorted by size, as requested */
    bool collects;        /* rules are collected to be sorted, not drawn */
    rule_store store;     /* the rules to be sorted */
    lode_sink *collected; /* a sink that collects all rules to draw them; NULL = none */
    /* if rules are not collected: rules held back by closed workers; under the lock */
    rule_columns kept;
    rule_best best;         /* under the lock */
    _Atomic uint64_t total; /* total of the rules that are held back */
} rule_file;

/* The joined labels of a side, reused for the next rule. */
typedef struct side_text {
    vec_u32 ids;
    vec_char text; /* including the last separator */
} side_text;

typedef struct rules_worker {
    rule_worker base;
    rule_collector found;  /* the rules found, if they are to be sorted */
    sink_worker *collects; /* a worker of the nested sink */
    bool holds;            /* the worker holds back the first rules of a result */
    rule_columns held;     /* the rules held back */
    side_text lhs, rhs;
    vec_char block;
    bool keeps;        /* the worker keeps its block until the block has block_most bytes */
    size_t block_most; /* length from which on a kept block is written */
    rule_number *numbers;
    void *own; /* private data of the writer */
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

/* Writes a rule. */
LODE_NODISCARD lode_status rule_file_write(rules_worker *w, const lode_rule *rule);
/* Writes all rules of a batch. */
LODE_NODISCARD lode_status rule_file_write_batch(rules_worker *w, const rule_batch *b);
/* Frees the texts of sides that a worker has cached. */
void rule_file_sides_free(rules_worker *w);

/* ---- writing a sorted result ----------------------------------------------------------------- */

/* The calling thread alone writes binary formats, and text that goes to a function.
 * write/core/sort_output.h describes how other formats are written. */

#endif
