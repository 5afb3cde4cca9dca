/* partition_tuning.h - every number of this folder that was measured or guessed
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PIPELINE_PARTITIONS_PARTITION_TUNING_H
#define LODE_PIPELINE_PARTITIONS_PARTITION_TUNING_H

/* Where others may ask for work, a piece is searched in so many runs of the engine: what is left
 * of it can be handed out between two of them. More runs would open a device more often, and give
 * it less to do at a time. [guess] */
#define PARTITION_RUNS 4

/* A run has at least so much expected work, in sets: some milliseconds of a CPU. Pieces of less are
 * searched at once, and a single root of less is not looked below. [guess] */
#define PARTITION_LEAST 1e4

#endif
