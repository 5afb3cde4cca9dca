/* holdout.h - the part of the data that is held out, on which rules are tested
 *
 * This part is either a fraction of the transactions, chosen by a hash of their numbers and a seed,
 * or a separate file, whose items are matched by name. The choice does not depend on anything else,
 * such as threads or the content of transactions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_HOLDOUT_H
#define LODE_RULES_HOLDOUT_H

#include "rules/rule_list.h"

typedef struct holdout {
    bool given;
    /* the fraction of transactions held out; denominator 0 = a file is given */
    lode_threshold share;
    uint64_t seed;
    lode_dataset *searched; /* the transactions to search; NULL = all are searched */
    lode_dataset *held;
    uint32_t *map; /* for a file: its ids → ids of the data searched; NULL = the ids are the same */
    size_t map_bytes;
    const char *path; /* the path of the file, lent by the options; NULL = none */
    /* number of items in the file, and how many of them are in the data searched */
    uint32_t n_items, n_known;
} holdout;

/* Parses the option, which is a fraction or a file. A file is read at once. Errors: INVALID; those
 * of lode_dataset_open(). */
LODE_NODISCARD lode_status holdout_open(lode_job *job, const lode_dataset *data, const char *text,
                                        uint64_t seed, holdout *out);
/* Divides the data, or matches the items of the file. */
LODE_NODISCARD lode_status holdout_divide(lode_job *job, const lode_dataset *data, holdout *h);
/* Returns whether the transaction with this number is held out, for a given fraction and seed. */
bool holdout_holds(lode_threshold share, uint64_t seed, uint64_t transaction);
void holdout_clear(lode_job *job, holdout *h);

/* Counts the rules of the list in the part that is held out. */
LODE_NODISCARD lode_status holdout_count(const holdout *h, const lode_dataset *data,
                                         rule_list *list);

#endif
