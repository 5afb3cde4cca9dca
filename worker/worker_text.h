/* worker_text.h - a growing text buffer, and the JSON of answers
 *
 * If memory runs out, the text is marked `lost`; checking once at the end is enough.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_WORKER_TEXT_H
#define LODE_CLI_WORKER_TEXT_H

#include "cli.h"

#define WORKER_FULL (16u << 20) /* lists end when an answer has this many bytes */

typedef struct worker_text {
    char *bytes;
    size_t n, room;
    bool lost; /* out of memory */
} worker_text;

void worker_text_free(worker_text *t);
void worker_add(worker_text *t, const char *bytes, size_t n);
void worker_addf(worker_text *t, const char *format, ...) LODE_PRINTF(2, 3);
/* Adds any bytes as a JSON string, as reports do. */
void worker_add_text(worker_text *t, const char *bytes, size_t n);
void worker_add_word(worker_text *t, const char *word); /* the same, up to the terminating zero */
/* Adds a JSON number, as lode_json_number() writes it. */
void worker_add_real(worker_text *t, double value);
/* Whether an answer is so long that lists in it should end. */
static inline bool worker_is_full(const worker_text *t) {
    return t->lost || t->n > WORKER_FULL;
}

/* A lode_write_fn that adds to the text `user`, without line ends. */
int worker_add_piece(void *user, const char *text, size_t bytes);

#endif
