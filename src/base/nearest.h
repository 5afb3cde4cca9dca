/* nearest.h - guesses what a misspelt word was meant to be
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_NEAREST_H
#define LODE_BASE_NEAREST_H

#include <stddef.h>

#define NEAREST_BYTES 40 /* longer words are ignored */

/* The name that is nearest to the word, by letters missing, added, changed or swapped; NULL if none
 * is near enough. The beginning of a name is near to it. Case, - and _ do not count. */
const char *nearest_name(const char *word, const char *const *names, size_t n);

/* "did you mean 'NAME'? " for a message, or "". */
const char *nearest_hint(char hint[NEAREST_BYTES + 32], const char *word, const char *const *names,
                         size_t n);

#endif
