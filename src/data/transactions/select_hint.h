/* select_hint.h - what a name that no item has was probably meant to be
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_SELECT_HINT_H
#define LODE_DATA_TRANSACTIONS_SELECT_HINT_H

#include "data/transactions/dataset.h"

#define SELECT_HINT_BYTES 256

/* Writes what a message says after the name, or "": names that hold it, or else the nearest; that
 * several items are several options, where it looks like a list. */
void select_hint(const lode_dataset *data, const char *text, size_t n,
                 char hint[SELECT_HINT_BYTES]);

#endif
