/* adaptive_lists.h - the lists of the empty prefix; see adaptive_root.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSET_ADAPTIVE_LISTS_H
#define LODE_ITEMSET_ADAPTIVE_LISTS_H

#include "itemset/adaptive_root.h"

/* Makes the lists of the slice that begins at root->first, and says where it ends. */
LODE_NODISCARD lode_status adaptive_root_lists(adaptive_root *root, const engine_task *task);

#endif
