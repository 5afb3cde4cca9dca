/* pgm_ops.h - what a device must be able to do for pgm: the extensions of one pattern at a time
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_API_PGM_OPS_H
#define LODE_DEVICE_API_PGM_OPS_H

#include "device/api/graph_ops.h"
#include "device/api/pgm_shapes.h"

/* Labels, and the extensions of the last pattern; the graphs are those of the device. */
typedef struct pgm_device pgm_device;

typedef struct pgm_ops {
    /* The graph device stays the caller's, as do the labels: close this first. */
    LODE_NODISCARD lode_status (*open)(backend_graph_device *device, const pgm_labels *labels,
                                       pgm_device **out);
    void (*close)(pgm_device *pgm);
    /* All extensions of one pattern: forward from every vertex of the path, backward from the
     * newest to the others of it; in ascending order of (backward first, the column where it is not
     * the newest, edge label, label). Lent until the next call. */
    LODE_NODISCARD lode_status (*search)(pgm_device *pgm, const pgm_occurrences *occurrences,
                                         const pgm_extension **list, uint32_t *n);
    /* The new last column of an extension of that list, in the layout of the search: one more, or
     * instead of the last one. `block`: on the device, pgm_column_bytes(e->n_rows). The columns of
     * the search must still be there. May return before it is written: later operations wait. */
    LODE_NODISCARD lode_status (*column)(pgm_device *pgm, const pgm_extension *e, void *block);
    /* Waits for what was queued. */
    LODE_NODISCARD lode_status (*times)(pgm_device *pgm, pgm_times *out);
} pgm_ops;

#endif
