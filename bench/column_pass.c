/* column_pass.c - a plain pass over three columns of stored itemsets, to compare a filter with
 *
 *     bench-column-pass FILE      then lines MIN_COUNT MIN_SIZE MAX_SUPPORT on standard input
 *
 * For each line it counts the itemsets that are within the bounds, with one thread and a loop that
 * does nothing else, and prints "SECONDS FOUND". The file is mapped once, and everything in it is
 * checked before the first pass. bench/serve_load.py asks the server for the same in between.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/os.h"
#include "results/arrow/arrow.h"

typedef struct bounds {
    uint64_t min_count;
    int32_t min_size;
    double max_support;
} bounds;

typedef struct columns {
    arrow_file *file;
    uint32_t items, count;
    double total; /* of the transactions */
} columns;

/* What a filter of three bounds has to do at the least. */
static uint64_t pass_batch(const columns *c, const arrow_cells cells[2], uint32_t rows,
                           const bounds *b) {
    const uint64_t *count = cells[1].values;
    const int32_t *offsets = cells[0].offsets;
    uint64_t found = 0;
    for (uint32_t i = 0; i < rows; i++) {
        found += (count[i] >= b->min_count) & (offsets[i + 1] - offsets[i] >= b->min_size) &
                 ((double)count[i] / c->total <= b->max_support);
    }
    return found;
}

static lode_status pass_all(const columns *c, const bounds *b, bool check, uint64_t *found) {
    lode_status status = LODE_OK;
    *found = 0;
    for (uint32_t batch = 0; batch < arrow_n_batches(c->file); batch++) {
        arrow_cells cells[2];
        LODE_TRY(arrow_cells_at(c->file, batch, c->items, check, &cells[0]));
        LODE_TRY(arrow_cells_at(c->file, batch, c->count, check, &cells[1]));
        *found += pass_batch(c, cells, arrow_batch_rows(c->file, batch), b);
    }
done:
    return status;
}

static lode_status pass_open(lode_job *job, const char *path, columns *c) {
    lode_status status = LODE_OK;
    uint64_t found;
    LODE_TRY(arrow_open(job, path, &c->file));
    c->items = arrow_column_find(c->file, "items");
    c->count = arrow_column_find(c->file, "count");
    const char *total = arrow_key_value(c->file, ARROW_KEY_TOTAL);
    c->total = total ? strtod(total, NULL) : 0;
    if (c->items == UINT32_MAX || c->count == UINT32_MAX || c->total <= 0) {
        LODE_LEAVE(job_fail(job, LODE_INVALID, "%s: expected stored itemsets", path));
    }
    LODE_TRY(pass_all(c, &(bounds){0, 0, 1}, true, &found));
done:
    return status;
}

int main(int argc, char **argv) {
    lode_job *job = NULL;
    columns c = {0};
    bounds b;
    if (argc != 2 || lode_job_create(&job, NULL, NULL) != LODE_OK) {
        fprintf(stderr, "usage: bench-column-pass FILE\n");
        return 2;
    }
    lode_status status = pass_open(job, argv[1], &c);
    while (status == LODE_OK &&
           scanf("%" SCNu64 " %" SCNd32 " %lf", &b.min_count, &b.min_size, &b.max_support) == 3) {
        uint64_t found;
        double begin = os_seconds();
        status = pass_all(&c, &b, false, &found);
        printf("%.9f %" PRIu64 "\n", os_seconds() - begin, found);
        fflush(stdout);
    }
    if (status != LODE_OK) fprintf(stderr, "bench-column-pass: %s\n", lode_job_error(job));
    arrow_close(c.file);
    lode_job_free(job);
    return status == LODE_OK ? 0 : 1;
}
