/* arrow_file.c - what an open Arrow file has, and its end: see arrow.h, file.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/arrow/file.h"

lode_status file_damaged(const arrow_file *f, const char *what) {
    return job_fail(f->job, LODE_PARSE, "%s: the Arrow file is damaged: %s", f->name, what);
}

bool arrow_has_checksums(const arrow_file *f) {
    return f->sums.at != 0;
}

bool file_sum_fits(const arrow_file *f, size_t i, uint64_t sum) {
    char digits[ARROW_SUM_DIGITS];
    if (f->sums.at == 0) return true;
    metadata_put_sum(digits, sum);
    const unsigned char *stored = f->sums.in.data + f->sums.at + i * ARROW_SUM_DIGITS;
    return memcmp(stored, digits, ARROW_SUM_DIGITS) == 0;
}

lode_status file_changed(const arrow_file *f, const char *what) {
    return job_fail(f->job, LODE_PARSE,
                    "%s: %s does not match its checksum: the file was damaged after it was "
                    "written; mine again, or restore a copy",
                    f->name, what);
}

bool arrow_is_lost(const arrow_file *f) {
    return mapped_is_lost(&f->map);
}

lode_status arrow_check(const arrow_file *f) {
    if (mapped_check(&f->map)) return LODE_OK;
    job_clear_message(f->job); /* what else went wrong may come from this */
    return job_fail(f->job, LODE_IO,
                    "%s was cut short, changed or could not be read while it was "
                    "open",
                    f->name);
}

void arrow_close(arrow_file *f) {
    if (!f) return;
    mem *m = &f->job->mem;
    mapped_close(&f->map);
    pthread_mutex_destroy(&f->lock);
    mem_drop(m, &f->kept);
    mem_free(m, f, sizeof *f);
}

uint32_t arrow_n_columns(const arrow_file *f) {
    return f->n_columns;
}

const arrow_column *arrow_column_at(const arrow_file *f, uint32_t i) {
    return &f->columns[i].column;
}

uint32_t arrow_column_find(const arrow_file *f, const char *name) {
    for (uint32_t i = 0; i < f->n_columns; i++) {
        if (strcmp(f->columns[i].column.name, name) == 0) return i;
    }
    return UINT32_MAX;
}

uint64_t arrow_n_rows(const arrow_file *f) {
    return f->n_rows;
}

uint32_t arrow_n_batches(const arrow_file *f) {
    return f->n_batches;
}

uint32_t arrow_n_dictionaries(const arrow_file *f) {
    return (uint32_t)f->dictionaries.n;
}

/* The run that a batch belongs to. */
static const file_run *file_run_of(const arrow_file *f, uint32_t batch) {
    size_t low = 0, high = f->n_runs;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (f->runs[middle].first_batch <= batch) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &f->runs[low];
}

uint64_t arrow_batch_first(const arrow_file *f, uint32_t batch) {
    if (batch >= f->n_batches) return f->n_rows;
    const file_run *run = file_run_of(f, batch);
    return run->first_row + (uint64_t)(batch - run->first_batch) * run->rows;
}

uint32_t arrow_batch_rows(const arrow_file *f, uint32_t batch) {
    return batch < f->n_batches ? file_run_of(f, batch)->rows : 0;
}

uint32_t arrow_batch_of(const arrow_file *f, uint64_t row) {
    size_t low = 0, high = f->n_runs;
    if (row >= f->n_rows) return f->n_batches;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (f->runs[middle].first_row <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const file_run *run = &f->runs[low];
    return run->first_batch + (uint32_t)((row - run->first_row) / run->rows);
}

const char *arrow_key_value(const arrow_file *f, const char *key) {
    for (uint32_t i = 0; i < f->n_keys; i++) {
        if (strcmp(f->keys[i].key, key) == 0) return f->keys[i].value;
    }
    return NULL;
}
