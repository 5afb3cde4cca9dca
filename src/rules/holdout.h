/* holdout.h - the part of the data that is held out, on which rules are tested
 *
 * It is a share of the transactions, chosen by a hash of their numbers and a seed, or a separate
 * file, whose items are matched by name. The choice depends on nothing else, such as threads or the
 * content of transactions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_HOLDOUT_H
#define LODE_RULES_HOLDOUT_H

#include "rules/rule_list.h"

typedef struct holdout {
    bool given;
    lode_threshold share; /* of the transactions; denominator 0 = a file */
    uint64_t seed;
    lode_dataset *searched; /* the rest; NULL = all are searched */
    lode_dataset *held;
    uint32_t *map; /* for a file: its ids → those of the data searched; NULL = the same */
    size_t map_bytes;
    const char *path;          /* of the file; NULL = none. Lent by the options */
    uint32_t n_items, n_known; /* of the file; of these, those in the data searched */
} holdout;

/* Parses the option: a share, or a file, which is read at once. Errors: INVALID; those of
 * lode_dataset_open(). */
LODE_NODISCARD lode_status holdout_open(lode_job *job, const lode_dataset *data, const char *text,
                                        uint64_t seed, holdout *out);
/* Divides the data, or matches the items of the file. */
LODE_NODISCARD lode_status holdout_divide(lode_job *job, const lode_dataset *data, holdout *h);
/* Whether a share, chosen by a seed, contains the transaction with this number. */
bool holdout_holds(lode_threshold share, uint64_t seed, uint64_t transaction);
void holdout_clear(lode_job *job, holdout *h);

/* Counts the rules of the list in the part held out. */
LODE_NODISCARD lode_status holdout_count(const holdout *h, const lode_dataset *data,
                                         rule_list *list);

#endif
