/* pgm.h - gSpan on a device, one pattern at a time
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPH_PGM_H
#define LODE_GRAPH_PGM_H

#include "graph/frontier.h"

LODE_NODISCARD lode_status pgm_run(engine_task *task);

#endif
