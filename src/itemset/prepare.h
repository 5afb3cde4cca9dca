/* prepare.h - what every miner over bit rows does first
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSET_PREPARE_H
#define LODE_ITEMSET_PREPARE_H

#include "data/vertical.h"
#include "engine/engine.h"
#include "runtime/list_pool.h"

/* Ranks the frequent items, by supports over all parts of a shared job. */
LODE_NODISCARD lode_status prepare_rank(const engine_job *job, vertical *v);

/* Ranks the items and builds their rows. Fails with the number if the budget cannot hold them
 * beside `extra_rows` more rows and `extra_bytes`. */
LODE_NODISCARD lode_status prepare_rows(const engine_job *job, vertical *v, size_t extra_rows,
                                        size_t extra_bytes);

/* How many lists each of n devices may have: what was asked for, or `share` of what memory allows.
 * */
uint32_t prepare_list_limit(const engine_job *job, const vertical *v, unsigned n_devices,
                            double share);

/* A list of the device, backed; BACKEND_NO_ROW when the pool or the memory budget has none left. */
uint32_t prepare_take_list(const lode_backend *backend, backend_device *device, list_pool *pool);

#endif
