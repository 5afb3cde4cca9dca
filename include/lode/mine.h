/* lode/mine.h - mining, its report, algorithms and devices; part of lode.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MINE_H
#define LODE_MINE_H

#include "lode/sinks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the time went, in seconds of wall time. What several devices do side by side (transfer,
 * candidate, counting, output) is the mean over the devices, so that the parts add up. */
typedef struct lode_times {
    double preprocess, transfer, candidate, counting, output, total;
} lode_times;

#define LODE_REPORT_TEXT    160
#define LODE_REPORT_THREADS 64

/* What a search by products did for the classes of one depth: prefixes of so many items. */
typedef struct lode_product_depth {
    uint64_t classes, rows;    /* that were counted */
    uint64_t pairs;            /* of rows */
    double pair_bits;          /* compared for them */
    uint64_t cubes, cube_sets; /* rows whose partners were counted together; all sets of these */
    double cube_bits;          /* looked at for them */
} lode_product_depth;

/* What a level-wise search did for the itemsets of one size. */
typedef struct lode_level {
    uint32_t size;
    uint64_t generated, pruned, counted, frequent; /* candidates */
    uint64_t candidate_bytes;                      /* of their representation on the device */
    double candidate, counting;                    /* seconds */
} lode_level;

#define LODE_REPORT_LEVELS 64

/* What a run did. Set `size` to sizeof(lode_report) before the call. */
typedef struct lode_report {
    size_t size;
    uint64_t min_count;       /* the exact threshold used at the start */
    uint64_t final_min_count; /* and at the end, if it was raised */
    char algorithm[32];
    char why[LODE_REPORT_TEXT];        /* why this algorithm */
    char device[LODE_REPORT_TEXT];     /* for example "cpu*2 (avx512)" */
    char device_why[LODE_REPORT_TEXT]; /* why this device */
    char note[LODE_REPORT_TEXT];       /* what the user should know, or "" */
    char
        prepared[16]; /* what the search starts from: "built", "extended", "reused"; "" = nothing */
    char stopped_by[32]; /* the option that ended it, such as "limit-time"; "" = none did */
    unsigned n_devices;
    unsigned n_threads;
    double utilisation; /* sum of the devices' busy times / (devices * the longest) */
    uint64_t frequent_items;
    uint64_t nodes; /* adaptive: conditional databases looked at */
    uint64_t candidates_generated;
    uint64_t candidates_pruned; /* by the subset test */
    uint64_t candidates_counted;
    uint64_t candidate_bytes; /* of their representation, the largest level */
    uint64_t rows_read, rows_written;
    uint64_t bytes_up, bytes_down;     /* sent to a GPU, and brought back */
    uint64_t device_memory_peak;       /* of a GPU's own memory, the largest of the GPUs */
    uint64_t work_items;               /* gpu-apriori: started by the grid */
    uint64_t reduce_adds, reduce_idle; /* gpu-apriori: additions of the trees; those of padding */
    uint64_t patterns;
    uint64_t batches;       /* calls of the device */
    uint64_t epsilon;       /* as used; UINT64_MAX = unlimited */
    uint64_t list_bytes;    /* size of one vertical list */
    uint64_t lists_allowed; /* in the pools of all devices together */
    uint64_t lists_peak;    /* in use at the same time, the largest of the devices */
    uint64_t lists_rebuilt; /* dropped for lack of room and derived again */
    uint64_t memory_peak;
    lode_times times;
    unsigned n_levels; /* level-wise algorithms: figures by size, the first 64 */
    lode_level levels[LODE_REPORT_LEVELS];
    char product[LODE_REPORT_TEXT]; /* tensor: how products were computed, and why */
    uint64_t spilled_bytes;         /* tensor: moved out of a GPU's memory for a time */
    uint64_t slices;                /* tensor: of the transactions, where a GPU cannot hold them */
    unsigned n_depths;              /* tensor: figures by depth, from the empty prefix on */
    lode_product_depth depths[LODE_REPORT_LEVELS];
    unsigned n_thread_seconds; /* CPU seconds of each thread, the first 64 */
    double thread_seconds[LODE_REPORT_THREADS];
} lode_report;

/* Mines `data` into `sink`. `report` may be NULL; it is filled in on failure too. Does not call
 * lode_sink_finish(). Errors: INVALID (options), UNSUPPORTED, NOMEM, BUDGET, CANCELLED, STOPPED,
 * DEVICE, and what the sink reports. */
LODE_API LODE_NODISCARD lode_status lode_mine(lode_job *job, const lode_dataset *data,
                                              const lode_mine_options *options, lode_sink *sink,
                                              lode_report *report);

/* One line of the list of algorithms. */
typedef struct lode_algorithm {
    const char *name;
    const char *summary;
    bool oracle;      /* for tests: right, and slow */
    bool weights;     /* accepts weighted transactions */
    unsigned targets; /* bit lode_target is set for each it can search */
} lode_algorithm;

/* The i-th algorithm. Returns false past the end. */
LODE_API bool lode_algorithm_at(size_t i, lode_algorithm *out);

typedef struct lode_device {
    const char *name; /* "cpu" */
    bool usable;
    char detail[LODE_REPORT_TEXT]; /* what it is, or why it cannot be used */
} lode_device;

/* The i-th kind of device known to this build. Returns false past the end. */
LODE_API bool lode_device_at(size_t i, lode_device *out);

/* Starts devices, named as in lode_job_options, so that the first job on them need not: a GPU takes
 * a fifth of a second for it. Returns when they are awake; on a thread of its own, perhaps while
 * data are read. Not needed, and never an error: what is wrong with a device, its jobs say. */
LODE_API void lode_device_wake(const char *device);

#ifdef __cplusplus
}
#endif
#endif
