/* test_cuda_fault.c - an error on a GPU leads to a message, never to a wrong count
 *
 * An invalid row number makes a kernel fault. From then on every call of the process must fail, so
 * this program ends there.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "check.h"
#include "device/api/backend.h"

#define WORDS 64u

static const lode_backend *cuda;

static lode_job *open_device(uint64_t device_memory, backend_device **device, lode_status *status) {
    lode_job *job = NULL;
    lode_job_options o = {.size = sizeof o, .device_memory_bytes = device_memory};
    if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
    *status = cuda->open(job, 0, 1, device);
    return job;
}

/* Too small a budget says what it is for, and leaves nothing behind. */
static void test_budget(void) {
    backend_device *device = NULL;
    lode_status status;
    lode_job *job = open_device(1 << 20, &device, &status);
    CHECK_EQUAL(status, LODE_BUDGET);
    CHECK(strstr(lode_job_error(job), "device memory budget of 1.0 MiB") != NULL);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

static void test_fault(void) {
    static uint64_t rows[2 * WORDS];
    backend_device *device = NULL;
    uint32_t granted = 0, counts[1] = {77};
    lode_status status;
    lode_job *job = open_device(0, &device, &status);
    CHECK_EQUAL(status, LODE_OK);
    CHECK(cuda->set_rows(device, rows, 2, WORDS) == LODE_OK);
    CHECK(cuda->reserve_lists(device, 1000, &granted) == LODE_OK);
    backend_work nowhere = {0, 2 + 900, BACKEND_NO_ROW}, fine = {0, 1, BACKEND_NO_ROW};
    CHECK_EQUAL(cuda->and_count(device, &nowhere, 1, 1, counts), LODE_DEVICE);
    CHECK(strstr(lode_job_error(job), "][cuda:0] ") != NULL);
    printf("    %s\n", lode_job_error(job));
    CHECK_EQUAL(cuda->and_count(device, &fine, 1, 1, counts), LODE_DEVICE);
    CHECK_EQUAL(counts[0], 77);
    cuda->close(device);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

int main(void) {
    char detail[LODE_REPORT_TEXT] = "this build has no CUDA backend";
    for (size_t i = 0; backend_at(i); i++) {
        if (strcmp(backend_at(i)->name, "cuda") == 0) cuda = backend_at(i);
    }
    if (!cuda || !cuda->probe(detail, sizeof detail)) {
        printf("skip: %s\n", detail);
        return 77;
    }
    CHECK_RUN(test_budget);
    CHECK_RUN(test_fault);
    return check_result();
}
