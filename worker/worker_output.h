/* worker_output.h - writes the frames of the worker, in order, on its own thread
 *
 * Other threads queue their frames and continue, so a slow reader of the pipe delays neither a
 * search nor a cancel. Only progress events may be dropped while other frames wait.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_WORKER_OUTPUT_H
#define LODE_CLI_WORKER_OUTPUT_H

#include "worker_text.h"

/* Starts writing to `fd`. `gone` is called once, on the writing thread, when the reader has closed
 * the pipe. False: out of memory or threads. */
bool worker_output_start(int fd, void (*gone)(void));

/* Adds the frame "ID KIND\nJSON". An event is dropped while other frames wait. */
void worker_output_add(uint64_t id, const char *kind, const char *json, size_t bytes);

/* Waits until at most `bytes` are queued, or for `seconds`; false: more are queued. */
bool worker_output_drain(size_t bytes, double seconds);

#endif
