/* base_lists.h - the lists of the empty prefix; see base.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ADAPTIVE_BASE_LISTS_H
#define LODE_ADAPTIVE_BASE_LISTS_H

#include "adaptive/base.h"

/* Makes the lists of the slice that begins at base->first, and says where it ends. */
LODE_NODISCARD lode_status adaptive_base_lists(adaptive_base *base, const engine_task *task);

#endif
