/* nearest.h - suggests a name for a misspelt word
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_NEAREST_H
#define LODE_BASE_NEAREST_H

#include <stddef.h>

#define NEAREST_BYTES 40 /* longer words are ignored */

/* Returns the name nearest to the word, or NULL if no name is close. The distance is the number of
 * letters that are missing, added, changed or swapped. A prefix of a name counts as close to the
 * name. Case, - and _ are ignored. */
const char *nearest_name(const char *word, const char *const *names, size_t n);

/* Returns "did you mean 'NAME'? " for use in a message, or "" if no name is close. */
const char *nearest_hint(char hint[NEAREST_BYTES + 32], const char *word, const char *const *names,
                         size_t n);

#endif
