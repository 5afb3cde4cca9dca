/* device_report.h - the part of the report that all miners on devices have in common
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_COMMON_DEVICE_REPORT_H
#define LODE_ITEMSETS_COMMON_DEVICE_REPORT_H

#include "pipeline/engine/engine.h"

/* What one consumer did on its device. */
typedef struct device_use {
    uint64_t batches, bytes_up, bytes_down, memory_peak;
    double transfer, candidate, counting, output; /* seconds */
    double busy;                                  /* seconds from its first to its last work */
} device_use;

/* Adds what n consumers did. Their times become means, and the report says how evenly the work was
 * divided (utilisation: mean of `busy` over the longest). */
void device_report_add(engine_report *report, const device_use *uses, unsigned n);

/* Counting has read and written this many bytes of rows in all; after times.counting is known. */
void device_report_bytes(engine_report *report, double bytes);

#endif
