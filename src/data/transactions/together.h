/* together.h - joins the parts of a data set that cooperating processes have read
 *
 * Each process has read one part of a file (lode_read_options.part). Three steps turn the part of
 * each process into the whole data set, in place:
 *
 *     names      all processes exchange names and number them in the same way (names_join.c)
 *     supports   supports are summed; a process sends only items that occur in its part
 *     rows       processes exchange blocks of transactions, as lengths and ids of minimal width:
 *
 *                part of process     0        |  1        |  2
 *                exchange 1          b0 b1    |  b0       |  b0 b1
 *                exchange 2          b2       |  b1 b2    |
 *                the data set        b0 b1 b2    b0 b1 b2    b0 b1
 *
 * The received data take one slab per process and exchange. The part's own blocks are not moved. So
 * memory holds the data once, plus the messages of the current exchange.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_TOGETHER_H
#define LODE_DATA_TRANSACTIONS_TOGETHER_H

#include "data/transactions/dataset.h"
#include "runtime/peers.h"

/* Turns the part into the whole data set. All processes get the same status. After an error, the
 * data set can only be freed. The part must not have weights, transaction ids or a spool. */
LODE_NODISCARD lode_status dataset_join_peers(peers *p, lode_dataset *data);

#endif
