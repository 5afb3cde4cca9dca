/* worker_output.h - frames that the worker writes: whole ones, in order, on a thread of their own
 *
 * Whoever has something to say puts it into a queue and goes on, so that a reader of the pipe that
 * takes its time delays neither a search nor a cancel. Only news may be dropped while others wait.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_WORKER_OUTPUT_H
#define LODE_CLI_WORKER_OUTPUT_H

#include "worker_text.h"

/* Starts to write to `fd`; `gone` is called, once and on the thread that writes, when nobody reads
 * there any more. False: there is no memory, or no thread. */
bool worker_output_start(int fd, void (*gone)(void));

/* Adds the frame "ID KIND\nJSON". An event is dropped while other frames wait. */
void worker_output_add(uint64_t id, const char *kind, const char *json, size_t bytes);

/* Waits until at most `bytes` wait to be written, or for so many seconds; false: there are more. */
bool worker_output_drain(size_t bytes, double seconds);

#endif
