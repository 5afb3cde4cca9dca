/* device.h - predicts whether a search is faster on the CPU or on a GPU
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_ENGINE_DEVICE_H
#define LODE_PIPELINE_ENGINE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

/* ---- search time on the CPU, predicted from item supports only ------------------------------- */

/* Only the supports of the items and the threshold are known. If items were independent, the
 * frequency of a set would be the product of the frequencies of its items. With -log(frequency) as
 * the weight of an item, the frequent sets would then be those whose total weight is at most
 * -log(threshold). Their number is a knapsack count over 64 buckets of weights. On real data this
 * number is too low by a factor of one to three, but it predicts how steeply the number of sets
 * grows when the threshold falls. No sum over items or pairs predicts that.
 *
 *     data and threshold           sets if independent    found
 *     T40I10, 300 items, 1 %                  5.97e5     1.32e6
 *     the same, 0.3 %                         1.17e7     3.58e7
 *     accidents, over-sampled, 5 %            9.05e6     1.81e7
 *     chess, over-sampled, 25 %               5.87e6     7.73e6
 *     T10I4, 0.02 %                           7.60e4     1.22e5
 *
 * Not every set costs time: sets that differ only in the most frequent items are counted together,
 * as a lattice. So the nodes of the search are the sets without these items. The cost of a node is
 * proportional to the number of all transactions if rows keep their width, and to the number of
 * transactions of the node if it has shorter lists. The geometric mean of these two costs fits
 * best. */

/* Data about transactions before a search. */
typedef struct forecast_items {
    const uint64_t *supports; /* of all items, in any order */
    uint32_t n;
    uint64_t n_transactions, min_count;
} forecast_items;

typedef struct forecast_shape {
    double occurrences; /* of frequent items */
    double density;     /* share of ones in the matrix of transactions and frequent items */
    double nodes;       /* number of nodes of the search, if items were independent */
    double held;        /* sum of the frequencies of these nodes (shares of all transactions) */
} forecast_shape;

/* Computes the shape of the data. */
forecast_shape forecast_shape_of(const forecast_items *items);

/* Predicted seconds of the search on this many threads. */
double forecast_cpu(const forecast_items *items, const forecast_shape *shape, unsigned threads);

/* Whether a GPU is not worthwhile because the data are both sparse and small: so sparse that rows
 * are stored as lists, which host threads fill even if a GPU is used. */
bool forecast_lists_stay(const forecast_shape *shape, unsigned threads);

/* Predicted seconds of a search for subgraphs, from the edges of all graphs and the threshold as a
 * share of the graphs. */
double forecast_cpu_graphs(uint64_t n_edges, double threshold, unsigned threads);

#endif
