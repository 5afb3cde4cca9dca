/* together.h - joins a data set of which cooperating processes have each read a part
 *
 * Each process has read a part of a file (lode_read_options.part). In three steps, each part
 * becomes the whole, in place:
 *
 *     names      all processes exchange names and number them in the same way (names_join.c)
 *     supports   are summed; only items that occur in a part are sent
 *     rows       blocks of transactions are exchanged, as lengths and ids of minimal width:
 *
 *                part of process     0        |  1        |  2
 *                exchange 1          b0 b1    |  b0       |  b0 b1
 *                exchange 2          b2       |  b1 b2    |
 *                the data set        b0 b1 b2    b0 b1 b2    b0 b1
 *
 * What is received takes one slab per process and exchange; the part's own blocks are not moved.
 * So memory holds the data once, plus the messages in transit.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_TOGETHER_H
#define LODE_DATA_TRANSACTIONS_TOGETHER_H

#include "data/transactions/dataset.h"
#include "runtime/peers.h"

/* Turns the part into the whole. The result is the same in all processes: OK, or an error, after
 * which the data set can only be freed. Not for weights, transaction ids and spools. */
LODE_NODISCARD lode_status dataset_join_peers(peers *p, lode_dataset *data);

#endif
