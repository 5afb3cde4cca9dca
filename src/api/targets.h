/* targets.h - what the targets of itemsets are called
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_API_TARGETS_H
#define LODE_API_TARGETS_H

#include "lode.h"

/* All but LODE_TARGET_TOP, whose name has a number: top:K. */
static const struct {
    const char *name;
    lode_target target;
} plain_targets[] = {{"all", LODE_TARGET_ALL},
                     {"closed", LODE_TARGET_CLOSED},
                     {"maximal", LODE_TARGET_MAXIMAL},
                     {"generators", LODE_TARGET_GENERATORS}};

#define N_PLAIN_TARGETS (sizeof plain_targets / sizeof *plain_targets)

#endif
