/* generated.h - for tests of the generators: a temporary file, and its hash
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_GENERATED_H
#define LODE_TESTS_GENERATED_H

#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "lode.h"
#include "structs.h"

/* A directory for one test program, which removes every file it makes there. */
static char generated_directory[] = "/tmp/lode-test-XXXXXX";
static char generated_path[64];

static inline void generated_setup(void) {
    if (!mkdtemp(generated_directory)) exit(2);
    snprintf(generated_path, sizeof generated_path, "%s/out", generated_directory);
}

/* Fails if a test has left a file behind. */
static inline void generated_teardown(void) {
    CHECK(rmdir(generated_directory) == 0);
}

static inline lode_job *generated_job(unsigned threads) {
    lode_job *job = NULL;
    lode_job_options options = {.size = sizeof options, .threads = threads};
    if (lode_job_create(&job, NULL, &options) != LODE_OK) exit(2);
    return job;
}

/* Frees the job, which must not hold memory any more. */
static inline void generated_done(lode_job *job) {
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
}

/* Reads and removes the generated file; NULL if there is none. The text ends with a zero, and the
 * caller frees it. */
static inline char *generated_take(size_t *bytes) {
    FILE *file = fopen(generated_path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size) exit(2);
    fclose(file);
    remove(generated_path);
    text[size] = 0;
    if (bytes) *bytes = (size_t)size;
    return text;
}

/* The FNV-1a hash of the generated file, which it removes; 0 if there is none. */
static inline uint64_t generated_hash(void) {
    size_t n = 0;
    char *text = generated_take(&n);
    if (!text) return 0;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    free(text);
    return hash;
}

#endif
