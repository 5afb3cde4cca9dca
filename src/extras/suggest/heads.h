/* heads.h - how many rules with one item as head come from each of some sets
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_EXTRAS_SUGGEST_HEADS_H
#define LODE_EXTRAS_SUGGEST_HEADS_H

#include "extras/suggest/sounding.h"

/* What heads_count() counts. */
typedef struct heads_request {
    lode_threshold confidence;
    double effort; /* 1: some hundredths of a second; sets are dropped at random to keep to it */
} heads_request;

/* For each set that the probe has kept: in how many ways one of its items is the head of a rule of
 * at least this confidence whose body are the others. Fills p->heads. A support of 0 is not known:
 * it is filled in as well. */
LODE_NODISCARD lode_status heads_count(lode_job *job, const lode_dataset *data,
                                       const heads_request *request, probe *p);

#endif
