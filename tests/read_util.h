/* read_util.h - for tests of the readers: parse a text, print a data set as one line
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_READ_UTIL_H
#define LODE_TESTS_READ_UTIL_H

#include <stdlib.h>

#include "check.h"
#include "data/transactions/dataset.h"
#include "lode.h"
#include "read/open.h"
#include "structs.h"

#define READ_DUMP_BYTES 65536

/* The outcome of one read: the data set as text, or the message. */
typedef struct read_outcome {
    lode_status status;
    char text[READ_DUMP_BYTES]; /* "apple pear|fig||": a | after each transaction; or the error */
    lode_profile profile;
    bool numeric, named;
} read_outcome;

static inline void read_append(read_outcome *o, size_t *at, const char *text, size_t n) {
    if (*at + n >= READ_DUMP_BYTES) return;
    memcpy(o->text + *at, text, n);
    *at += n;
    o->text[*at] = 0;
}

static inline void read_dump(const lode_dataset *data, read_outcome *o) {
    size_t at = 0;
    o->text[0] = 0;
    o->profile = profile_of(data);
    o->numeric = data->numeric;
    o->named = data->names != NULL;
    for (uint64_t t = 0; t < o->profile.n_transactions; t++) {
        uint32_t n;
        const uint32_t *items = dataset_row(data, t, &n);
        for (uint32_t i = 0; i < n; i++) {
            char name[256];
            size_t length = dataset_id_name(data, items[i], name, sizeof name);
            if (i > 0) read_append(o, &at, " ", 1);
            read_append(o, &at, name, length < sizeof name ? length : sizeof name);
        }
        read_append(o, &at, "|", 1);
    }
}

/* Fills in the outcome and frees everything; no memory may be left. */
static inline void read_settle(lode_job *job, lode_dataset *data, read_outcome *o) {
    const char *reason = NULL;
    if (o->status == LODE_OK) {
        if (!CHECK(dataset_validate(data, &reason))) fprintf(stderr, "  %s\n", reason);
        read_dump(data, o);
        lode_dataset_free(data);
    } else {
        CHECK(data == NULL);
        snprintf(o->text, sizeof o->text, "%s", lode_job_error(job));
        CHECK(o->text[0] != 0);
    }
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

static inline lode_job *read_context(unsigned threads, uint64_t budget) {
    lode_job *job = NULL;
    lode_job_options options = {.size = sizeof options, .threads = threads, .memory_bytes = budget};
    if (lode_job_create(&job, NULL, &options) != LODE_OK) abort();
    return job;
}

static inline lode_read_options read_options(lode_format format) {
    return (lode_read_options){.size = sizeof(lode_read_options), .format = format};
}

/* Parses with the given number of threads and size of blocks (0 = the usual one). */
static inline read_outcome *read_with(const void *text, size_t n, const lode_read_options *options,
                                      unsigned threads, size_t block) {
    static read_outcome o;
    lode_job *job = read_context(threads, 0);
    lode_dataset *data = NULL;
    o.status = open_parse(job, &data, &(read_source){.name = "in", .text = text, .bytes = n}, 1,
                          options, block);
    read_settle(job, data, &o);
    return &o;
}

/* Parses with many sizes of blocks and numbers of threads, which must not make a difference. */
static inline read_outcome *read_all_ways(const void *text, size_t n,
                                          const lode_read_options *options) {
    static const size_t blocks[] = {1, 2, 3, 5, 8, 13, 0};
    static const unsigned threads[] = {1, 2, 4};
    static read_outcome first;
    first = *read_with(text, n, options, 1, 0);
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            const read_outcome *o = read_with(text, n, options, threads[t], blocks[b]);
            CHECK_EQUAL(o->status, first.status);
            CHECK_TEXT(o->text, first.text);
            if (o->status != LODE_OK) continue;
            CHECK_EQUAL(o->profile.n_items, first.profile.n_items);
            CHECK_EQUAL(o->profile.n_repeated, first.profile.n_repeated);
            CHECK_EQUAL(o->profile.n_skipped, first.profile.n_skipped);
            CHECK_EQUAL(o->numeric, first.numeric);
        }
    }
    return &first;
}

/* The same for a text constant and a format. */
static inline read_outcome *read_text(const char *text, lode_format format) {
    lode_read_options options = read_options(format);
    return read_all_ways(text, strlen(text), &options);
}

/* Expectations: what the text becomes, or which message it gets. */
#define READS(input, format, expected)                                                             \
    do {                                                                                           \
        const read_outcome *outcome_ = read_text(input, format);                                   \
        CHECK_EQUAL(outcome_->status, LODE_OK);                                                    \
        CHECK_TEXT(outcome_->text, expected);                                                      \
    } while (0)

#define FAILS(input, format, message)                                                              \
    do {                                                                                           \
        const read_outcome *outcome_ = read_text(input, format);                                   \
        CHECK_EQUAL(outcome_->status, LODE_PARSE);                                                 \
        CHECK_TEXT(outcome_->text, message);                                                       \
    } while (0)

#endif
