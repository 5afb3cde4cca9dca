/* device.h - predicts whether a search is faster on the CPU or on a GPU
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_ENGINE_DEVICE_H
#define LODE_PIPELINE_ENGINE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

/* ---- search time on the CPU, predicted from item supports only ------------------------------- */

/* Known are the supports of the items, and the threshold. If items were independent, the frequency
 * of a set would be the product of its items' frequencies, so the frequent sets are those whose sum
 * of logarithms stays below that of the threshold; their number is a knapsack count, over 64
 * buckets of logarithms. On real data it is too low by a factor of one to three, but it predicts
 * how steeply the number of sets grows when the threshold falls, which no sum over items or pairs
 * does.
 *
 *     data and threshold           sets if independent    found
 *     T40I10, 300 items, 1 %                  5.97e5     1.32e6
 *     the same, 0.3 %                         1.17e7     3.58e7
 *     accidents, over-sampled, 5 %            9.05e6     1.81e7
 *     chess, over-sampled, 25 %               5.87e6     7.73e6
 *     T10I4, 0.02 %                           7.60e4     1.22e5
 *
 * Not every set costs time: sets that only differ in the most frequent items are counted as one
 * lattice. So the nodes of the search are sets without these items. The cost of a node is between a
 * constant fraction of the transactions (if rows keep their width) and its own transactions (if
 * lists follow them); the geometric mean of both fits best. */

/* Data about transactions before a search. */
typedef struct forecast_items {
    const uint64_t *supports; /* of all items, in any order */
    uint32_t n;
    uint64_t n_transactions, min_count;
} forecast_items;

typedef struct forecast_shape {
    double occurrences; /* of frequent items */
    double density;     /* of the bit matrix */
    double nodes;       /* of the search, if items were independent */
    double held;        /* sum of the frequencies of these nodes */
} forecast_shape;

forecast_shape forecast_shape_of(const forecast_items *items);

/* Predicted seconds of the search on this many threads. */
double forecast_cpu(const forecast_items *items, const forecast_shape *shape, unsigned threads);

/* Whether the data are so sparse that rows are lists, which host threads fill even for a GPU, and
 * too few for a GPU to pay. */
bool forecast_lists_stay(const forecast_shape *shape, unsigned threads);

/* Predicted seconds for subgraphs: by the edges of all graphs, and the relative threshold. */
double forecast_cpu_graphs(uint64_t n_edges, double threshold, unsigned threads);

#endif
