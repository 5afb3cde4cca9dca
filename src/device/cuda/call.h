/* call.h - checks every CUDA call; an error names the call, the device and the cause
 *
 * An error of a kernel shows up in a later call and is sticky: every further call fails too, so the
 * job ends with a message and never with a wrong count.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_CALL_H
#define LODE_DEVICE_CUDA_CALL_H

#include <cuda_runtime_api.h>

#include "runtime/job.h"

/* Records "[call][device] what" and returns DEVICE. */
lode_status cuda_fail(lode_job *job, unsigned index, const char *call, cudaError_t error);

/* In a function with `lode_status status` and a label `done`. */
#define CUDA_TRY(device, name, call)                                                               \
    do {                                                                                           \
        cudaError_t cuda_error = (call);                                                           \
        if (cuda_error != cudaSuccess) {                                                           \
            status = cuda_fail((device)->job, (device)->card->index, name, cuda_error);            \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

#endif
