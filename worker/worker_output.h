/* worker_output.h - writes the answers of the worker, in order, on its own thread
 *
 * Other threads queue their answers and continue, so a slow reader of the pipe delays neither a
 * search nor a cancel. Only progress events may be dropped while other answers wait.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_WORKER_OUTPUT_H
#define LODE_CLI_WORKER_OUTPUT_H

#include "worker.h"

/* Starts writing to `fd`. `gone` is called once, on the writing thread, when the reader has closed
 * the pipe. False: out of memory or threads. */
bool worker_output_start(int fd, worker_encode_fn encode, void (*gone)(void));

/* A worker_encode_fn: the frame "ID KIND\nJSON" of docs/worker.md. */
void worker_frame(const worker_message *message, worker_text *out);

/* Sends an answer in the form of the encoder. `kind` is "done", "failed" or "event"; an event is
 * dropped while other answers wait. */
void worker_output_add(uint64_t id, const char *kind, const char *json, size_t bytes);
/* Sends a text as it is, and takes its memory. With may_drop, drops it while others wait. */
void worker_output_send(worker_text *text, bool may_drop);

/* Waits until at most `bytes` are queued, or for `seconds`; false: more are queued. */
bool worker_output_drain(size_t bytes, double seconds);

#endif
