/* smiles.h - writes a pattern on one line, in a notation like SMILES
 *
 *     [C]-1-[C](-2-[O])-1-[N]
 *
 * A vertex is a label in brackets, an edge is a label between dashes (directed: -a-> and <-a-), and
 * a branch is in parentheses. An edge that closes a cycle ends in a number in braces. The same
 * number is written after the vertex at the other end:   [C]{1}-4-[C]-4-[N]-4-{1}
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_WRITE_GRAPHS_SMILES_H
#define LODE_WRITE_GRAPHS_SMILES_H

#include "data/graphs/graphs.h"

LODE_NODISCARD lode_status smiles_put(mem *m, vec_char *text, const lode_graphs *data,
                                      const lode_graph *pattern);

#endif
