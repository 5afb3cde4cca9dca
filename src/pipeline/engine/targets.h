/* targets.h - the names of the targets
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_ENGINE_TARGETS_H
#define LODE_PIPELINE_ENGINE_TARGETS_H

#include <string.h>

#include "lode.h"

/* Indexed by lode_target. In the name of LODE_TARGET_TOP, users write a number for K. */
static const struct {
    const char *name, *adjective;
} target_words[] = {
    [LODE_TARGET_ALL] = {"all", ""},
    [LODE_TARGET_TOP] = {"top:K", ""},
    [LODE_TARGET_CLOSED] = {"closed", "closed"},
    [LODE_TARGET_MAXIMAL] = {"maximal", "maximal"},
    [LODE_TARGET_GENERATORS] = {"generators", "generator"},
};

#define N_TARGETS (sizeof target_words / sizeof *target_words)

/* The target with this name, which must be one of the names above. */
static inline lode_target target_find(const char *name) {
    size_t i = 0;
    while (i + 1 < N_TARGETS && strcmp(target_words[i].name, name) != 0) i++;
    return (lode_target)i;
}

#endif
