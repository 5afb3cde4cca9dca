/* scan.h - finds extensions by scanning neighbours
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_GRAPHS_SCAN_H
#define LODE_GRAPHS_SCAN_H

#include "graphs/growth.h"

/* Finds the frequent extensions at all vertices of the right-most path, and sets x->extensions. */
LODE_NODISCARD lode_status scan_path(worker *w, node *x);
/* Finds the frequent extensions at the newest vertex that pass the filter. Sets x->extensions, with
 * room for `room` more. Sets *found to the growth of the newest vertex: all frequent edges that the
 * scan found, including those whose codes are not minimal. */
LODE_NODISCARD lode_status scan_newest_vertex(worker *w, node *x, const growth_filter *filter,
                                              uint32_t room, growth **found);
void scan_free(worker *w);

#endif
