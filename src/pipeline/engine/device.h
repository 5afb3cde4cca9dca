/* device.h - where a search will be faster: on the CPU or on a GPU
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_ENGINE_DEVICE_H
#define LODE_PIPELINE_ENGINE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

/* ---- how long a search will take on the CPU, before anything is counted but items ------------ */

/* Known are the supports of the items, and the threshold. If items were independent, a set would
 * have the product of their frequencies, so the frequent sets are those whose sum of logarithms
 * stays below that of the threshold; how many there are is a knapsack count, over 64 buckets of
 * logarithms. On real data that is too low by a factor of one to three, and it has what no sum over
 * items or pairs has: how steeply the number of sets grows when the threshold falls.
 *
 *     data and threshold           sets if independent    found
 *     T40I10, 300 items, 1 %                  5.97e5     1.32e6
 *     the same, 0.3 %                         1.17e7     3.58e7
 *     accidents, over-sampled, 5 %            9.05e6     1.81e7
 *     chess, over-sampled, 25 %               5.87e6     7.73e6
 *     T10I4, 0.02 %                           7.60e4     1.22e5
 *
 * Not every set costs something: those that differ in the most frequent items alone are counted as
 * one lattice. So nodes of the search are sets without these items. What a node costs lies between
 * a constant part of the transactions (where rows keep their width) and those that hold it (where
 * lists follow them); the geometric mean of both fits best. */

/* What is known of transactions before a search. */
typedef struct forecast_items {
    const uint64_t *supports; /* of all items, in any order */
    uint32_t n;
    uint64_t n_transactions, min_count;
} forecast_items;

typedef struct forecast_shape {
    double occurrences; /* of frequent items */
    double density;     /* of their bits */
    double nodes;       /* of the search, if items were independent */
    double held;        /* the sum of the frequencies of these nodes */
} forecast_shape;

forecast_shape forecast_shape_of(const forecast_items *items);

/* Seconds of the search on so many threads. */
double forecast_cpu(const forecast_items *items, const forecast_shape *shape, unsigned threads);

/* Whether the data are so sparse that rows are lists, which host threads fill for a GPU, too, and
 * too few of them for it to pay. */
bool forecast_lists_stay(const forecast_shape *shape, unsigned threads);

/* Seconds for subgraphs: by the edges of all graphs, and the threshold as a part of the graphs. */
double forecast_cpu_graphs(uint64_t n_edges, double threshold, unsigned threads);

#endif
