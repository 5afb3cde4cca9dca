/* target.h - what every fuzzer of a reader does with its bytes
 *
 * Reads the input with one thread and usual blocks, then with two threads and tiny blocks. Both
 * must agree in status and message or in every transaction, and data sets must obey their rules.
 * The first byte of the input switches options; the rest is the file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_FUZZ_TARGET_H
#define LODE_FUZZ_TARGET_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/transactions/dataset.h"
#include "read/open.h"

#define FUZZ_BUDGET ((uint64_t)256 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const char *fuzz_subject = ""; /* what was at work, for the message */

static inline void fuzz_require(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "broken: %s%s%s\n", fuzz_subject, fuzz_subject[0] ? ": " : "", what);
    abort();
}

typedef struct fuzz_read {
    lode_job *job;
    lode_dataset *data;
    lode_status status;
} fuzz_read;

static inline fuzz_read fuzz_open(const void *text, size_t n, const lode_read_options *options,
                                  unsigned threads, size_t block) {
    fuzz_read r = {0};
    lode_job_options job = {.size = sizeof job, .threads = threads, .memory_bytes = FUZZ_BUDGET};
    const char *reason = "";
    fuzz_require(lode_job_create(&r.job, NULL, &job) == LODE_OK, "no context");
    r.status = open_parse(r.job, &r.data, &(read_source){.name = "input", .text = text, .bytes = n},
                          1, options, block);
    if (r.status == LODE_OK) {
        fuzz_require(dataset_validate(r.data, &reason), reason);
    } else {
        fuzz_require(r.data == NULL, "data in spite of failure");
        fuzz_require(lode_job_error(r.job)[0] != 0, "failure without a message");
    }
    return r;
}

static inline void fuzz_close(fuzz_read *r) {
    lode_dataset_free(r->data);
    fuzz_require(lode_ctx_memory_used(lode_job_ctx(r->job)) == 0, "memory is left over");
    lode_job_free(r->job);
}

static inline void fuzz_same_names(const lode_dataset *a, const lode_dataset *b) {
    fuzz_require(lode_dataset_item_bound(a) == lode_dataset_item_bound(b), "different item bounds");
    fuzz_require(!a->names == !b->names, "names in one only");
    if (!a->names && !a->numbers) return; /* integers: millions of ids, each its own name */
    for (uint32_t i = 0; i < lode_dataset_item_bound(a); i++) {
        char x[64] = "", y[64] = "";
        size_t n = dataset_id_name(a, i, x, sizeof x);
        fuzz_require(n == dataset_id_name(b, i, y, sizeof y), "different lengths of names");
        fuzz_require(memcmp(x, y, sizeof x) == 0, "different names");
    }
}

static inline void fuzz_same_data(const lode_dataset *a, const lode_dataset *b) {
    lode_profile p = a->profile, q = b->profile;
    fuzz_require(p.n_transactions == q.n_transactions, "different n_transactions");
    fuzz_require(p.n_repeated == q.n_repeated, "different n_repeated");
    fuzz_require(p.n_skipped == q.n_skipped, "different n_skipped");
    fuzz_require(p.format == q.format && p.separator == q.separator, "different formats");
    for (uint64_t t = 0; t < p.n_transactions; t++) {
        uint32_t n, m;
        const uint32_t *x = dataset_row(a, t, &n);
        const uint32_t *y = dataset_row(b, t, &m);
        fuzz_require(n == m && memcmp(x, y, n * sizeof *x) == 0, "different transactions");
    }
    fuzz_same_names(a, b);
}

/* Runs the input through a format. */
static inline int fuzz_format(lode_format format, const uint8_t *bytes, size_t n) {
    if (n == 0) return 0;
    static const char separators[] = {0, ',', ' ', '\t', ';', 'x', 0, '|'};
    lode_read_options options = {.size = sizeof options,
                                 .format = format,
                                 .separator = separators[bytes[0] & 7],
                                 .skip_bad_lines = bytes[0] >> 3 & 1,
                                 .header = bytes[0] >> 4 & 1};
    size_t block = 1 + (bytes[0] >> 5) * 3u;
    if (format == LODE_FORMAT_AUTO) options.header = false;
    fuzz_read a = fuzz_open(bytes + 1, n - 1, &options, 1, 0);
    fuzz_read b = fuzz_open(bytes + 1, n - 1, &options, 2, block);
    fuzz_require(a.status == b.status, "different statuses");
    if (a.status == LODE_OK) {
        fuzz_same_data(a.data, b.data);
    } else {
        fuzz_require(strcmp(lode_job_error(a.job), lode_job_error(b.job)) == 0, "other message");
    }
    fuzz_close(&a);
    fuzz_close(&b);
    return 0;
}

#endif
