/* nearest.h - suggests a name for a misspelt word
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_NEAREST_H
#define LODE_BASE_NEAREST_H

#include <stddef.h>

#define NEAREST_BYTES 40 /* longer words are ignored */

/* The name nearest to the word, by letters missing, added, changed or swapped; NULL if none is
 * close. A prefix of a name is close to it. Case, - and _ are ignored. */
const char *nearest_name(const char *word, const char *const *names, size_t n);

/* "did you mean 'NAME'? " for a message, or "". */
const char *nearest_hint(char hint[NEAREST_BYTES + 32], const char *word, const char *const *names,
                         size_t n);

#endif
