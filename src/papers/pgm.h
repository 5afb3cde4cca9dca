/* pgm.h - gSpan on a device, with the occurrences in columns
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_PGM_H
#define LODE_PAPERS_PGM_H

#include "device/api/paper_ops.h"
#include "graphs/frontier.h"

LODE_NODISCARD lode_status pgm_run(engine_task *task);

#endif
