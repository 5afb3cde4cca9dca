/* call.h - checks the result of every CUDA call; a message names the call, the device and the cause
 *
 * An error inside a kernel shows up in a later call, and then all further calls fail, too. So the
 * job ends with a message and never with a wrong count.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DEVICE_CUDA_CALL_H
#define LODE_DEVICE_CUDA_CALL_H

#include <cuda_runtime_api.h>

#include "runtime/job.h"

/* Sets the job's message to "[call][cuda:index] " and the text of the error. Returns DEVICE. */
lode_status cuda_fail(lode_job *job, unsigned index, const char *call, cudaError_t error);

/* Makes a CUDA call; if it fails, sets `status` by cuda_fail() and goes to the label `done`. The
 * calling function must have this variable and this label. `device` points to a struct with the
 * fields job and card. */
#define CUDA_TRY(device, name, call)                                                               \
    do {                                                                                           \
        cudaError_t cuda_error = (call);                                                           \
        if (cuda_error != cudaSuccess) {                                                           \
            status = cuda_fail((device)->job, (device)->card->index, name, cuda_error);            \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

#endif
