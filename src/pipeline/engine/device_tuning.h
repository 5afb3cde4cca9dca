/* device_tuning.h - fitted constants of the choice between CPU and GPU; see device.h
 *
 * Fitted to complete runs of `adaptive` on 2, 8 and 16 cores and of `tensor` on an H200: the 14
 * rows of bench/results/gpu-breakeven-h200-2026-11-16.csv, and five more of gpu-tensor and
 * gpu-tensor-long of that day. The four numbers for itemsets are the best of a grid of 1,050
 * combinations. With them, the faster device is chosen in all 47 cells of the tables (differences
 * below a tenth do not count). It would still be chosen in every cell if one of the two predicted
 * times changed by up to 16 %. The table for graphs is gpu-breakeven-graphs: the choice is right in
 * all of its 21 cells.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_ENGINE_DEVICE_TUNING_H
#define LODE_PIPELINE_ENGINE_DEVICE_TUNING_H

/* Seconds that every GPU run takes to make its context and to end. */
#define GPU_START_SECONDS 0.33
/* After MOVE_SECONDS, a CPU search is checked again. If it is then expected to take more than
 * MOVE_LEFT_SECONDS longer, it moves to a GPU. */
#define MOVE_SECONDS      0.4
#define MOVE_LEFT_SECONDS 0.7
/* A root of lower density than GPU_LEAST_DENSITY is stored as lists on a GPU. No run in the tables
 * above has such a root, so it was measured separately, with 5 M transactions, 200,000 items and
 * 50 M occurrences. With 2 threads, a complete run takes 0.95 s with a GPU and 2.3 s on the CPU;
 * with 16 threads, 0.40 to 0.53 s and 0.44 to 0.65 s. GPU_LIST_US and CPU_LIST_US are microseconds
 * of one thread per occurrence. */
#define GPU_LEAST_DENSITY 0.005
#define GPU_LIST_US       0.02
#define CPU_LIST_US       0.08

/* n threads are n ^ CPU_THREADS_POWER times as fast as one thread. */
#define CPU_THREADS_POWER 0.8

/* Microseconds of one thread: per occurrence of a frequent item … */
#define CPU_OCCURRENCE_US 0.04
/* … and per unit of sqrt(A * B): A is the number of nodes times the number of transactions, B the
 * sum of the transactions of all nodes. */
#define CPU_NODE_US 2e-4
/* The same for one thread in dense data, for which the numbers fitted to 2 threads and more are too
 * high. Seconds of one thread, measured and predicted by the numbers above:
 *
 *                 connect                 covtype            mushroom    accidents   chess
 *     threshold   95 %    50 %    40 %    30 %     0.05 %    0.5 %       5 %         15 %
 *     measured    0.012   0.016   0.027   0.029    0.036     0.012       0.32        0.19
 *     predicted   0.045   0.42    1.2     0.25     0.43      0.033       0.054       0.075
 *
 * The supports of the items of new data do not show which of these data sets they resemble. Using a
 * GPU without need costs 0.3 s, and not using one may cost more. So these are the largest numbers
 * with which connect (down to 40 %) and covtype still stay on the CPU. */
#define CPU_ALONE_DENSITY       0.18
#define CPU_ALONE_OCCURRENCE_US 0.02
#define CPU_ALONE_NODE_US       4.8e-5
/* Number of the most frequent items whose subsets are counted together, and are not nodes. */
#define CPU_LATTICE_ITEMS 12
/* Closed sets take up to this many times as long as all sets of the same data (T40I10). */
#define CPU_CLOSED_FACTOR 1.7

/* Graphs: microseconds of one thread per edge at a threshold of 100 %; the time is inversely
 * proportional to the threshold. Measured: 0.15 to 0.7 (HIV, GGEN, NCI1). */
#define CPU_EDGE_US 0.25
/* Microseconds of a GPU per edge, for preparing and uploading. */
#define GPU_EDGE_US 0.1

#endif
