/* lode/classes.h - differences between groups of transactions; part of lode.h
 *
 * With classes, every pattern has a count and a share in each class, an odds ratio and a p-value.
 * With a significance level, only patterns whose frequency differs between the classes by more than
 * chance explains are found; docs/groups.md says what that means.
 *
 *     lode_class_options classes = LODE_INIT(lode_class_options);
 *     classes.classes = "churned";
 *     classes.significant = 0.05;
 *     classes.by = LODE_BY_PERMUTATION;
 *     mine.classes = write.classes = &classes;
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLASSES_H
#define LODE_CLASSES_H

#include "lode/sinks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the tests of all patterns together are kept from finding too much by chance. */
typedef enum lode_significance {
    LODE_BY_TARONE = 0, /* family-wise error: Bonferroni's correction, but without the patterns that
                          * are too rare (or too frequent) to be significant at all */
    LODE_BY_PERMUTATION, /* family-wise error: Westfall and Young's permutations of the classes */
    LODE_BY_FDR          /* false discovery rate: Benjamini and Yekutieli, over the patterns that
                          * LODE_BY_TARONE tests */
} lode_significance;

typedef enum lode_alternative {
    LODE_TWO_SIDED = 0,
    LODE_GREATER, /* more frequent in the first class; of more than two, in any one of them */
    LODE_LESS
} lode_alternative;

/* lode_mine_options and lode_write_options point to this struct. */
typedef struct lode_class_options {
    size_t size;
    /* The classes of the transactions. NULL = none; the other fields then have no effect.
     *   an item      one class has the transactions with the item, another one all others
     *   several      "a,b" or a glob such as "type=*": a class for each item; every transaction
     *                must have exactly one of them
     *   a column     "type", for the items type=… of a table of attributes
     *   a file       one label per line, for each transaction
     * The items are left out of the search. At most 16 classes. */
    const char *classes;
    /* Permute classes only among transactions of the same stratum, in the same forms as `classes`
     * (with any number of strata). NULL = one stratum. Requires LODE_BY_PERMUTATION */
    const char *strata;
    double significant;    /* the level, such as 0.05; 0 = no test. Closed patterns are tested */
    uint64_t permutations; /* 0 = 10,000 */
    uint64_t seed;
    lode_significance by;
    lode_alternative alternative;
} lode_class_options;

/* The class options held by `options`; lode_options_mine() and lode_options_write() return structs
 * that point to them. */
LODE_API const lode_class_options *lode_options_classes(const lode_options *options);

/* Lends column `column` of what the classes add to a result in memory (lode_sink_memory(),
 * lode_graph_sink_memory()), and its name, which is the same as in files: count_A, share_A, …,
 * growthRate, oddsRatio, …; "class" has the numbers 1, 2, … of the classes. There is a value for
 * each pattern, in the order after lode_sink_finish(). Returns NULL, and no name, if there is no
 * such column, or if patterns came after lode_sink_finish(). `name` may be NULL. */
LODE_API const double *lode_sink_class_column(const lode_sink *sink, uint32_t column,
                                              const char **name);

#ifdef __cplusplus
}
#endif
#endif
