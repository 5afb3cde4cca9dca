/* fuzz_arrow.c - any bytes as an Arrow file: all of it is looked at, or refused in one sentence
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "results/arrow/arrow.h"
#include "target.h"

/* Looks at every name of a dictionary. */
static uint64_t look_at_names(arrow_file *f, uint32_t dictionary) {
    uint64_t n = 0, sum = 0;
    if (arrow_names(f, dictionary, &n) != LODE_OK) return 0;
    for (uint64_t i = 0; i < n; i++) {
        size_t bytes;
        const char *name = arrow_name(f, dictionary, i, &bytes);
        for (size_t k = 0; k < bytes; k++) sum += (unsigned char)name[k];
    }
    return sum;
}

/* Looks at every cell of a column in a batch. */
static uint64_t look_at_cells(arrow_file *f, uint32_t batch, uint32_t column) {
    arrow_cells cells;
    uint64_t sum = 0, n = arrow_batch_rows(f, batch), names;
    const arrow_column *c = arrow_column_at(f, column);
    if (arrow_cells_at(f, batch, column, true, &cells) != LODE_OK) return 0;
    if (cells.offsets) n = (uint64_t)cells.offsets[n];
    size_t width = c->type == ARROW_TEXT ? 1 : c->type == ARROW_U64 || c->type == ARROW_F64 ? 8 : 4;
    const unsigned char *bytes = cells.values;
    for (uint64_t i = 0; i < n * width; i++) sum += bytes[i];
    if (c->type != ARROW_NAMES || arrow_names(f, c->dictionary, &names) != LODE_OK) return sum;
    for (uint64_t i = 0; i < n; i++) {
        fuzz_require(((const uint32_t *)cells.values)[i] < names, "a code without a name");
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    lode_job_options o = {.size = sizeof o, .threads = 1, .memory_bytes = FUZZ_BUDGET};
    lode_job *job = NULL;
    arrow_file *f = NULL;
    volatile uint64_t sum = 0;
    fuzz_require(lode_job_create(&job, NULL, &o) == LODE_OK, "no job");
    void *copy = aligned_alloc(64, n / 64 * 64 + 64); /* as a map is */
    fuzz_require(copy != NULL, "no memory");
    memcpy(copy, bytes, n);
    lode_status status = arrow_open_memory(job, copy, n, &f);
    fuzz_require(status == LODE_OK || lode_job_error(job)[0] != 0, "failure without a message");
    for (uint32_t d = 0; f && d < arrow_n_dictionaries(f); d++) sum += look_at_names(f, d);
    for (uint32_t b = 0; f && b < arrow_n_batches(f) && b < 1000; b++) {
        for (uint32_t c = 0; c < arrow_n_columns(f); c++) sum += look_at_cells(f, b, c);
    }
    arrow_close(f);
    fuzz_require(lode_ctx_memory_used(lode_job_ctx(job)) == 0, "memory is left over");
    lode_job_free(job);
    free(copy);
    return 0;
}
