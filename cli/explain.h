/* explain.h - says in a sentence what a pattern means; the command and the server use it
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_EXPLAIN_H
#define LODE_CLI_EXPLAIN_H

#include "lode.h"

#define EXPLAIN_NAME_MOST 200 /* bytes of a name that are shown */

/* What the sentence needs to know, and where it goes. */
typedef struct explainer {
    /* The name of an item, lent until the next call, and its length. Of a longer name, only
     * EXPLAIN_NAME_MOST + 1 bytes are read. */
    const char *(*name)(const void *names, uint32_t item, size_t *bytes);
    const void *names;
    lode_write_fn write; /* what it returns is ignored */
    void *to;
    bool held_out; /* transactions were held out: the counts are of those that were searched */
} explainer;

/* "Of 54 transactions with a, 45 (83.3%) also have b; …", plain text. Of a row, only the items and
 * the counts are used. */
void explain_row(const explainer *e, lode_pattern_kind kind, const lode_store_row *row);

#endif
