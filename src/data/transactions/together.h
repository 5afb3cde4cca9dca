/* together.h - a data set out of parts that cooperating processes have read
 *
 * Each process has read a part of a file (lode_read_options.part). In three steps, each becomes the
 * whole, in place:
 *
 *     names      all parts get the names of all, and one numbering (names_join.c)
 *     supports   are added up; only items that occur in a part are sent
 *     rows       blocks of transactions, as lengths and ids, each in as few bytes as needed:
 *
 *                part of process     0        |  1        |  2
 *                exchange 1          b0 b1    |  b0       |  b0 b1
 *                exchange 2          b2       |  b1 b2    |
 *                the data set        b0 b1 b2    b0 b1 b2    b0 b1
 *
 * What was received takes one slab for each process and exchange; the part's own blocks stay where
 * they are. So memory holds the data once, and what is on its way.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_TOGETHER_H
#define LODE_DATA_TRANSACTIONS_TOGETHER_H

#include "data/transactions/dataset.h"
#include "runtime/peers.h"

/* Makes the part the whole. The outcome is the same in all processes: OK, or a status with which
 * the data set can only be freed. Without weights, ids of transactions and a spool. */
LODE_NODISCARD lode_status dataset_join_peers(peers *p, lode_dataset *data);

#endif
