/* worker_text.h - text that grows, and the JSON that the worker answers with
 *
 * A text that could not grow is `lost` and stays so: whoever writes looks once, at the end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_WORKER_TEXT_H
#define LODE_CLI_WORKER_TEXT_H

#include "cli.h"

#define WORKER_FULL (16u << 20) /* bytes of an answer after which lists end */

typedef struct worker_text {
    char *bytes;
    size_t n, room;
    bool lost; /* there was no memory for it */
} worker_text;

void worker_text_free(worker_text *t);
void worker_add(worker_text *t, const char *bytes, size_t n);
void worker_addf(worker_text *t, const char *format, ...) LODE_PRINTF(2, 3);
/* A JSON string of any bytes, as in reports. */
void worker_add_text(worker_text *t, const char *bytes, size_t n);
void worker_add_word(worker_text *t, const char *word); /* the same, up to the closing zero */
/* A JSON number, as lode_json_number() writes it. */
void worker_add_real(worker_text *t, double value);
/* Whether an answer is so long that nothing more should be listed in it. */
static inline bool worker_is_full(const worker_text *t) {
    return t->lost || t->n > WORKER_FULL;
}

/* A lode_write_fn that adds to the text `user`, without line ends. */
int worker_add_piece(void *user, const char *text, size_t bytes);

#endif
