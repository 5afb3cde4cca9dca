/* lode/mine.h - mining, algorithms and devices; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MINE_H
#define LODE_MINE_H

#include "lode/sinks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Mines `data` into `sink`; lode_job_report() then has the report. Does not call
 * lode_sink_finish(). Errors: INVALID (options), UNSUPPORTED, NOMEM, BUDGET, CANCELLED, STOPPED,
 * DEVICE, and those of the sink. */
LODE_API LODE_NODISCARD lode_status lode_mine(lode_job *job, const lode_dataset *data,
                                              const lode_mine_options *options, lode_sink *sink);

/* One row of the list of algorithms. */
typedef struct lode_algorithm {
    size_t size;
    const char *name;
    const char *summary;
    bool oracle;      /* a slow reference implementation, for tests */
    bool weights;     /* accepts weighted transactions */
    unsigned targets; /* bit 1 << t is set if the algorithm can search the lode_target t */
} lode_algorithm;

/* The i-th algorithm for patterns of a kind. Past the end, fills *out with zeros and returns false.
 */
LODE_API bool lode_algorithm_at(lode_pattern_kind kind, size_t i, lode_algorithm *out);

#define LODE_REPORT_TEXT 160

typedef struct lode_device {
    size_t size;
    const char *name; /* "cpu" */
    bool usable;
    char detail[LODE_REPORT_TEXT]; /* its description, or why it cannot be used */
} lode_device;

/* The i-th kind of device known to this build. Past the end, fills *out with zeros and returns
 * false. */
LODE_API bool lode_device_at(size_t i, lode_device *out);

/* Starts devices, named as in lode_job_options.device, so that the first job need not wait: a GPU
 * takes a fifth of a second to start. Returns when they are ready, so call it on its own thread,
 * perhaps while data are read. "auto" starts all GPUs, even if no job will use them. Optional, and
 * never fails: jobs report problems with a device. */
LODE_API void lode_device_wake(const char *device);

#ifdef __cplusplus
}
#endif
#endif
